"""Shape: formatting that a voice cannot speak, and how many words and line breaks a response has.

Markup counts where a Markdown reader would act on it: emphasis and code must open and close around words, a hash must
stand before a word, and a list needs its marker at the start of two lines (a bullet character needs one). Each pattern
reads a bounded stretch from a marker, so the time is linear in the text.
"""

import re
from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import FORM, Cue, Detect, Findings, Needs, NoSettings, RuleSettings, once_a_reply
from evaluation.metrics.cues.unspoken import unspoken
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding

BULLETS = "•◦▪‣●"
_MARK = re.compile(rf"[*_`~#<>|\[{BULLETS}]")
_INLINE: Sequence[tuple[str, re.Pattern[str]]] = (
    ("*", re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])[^*\n]{1,200}+(?<=[^\s*])\1(?:(?<=\*\*)(?!\*)|(?![\w*]))")),
    ("_", re.compile(r"(?<![\w\\])(_{1,2})(?=[^\W_])(?:[^_\n]|(?<=[^\W_])_(?=[^\W_])){1,200}+(?<=[^\s_])\1(?!\w)")),
    ("~", re.compile(r"~~(?=[^\s~])[^~\n]{1,200}+(?<=[^\s~])~~")),
    ("`", re.compile(r"```")),
    ("`", re.compile(r"(?<![\w`])`(?=[^\s`])[^`\n]{1,200}+`(?!`)")),
    ("#", re.compile(r"(?<![\w#&/])#[^\W\d_]\w{0,60}")),
    ("#", re.compile(r"^ {0,3}#{1,6}[ \t]{1,9}[^\s#][^\n]{0,60}", re.MULTILINE)),
    (">", re.compile(r"^ {0,3}>[ \t][^\s][^\n]{0,60}", re.MULTILINE)),
    ("*_", re.compile(r"^ {0,3}(?:\*[ \t]?){3,20}+(?=\r?$)|^ {0,3}(?:_[ \t]?){3,20}+(?=\r?$)", re.MULTILINE)),
    ("|", re.compile(r"^[ \t]{0,8}\|[^\n]{0,500}\|[ \t]{0,8}(?=\r?$)", re.MULTILINE)),
    ("[", re.compile(r"\[[^\[\]\n]{1,200}+\]\([^()\s]{1,500}+\)")),
    (
        "<",
        re.compile(
            r"</?(?:a|b|br|code|div|em|h[1-6]|i|li|ol|p|pre|span|strong|table|td|tr|u|ul)\b[^<>\n]{0,200}+>", re.I
        ),
    ),
    (BULLETS, re.compile(rf"^[ \t]{{0,8}}[{BULLETS}][ \t]{{0,8}}[^\s][^\n]{{0,60}}", re.MULTILINE)),
)
"""Marks of which a text with such a piece holds one, and the pattern of the piece."""
_LONG: Sequence[tuple[str, re.Pattern[str]]] = (
    ("*", re.compile(r"(?<![\w*\\])\*\*(?=[^\s*])(?:[^*\n]|\n(?![ \t\r]*\n)){1,5000}+(?<=[^\s*])\*\*(?![\w*])")),
    ("_", re.compile(r"(?<![\w\\])__(?=[^\s_])(?:[^_\n]|\n(?![ \t\r]*\n)){1,5000}+(?<=[^\s_])__(?!\w)")),
)
"""Bold that is longer than a phrase, over line breaks within a paragraph."""
_MARKS = ("***", "**", "*", "___", "__", "_", "~~")
_ITEM = re.compile(r"^[ \t]{0,8}(?:([-+*–])|\d{1,3}([.)]))[ \t]{1,8}[^\s][^\n]{0,60}", re.MULTILINE)
_RULE = re.compile(r"^ {0,3}-{3,20}[ \t]{0,8}(?=\r?$)", re.MULTILINE)


def formatting(_settings: NoSettings) -> Detect:
    """The first piece of markup in the response, in the order of the patterns; then what else cannot be spoken."""

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        if utterance.response.is_unmarked and "www." not in utterance.response.folded:
            return ()
        text = utterance.response.original
        marked = (_inline(text) or _whole(text)) if _MARK.search(text) else None
        span = marked or (_lines(text) if "\n" in text else None) or unspoken(text)
        if span is None:
            return ()
        return (Finding("formatting", "response", *span, text[slice(*span)]),)

    return detect


def _inline(text: str) -> tuple[int, int] | None:
    """The first piece of a kind, in the order of the patterns; most texts hold few of the marks."""
    for marks, pattern in (*_INLINE, *_LONG):
        if any(mark in text for mark in marks) and (match := pattern.search(text)):
            return match.span()
    return None


def _whole(text: str) -> tuple[int, int] | None:
    """The whole response where one mark stands before and after it, over whatever paragraphs."""
    inner = text.strip()
    start = text.find(inner)
    for mark in _MARKS:
        said = inner[len(mark) : -len(mark)]
        if said and said == said.strip() and inner == f"{mark}{said}{mark}" and mark[0] not in said:
            return start, start + len(inner)
    return None


def _lines(text: str) -> tuple[int, int] | None:
    """The second item of a list (one line that begins with a dash or a number is prose), or a rule across the page."""
    seen: set[str] = set()
    for item in _ITEM.finditer(text):
        kind = item.group(1) or item.group(2)
        if kind in seen:
            return item.span()
        seen.add(kind)
    match = _RULE.search(text)
    return match.span() if match else None


class WordRange(RuleSettings):
    """Bounds in words, both included; without an upper one there is none."""

    at_least: int = Field(default=0, ge=0)
    at_most: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.at_most is None and self.at_least == 0:
            raise ValueError("has neither at_least nor at_most, so every text is within it")
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError(f"is an empty range: at_most {self.at_most} is below at_least {self.at_least}")
        return self


def word_count(settings: WordRange) -> Detect:
    """The number of words of the response, split at white space, lies within the range."""
    low = settings.at_least
    high = float("inf") if settings.at_most is None else settings.at_most

    def detect(utterance: Utterance) -> Findings:
        count = utterance.response.word_count
        if low <= count <= high:
            return (utterance.response.measurement("word_count", f"{count} word{'' if count == 1 else 's'}"),)
        return ()

    return detect


class BreakLimit(RuleSettings):
    """The number of line breaks that is still fine."""

    at_most: int = Field(ge=0)


def line_breaks(settings: BreakLimit) -> Detect:
    """The response has more line breaks than the limit, those before and after its words not counted.

    A carriage return and line feed are one break. Breaks are what str.splitlines() breaks at.
    """

    def detect(utterance: Utterance) -> Findings:
        count = len(utterance.response.original.strip().splitlines()) - 1
        if count > settings.at_most:
            return (utterance.response.measurement("line_breaks", f"{count} line break{'' if count == 1 else 's'}"),)
        return ()

    return detect


SHAPE_CUES = (
    Cue("formatting", "the response holds markup that cannot be spoken", NoSettings, formatting, FORM),
    Cue(
        "word_count",
        "the response has a number of words within a range",
        WordRange,
        word_count,
        Needs(words="counted"),
    ),
    Cue("line_breaks", "the response has more line breaks than a limit", BreakLimit, line_breaks, FORM),
)
