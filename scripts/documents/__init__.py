"""The pages under docs/ that come from the code: the commands, the rubrics, the scenarios, and what commands print."""

__all__ = ["commands", "writing"]
