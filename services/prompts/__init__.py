"""Prompts from Langfuse, from the prompt folder or from a file: what a reference means, pinned."""

__all__ = ["files", "found_prompt", "service"]
