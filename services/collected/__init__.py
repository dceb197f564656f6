"""Collections of responses in files: which parts they have, how the rows of a part are read, and what is written."""

__all__ = ["addresses", "engines", "output", "parts", "reaching", "reading", "tables", "writing"]
