"""Days and times of day in a text, in the forms in which English writes them."""

import re
from collections.abc import Iterator, Mapping

from evaluation.metrics.utterance import fold
from evaluation.reference.values import Clock, Day, Ends, Span
from evaluation.reference.words import MONTHS, NUMBERS, WEEKDAYS

_MONTH_OF: Mapping[str, int] = {
    **{name: number for number, name in enumerate(MONTHS, start=1)},
    **{name[:3]: number for number, name in enumerate(MONTHS, start=1)},
    "sept": 9,
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})\b"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})s?\b"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d\d)"
_OF_DAYS = (
    re.compile(rf"\b{_YEAR}-(?P<month_number>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])\b"),
    re.compile(rf"\b(?P<one>0?[1-9]|[12]\d|3[01])[/.](?P<two>0?[1-9]|[12]\d|3[01])[/.]{_YEAR}\b"),
    re.compile(rf"\b(?:{_WEEKDAY},? (?:the )?)?\b{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR}\b)?"),
    re.compile(rf"\b(?:{_WEEKDAY},? )?\b{_MONTH}\.? (?:the )?{_DAY}\b(?!:\d|,\d{{3}}| ?%)(?:,? {_YEAR}\b)?"),
    re.compile(rf"\b{_MONTH},? (?:of )?{_YEAR}\b"),
)
_DECADE = re.compile(r"\b(?P<decade>1\d\d|20\d)0s\b|\bthe (?:early |mid |late |mid-)?(?P<named>[a-z]+ties)\b")
_ALONE = re.compile(rf"\b(?:{_WEEKDAY})")
_MONTH_ALONE = re.compile(rf"(?<=\b(?:in|by) )(?P<month>{'|'.join(MONTHS)})\b")
_YEAR_ALONE = re.compile(
    rf"\b(?:in|since|from|until|till|by|before|after|during|around|year|early|late|mid) (?:the year )?{_YEAR}\b"
    r"(?![-,.]?\d| ?(?:%|[a-z]*"
    r"(?:euro|dollar|pound|franc|people|person|met|mile|km|kg|day|week|month|year|hour|minute)))"
)
_TENS = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
         "nineties": 90}  # fmt: skip
_HOURS = {word: number for number, word in enumerate(NUMBERS[1:13], start=1)}
_HALF = r"(?P<half>[ap]\.m\.|[ap]m\b|in the morning|in the afternoon|in the evening|at night|o'clock(?: in the \w+)?)"
_CLOCKS = (
    re.compile(rf"\b(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:]|[.,]\d)(?: ?{_HALF})?"),
    re.compile(rf"\b(?P<hour>[01]?\d|2[0-4])\.(?P<minute>[0-5]\d) ?{_HALF}"),
    re.compile(rf"\b(?P<hour>[01]?\d|2[0-4]) ?(?P<minute>){_HALF}"),
    re.compile(
        rf"\b(?P<part>half past|(?:a )?quarter past|(?:a )?quarter to) (?P<named>\d{{1,2}}|{'|'.join(_HOURS)})\b"
        rf"(?: {_HALF})?"
    ),
    re.compile(rf"\b(?P<named>{'|'.join(_HOURS)}) {_HALF}"),
    re.compile(r"\bat (?P<hour>[01]?\d|2[0-4])(?P<minute>)(?P<half>)(?=[.!?,;]*(?:$|\s(?:and|but|so|or|on|with|until|to"
               r"\s[a-z]+\s|every|each|today|tomorrow)\b|[.!?,;]+\s))"),
    re.compile(r"\b(?P<word>noon|midday|midnight)\b"),
)  # fmt: skip


def days_in(text: str) -> Iterator[Day]:
    """The days, months with a year, years and weekdays of a text, those of full dates first."""
    folded = fold(text)
    taken: list[Span] = []

    def free(match: re.Match[str]) -> bool:
        return not any(match.start() < end and start < match.end() for start, end in taken)

    for pattern in _OF_DAYS:
        for match in pattern.finditer(folded):
            if free(match):
                taken.append(match.span())
                yield from _days(match)
    for match in _DECADE.finditer(folded):
        start = int(match["decade"]) * 10 if match["decade"] else 1900 + _TENS.get(match["named"], -1900)
        if start > 0 and free(match):
            taken.append(match.span())
            yield Day(match.span(), (start, start + 9))
    for pattern in (_YEAR_ALONE, _MONTH_ALONE, _ALONE):
        for match in pattern.finditer(folded):
            if free(match):
                taken.append(match.span())
                yield from _days(match)


def _days(match: re.Match[str]) -> Iterator[Day]:
    said = match.groupdict()
    years: Ends | None = (float(said["year"]), float(said["year"])) if said.get("year") else None
    span = (
        (match.start("year"), match.end("year"))
        if len([each for each in said.values() if each]) == 1 and years
        else match.span()
    )
    weekday = WEEKDAYS.index(said["weekday"]) if said.get("weekday") else None
    if said.get("one"):
        one, two = int(said["one"]), int(said["two"])
        for day, number in {(one, two), (two, one)}:
            if number <= 12:
                yield Day(span, years, number, day, weekday)
        return
    month = int(said["month_number"]) if said.get("month_number") else _MONTH_OF.get(said.get("month") or "")
    yield Day(span, years, month, int(said["day"]) if said.get("day") else None, weekday)


def clocks_in(text: str) -> Iterator[Clock]:
    """The times of day of a text."""
    folded = fold(text)
    taken: list[Span] = []
    for pattern in _CLOCKS:
        for match in pattern.finditer(folded):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            taken.append(match.span())
            yield Clock(_without_at(match), _minutes(match.groupdict()))


def _without_at(match: re.Match[str]) -> Span:
    start = match.start() + 3 if match[0].startswith("at ") else match.start()
    return start, match.end()


def _minutes(said: Mapping[str, str | None]) -> frozenset[int]:
    if said.get("word"):
        return frozenset({0, 24 * 60} if said["word"] == "midnight" else {12 * 60})
    named = said.get("named") or ""
    hour = int(said["hour"] or 0) if said.get("hour") else _HOURS.get(named) or int(named or 0)
    minute = int(said.get("minute") or 0)
    part = said.get("part") or ""
    if part:
        minute = 30 if part.startswith("half") else 15 if part.endswith("past") else -15
    half = (said.get("half") or "").replace(".", "")
    if half == "am" or half.endswith("morning"):
        hours = {hour % 12}
    elif half == "pm" or half.endswith(("afternoon", "evening", "night")):
        hours = {hour % 12 + 12}
    elif 1 <= hour <= 12 and not (said.get("hour") or "").startswith("0"):
        hours = {hour % 12, hour % 12 + 12}
    else:
        hours = {hour}
    return frozenset(each * 60 + minute for each in hours)
