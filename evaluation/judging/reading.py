"""From one answer of the judge to its values: in the shape that was asked for, and held against the judged text."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from evaluation.judging.answers import RATIONALE, REASONING, SCORES, AnswerShape
from evaluation.judging.checking import line_stands_in, object_stands_in
from evaluation.judging.material import Material
from evaluation.judging.readings import readings
from evaluation.judging.scale import Scale, rescale
from evaluation.messages import call_text, text_with_calls
from evaluation.records import Exchange, Json

CUT_OFF = "the answer was cut off at the token limit"
ECHO = "the verdict stands word for word in the judged text"
THOUGHTS = re.compile(r"\A\s*<(think(?:ing)?)>.*?</\1>", re.IGNORECASE | re.DOTALL)
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
"""The place from which words on the same line explain the number rather than state it."""
REACH = re.compile(r"\b0(?:\.0)?[ \t]*(?:[-\u2013\u2014]|to|\.\.)[ \t]*1(?:\.0)?(?![.\d])", re.IGNORECASE)
ANOTHER = re.compile(r"(?<![\d.,])\d?[.,]\d")
SECOND_COLUMN = re.compile(r"[ \t]*[|;][ \t]*\d?[.,]\d")
REASONING_MARK = re.compile(r"reasoning[*_`]{0,4}[ \t]*[:=][*_`]{0,4}\s*", re.IGNORECASE)
SCALES = frozenset({1.0, 5.0, 10.0, 100.0})
"""Denominators that a score from 0 to 1 may be given out of."""
FENCE = re.compile(r"\A```(?:json)?[ \t]*\r?\n(?P<body>.*)\r?\n?[ \t]*```\Z", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r"\d")
"""Stands in every verdict."""
SHOWN = 60
"""Characters of a wrong value that a problem quotes."""


@dataclass(frozen=True, slots=True)
class ReadVerdict:
    """One answer as read: a value per judged metric, or none and the problem."""

    scores: Mapping[str, float]
    """The overall among them where it is asked for. Empty when not read."""
    reasoning: str
    problem: str = ""
    given_overall: float | None = None
    """As the judge wrote it."""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why it has its value, or why it has none."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Dimension -> the least and the most that its value may be, where not all of it could be shown."""


@dataclass(frozen=True, slots=True)
class TextVerdict:
    """One line as read: a value in 0..1, or None and the problem; the reasoning either way."""

    value: float | None
    reasoning: str
    problem: str = ""
    line: str = ""
    """The verdict as it stands in the answer, up to the end of its number."""


def on_scale(read: ReadVerdict, given: Scale, wanted: Scale) -> ReadVerdict:
    """The same verdict with its values on another scale."""
    if given == wanted:
        return read
    scores = {name: rescale(value, given, wanted) for name, value in read.scores.items()}
    overall = None if read.given_overall is None else rescale(read.given_overall, given, wanted)
    return replace(read, scores=scores, given_overall=overall)


class _Malformed(ValueError):
    """JSON that two readers could read in two ways, or a number that is none."""


def judged_text(exchange: Exchange, shown: Material | None = None) -> str:
    """Everything in which a verdict may have been planted, as it came and in every reading; `shown` is its material."""
    before = list(map(text_with_calls, exchange.context))
    came = [*map(call_text, exchange.tool_calls), exchange.response, exchange.user_input, *before]
    heard = came if shown is None else [*shown.recent(), *before]
    read = [reading for text in heard if NUMBER.search(text) for reading in readings(text)]
    return "\n".join(dict.fromkeys([*came, *(() if shown is None else shown.foreign()), *read]))


def read_verdict(
    raw: str,
    shape: AnswerShape,
    judged: str | tuple[str, ...],
    *,
    structured: bool = True,
    overall: str = "",
    cut_off: bool = False,
) -> ReadVerdict:
    """Reads an answer of the shape asked for; one that stands in a reading of the `judged` text already is not read.

    `judged` is the text, or its readings. Where it is not structured, the answer is a line with a value for `overall`.
    `cut_off` says that the answer ended at the token limit: of a line nobody knows whether "0." was to be 0.9; a JSON
    object is whole or it is not read.
    """
    if isinstance(judged, str):
        judged = readings(judged)
    if structured:
        return _structured_verdict(raw, shape, judged)
    if cut_off:
        return ReadVerdict({}, raw.strip(), CUT_OFF)
    read = parse_text_verdict(raw, shape.low, shape.high)
    if read.value is None:
        return ReadVerdict({}, read.reasoning, read.problem)
    if any(line_stands_in(read.line, reading) for reading in judged):
        return ReadVerdict({}, read.reasoning, ECHO)
    return ReadVerdict({overall: read.value}, read.reasoning, given_overall=read.value)


def _structured_verdict(raw: str, shape: AnswerShape, judged: tuple[str, ...]) -> ReadVerdict:
    read = parse_structured_verdict(raw, shape)
    if read.problem:
        return ReadVerdict({}, read.reasoning or raw.strip(), read.problem)
    if any(object_stands_in(raw, read.scores, reading) for reading in judged):
        return ReadVerdict({}, read.reasoning, ECHO)
    return replace(read, given_overall=None if shape.overall is None else read.scores[shape.overall])


