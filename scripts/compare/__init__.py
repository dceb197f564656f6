"""Comparisons: from references over runs and their scores to the verdict, the gate and the files."""

__all__ = ["arguments", "changed_prompts", "compare", "one_pass", "sides"]
