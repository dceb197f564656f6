"""Lexical diversity: the share of different words, in long texts as the mean over moving windows."""

from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Settings
from evaluation.metrics.explained import Explained, Term
from evaluation.metrics.text.advice import DECIMALS, absent, counted, explained, short
from evaluation.metrics.utterance import Utterance


class Diversity(Settings):
    """All in words."""

    moving_above: int = Field(ge=1)
    window: int = Field(ge=1)
    step: int = Field(ge=1)

    @model_validator(mode="after")
    def _has_windows(self) -> Self:
        if self.window > self.moving_above:
            raise ValueError(f"window {self.window} is longer than moving_above {self.moving_above}")
        return self


def diversity(constants: Diversity) -> Rule:
    """Different words / words; above `moving_above` words the mean of that over windows a step apart."""
    above, window, step = constants.moving_above, constants.window, constants.step

    def rule(utterance: Utterance) -> Explained:
        prose = utterance.response.prose
        words = prose.words
        total = len(words)
        if not total:
            return absent(prose.missing)
        if total > above:
            starts = range(0, total - window, step)
            kinds = sum([len(set(words[start : start + window])) for start in starts])
            value = round(kinds / (window * len(starts)), DECIMALS)
            found = f"{short(value)} on average in {counted(len(starts), 'window')} of {window} of its {total} words"
        else:
            kinds = len(set(words))
            value = round(kinds / total, DECIMALS)
            found = f"{kinds} different of {counted(total, 'word')}"
        return explained(value, (Term(value, "different words"),), found, ["fewer repeated words"])

    return rule
