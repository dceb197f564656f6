"""Langfuse: prompts from there, and a projection of the journal to there, delivered exactly once and read back."""

__all__ = [
    "delivery",
    "human_scores",
    "links",
    "masking",
    "names",
    "outbox",
    "preflight",
    "prompt_push",
    "prompts",
    "rest",
    "score_lists",
    "session",
]
"""Modules that may be used from outside; none is imported before it is asked for."""
