"""Human review: who scores what and where, and what is made of it."""

__all__ = ["exports", "langfuse", "report", "session", "sheets"]
