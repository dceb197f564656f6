"""Length: how many words and line breaks a response has."""

from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Settings
from evaluation.metrics.utterance import Utterance


class WordRange(Settings):
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
            return (utterance.response.measured("word_count", f"{count} word{'' if count == 1 else 's'}"),)
        return ()

    return detect


class BreakLimit(Settings):
    """The number of line breaks that is still fine."""

    at_most: int = Field(ge=0)


def line_breaks(settings: BreakLimit) -> Detect:
    """The response has more line breaks than the limit, those before and after its words not counted.

    A carriage return and line feed are one break. Breaks are what str.splitlines() breaks at.
    """

    def detect(utterance: Utterance) -> Findings:
        count = len(utterance.response.original.strip().splitlines()) - 1
        if count > settings.at_most:
            return (utterance.response.measured("line_breaks", f"{count} line break{'' if count == 1 else 's'}"),)
        return ()

    return detect


LENGTH_CUES = (
    Cue("word_count", "the response has a number of words within a range", WordRange, word_count),
    Cue("line_breaks", "the response has more line breaks than a limit", BreakLimit, line_breaks),
)
