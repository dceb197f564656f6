"""Reading the judge's answer in the rubric's text format: `Score: X.X | Reasoning: ...`."""

import re
from dataclasses import dataclass

from evaluation.judging.thoughts import without_thoughts

LINE = re.compile(
    r"""^[ \t]* (?:[-+]\ |\d{1,2}[.)]\ |\#{1,6}\ )?   # a list mark or a heading; what ">" quotes is no verdict
        [*_`]{0,4}
        (?:(?:overall|final|total)[ \t]+)? score
        (?:[ \t]*\([^()\n]{0,24}\))?                  # "Score (0.0-1.0)"
        [*_`]{0,4} [ \t]* [:=] \s{0,3} [*_`]{0,4} [ \t]*
        (?P<value>[^\s|;][^\n|;]{0,40})""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
VALUE = re.compile(
    r"""["'\[(]? (?P<number>[-+]?(?:\d{1,4}(?:[.,]\d{1,10})?|[.,]\d{1,10}))
        (?:[ \t]*(?P<percent>%)|[ \t]*(?:/|out\ of|of)[ \t]*(?P<scale>\d{1,3}(?:\.0{1,3})?))?
        ["'\])]? [*_`]{0,4} [.,)]? (?=[\s\u2013\u2014]|$)
        (?![ \t]*(?:[-=]?>|[-\u2013\u2014\u2192]|(?:to|or|and|vs)\b)?[ \t]*[.\d])  # a range or two numbers are no score
        (?![^\n]*\bscore[*_`]{0,4}[ \t]*[:=])              # nor is a line with a second one""",
    re.IGNORECASE | re.VERBOSE,
)
AFTERWARDS = re.compile(r"\breason|\bbecause\b|[ \t][-\u2013\u2014]+[ \t]+(?=[^\W\d_])|[.!?][ \t]", re.IGNORECASE)
"""Where words on the same line begin to explain the number rather than to state it."""
REACH = re.compile(r"\b0(?:\.0)?[ \t]*(?:[-\u2013\u2014]|to|\.\.)[ \t]*1(?:\.0)?(?![.\d])", re.IGNORECASE)
ANOTHER = re.compile(r"(?<![\d.,])\d?[.,]\d")
SECOND_COLUMN = re.compile(r"[ \t]*[|;][ \t]*\d?[.,]\d")
REASONING = re.compile(r"reasoning[*_`]{0,4}[ \t]*[:=][*_`]{0,4}\s*", re.IGNORECASE)
SCALES = frozenset({1.0, 5.0, 10.0, 100.0})
"""Denominators that a score from 0 to 1 may be given out of."""


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """What was read: a value in 0..1, or None and the problem; the reasoning either way."""

    value: float | None
    reasoning: str
    problem: str = ""
    line: str = ""
    """The verdict as it stands in the answer, up to the end of its number."""


def parse_text_verdict(raw: str, low: float = 0.0, high: float = 1.0) -> TextVerdict:
    """Reads one verdict that stands at the start of a line.

    0.8, .8, 0,8, bold marks, "0.8/1.0", 8/10 and 80% are read; on another scale than 0 to 1 the number alone, or out
    of its top. No verdict, several that differ, a second number beside the first ("0.8, no: 0.6"), a share that also
    names another scale ("0.8/10", "0.8%"), or a value outside the scale give no value: guessing which one was meant is
    how a judge is fooled. Never raises.
    """
    # One kind of line end, so that no verdict hides behind another kind.
    text = "\n".join(without_thoughts(raw).splitlines())
    matches = list(LINE.finditer(text))
    reasoning = _reasoning(text, matches[0].end() if matches else 0)
    if not matches:
        return TextVerdict(None, reasoning, "no line starts with a score")
    values: set[float] = set()
    for match in matches:
        if SECOND_COLUMN.match(text, match.end()):
            return TextVerdict(None, reasoning, f"a second number stands beside the score {match['value'].strip()!r}")
        value = _number(match["value"], low, high)
        if value is None:
            problem = f"the score {match['value'].strip()!r} is not a number from {low:g} to {high:g}"
            return TextVerdict(None, reasoning, problem)
        values.add(value)
    if len(values) > 1:
        return TextVerdict(None, reasoning, f"{len(values)} scores that differ: {', '.join(map(str, sorted(values)))}")
    return TextVerdict(values.pop(), reasoning, line=_line(matches[0]))


def _line(match: re.Match[str]) -> str:
    number = VALUE.match(match["value"])
    return match.group()[: match.start("value") - match.start() + (number.end() if number else 0)]


def _number(text: str, low: float, high: float) -> float | None:
    match = VALUE.match(text)
    if match is None:
        return None
    value = float(match["number"].replace(",", "."))
    share = (low, high) == (0.0, 1.0)
    if _states_another(text, match.end()):
        return None
    out_of = 100.0 if match["percent"] else float(match["scale"] or high)
    if share and out_of != 1 and 0 < value <= 1 and not match["number"].isdigit():
        return None  # "0.8/10" may mean 0.8 or 0.08
    if match["percent"]:
        if not share:
            return None
        value /= 100
    elif match["scale"]:
        scale = float(match["scale"])
        if scale not in (SCALES if share else {high}):
            return None
        value /= scale if share else 1
    return round(value, 10) if low <= value <= high else None


def _states_another(text: str, end: int) -> bool:
    """Whether a second number stands beside the one that ends there, before anything explains it."""
    rest = REACH.sub("", text[end:])
    stop = AFTERWARDS.search(rest)
    stated = "" if text[end - 1] == "." else rest[: stop.start() if stop else len(rest)]
    return ANOTHER.search(stated) is not None


def _reasoning(text: str, after_score: int) -> str:
    marked = REASONING.search(text)
    start = marked.end() if marked else after_score
    return text[start:].strip() or text.strip()
