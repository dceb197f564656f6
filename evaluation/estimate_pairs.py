"""An estimate of the calls that put two runs head to head, added to that of their evaluation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from evaluation.estimate import CHARACTERS_PER_TOKEN, REPLY_TOKENS, SECONDS_PER_CALL, Estimate
from evaluation.judging.pair_asking import ORDERS, Pair, PairJudge, make_pair
from evaluation.judging.pair_check import canary_pairs
from evaluation.ports import PriceOf
from evaluation.records import Cell, Exchange, Reply, Turn, Usage
from evaluation.run import Run

PREFERENCE_TOKENS = 200
"""Of one answer, with both assessments."""


@dataclass(frozen=True, slots=True)
class PairLoad:
    """The calls about pairs that are still to be made, at most."""

    model: str
    calls: int
    usage: Usage


def pair_load(judge: PairJudge, pairs: Iterable[Pair], *, checked: bool) -> PairLoad:
    """All calls in both orders, those to check the judge included where it is `checked`."""
    canaries = canary_pairs(judge.rubric.canaries) if checked else []
    calls = characters = 0
    for pair in (*(each.pair for each in canaries), *pairs):
        calls += len(ORDERS)
        asked = judge.request(pair, ORDERS[0]).messages
        characters += len(ORDERS) * sum(len(message.content) for message in asked)
    usage = Usage(characters // CHARACTERS_PER_TOKEN, calls * PREFERENCE_TOKENS)
    return PairLoad(judge.pin.model, calls, usage)


def planned_pairs(run: Run, cells: Iterable[Cell]) -> Iterator[Pair]:
    """The pairs of cells that are not played yet, with replies of assumed length."""
    scenarios = {scenario.id: scenario for scenario in run.scenarios}
    reply = Reply("x" * (REPLY_TOKENS * CHARACTERS_PER_TOKEN), "stop", "", {}, Usage(), 0.0, 0.0)
    for cell in cells:
        scenario = scenarios[cell.scenario_id]
        said, exchanges = list(scenario.history), list[Exchange]()
        for turn, user_input in enumerate(scenario.turns, start=1):
            exchanges.append(Exchange(cell, turn, tuple(said), user_input, reply))
            said += [Turn("user", user_input), Turn("assistant", reply.text)]
        if (pair := make_pair(exchanges, exchanges, scenario)) is not None:
            yield pair


def with_pairs(estimate: Estimate, load: PairLoad, price_of: PriceOf, concurrency: int) -> Estimate:
    """The estimate with the calls about pairs."""
    cost = price_of(load.model, load.usage)
    return replace(
        estimate,
        pair_calls=estimate.pair_calls + load.calls,
        input_tokens=estimate.input_tokens + (load.usage.input_tokens or 0),
        output_tokens=estimate.output_tokens + (load.usage.output_tokens or 0),
        cost_usd=None if cost is None or estimate.cost_usd is None else estimate.cost_usd + cost,
        seconds=estimate.seconds + load.calls * SECONDS_PER_CALL / concurrency,
        models=tuple(dict.fromkeys((*estimate.models, load.model))),
    )
