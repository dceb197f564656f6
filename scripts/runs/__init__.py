"""The runs in the journal: listed, shown, exported, delivered, pruned, and saved from a damaged file."""

__all__ = ["difference", "listing", "merge", "pages", "upkeep", "views"]
