"""The value of a whole number by all that the judge might have written in its place: an expectation, and not a mode.

An endpoint that names the alternatives of each token says how sure the judge was between 6, 7 and 8. Weighted by these
probabilities, their mean says more than the one number that was written.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.judging.answers import AnswerShape
from evaluation.judging.reading import ReadVerdict, without_thoughts
from evaluation.records import NumberToken, Reply

ASKED = {"logprobs": True, "top_logprobs": 20}
"""The parameters that ask for alternatives: as many as endpoints name."""
LEAST_SHARE = 0.5
"""Of the probability, that the numbers of the scale must hold together: below it the number as written counts."""
MOST_AMBIGUOUS = 0.05
"""Of the probability, that a digit may hold of which nobody knows whether it begins a longer number."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the alternatives of one number come to."""

    value: float
    spread: float
    """Standard deviation of the judge's own distribution."""
    share: float
    """Of the probability, that the numbers of the scale hold together."""


def with_expected_values(read: ReadVerdict, reply: Reply, shape: AnswerShape) -> ReadVerdict:
    """The verdict with the expected value of each number whose alternatives are known; the others as they are written.

    What was done is said before the reason of each.
    """
    if not reply.numbers or not read.scores:
        return read
    scores, why = dict(read.scores), dict(read.rationale)
    for name, value in read.scores.items():
        found = expect(name, reply, shape)
        if isinstance(found, Expected):
            scores[name] = found.value
            sure = f"+/- {found.spread:.2f}, {value:g} written, {found.share:.0%} on the scale"
            said = f"{found.value:.2f} of {shape.high:g} expected ({sure})"
        else:
            said = f"{value:g} of {shape.high:g} as written ({found})"
        why[name] = f"{said}; {read.rationale.get(name, read.reasoning)}"
    given = None if shape.overall is None else scores[shape.overall]
    return replace(read, scores=scores, given_overall=given, rationale=why)


def expect(name: str, reply: Reply, shape: AnswerShape) -> Expected | str:
    """The expected value of the number under a key, or why it is not known."""
    body = without_thoughts(reply.text)
    places = [found.start(1) for found in re.finditer(rf'"{re.escape(name)}"\s*:\s*(\d+)', body)]
    if len(places) != 1:
        return "its place is not clear"
    odds = _odds_at(len(reply.text) - len(body) + places[0], reply, shape)
    if isinstance(odds, str):
        return odds
    share = math.fsum(odds.values())
    if share < LEAST_SHARE:
        return f"the numbers of the scale hold {share:.0%} of the probability"
    mean = math.fsum(value * part for value, part in odds.items()) / share
    variance = math.fsum(part * (value - mean) ** 2 for value, part in odds.items()) / share
    return Expected(round(mean, 10), round(math.sqrt(variance), 10), min(1.0, share))


def _odds_at(start: int, reply: Reply, shape: AnswerShape) -> dict[int, float] | str:
    """The probability of each number of the scale in a place."""
    tokens = {token.start: token for token in reply.numbers}
    first = tokens.get(start)
    if first is None:
        return "no alternatives are known"
    scale = range(math.ceil(shape.low), math.floor(shape.high) + 1)
    odds = {number: first.odds.get(str(number), 0.0) for number in scale}
    for number in scale:
        head, tail = str(number)[:1], str(number)[1:]
        if not tail or str(number) in first.odds or head not in first.odds:
            continue
        second = tokens.get(start + len(head)) if first.digits == head else None
        if second is not None and second.digits == tail:
            odds = _split(odds, int(head), number, second, tail)
        elif first.odds[head] > MOST_AMBIGUOUS:
            return f"nobody knows whether {head} begins {number}"
    return odds


def _split(odds: Mapping[int, float], head: int, number: int, second: NumberToken, tail: str) -> dict[int, float]:
    """The probability of a first digit, divided between it alone and the longer number that it begins."""
    whole = odds.get(head, 0.0)
    longer = whole * min(1.0, second.odds.get(tail, 0.0))
    return {**odds, head: whole - longer, number: longer}
