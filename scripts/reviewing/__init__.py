"""Human review: who scores what and where, and what is made of it."""

__all__ = ["arguments", "label_next", "langfuse", "pairs", "report", "session", "sheets"]
