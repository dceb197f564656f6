"""Reads the time that there is."""

import re

from examples.recipe_assistant.understanding.text import NUMBER, number

MINUTES = r"(?:minutes?|minuten|minutos?|minuti|mins?|m|')(?![\w'])"
HOURS = r"(?:hours?|hrs?|stunden?|horas?|heures?|or[ae]|h)"
TO = r"\s*(?:-|to|and|or|bis|a|y|e)\s*"

AMOUNTS = (
    (re.compile(r"\b(?:an|one|1) hour and a half\b|\bhour and a half\b|\bhora y media\b|\banderthalb stunden\b"), 90),
    (re.compile(r"\bthree[- ]quarters of an hour\b|\b3/4 (?:of an )?hour\b|\bdreiviertelstunde\b"), 45),
    (re.compile(r"\b(?:a )?quarter of an hour\b|\bquarter hour\b|\bviertelstunde\b|\bun quart d heure\b"), 15),
    (re.compile(r"\bhalf an? hour\b|\bhalf hour\b|\b1/2 (?:an? )?(?:hour|h)\b|\bme(?:d)?ia hora\b|\bmezz'?ora\b"), 30),
    (re.compile(r"\bhalben? stunde\b|\bdemi[- ]heure\b"), 30),
    (re.compile(r"\b(?:an|una?|uma|eine[r]?|une) (?:hour|hora|ora|stunde|heure)\b"), 60),
)
CLOCK = re.compile(rf"(?<![\w.])(\d{{1,2}})\s*{HOURS}\s*(?:and|y|und|et)?\s*(\d{{1,2}})(?!\d)(?:\s*{MINUTES})?")
RANGE = re.compile(rf"(?<!\w){NUMBER}{TO}({NUMBER})[\s-]*{MINUTES}")
PLAIN = re.compile(rf"(?<!\w)({NUMBER})[\s-]*{MINUTES}")
WHOLE_HOURS = re.compile(rf"(?<![\w.,])(\d(?:[.,]\d)?|{NUMBER})[\s-]*{HOURS}(?!\w)")
REPLACED = re.compile(rf"\b(?:make (?:it|that)|rather|more like) ({NUMBER})(?!\s*\w)")
BARE = re.compile(rf"\W*(?:about|around|max|maximum|up to|under|say|maybe|only|just)?\s*({NUMBER})\W*")
NO_LIMIT = re.compile(
    r"\b(?:no (?:time limit|rush|hurry)|any (?:amount of )?time|all the time|time (?:does not|doesn't|isn't an?) \w+"
    r"|as long as it takes|not in a hurry|however long)\b"
)
LONGEST = 1440


def minutes_in(folded: str, *, asked: bool = False) -> int | None:
    """The time budget in minutes that the text states last, or None. `asked`: a bare number is an answer."""
    found: list[tuple[int, int, int]] = []
    for pattern, value in AMOUNTS:
        found += [(match.start(), match.end(), value) for match in pattern.finditer(folded)]
    found += [(one.start(), one.end(), 60 * int(one[1]) + int(one[2])) for one in CLOCK.finditer(folded)]
    for pattern in (PLAIN, RANGE):
        found += [(one.start(), one.end(), number(one[1])) for one in pattern.finditer(folded)]
    found += [(one.start(), one.end(), _hours(one[1])) for one in WHOLE_HOURS.finditer(folded)]
    found += [(one.start(), one.end(), number(one[1])) for one in REPLACED.finditer(folded)]
    if not found and asked and (bare := BARE.fullmatch(folded)):
        found = [(0, 1, number(bare[1]))]
    usable = [one for one in found if 1 <= one[2] <= LONGEST]
    # Of two readings that end at the same place the one that began earlier read more: 1 h 30 min over 30 min.
    return max(usable, key=lambda one: (one[1], -one[0]))[2] if usable else None


def no_limit_in(folded: str) -> bool:
    """True where the text says that time does not matter."""
    return bool(NO_LIMIT.search(folded))


def _hours(text: str) -> int:
    return round(60 * float(text.replace(",", "."))) if text[0].isdigit() else 60 * number(text)
