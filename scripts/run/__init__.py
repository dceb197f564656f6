"""The stages of an evaluation: what is read, wired, planned, played, concluded, written and shown of a run."""

__all__ = [
    "deliver",
    "eval_records",
    "files",
    "finish",
    "judge",
    "load",
    "output",
    "pages",
    "plan",
    "play",
    "scores",
    "start",
    "stop",
    "stored",
    "wiring",
]
