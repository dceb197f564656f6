"""Human review: who scores what and where, and what is made of it."""

__all__ = ["langfuse", "report", "session", "sheets"]