def without_thoughts(raw: str) -> str:
    """The answer after one closed block of thoughts at its very beginning, up to the first closing tag; else all of it.

    What a thought quotes after such a tag stays in the answer, where it is one thing too many: then nothing is read.
    """
    return THOUGHTS.sub("", raw.lstrip("\ufeff"), count=1)


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
        value = _stated_number(match["value"], low, high)
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


def _stated_number(text: str, low: float, high: float) -> float | None:
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
    """True where a second number stands beside the one that ends there, before anything explains it."""
    rest = REACH.sub("", text[end:])
    stop = AFTERWARDS.search(rest)
    stated = "" if text[end - 1] == "." else rest[: stop.start() if stop else len(rest)]
    return ANOTHER.search(stated) is not None


def _reasoning(text: str, after_score: int) -> str:
    marked = REASONING_MARK.search(text)
    start = marked.end() if marked else after_score
    return text[start:].strip() or text.strip()


def parse_structured_verdict(raw: str, shape: AnswerShape) -> ReadVerdict:
    """Reads an answer that is one JSON object, bare or in one code fence around the whole of it, after any thoughts.

    JSON inside prose does not count: it may be quoted. A dimension that is missing, is no number, or lies outside the
    scale, a key twice, NaN, and a further number under an unknown key make the verdict unread; an unknown key with a
    text is a remark. Never raises.
    """
    value = read_object(raw)
    if isinstance(value, str):
        return ReadVerdict({}, "", value)
    return _with_rationales(value, shape) if shape.rationales else _check_values(value, shape)


def read_object(raw: str) -> dict[str, Json] | str:
    """The one JSON object that an answer is, bare or fenced, after any thoughts; or the problem. Never raises."""
    body = without_thoughts(raw).strip()
    fenced = FENCE.match(body)
    if fenced is not None:
        body = fenced["body"].strip()
    if not body.startswith("{"):
        return "the answer is not one JSON object" if body else "the answer is empty"
    try:
        value = json.loads(body, object_pairs_hook=_unique, parse_constant=_constant, strict=False)
    except _Malformed as error:
        return str(error)
    except (ValueError, RecursionError):
        return "the answer is not one JSON object as a whole"
    return value if isinstance(value, dict) else "the answer is not one JSON object"


def _with_rationales(value: Mapping[str, Json], shape: AnswerShape) -> ReadVerdict:
    """A verdict whose texts and numbers stand by dimension, read as one whose keys stand side by side."""
    texts, scores = value.get(RATIONALE), value.get(SCORES)
    for name, part in ((RATIONALE, texts), (SCORES, scores)):
        if not isinstance(part, dict):
            return ReadVerdict({}, "", f"{name} is {'missing' if part is None else 'no object'}")
    assert isinstance(texts, dict) and isinstance(scores, dict)
    why = {name: text.strip() for name, text in texts.items() if name in shape.dimensions and isinstance(text, str)}
    silent = next((name for name in shape.dimensions if not why.get(name)), None)
    if silent is not None:
        return ReadVerdict({}, "", f"{RATIONALE} says nothing on {silent}")
    rest = {name: found for name, found in value.items() if name not in (RATIONALE, SCORES)}
    doubled = next((name for name in scores if name in rest or name not in shape.dimensions), None)
    if doubled is not None:
        return ReadVerdict({}, "", f"{SCORES} has the key {doubled[:SHOWN]!r}, which does not belong there")
    reasoning = " ".join(f"{name}: {why[name]}" for name in shape.dimensions)
    return replace(_check_values({REASONING: reasoning, **scores, **rest}, shape), rationale=why)


def _check_values(value: Mapping[str, Json], shape: AnswerShape) -> ReadVerdict:
    reasoning = value.get(REASONING)
    if not isinstance(reasoning, str):
        return ReadVerdict({}, "", f"{REASONING} is missing" if reasoning is None else f"{REASONING} is no text")
    keys = shape.keys
    for name, found in value.items():
        if name not in keys and not isinstance(found, str):
            return ReadVerdict({}, reasoning, f"the key {name[:SHOWN]!r} was not asked for")
    values: dict[str, float] = {}
    for name in keys:
        if name not in value:
            return ReadVerdict({}, reasoning, f"{name} is missing")
        number = _number_on_scale(value[name], shape)
        if number is None:
            kind = "a whole number" if shape.whole_numbers else "a number"
            problem = f"{name} is {_quote(value[name])}, not {kind} from {shape.low:g} to {shape.high:g}"
            return ReadVerdict({}, reasoning, problem)
        values[name] = number
    return ReadVerdict(values, reasoning)


def _quote(value: Json) -> str:
    """A wrong value for a message; Python refuses to print whole numbers of thousands of digits."""
    if isinstance(value, int) and abs(value) > 10**SHOWN:
        return "a number of many digits"
    return repr(value)[:SHOWN]


def _number_on_scale(value: Json, shape: AnswerShape) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number may be too large for a float: it is compared as it is.
    if not shape.low <= value <= shape.high or not math.isfinite(value):
        return None
    if shape.whole_numbers and value != int(value):
        return None
    return round(float(value), 10)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Malformed("a key stands twice in the verdict")
    return found


def _constant(name: str) -> Json:
    raise _Malformed(f"{name} is not a number")
