"""Measures of meaning: cosines between the vectors of sentences, responses, messages and key points.

A cosine depends on the model that made the vectors: no value says "good" by itself, and values of two models are never
compared. What has no vectors, or too few of them, has no value and a reason. docs/meaning.md explains each.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.metrics.cues.cue import Rule, RuleSettings
from evaluation.metrics.explained import Explained, excerpt
from evaluation.metrics.text.points import absent, quantity
from evaluation.metrics.utterance import Utterance
from evaluation.records import Exchange, Meaning, Score
from evaluation.vectors import cosine, mean_of, to_the_next, to_the_rest

PLACES = 6
"""Decimals of a value: more than half precision can tell, and fewer than those in which two machines may differ."""
SHOWN_POINTS = 4
"""Key points that an explanation quotes, the least covered first."""
NO_MODEL = "no model of embeddings was asked: set EVAL_EMBEDDING_MODEL"
Measuring: TypeAlias = Callable[[Meaning], Explained]


def semantic_coherence(meaning: Meaning) -> Explained:
    """Mean cosine of neighbouring sentences of the response. -1 to 1."""
    found = to_the_next(meaning.sentences)
    if not found:
        return absent(f"{quantity(len(meaning.sentences), 'sentence')}: needs at least 2")
    pairs = quantity(len(found), "pair")
    return _value(_mean(found), f"mean cosine of {pairs} of neighbouring sentences{_lowest(found)}", meaning)


def semantic_unity(meaning: Meaning) -> Explained:
    """Mean cosine of each sentence of the response and the mean of its other sentences. -1 to 1."""
    count = len(meaning.sentences)
    if count < 3:
        return absent(f"{quantity(count, 'sentence')}: needs at least 3")
    found = to_the_rest(meaning.sentences)
    said = f"mean cosine of each of {count} sentences and all others{_lowest(found)}"
    return _value(_mean(found), said, meaning)


def prompt_relevance(meaning: Meaning) -> Explained:
    """Cosine of the response and the message that it answers. -1 to 1."""
    if meaning.response is None or not meaning.messages:
        return absent("no words in the message or in the response")
    return _value(cosine(meaning.response, meaning.messages[-1]), "cosine of message and response", meaning)


def conversation_drift(meaning: Meaning) -> Explained:
    """1 - cosine of the response and the mean of all messages of the user so far. 0 to 2.

    Of the user's messages alone: with earlier replies among them, a reply that repeats itself would count as near.
    """
    if meaning.response is None or len(meaning.messages) < 2:
        return absent(f"{quantity(len(meaning.messages), 'message')} of the user: needs at least 2")
    said = f"1 - cosine of the response and the mean of {len(meaning.messages)} messages of the user"
    return _value(1 - cosine(meaning.response, mean_of(meaning.messages)), said, meaning)


def near_repetition(meaning: Meaning) -> Explained:
    """Highest cosine of the response and an earlier reply of the assistant. -1 to 1; 1 for the same words."""
    if meaning.response is None or not meaning.replies:
        return absent("no earlier reply")
    found = [cosine(meaning.response, reply) for reply in meaning.replies]
    nearest = max(found)
    said = f"highest cosine with {quantity(len(found), 'earlier reply', 'earlier replies')}"
    return _value(nearest, f"{said}: reply {found.index(nearest) + 1}", meaning)


def key_point_coverage(meaning: Meaning) -> Explained:
    """Mean over the key points of the highest cosine with a sentence of the conversation's replies. -1 to 1."""
    if not meaning.points:
        return absent("no key points are due: data.key_points of the scenario, at its last turn")
    if not meaning.said:
        return absent("no sentence that could cover a key point")
    best = []
    for text, point in meaning.points:
        nearest, sentence = max((cosine(point, vector), sentence) for sentence, vector in meaning.said)
        best.append((nearest, text, sentence))
    shown = [f'{_short(value)} "{excerpt(text)}" by "{excerpt(by)}"' for value, text, by in sorted(best)[:SHOWN_POINTS]]
    more = f", and {len(best) - SHOWN_POINTS} nearer" if len(best) > SHOWN_POINTS else ""
    said = (
        f"mean over {quantity(len(best), 'key point')} of the highest cosine with a sentence: {', '.join(shown)}{more}"
    )
    return _value(_mean([value for value, _, _ in best]), said, meaning)


MEASURES: Mapping[str, Measuring] = {
    each.__name__: each
    for each in (
        semantic_coherence,
        semantic_unity,
        prompt_relevance,
        conversation_drift,
        near_repetition,
        key_point_coverage,
    )
}
"""By name, in the order of every table."""


def measure(measuring: Measuring, meaning: Meaning | None) -> Explained:
    """The value, or the reason why there is none."""
    if meaning is None:
        return absent(NO_MODEL)
    return absent(meaning.missing) if meaning.missing else measuring(meaning)


def scores_of(exchange: Exchange, names: tuple[str, ...]) -> tuple[Score, ...]:
    """The measures of an exchange by name, as scores."""
    scores = []
    for name in names:
        value, _, explanation, missing = measure(MEASURES[name], exchange.meaning)
        scores.append(Score(name, "measure", value, explanation, value is not None, missing))
    return tuple(scores)


def index_of(measuring: Measuring) -> Callable[[RuleSettings], Rule]:
    """A measure as an index that a rubric may name."""

    def build(_constants: RuleSettings) -> Rule:
        return lambda utterance: measure(measuring, utterance.meaning)

    return build


class Between(RuleSettings):
    """The values of a measure that count as 0 and as 1. Of what should be small, `best` is the lower."""

    worst: float = Field(ge=-1, le=2)
    best: float = Field(ge=-1, le=2)

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.worst == self.best:
            raise ValueError("worst and best are the same: nothing lies between them")
        return self


def formula_of(measuring: Measuring) -> Callable[[Between], Rule]:
    """A measure on the scale of metrics: 0 at `worst`, 1 at `best`, even between and flat beyond."""

    def build(constants: Between) -> Rule:
        worst, reach = constants.worst, constants.best - constants.worst

        def rule(utterance: Utterance) -> Explained:
            found = measure(measuring, utterance.meaning)
            if found.value is None:
                return found
            value = round(min(1.0, max(0.0, (found.value - worst) / reach)), PLACES)
            between = f"{_short(found.value)} between {worst:g} (0) and {constants.best:g} (1)"
            return Explained(value, (), f"{between}: {found.explanation}")

        return rule

    return build


@dataclass(frozen=True, slots=True)
class Scoring:
    """The scorer of a suite with the measures of meaning behind its own. It can be sent to another process."""

    score: Callable[[Exchange], tuple[Score, ...]]
    names: tuple[str, ...]

    def __call__(self, exchange: Exchange) -> tuple[Score, ...]:
        return (*self.score(exchange), *scores_of(exchange, self.names))


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def _lowest(values: list[float]) -> str:
    """Where the least of several stands."""
    if len(values) < 2:
        return ""
    least = min(values)
    return f", lowest {_short(least)} at {values.index(least) + 1}"


def _value(value: float, said: str, meaning: Meaning) -> Explained:
    return Explained(round(value, PLACES) + 0.0, (), f"{said}, by {meaning.by}")


def _short(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"
