"""Constraints read from the words of a case that states none as data: the printed JSON form has nothing else.

A case's own messages are read, never what an application made of them. Only plain forms are understood, such as
"chicken, rice, garlic. 20 min. gluten-free."; a case that needs more states its constraints itself.
"""

import re
from collections.abc import Iterable

from evaluation.chat_flow.checks.lexicon import Lexicon
from evaluation.chat_flow.checks.mentions import mentions
from evaluation.chat_flow.checks.tokens import folded, words
from evaluation.records import Json, Turn

_MINUTES = re.compile(r"\b(\d{1,4}) ?-?(?:min|mins|minutes?|minuten|minutos|minuti)\b")
_HOURS = re.compile(r"\b(\d{1,2}(?:\.\d{1,2})?|an?|half an|one) ?-?(?:h|hr|hrs|hours?)\b")
_WORDS = {"a": 1.0, "an": 1.0, "one": 1.0, "half an": 0.5}
_PEOPLE = re.compile(r"\b(?:for|serves|feeds) (\d{1,3})(?: people| persons| adults)?\b(?! ?-?(?:min|h\b|hour))")
_NEGATED = re.compile(r"\b(?:not|no|isnt|without)\b")


def stated_in(messages: Iterable[Turn], lexicon: Lexicon) -> dict[str, Json]:
    """The constraints of the user's messages as a case's data; a later time or number of people replaces an earlier."""
    found: dict[str, Json] = {}
    for turn in messages:
        if turn.role != "user":
            continue
        text = folded(turn.content)
        minutes = _minutes(text)
        if minutes is not None:
            found["time_budget_minutes"] = minutes
        if people := _PEOPLE.findall(text):
            found["servings"] = float(people[-1])
        if diets := [name for name in _diets(text, lexicon) if name not in found.get("diet", [])]:
            found["diet"] = [*found.get("diet", []), *diets]
        if available := [name for name in _foods(turn.content, lexicon) if name not in found.get("available", [])]:
            found["available"] = [*found.get("available", []), *available]
    return found


def _minutes(text: str) -> float | None:
    hours = [_WORDS.get(each) or float(each) for each in _HOURS.findall(text)]
    minutes = [float(each) for each in _MINUTES.findall(text)]
    if not hours and not minutes:
        return None
    return (hours[-1] * 60 if hours else 0.0) + (minutes[-1] if minutes else 0.0) or None


def _diets(text: str, lexicon: Lexicon) -> list[str]:
    """The diets named, in the order of the lists; none from a sentence that says no to something."""
    found: list[str] = []
    for sentence in re.split(r"[.;!?\n]", text):
        spoken = f" {' '.join(words(sentence))} "
        for name, diet in lexicon.diets.items():
            free = name[-1] == "free"
            if f" {' '.join(name)} " in spoken and (free or not _NEGATED.search(sentence)) and diet.name not in found:
                found.append(diet.name)
    return found


def _foods(text: str, lexicon: Lexicon) -> list[str]:
    return [mention.phrase for mention in mentions(text, lexicon)]
