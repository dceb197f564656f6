"""Collections of responses that are scored where they lie: what their rows add up to, part by part."""
