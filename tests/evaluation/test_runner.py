"""The loop where the endpoint refuses a call for all."""

import asyncio
from dataclasses import replace

import pytest

from evaluation.errors import EndpointRefused
from evaluation.ports import Complete, Exchanges
from evaluation.records import CallFailure, Cell, Exchange, Reply, Request, Result, Scenario, Score
from evaluation.runner import Job, Performer, perform
from evaluation.suites.turns import CellPlan
from tests.evaluation import made_runs
from tests.evaluation.made_runs import OVERALL, reply


async def one_turn(part: CellPlan, complete: Complete) -> Exchanges:
    asked = Request("generation", part.model, (), {}, part.cell, 1)
    yield Exchange(part.cell, 1, (), "Hi", await complete(asked))


def one_score(_exchange: Exchange) -> tuple[Score, ...]:
    return (Score(OVERALL, "heuristic", 0.5),)


def part(name: str) -> CellPlan:
    return CellPlan(Cell(name, 1), Scenario(name, "small_talk", ("Hi",)), None, {}, "m", {}, 0)


def test_what_is_under_way_may_end_and_what_hangs_does_not_keep_the_run() -> None:
    asked: list[str] = []
    recorded: list[str] = []
    cancelled: list[str] = []

    async def played() -> None:
        refusal = asyncio.Event()

        async def complete(request: Request) -> Reply | CallFailure:
            name = request.cell.scenario_id
            asked.append(name)
            if refusal.is_set() or name == "refused":
                refusal.set()
                raise EndpointRefused("the key was revoked")
            try:
                await (refusal.wait() if name == "answered" else asyncio.Event().wait())
            except asyncio.CancelledError:
                cancelled.append(name)
                raise
            return reply("Hello.")

        async def record(result: Result) -> None:
            recorded.append(result.exchange.cell.scenario_id)

        rules = replace(made_runs.suite(), play=one_turn, score=one_score)
        run = made_runs.run(by=rules)
        performer = Performer(run, None, rules.play, complete, record, lambda _result: None, frozenset())
        jobs = [Job(performer, part(name)) for name in ("answered", "hanging", "refused", "later", "never")]
        await perform(jobs, open_cells=3, grace_s=0.2)

    with pytest.raises(EndpointRefused, match="revoked"):
        asyncio.run(played())
    assert recorded == ["answered"]
    assert cancelled == ["hanging"]
    assert "never" not in asked
