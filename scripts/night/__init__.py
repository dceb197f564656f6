"""Nights over production: what is played and held against the approved baseline, and what is left and posted of it."""

__all__ = ["asked", "baseline", "files", "flags", "watch"]
