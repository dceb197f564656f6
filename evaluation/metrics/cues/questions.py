"""Questions: does the response ask, and does it ask something that helps the user?

A question is a clause with a word in it, closed by a question mark. A mark inside a web address closes nothing.
"""

import re

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, NoSettings, Phrase, Settings
from evaluation.metrics.cues.phrases import whole_phrases, whole_word_pattern
from evaluation.metrics.utterance import Utterance, fold_phrase
from evaluation.records import Finding


def asks_question(_settings: NoSettings) -> Detect:
    """The first question of the response."""

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        if not text.questions:
            return ()
        start, end = text.questions[0]
        return (Finding("asks_question", "response", start, end, text.original[start:end]),)

    return detect


class HelpfulQuestionSettings(Settings):
    """Words that make a question helpful, and words that make it an empty one."""

    addressing: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    """Words that turn to the user."""
    offers: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Openings of a question that offers something without naming the user."""
    rhetorical: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Phrases whose question expects no answer."""
    tags: tuple[Phrase, ...] = Field(default=(), strict=False)
    """Words that turn a statement into a question after its last comma."""


def helpful_question(settings: HelpfulQuestionSettings) -> Detect:
    """The first question that turns to the user or offers something, and is neither rhetorical nor a mere tag."""
    addressing = whole_word_pattern("|".join(re.escape(fold_phrase(word)) for word in settings.addressing))
    offers = tuple(map(fold_phrase, settings.offers))
    tags = frozenset(map(fold_phrase, settings.tags))
    rhetorical = whole_phrases(settings.rhetorical)

    def is_helpful(folded: str, tokens: frozenset[str]) -> bool:
        line = " ".join(folded.split()).strip("?？؟!. ")
        if "," in line and line.rpartition(",")[2].strip() in tags:
            return False
        if not line.startswith(offers) and not addressing.search(line):
            return False
        return not rhetorical.spans(line, tokens)

    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        for start, end in text.questions:
            if is_helpful(text.folded[start:end], text.tokens):
                return (Finding("helpful_question", "response", start, end, text.original[start:end]),)
        return ()

    return detect


QUESTION_CUES = (
    Cue("asks_question", "the response asks a question", NoSettings, asks_question),
    Cue("helpful_question", "the response asks a question that helps", HelpfulQuestionSettings, helpful_question),
)
