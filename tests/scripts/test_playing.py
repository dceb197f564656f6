"""The cost limit before anything is known of costs: the first call to each model shows its price."""

import asyncio
from pathlib import Path

import pytest

from evaluation.errors import StopRequested
from evaluation.records import Cell, Purpose, Reply, Request, Turn, Usage
from scripts.interruption import Stop
from scripts.playing import Budget
from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import run, server


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
