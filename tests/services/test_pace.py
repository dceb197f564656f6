"""Calls are spread so that an allowance per minute is used and not exceeded. All on virtual time."""

import asyncio

import pytest

from evaluation.records import Cell, Request, Turn, Usage
from services.model.limiter import Limiter, Pace
from services.rehearsal.options import Allowance
from tests.services.virtual_time import run_virtually


def starts(pace: Pace, sizes: list[float], *, bound: int = 100, call_s: float = 0.5) -> list[float]:
    """When each of the calls started, in seconds."""

    async def main() -> list[float]:
        limiter = Limiter(bound, pace)
        clock = asyncio.get_running_loop().time
        begun: list[float] = []

        async def call(size: float) -> None:
            await limiter.acquire(limiter.ticket(), size)
            begun.append(clock())
            await asyncio.sleep(call_s)
            limiter.release()

        await asyncio.gather(*map(call, sizes))
        return begun

    return run_virtually(main())


def test_requests_start_one_interval_apart() -> None:
    assert starts(Pace(rpm=60), [0] * 4) == pytest.approx([0, 1, 2, 3])


def test_at_high_rates_a_late_wake_is_made_up_for_within_a_tenth_of_a_second() -> None:
    begun = starts(Pace(rpm=6000), [0] * 500)
    assert begun[-1] == pytest.approx(499 / 100, rel=0.02)
    assert all(later - earlier >= 0 for earlier, later in zip(begun, begun[10:], strict=False))
    assert max(sum(1 for each in begun if start <= each < start + 1) for start in range(4)) <= 111


def test_tokens_are_paid_for_before_the_next_call_starts() -> None:
    assert starts(Pace(tpm=600), [10, 20, 5, 1]) == pytest.approx([0, 1, 3, 3.5])


def test_the_stricter_of_both_allowances_rules() -> None:
    assert starts(Pace(rpm=60, tpm=600), [50, 1, 1]) == pytest.approx([0, 5, 6])


def test_the_bound_holds_whatever_the_pace() -> None:
    assert starts(Pace(rpm=600), [0] * 4, bound=1, call_s=2) == pytest.approx([0, 2, 4, 6])


def test_a_forecast_that_was_wrong_is_settled() -> None:
    pace = Pace(tpm=60)
    pace.wait_s(0)
    pace.start(10)
    pace.settle(request("x"), 10, Usage(1, 3))
    assert pace.wait_s(0) == pytest.approx(4)


def test_whoever_is_cancelled_while_waiting_takes_nothing_of_the_allowance() -> None:
    async def main() -> float:
        limiter = Limiter(10, Pace(rpm=6))
        await limiter.acquire(limiter.ticket())
        impatient = asyncio.ensure_future(limiter.acquire(limiter.ticket()))
        patient = asyncio.ensure_future(limiter.acquire(limiter.ticket()))
        await asyncio.sleep(1)
        impatient.cancel()
        await patient
        assert limiter.in_flight == 2
        return asyncio.get_running_loop().time()

    assert run_virtually(main()) == pytest.approx(10)


def test_no_limit_means_no_waiting() -> None:
    assert Pace().unlimited
    assert starts(Pace(), [5] * 3) == [0, 0, 0]


def request(text: str, **parameters: object) -> Request:
    return Request("generation", "m", (Turn("user", text),), parameters, Cell("s", 1), 1)


def test_a_call_is_expected_to_take_what_calls_of_its_kind_took() -> None:
    pace = Pace(tpm=60)
    assert pace.expect(request("x" * 400)) == 100 + 200
    assert pace.expect(request("x" * 400, max_tokens=50)) == 150
    pace.settle(request("x"), 37, Usage(7, 30))
    pace.settle(request("x"), 17, Usage(7, 10))
    pace.settle(request("x"), 17, Usage(None, None))
    assert pace.expect(request("x" * 400, max_tokens=50)) == 100 + 20


def test_the_paced_calls_pass_a_bucket_of_the_same_rate_and_use_nearly_all_of_it() -> None:
    begun = starts(Pace(rpm=1200), [0] * 400)
    clock = iter([0.0, *begun])
    allowance = Allowance(1200, 0, lambda: next(clock))
    assert [allowance.admit() for _ in begun] == [0] * 400
    assert 400 / (begun[-1] / 60) >= 0.9 * 1200


def test_the_bucket_refuses_what_comes_too_fast_and_says_how_long_to_wait() -> None:
    time = [0.0]
    allowance = Allowance(60, 0, lambda: time[0])
    assert allowance.admit() == 0
    assert allowance.admit() == pytest.approx(1)
    time[0] = 1.0
    assert allowance.admit() == 0


def test_the_bucket_of_tokens_lets_nothing_in_while_it_is_in_debt() -> None:
    time = [0.0]
    allowance = Allowance(0, 600, lambda: time[0])
    assert allowance.admit() == 0
    allowance.charge(40)
    assert allowance.admit() == pytest.approx(3)
    time[0] = 3.0
    assert allowance.admit() == 0
