"""Amounts in a text: figures, numbers in English words, ranges, bounds, units and money, brought to one unit each."""

import math
import re
from collections.abc import Iterator, Mapping

from evaluation.metrics.utterance import fold
from evaluation.reference.values import COUNT, Amount, Ends
from evaluation.reference.words import NOT_NOUNS, NUMBERS, TENS
from evaluation.text.stems import stem_of

HEDGED = 0.1
"""By which share a number that is said to be near may be off."""
_SMALL: Mapping[str, int] = {
    **{word: number for number, word in enumerate(NUMBERS)},
    **{word: number for number, word in zip(range(20, 100, 10), TENS, strict=True)},
}
_SCALES: Mapping[str, int] = {
    "dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "mio": 10**6, "k": 1000, "m": 10**6, "bn": 10**9,
}  # fmt: skip
_ABBREVIATED = frozenset({"k", "m", "bn", "mio"})
_WORD = rf"(?:{'|'.join(sorted({*_SMALL, *_SCALES} - _ABBREVIATED, key=len, reverse=True))})s?"
_SPELLED = rf"(?:(?:a|half a|half an|{_WORD})(?=[ -](?:{_WORD})\b)|{_WORD})(?:(?:[ -]and)?[ -](?:{_WORD}))*\b"
_FIGURE = r"\d{1,3}(?:[.,'\u2019\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_NUMBER = rf"(?:{_FIGURE}|(?<![\w'-]){_SPELLED})"
_SCALED = rf"{_NUMBER}(?: (?:hundred|thousand|million|billion)\b|(?:k|bn)\b)?"
_MONEY: Mapping[str, str] = {
    "€": "eur", "eur": "eur", "euro": "eur", "$": "usd", "usd": "usd", "dollar": "usd", "£": "pound", "gbp": "pound",
    "pound": "pound", "chf": "chf", "franc": "chf", "fr": "chf", "yen": "yen", "¥": "yen", "cent": "cent",
}  # fmt: skip
UNITS: Mapping[str, tuple[str, float]] = {
    **{name: (unit, 1.0) for name, unit in _MONEY.items()},
    **dict.fromkeys(("%", "percent", "per cent", "pct"), ("%", 1.0)),
    **dict.fromkeys(("mg", "milligram", "milligramme"), ("g", 0.001)),
    **dict.fromkeys(("g", "gram", "gramme"), ("g", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilogram", "kilogramme"), ("g", 1000.0)),
    **dict.fromkeys(("tonne", "ton"), ("g", 1e6)),
    **dict.fromkeys(("mm", "millimetre", "millimeter"), ("m", 0.001)),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), ("m", 0.01)),
    **dict.fromkeys(("m", "metre", "meter"), ("m", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometer"), ("m", 1000.0)),
    **dict.fromkeys(("mile",), ("m", 1609.344)),
    **dict.fromkeys(("ft", "foot", "feet"), ("m", 0.3048)),
    **dict.fromkeys(("ml", "millilitre", "milliliter"), ("ml", 1.0)),
    **dict.fromkeys(("l", "litre", "liter"), ("ml", 1000.0)),
    **dict.fromkeys(("s", "sec", "second"), ("s", 1.0)),
    **dict.fromkeys(("min", "minute"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("s", 3600.0)),
    "day": ("s", 86_400.0), "night": ("night", 1.0), "week": ("s", 604_800.0), "fortnight": ("s", 1_209_600.0),
    "month": ("month", 1.0), "year": ("month", 12.0), "decade": ("month", 120.0), "century": ("month", 1200.0),
    **dict.fromkeys(("degree", "°c", "°f", "°"), ("degree", 1.0)),
    "time": ("times", 1.0), "kwh": ("kwh", 1.0), "gb": ("gb", 1.0), "mb": ("gb", 0.001), "calorie": ("kcal", 1.0),
    "kcal": ("kcal", 1.0),
}  # fmt: skip
"""Unit in the singular -> what it is counted in, and how many of those it is."""
_PLURAL = re.compile(r"(?:s|es)$")
_RANGE = re.compile(
    rf"(?<![\w.,/])(?:(?P<sign>[€$£¥]|\b(?:EUR|USD|GBP|CHF)\b) ?)?(?P<low>{_SCALED})"
    rf"(?:(?: ?[-\u2013] ?| to | or | and )(?P<sign2>[€$£¥])?(?P<high>{_SCALED}))?(?![\w/]*\d)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"[ \u00a0-]?(?P<unit>%|per cent\b|°[CF]?|[€$£]|[^\W\d_]+)", re.IGNORECASE)
_BESIDE = re.compile(r"[ \u00a0-](?P<noun>[^\W\d_]+)")
_PER = re.compile(
    r"[^\W\d_]*\s?(?:an? |per |each |every |/ ?)(?P<per>month|year|week|day|night|hour|person|piece|head)\b"
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.|close to|just under|just over|"
    r"little under|little over|little less than|little more than|or so)|~) ?$"
)
_AT_MOST = re.compile(r"\b(?:up to|at most|(?:no|not) more than|under|below|less than|fewer than|a maximum of) $")
_AT_LEAST = re.compile(r"\b(?:at least|(?:no|not) less than|more than|over|above|a minimum of|beyond) $")
_WHOLES = re.compile(
    r"\b(?P<half>half an? (?P<unit>[^\W\d_]+))|\b(?P<fortnight>(?:a|one) fortnight)\b|\b(?P<twice>twice)\b"
    r"|\b(?P<thrice>thrice)\b"
)


def amounts_in(text: str) -> Iterator[Amount]:
    """The amounts of a text without its dates and times, in order."""
    folded = fold(text)
    taken: list[tuple[int, int]] = []
    for match in _WHOLES.finditer(folded):
        found = _whole(match)
        if found is not None:
            taken.append(found.span)
            yield found
    for match in _RANGE.finditer(text):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        found = _amount(match, text, folded)
        if found is not None:
            yield found


def _whole(match: re.Match[str]) -> Amount | None:
    """An amount that one or two words say without a number."""
    if match["half"]:
        unit = UNITS.get(_singular(match["unit"]))
        return None if unit is None else Amount(match.span(), (_scaled((0.5, 0.5), unit[1]),), unit[0], spelled=True)
    if match["fortnight"]:
        return Amount(match.span(), (_scaled((1, 1), UNITS["fortnight"][1]),), "s", spelled=True)
    times = 2.0 if match["twice"] else 3.0
    return Amount(match.span(), ((times, times),), "times", spelled=True)


def _amount(match: re.Match[str], text: str, folded: str) -> Amount | None:
    lows, highs = _readings(match["low"]), _readings(match["high"]) if match["high"] else None
    joined = text[match.end("low") : match.start("high")].strip().lower() if match["high"] else ""
    end = match.end()
    if (
        highs
        and joined in ("and", "or", "to")
        and (
            (joined == "and" and not re.search(r"\bbetween $", folded[: match.start()]))
            or (joined != "or" and max(highs) < max(lows))
        )
    ):
        highs, end = None, match.end("low")
    unit, factor, end = _unit(match, text, end)
    before = folded[max(0, match.start() - 30) : match.start()]
    ends: list[Ends] = [(low, low) for low in lows] if highs is None else [(min(lows), max(highs))]
    per = _PER.match(folded[end : end + 30])
    spelled = not any(map(str.isdigit, match["low"]))
    readings = tuple(_scaled(_bounded(each, before), factor) for each in ends)
    return Amount((match.start(), end), readings, unit, per["per"] if per else "", spelled)


def _unit(match: re.Match[str], text: str, end: int) -> tuple[str, float, int]:
    """What it is counted in, how many of those one is, and where the amount ends."""
    sign = match["sign"]
    if sign:
        return _MONEY[sign.lower()], 1.0, end
    behind = _BEHIND.match(text, end)
    if behind is None:
        return "", 1.0, end
    written = behind["unit"]
    word = written.lower()
    known = UNITS.get(word) or UNITS.get(_singular(word))
    if known is not None and not (word == "m" and text[end : end + 1] not in " \u00a0"):
        return known[0], known[1], behind.end()
    if word in NOT_NOUNS or text[end : end + 1] not in " \u00a0-":
        return "", 1.0, end
    return f"{COUNT}{stem_of(word)}", 1.0, behind.end()


def _singular(word: str) -> str:
    if word in UNITS:
        return word
    if word == "centuries":
        return "century"
    return word[:-1] if word.endswith("s") and len(word) > 2 else word


def _bounded(ends: Ends, before: str) -> Ends:
    """The ends with what stands before the number: near it, up to it, or from it."""
    low, high = ends
    if _ABOUT.search(before):
        return low * (1 - HEDGED), high * (1 + HEDGED)
    if _AT_MOST.search(before):
        return -math.inf, high
    if _AT_LEAST.search(before):
        return low, math.inf
    return ends


def _scaled(ends: Ends, factor: float) -> Ends:
    return ends[0] * factor, ends[1] * factor


def _readings(written: str) -> tuple[float, ...]:
    """What a number may mean."""
    text = written.lower()
    figure = re.match(_FIGURE, text)
    if figure is None:
        return (_spelled(text),)
    scale = text[figure.end() :].strip()
    factor = _SCALES.get(scale, 1)
    return tuple(value * factor for value in _figures(figure[0]))


def _figures(figure: str) -> tuple[float, ...]:
    """A number in figures: a mark before three figures may part thousands or decimals, in the usage of languages."""
    plain = re.sub(r"['\u2019\u00a0\u202f]", "", figure)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return (float(plain),)
    parts = re.split(r"[.,]", plain)
    whole = float("".join(parts))
    if len(marks) > 1:
        if marks[-1] != marks[0] or len(parts[-1]) != 3:
            return (float("".join(parts[:-1]) + "." + parts[-1]),)
        return (whole,)
    decimal = float(".".join(parts))
    if len(parts[-1]) == 3 and parts[0] != "0" and len(parts[0]) <= 3:
        return (whole, decimal)
    return (decimal,)


def _spelled(words: str) -> float:
    """A number in words: "twelve hundred", "a dozen", "twenty-four thousand"."""
    total, group = 0.0, 0.0
    for word in re.split(r"[ -]", words):
        word = word if word in _SMALL or word in _SCALES else word.removesuffix("s")
        if word in _SMALL:
            group += _SMALL[word]
        elif word in _SCALES:
            scale = _SCALES[word]
            if scale >= 1000:
                total += (group or 1) * scale
                group = 0.0
            else:
                group = (group or 1) * scale
        elif word == "half":
            group = 0.5
    return total + group
