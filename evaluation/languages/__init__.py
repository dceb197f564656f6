"""Languages: packs of phrases, one YAML file each, and which language a text is in."""
