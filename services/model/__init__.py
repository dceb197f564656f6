"""Calls to models behind an OpenAI-compatible endpoint: what is sent, how it is tried again, what it costs."""

__all__ = ["endpoint", "errors", "pricing", "traits"]
