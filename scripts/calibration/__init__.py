"""Agreement of the tool with people: rated responses read, judged where a judge is set, compared and reported."""

__all__ = ["agreement", "judged_ratings"]
