"""Coherence and lexical diversity: words that link the sentences, and words that come back."""

from collections import Counter
from typing import Self

from pydantic import Field, model_validator

from evaluation.metrics.adjustments import Rule
from evaluation.metrics.cues.cue import Phrase, Settings
from evaluation.metrics.explained import DECIMALS, Explained, Term
from evaluation.metrics.quoting import shown
from evaluation.metrics.text.points import absent, counted, explained, held, short
from evaluation.metrics.text.prose import Prose, phrase_forms
from evaluation.metrics.utterance import Utterance

MOST_QUOTED = 3


class Coherence(Settings):
    """The weights add up to 1."""

    transitions: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    transition_weight: float = Field(ge=0, le=1)
    repetition_weight: float = Field(ge=0, le=1)
    penalty_per_repeat: float = Field(ge=0, le=1)
    most_penalty: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _shares(self) -> Self:
        if abs(self.transition_weight + self.repetition_weight - 1) > 1e-9:
            raise ValueError("transition_weight and repetition_weight must add up to 1")
        return self


def coherence(constants: Coherence) -> Rule:
    """transition_weight x min(transitions / sentences, 1) + repetition_weight x (1 - penalty)."""
    phrases = phrase_forms(constants.transitions)

    def rule(utterance: Utterance) -> Explained:
        prose = utterance.response.prose
        if not prose.lengths:
            return absent(prose.missing)
        said = [(phrase, prose.line.count(form)) for phrase, form in phrases if form in prose.line]
        count, sentences = sum(times for _, times in said), len(prose.lengths)
        ratio = min(count / sentences, 1.0)
        trigram, most = most_repeated(prose)
        penalty = min((most - 1) * constants.penalty_per_repeat, constants.most_penalty)
        terms = (
            Term(constants.transition_weight * ratio, "transitions"),
            Term(constants.repetition_weight * (1 - penalty), "no repetition"),
        )
        quoted = f" ({', '.join(phrase for phrase, _ in said[:MOST_QUOTED])})" if said else ""
        repeated = f'the most repeated trigram, {most}x ("{shown(trigram)}")' if most > 1 else "no repeated trigram"
        found = (
            f"{short(constants.transition_weight)} x {short(ratio)} for {counted(count, 'transition')}{quoted} in "
            f"{counted(sentences, 'sentence')} + {short(constants.repetition_weight)} x {short(1 - penalty)} for "
            f"{repeated}"
        )
        return explained(held(terms), terms, found, _advice(constants, sentences - count, most))

    return rule


def most_repeated(prose: Prose) -> tuple[str, int]:
    """The three adjacent words that occur most often, and how often; 1 where there are fewer than three words."""
    words = prose.words
    if len(set(zip(words, words[1:], words[2:], strict=False))) >= len(words) - 2:
        return "", 1
    trigram, count = Counter(zip(words, words[1:], words[2:], strict=False)).most_common(1)[0]
    return " ".join(trigram), count


def _advice(constants: Coherence, lacking: int, most: int) -> list[str]:
    advice = []
    if lacking > 0 and constants.transition_weight:
        advice.append(f"{counted(lacking, 'more transition')} such as {', '.join(constants.transitions[:MOST_QUOTED])}")
    if most > 1 and constants.penalty_per_repeat:
        advice.append("fewer repeated phrases")
    return advice


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
