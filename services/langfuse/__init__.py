"""Langfuse: prompts from there, and a projection of the journal to there, delivered exactly once and read back."""

__all__ = [
    "asking",
    "datasets",
    "delivery",
    "human_scores",
    "labels",
    "masking",
    "observations",
    "outbox",
    "preflight",
    "production_scores",
    "prompts",
    "rest",
    "score_names",
    "scores",
    "session",
]
"""Modules that may be used from outside; none is imported before it is asked for."""
