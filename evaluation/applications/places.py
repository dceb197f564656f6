"""Places in JSON: `choices[0].message.content`, `data."key.with.dots"[-1]`."""

import re
from typing import TypeAlias

from evaluation.records import Json

Place: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r'(?P<dot>\.)?(?:(?P<key>[^\s.\[\]"]+)|"(?P<quoted>[^"]+)")|\[(?P<index>-?\d{1,6})\]')


def parse_place(text: str) -> Place:
    """The steps of a place. Raises ValueError, with what to write, for a text that is none."""
    if text.startswith(("$", "/")):
        raise ValueError(f"begins with {text[0]!r}: write the keys and indices alone, such as data[0].text")
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (bool(match["dot"]) == (not steps) and match["index"] is None):
            raise ValueError(f"cannot be read at {text[at : at + 20]!r}: write keys and indices, such as data[0].text")
        steps.append(int(match["index"]) if match["index"] is not None else match["key"] or match["quoted"])
        at = match.end()
    return tuple(steps)


def take(value: Json, place: Place) -> Json:
    """What stands at a place; None where nothing does."""
    for step in place:
        if isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        elif isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value
