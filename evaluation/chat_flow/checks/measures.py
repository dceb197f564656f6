"""Texts and values of recipes in the form in which their meaning is compared: "200 g" is "200 grams" and "0.2 kg"."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from evaluation.chat_flow.flow_run import MAX_DEPTH
from evaluation.food.tokens import fold
from evaluation.records import Json

_FACTORS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("g", "gr", "gram", "gramme"), ("g", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilogram"), ("g", 1000.0)),
    **dict.fromkeys(("mg", "milligram"), ("g", 0.001)),
    **dict.fromkeys(("ml", "millilitre", "milliliter"), ("ml", 1.0)),
    **dict.fromkeys(("cl", "centilitre", "centiliter"), ("ml", 10.0)),
    **dict.fromkeys(("dl", "decilitre", "deciliter"), ("ml", 100.0)),
    **dict.fromkeys(("l", "litre", "liter"), ("ml", 1000.0)),
    **dict.fromkeys(("tbsp", "tbs", "tablespoon", "tablespoonful"), ("tbsp", 1.0)),
    **dict.fromkeys(("tsp", "teaspoon", "teaspoonful"), ("tsp", 1.0)),
    **dict.fromkeys(("oz", "ounce"), ("oz", 1.0)),
    **dict.fromkeys(("lb", "pound"), ("oz", 16.0)),
    **dict.fromkeys(("s", "sec", "second"), ("s", 1.0)),
    **dict.fromkeys(("min", "minute"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("s", 3600.0)),
    **dict.fromkeys(("pc", "pcs", "piece"), ("", 1.0)),
}
"""Unit in the singular -> the unit that it is counted in, and how many of those it is."""
_NUMBERS: Mapping[str, float] = {
    "half": 0.5,
    "quarter": 0.25,
    **{
        word: float(number)
        for number, word in enumerate(
            ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
        )
    },
}
_FILLERS = frozenset({"a", "an", "the", "of"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)?(?: ?/ ?\d+)?|[^\W\d_]+")
_LONGEST_NUMBER = 12
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e]")
"""One half and its like as one character."""
_SIBILANT = ("ses", "xes", "zes", "ches", "shes", "oes")
Token: TypeAlias = str | tuple[float, str]
"""A word in the singular, or an amount with its unit."""
Meaning: TypeAlias = tuple[Token, ...]


def meaning_of(text: str) -> Meaning:
    """The words of a text in order: caseless, in the singular, amounts in one unit each. Linear in its length."""
    found: list[Token] = []
    for spoken in _TOKEN.findall(fold(_VULGAR.sub(_plain_fraction, text))):
        number = _number(spoken)
        if number is not None:
            before = found[-1] if found else None
            # "1 1/2 cups" is one amount.
            if isinstance(before, tuple) and before[1] == "" and number < 1 <= before[0]:
                found[-1] = (before[0] + number, "")
            else:
                found.append((number, ""))
            continue
        word = singular(spoken)
        unit = _FACTORS.get(word)
        before = found[-1] if found else None
        if unit is not None and isinstance(before, tuple) and before[1] == "":
            found[-1] = (round(before[0] * unit[1], 6), unit[0])
        elif word not in _FILLERS:
            found.append(word)
    return tuple(found)


def singular(word: str) -> str:
    """The form in which an English word and its plural are the same; any other word stays as it is, or nearly."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(_SIBILANT) else word[:-1]


def same_meaning(one: Json, other: Json, *, ordered: bool = False) -> bool:
    """True where two values of a recipe say the same. Lists are compared in order where `ordered`."""
    return _key(one, ordered=ordered) == _key(other, ordered=ordered)


def entry_meaning(value: Json) -> frozenset[tuple[Token, int]]:
    """What an entry of a list says: "200 g rice", {"amount": "200 g", "name": "rice"} and "rice (200 grams)" alike."""
    return frozenset(Counter(meaning_of(" ".join(_flat(value)))).items())


def _key(value: Json, *, ordered: bool, depth: int = 0) -> object:
    if isinstance(value, bool) or value is None or depth > MAX_DEPTH:
        return (type(value).__name__, value if isinstance(value, bool) else None)
    if isinstance(value, int | float):
        return (("n", float(value)),)
    if isinstance(value, str):
        found = meaning_of(value)
        # A text without words, such as one of signs alone, is compared as it stands.
        return tuple(("n", each[0]) if isinstance(each, tuple) and not each[1] else each for each in found) or value
    if isinstance(value, dict):
        return frozenset((key, _key(each, ordered=ordered, depth=depth + 1)) for key, each in value.items())
    if isinstance(value, list):
        keys = [_key(each, ordered=ordered, depth=depth + 1) for each in value]
        return ("list", tuple(keys)) if ordered else ("list", frozenset(Counter(keys).items()))
    return value


_AMOUNTS = ("amount", "quantity", "qty", "value", "unit")


def _flat(value: Json, depth: int = 0) -> Iterator[str]:
    """The texts and numbers of an entry, amounts first, so that a number stands before its unit."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:.6f}".rstrip("0").rstrip(".")
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for key in sorted(value, key=lambda key: _AMOUNTS.index(key) if key in _AMOUNTS else len(_AMOUNTS)):
            yield from _flat(value[key], depth + 1)
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for each in value:
            yield from _flat(each, depth + 1)


def _plain_fraction(found: re.Match[str]) -> str:
    return f" {unicodedata.numeric(found[0]):.4f}"


def _number(spoken: str) -> float | None:
    if spoken in _NUMBERS:
        return _NUMBERS[spoken]
    if not spoken[0].isdigit() or len(spoken) > _LONGEST_NUMBER:
        return None
    above, _, below = spoken.replace(",", ".").partition("/")
    try:
        value = _digits(above)
        return round(value if not below else value / _digits(below), 4)
    except (ValueError, ZeroDivisionError):
        return None


def _digits(text: str) -> float:
    """A number whose digits may be of any script."""
    return float("".join(str(unicodedata.digit(each, -1)) if each.isdigit() else each for each in text.strip()))
