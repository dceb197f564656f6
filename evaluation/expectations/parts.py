"""A dimension as three to five observable things: each a question that yes or no answers, with a quote for each yes.

The value is the share of items that hold, or, where the rubric gives weights, the logistic of their sum. An item that
could not be shown is unknown: it counts as the others do on average, and the bounds say what it may change.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.expectations.asking import Asked, answer_format, item_messages
from evaluation.expectations.form import read_items
from evaluation.expectations.quotes import Spoken
from evaluation.expectations.reading import ItemReading, can_be_read, read_answers
from evaluation.judging.question import Judged
from evaluation.judging.reading import ReadVerdict
from evaluation.judging.scale import SHARES, Scale, rescale
from evaluation.records import Exchange, Expectation, Json, Reply, Scenario, Turn
from evaluation.rubrics.judge_section import DimensionParts

ITEM_TOKENS = 25
"""Assumed of one answer, with its quote."""
MOST_UNKNOWN = 0.5
"""Of the items of a dimension, that may be unknown; with more it has no value."""


def part_items(part: DimensionParts) -> tuple[Expectation, ...]:
    """The items of a dimension as they are asked. Raises ItemFault for one that is no question."""
    written = [
        {"id": item.id, "scope": "response", **({"never": item.never} if item.ask is None else {"ask": item.ask})}
        for item in part.items
    ]
    return read_items(written, "rubric")


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange


@dataclass(frozen=True)
class PartsQuestion:
    """One call about the items of some dimensions."""

    parts: Mapping[str, DimensionParts]
    scale: Scale
    format: str
    as_reply: Callable[[Exchange], Exchange] = _as_it_is
    """Makes a reply, which can be quoted, of what a suite plays."""

    @property
    def guided(self) -> bool:
        """It is shown neither note nor rubric: these say what would be good, and not what was said."""
        return False

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.parts)

    @cached_property
    def items(self) -> tuple[Expectation, ...]:
        """In the order of the call."""
        return tuple(item for part in self.parts.values() for item in part_items(part))

    @property
    def answer_tokens(self) -> int:
        return ITEM_TOKENS * len(self.items)

    @cached_property
    def parameters(self) -> dict[str, Json]:
        return answer_format(self.format, len(self.items))

    def messages(self, judged: Judged) -> tuple[Turn, ...]:
        return item_messages(self._asked(judged))

    def read(self, reply: Reply, judged: Judged) -> ReadVerdict:
        """The value of each dimension of which enough could be shown, with what holds and what does not."""
        asked = self._asked(judged)
        readings = read_answers(reply.text, asked)
        if isinstance(readings, str) or not can_be_read(reply.text, asked):
            problem = readings if isinstance(readings, str) else "no question was answered"
            return ReadVerdict({}, reply.text.strip(), problem)
        scores: dict[str, float] = {}
        bounds: dict[str, tuple[float, float]] = {}
        why: dict[str, str] = {}
        for name, part in self.parts.items():
            held = [_holds(readings[item.id]) for item in part.items]
            why[name] = _said(part, held, readings)
            low, value, high = (rescale(each, SHARES, self.scale) for each in value_of(part, held))
            if held.count(None) <= MOST_UNKNOWN * len(held):
                scores[name] = value
            if None in held:
                bounds[name] = (low, high)
        said = " ".join(f"{name}: {text}" for name, text in why.items())
        return ReadVerdict(scores, said, rationale=why, bounds=bounds)

    def _asked(self, judged: Judged) -> Asked:
        exchange = self.as_reply(judged.exchange)
        whole = judged.scenario if exchange is judged.exchange else None
        alone = Scenario(exchange.cell.scenario_id, "", (exchange.user_input,))
        return Asked(exchange, whole or alone, (Spoken(exchange.turn, exchange.response),), self.items)


def _holds(reading: ItemReading) -> bool | None:
    """None for what nobody can tell. Words of the response that address the judge show that it does not hold."""
    if reading.outcome == "not_shown":
        return None if reading.quote is None else False
    return reading.outcome == "holds"


def value_of(part: DimensionParts, held: Sequence[bool | None]) -> tuple[float, float, float]:
    """The least, the value and the most, as shares of the scale, by which items hold; None for an unknown one."""
    known = [each for each in held if each is not None]
    usual = sum(known) / len(known) if known else 0.5

    def filled(unknown: Callable[[float], float]) -> float:
        weights = [1.0 if item.weight is None else item.weight for item in part.items]
        shares = [unknown(weight) if each is None else float(each) for each, weight in zip(held, weights, strict=True)]
        if part.bias is None:
            return sum(shares) / len(shares)
        return _logistic(part.bias + math.fsum(share * weight for share, weight in zip(shares, weights, strict=True)))

    return filled(lambda weight: float(weight < 0)), filled(lambda _: usual), filled(lambda weight: float(weight > 0))


def _logistic(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, log_odds))))


def _said(part: DimensionParts, held: Sequence[bool | None], readings: Mapping[str, ItemReading]) -> str:
    """What holds, what does not, and what could not be shown, in one line."""
    groups = [(f"{held.count(True)} of {len(held)} hold", True), ("not", False), ("not shown", None)]
    listed = [
        f"{title}: {', '.join(item.id for item, each in zip(part.items, held, strict=True) if each is outcome)}"
        for title, outcome in groups
        if outcome in held or outcome is True
    ]
    quote = next((reading.quote for item in part.items if (reading := readings[item.id]).quote is not None), None)
    shown = "" if quote is None else f'; "{quote.text}"'
    return "; ".join(listed).replace(" hold: ;", " hold;") + shown
