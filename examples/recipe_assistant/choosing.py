"""Finds the offered option that is taken."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from examples.recipe_assistant.understanding.text import fold
from examples.recipe_assistant.wishes import Message

PLACES = {"first": 0, "1": 0, "1st": 0, "second": 1, "2": 1, "2nd": 1, "third": 2, "3": 2, "3rd": 2, "last": -1}
PLACED = re.compile(
    r"\b(?:the )?(first|second|third|last|1st|2nd|3rd) (?:one|option|recipe|idea|please)\b"
    r"|\b(?:option|number|recipe|idea) ([123])\b"
)


def chosen_option(
    options: Sequence[Mapping[str, Any]], wanted_id: str | None, messages: Sequence[Message]
) -> Mapping[str, Any] | None:
    """The option with the wanted id, else the one the last message names, else the first, which suits best.

    None when no option has the wanted id.
    """
    if wanted_id is not None:
        return next((option for option in options if option["id"] == wanted_id), None)
    last = fold(next((each.content for each in reversed(messages) if each.role == "user"), ""))
    if (placed := PLACED.search(last)) and (place := PLACES[placed[1] or placed[2]]) < len(options):
        return options[place]
    named = [option for option in options if _is_named(option, last)]
    return named[0] if named else options[0]


def _is_named(option: Mapping[str, Any], text: str) -> bool:
    title = option.get("title")
    return isinstance(title, str) and bool(title.strip()) and fold(title) in text
