"""Adapters between the pure core and the world: files, the journal, model endpoints, Langfuse."""
