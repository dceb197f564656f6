"""From a pydantic error to one place and one sentence."""

from collections.abc import Callable
from difflib import get_close_matches

from pydantic import ValidationError

from evaluation.text.yaml_text import ValuePath

_QUOTED = 80
_LISTED = 16
"""Names that an error still lists."""
_NEAR = 0.78
"""Likeness from which a name is taken to be meant: "titel" is (0.8) to "title", "foo" is not (0.75) to "floor"."""


def complaint(error: ValidationError, known: Callable[[ValuePath], tuple[str, ...]]) -> tuple[ValuePath, str]:
    """Place and reason of the first mistake; an unknown key goes first, since a missing one is often it misspelt.

    `known` gives the keys that would be right where the unknown one of a path stands.
    """
    mistakes = error.errors(include_url=False)
    first = next((mistake for mistake in mistakes if mistake["type"] == "extra_forbidden"), mistakes[0])
    path: ValuePath = tuple(part for part in first["loc"] if part != "[key]")
    if first["type"] == "extra_forbidden":
        return path, f"unknown key {path[-1]!r}{did_you_mean(str(path[-1]), known(path))}"
    if first["type"] == "missing":
        return path, "is missing"
    reason = first["msg"].removeprefix("Value error, ")
    reason = reason[0].lower() + reason[1:]
    if isinstance(first["input"], dict | list):
        return path, reason
    return path, f"{_clipped(first['input'])}: {reason}"


def did_you_mean(name: str, known: tuple[str, ...]) -> str:
    """The end of a message on an unknown name: the nearest known name, or all of them when they are few."""
    if not known:
        return ""
    near = get_close_matches(name, known, n=1, cutoff=_NEAR)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; known are {', '.join(known)}" if len(known) <= _LISTED else ""


def _clipped(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else text[: _QUOTED - 3] + "..."
