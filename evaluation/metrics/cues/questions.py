"""Questions: does the response ask, and does it ask something that helps the user?

A question is a clause with a word in it, closed by a question mark. A mark inside a web address closes nothing.
"""

import re
from collections.abc import Iterator

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, NoSettings, Phrase, Settings
from evaluation.metrics.cues.phrases import whole_word_pattern
from evaluation.metrics.utterance import Utterance, fold, fold_phrase, tokens_of
from evaluation.records import Finding

LONGEST_CLAUSE = 200
"""Characters before a question mark that are read as its clause."""
_MARKS = re.compile(r"[?？؟]+")
_CLAUSE_ENDS = (". ", "! ", "… ", ': "', "\n", "。", "！")


def questions(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each question, its mark included, in order."""
    if "?" not in text and (text.isascii() or not _MARKS.search(text)):
        return
    previous = 0
    for mark in _MARKS.finditer(text):
        end = mark.end()
        if text[end - 1] == "?" and end < len(text) and (text[end].isalnum() or text[end] in "=&/%"):
            continue
        floor = max(previous, mark.start() - LONGEST_CLAUSE)
        clause = text[floor : mark.start()]
        previous = end
        cut = max(clause.rfind(close) + len(close) if close in clause else 0 for close in _CLAUSE_ENDS)
        clause = clause[cut:]
        if any(map(str.isalnum, clause)):
            yield floor + cut + len(clause) - len(clause.lstrip()), end


def asks_question(_settings: NoSettings) -> Detect:
    """The first question of the response."""

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response.original
        for start, end in questions(text):
            return (Finding("asks_question", "response", start, end, text[start:end]),)
        return ()

    return detect


class HelpfulQuestionSettings(Settings):
    """What makes a question helpful, and what makes it an empty one."""

    addressing: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    """Words that turn to the user."""
    offers: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Openings of a question that offers something without naming the user."""
    rhetorical: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Phrases whose question expects no answer."""
    tags: tuple[Phrase, ...] = Field(default=(), strict=False)
    """What turns a statement into a question after its last comma."""


def helpful_question(settings: HelpfulQuestionSettings) -> Detect:
    """The first question that turns to the user or offers something, and is neither rhetorical nor a mere tag."""
    addressing = frozenset(map(fold_phrase, settings.addressing))
    offers = tuple(map(fold_phrase, settings.offers))
    tags = frozenset(map(fold_phrase, settings.tags))
    empty = [whole_word_pattern(re.escape(fold_phrase(phrase))) for phrase in settings.rhetorical]

    def is_helpful(clause: str) -> bool:
        line = " ".join(fold(clause).split()).strip("?？؟!. ")
        head, comma, tail = line.rpartition(",")
        if comma and head and tail.strip() in tags:
            return False
        if addressing.isdisjoint(tokens_of(line)) and not line.startswith(offers):
            return False
        return not any(pattern.search(line) for pattern in empty)

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response.original
        for start, end in questions(text):
            if is_helpful(text[start:end]):
                return (Finding("helpful_question", "response", start, end, text[start:end]),)
        return ()

    return detect


QUESTION_CUES = (
    Cue("asks_question", "the response asks a question", NoSettings, asks_question),
    Cue("helpful_question", "the response asks a question that helps", HelpfulQuestionSettings, helpful_question),
)
