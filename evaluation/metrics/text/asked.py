"""Reads what a prompt asks for in plain words: so many words, sentences, paragraphs, or items of a list."""

import re
from dataclasses import dataclass
from functools import lru_cache

ABOUT = 0.1
"""By which share of it a number of words may be missed either way."""
LONGEST = 20_000
"""Characters of a prompt that are read: its first and its last half of these."""
NUMBERS = {
    "a": 1, "an": 1, "single": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "a hundred": 100, "one hundred": 100, "two hundred": 200, "three hundred": 300,
    "four hundred": 400, "five hundred": 500, "a thousand": 1000, "one thousand": 1000,
}  # fmt: skip
ARTICLES = ("a", "an")
"""Numbers only where nothing else can be meant: "in a sentence", but not "begin with a word"."""
_NAMES = sorted(NUMBERS, key=len, reverse=True)
_NUMBER = rf"(?:\d{{1,5}}|{'|'.join(_NAMES)})"
_COUNT = rf"(?:\d{{1,5}}|{'|'.join(name for name in _NAMES if name not in ARTICLES)})"
_COUNTED = r"(?:exactly |precisely |just |only |about |around |roughly |approximately |some |~ ?)?"
_MOST = r"(?:at most|no more than|not more than|under|below|less than|fewer than|up to|a maximum of|max)"
_LEAST = r"(?:at least|no less than|no fewer than|(?<!no )(?<!not )more than|over|a minimum of)"
_THINGS = (
    r"advantages|arguments|benefits|causes|differences|disadvantages|examples|facts|features|ideas|items|methods|"
    r"points|principles|questions|reasons|recommendations|rules|signs|steps|strategies|suggestions|things|tips|"
    r"types|uses|ways"
)
_BETWEEN = re.compile(rf"\b(?:between )?({_COUNT}) ?(?:and|to|-|–) ?({_COUNT})[ -]words?\b")
_AT_MOST = re.compile(rf"\b{_MOST} ({_COUNT}) words?\b|\b({_COUNT}) words? (?:or (?:less|fewer)|at most|max)")
_AT_LEAST = re.compile(rf"\b{_LEAST} ({_COUNT}) words?\b|\b({_COUNT}) words? (?:or more|at least)")
_ABOUT = re.compile(
    rf"\b(?:in|within|using|with|about|around|roughly|approximately|exactly|~) ?{_COUNTED}({_COUNT}) words?\b"
    rf"|\b(?:a|an|one) ({_COUNT})-word\b"
)
_SENTENCES = re.compile(
    rf"\b(?:in|within) {_COUNTED}({_NUMBER}) (?:\w+ )?sentences?\b"
    rf"|\b(?:using|with|as) {_COUNTED}({_COUNT}) (?:\w+ )?sentences?\b|\b({_COUNT})-sentence\b"
)
_PARAGRAPHS = re.compile(
    rf"\b(?:in|within) {_COUNTED}({_NUMBER}) (?:\w+ )?paragraphs?\b"
    rf"|\b(?:using|with|as) {_COUNTED}({_COUNT}) (?:\w+ )?paragraphs?\b|\b({_COUNT})-paragraph\b"
)
_ITEMS = re.compile(
    rf"\b(?:list|name|give(?: me)?|suggest|provide) {_COUNTED}(?:the )?(?:top |first |main )?({_NUMBER}) "
    r"(?!words?\b|sentences?\b|paragraphs?\b)"
    rf"|\b({_NUMBER}) (?:\w+ )?(?:bullet points|bullets|{_THINGS})\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The range asked for; None where the prompt says nothing of it."""

    words: tuple[float, float] | None = None
    """Fewest and most."""
    sentences: int | None = None
    paragraphs: int | None = None
    items: int | None = None


@lru_cache(maxsize=256)
def read_request(folded: str) -> Asked:
    """Reads a prompt in lower case. Of several numbers for one thing the last counts: asks come after quotations.

    "in 50 words" allows a tenth either way; "at most 100 words", "at least 150" and "100 to 150" are taken as said.
    """
    if len(folded) > LONGEST:
        folded = f"{folded[: LONGEST // 2]} {folded[-LONGEST // 2 :]}"
    line = " ".join(folded.split())
    items = _last(_ITEMS, line)
    return Asked(
        words=_words(line),
        sentences=_last(_SENTENCES, line),
        paragraphs=_last(_PARAGRAPHS, line),
        items=items if items and items > 1 else None,
    )


def _words(line: str) -> tuple[float, float] | None:
    between = [(_value(low), _value(high)) for low, high in _BETWEEN.findall(line)]
    if between and 0 < between[-1][0] <= between[-1][1]:
        return between[-1]
    most, least, about = (_last(pattern, line) for pattern in (_AT_MOST, _AT_LEAST, _ABOUT))
    if most:
        return (float(least) if least and least <= most else 1.0, float(most))
    if least:
        return (float(least), float("inf"))
    if about:
        return (round(about * (1 - ABOUT), 6), round(about * (1 + ABOUT), 6))
    return None


def _last(pattern: re.Pattern[str], line: str) -> int | None:
    """The number in the last match; None without one, or where it is 0."""
    found = None
    for match in pattern.finditer(line):
        found = match
    if found is None:
        return None
    return _value(next(group for group in found.groups() if group)) or None


def _value(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS[text]
