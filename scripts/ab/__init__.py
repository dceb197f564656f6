"""A/B tests in production: planned once, read from Langfuse look by look."""
