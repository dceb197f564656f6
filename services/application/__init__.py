"""The application under test, reached over HTTP, and the embedded sample of one."""

__all__ = ["client", "sample"]
