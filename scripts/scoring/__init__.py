"""Scoring what was answered before: existing responses in a file, and stored runs once more."""

__all__ = ["bridge", "collection", "patches", "rescore", "responses"]
