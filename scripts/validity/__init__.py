"""What a rubric's rules see, and what they do not."""

__all__ = ["amounts", "danger", "mutations", "people", "stuffing"]
