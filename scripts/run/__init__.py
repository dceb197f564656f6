"""The stages of an evaluation: what is read, wired, planned, played, concluded, written and shown of a run."""

__all__ = [
    "agreement",
    "files",
    "finish",
    "judge",
    "kept_suites",
    "labels",
    "load",
    "output",
    "own_cues",
    "pairs",
    "panel",
    "people",
    "plan",
    "play",
    "scores",
    "start",
    "stop",
    "stored",
    "waivers",
    "wiring",
]
