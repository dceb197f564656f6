"""Sweeps: from what varies over a grid of runs to what moves the scores, and the files that say so."""

__all__ = ["sweep"]
