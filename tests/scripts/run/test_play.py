"""The cost limit before anything is known of costs, and the order in which cells are played."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import StopRequested
from evaluation.records import Cell, Position, Purpose, Reply, Request, Scenario, Turn, Usage
from evaluation.run import Run
from evaluation.runner import Performer, interleave
from scripts.run.stop import Budget, Stop
from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import run, server
from tests.services.journal.examples import SPEC, a_run


def request(model: str, purpose: Purpose = "generation") -> Request:
    return Request(purpose, model, (Turn("user", "Hi"),), {}, Cell("s", 1), 1)


def reply(cost: float) -> Reply:
    return Reply("Hello", "stop", "m", {}, Usage(), 0.0, 0.0, cost_usd=cost)


def most_open(limit: float | None, calls: list[Request], failing: int = 0, cost: float = 0.0) -> tuple[int, int, int]:
    """(most calls open at once before the first reply, most at any time, calls made); the first `failing` fail."""

    async def played() -> tuple[int, int, int]:
        budget = Budget(limit, 0.0, Stop())
        now, before_reply, ever, made, replies = 0, 0, 0, 0, 0

        async def call(asked: Request) -> None:
            nonlocal now, before_reply, ever, made, replies
            await budget.before_call(asked)
            now, made = now + 1, made + 1
            failed = made <= failing
            ever = max(ever, now)
            before_reply = max(before_reply, now) if not replies else before_reply
            for _ in range(5):
                await asyncio.sleep(0)
            now -= 1
            replies += not failed
            budget.after_call(asked, None if failed else reply(cost))

        outcomes = await asyncio.gather(*map(call, calls), return_exceptions=True)
        assert all(outcome is None or isinstance(outcome, StopRequested) for outcome in outcomes)
        return before_reply, ever, made

    return asyncio.run(asyncio.wait_for(played(), 5))


def test_a_cheap_call_under_way_is_not_reckoned_at_the_price_of_a_dear_one() -> None:
    """Thirty canaries are asked at once: at the price of as many replies they would end a run that costs little."""

    async def played() -> None:
        budget = Budget(30.0, 0.0, Stop())
        for model, cost in (("dear", 10.0), ("cheap", 0.1)):
            await budget.before_call(request(model))
            budget.after_call(request(model), reply(cost))
        for _ in range(30):
            await budget.before_call(request("cheap", "canary"))
        await budget.before_call(request("dear"))
        with pytest.raises(StopRequested):
            await budget.before_call(request("dear"))

    asyncio.run(played())


@pytest.mark.parametrize(
    ("limit", "calls", "failing", "cost", "expected"),
    [
        (None, [request("m")] * 8, 0, 0.0, (8, 8, 8)),
        (1.0, [request("m")] * 8, 0, 0.0, (1, 7, 8)),
        (1.0, [request("m")] * 8, 3, 0.0, (1, 4, 8)),
        (1.0, [request("m")] * 8, 0, 2.0, (1, 1, 1)),
        (1.0, [request("m")] * 8, 0, 0.25, (1, 3, 4)),
        (1.0, [request("m"), request("judge", "judge")] * 4, 0, 0.0, (2, 6, 8)),
        (1.0, [request("", "application")] * 8, 0, 0.0, (8, 8, 8)),
    ],
)
def test_the_first_call_to_a_model_goes_alone_under_a_limit(
    limit: float | None, calls: list[Request], failing: int, cost: float, expected: tuple[int, int, int]
) -> None:
    assert most_open(limit, calls, failing, cost) == expected


def test_a_limit_below_one_call_is_overrun_by_one_call(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2026-11-01\nmodels:\n  rehearsal: {input: 1000000, output: 0}\n")
    arguments = ("--prompt", "v3", "--no-judge", "--quiet", "--prices", str(prices), "--max-cost", "0.01")
    with server(RehearsalOptions(latency_ms=30)) as endpoint:
        done = run(*arguments, "--concurrency", "16", runs=tmp_path / "runs", **endpoint.settings)
        assert endpoint.stats()["completions"] == 1
    assert done.code == 3


def planned(run_id: str, *, turns: tuple[int, ...], repeats: int = 1) -> Run:
    """A run of one scenario per number of turns: s0, s1, ..."""
    scenarios = tuple(Scenario(f"s{number}", "c", ("Hi",) * count) for number, count in enumerate(turns))
    return a_run(run_id, spec=replace(SPEC, repeats=repeats), scenarios=scenarios)


def performer(run: Run, final: Collection[Position] = ()) -> Performer:
    never: Any = None
    return Performer(run, None, run.suite.play, never, never, never, final)


def test_cells_of_several_runs_take_turns_without_those_that_are_done_longest_first() -> None:
    one = performer(planned("a", turns=(1, 2), repeats=2), {("s1", 1, 1), ("s1", 1, 2), ("s1", 2, 1)})
    other = performer(planned("b", turns=(1, 1)), {("s0", 1, 1)})
    jobs = interleave([one, other])
    cells = [(job.performer.run.run_id, job.part.cell.scenario_id, job.part.cell.repeat) for job in jobs]
    assert cells == [("a", "s0", 1), ("b", "s1", 1), ("a", "s1", 2), ("a", "s0", 2)]


def test_a_cell_is_made_when_it_is_asked_for() -> None:
    """Those of a large run would take more memory than the playing: a billion cells must not be made at once."""
    run_of_many = planned("a", turns=(1,), repeats=1_000_000_000)
    jobs = interleave([performer(run_of_many)])
    assert [job.part.cell for job in islice(jobs, 2)] == [Cell("s0", 1), Cell("s0", 2)]
