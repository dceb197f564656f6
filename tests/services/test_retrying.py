import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest

from services.retrying import Backoff, Retries, Tries, TryAgain
from tests.services.virtual_time import run_virtually

BACKOFF = Backoff(attempts=4, first_s=1, longest_s=5, retry_after_cap_s=30, deadline_s=100)


def failing(*failures: BaseException) -> Callable[[Tries], "asyncio.Future[str]"]:
    """Raises one failure per try, then answers."""
    left = list(failures)

    async def attempt(tries: Tries) -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return attempt  # type: ignore[return-value]


def waits_of(*failures: BaseException, backoff: Backoff = BACKOFF, jitter: float = 1.0) -> tuple[list[float], Tries]:
    """The waits between the tries on virtual time, and what is known at the end; a failure in the end is swallowed."""
    waits: list[float] = []

    async def main() -> Tries:
        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            await asyncio.sleep(seconds)

        loop = asyncio.get_running_loop()
        tries = Tries()
        with suppress(TryAgain):
            await Retries(backoff, sleep=sleep, clock=loop.time, jitter=lambda: jitter).run(failing(*failures), tries)
        return tries

    return waits, run_virtually(main())


def broken(**details: object) -> TryAgain:
    return TryAgain("server_error", "HTTP 500", **details)  # type: ignore[arg-type]


def throttled(wait_s: float | None = None) -> TryAgain:
    return TryAgain("rate_limited", "HTTP 429", wait_s=wait_s, throttled=True)


def test_the_first_answer_needs_no_wait() -> None:
    waits, tries = waits_of()
    assert (waits, tries.total, tries.counted) == ([], 1, 0)


@pytest.mark.parametrize(
    ("failures", "jitter", "waits"),
    [
        ([broken()] * 3, 1.0, [1, 2, 4]),
        ([broken()] * 3, 0.0, [0.5, 1, 2]),  # at least half of the wait stays
        ([throttled()] * 5, 1.0, [1, 2, 4, 5, 5]),  # capped by longest_s
        ([throttled(7)] * 2, 0.0, [7, 7]),
        ([throttled(10)], 1.0, [11]),  # a tenth of jitter on top, never less than asked for
        ([throttled(3600)], 0.0, [30]),  # capped by retry_after_cap_s
        ([throttled(0)] * 2, 1.0, [1, 2]),  # "at once" repeated would be a hot loop
        ([broken(wait_s=9)], 0.0, [9]),  # a 503 may ask for patience too
        ([throttled(), throttled(), broken()], 1.0, [1, 2, 1]),  # the two kinds back off on their own
    ],
)
def test_waits(failures: list[TryAgain], jitter: float, waits: list[float]) -> None:
    found, tries = waits_of(*failures, jitter=jitter)
    assert found == pytest.approx(waits)
    assert tries.total == len(failures) + 1


def test_failures_that_count_end_after_the_attempts_and_the_last_one_is_raised() -> None:
    last = broken()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        tries = Tries()
        with pytest.raises(TryAgain) as caught:
            await Retries(BACKOFF, clock=loop.time).run(failing(broken(), broken(), broken(), last, broken()), tries)
        assert caught.value is last
        assert tries.total == 4

    run_virtually(main())


def test_throttled_tries_are_bounded_by_the_deadline_alone() -> None:
    waits, tries = waits_of(*[throttled(10)] * 50, jitter=0)
    assert waits == [10] * 10  # the eleventh would end at 110 s
    assert (tries.total, tries.counted) == (11, 0)


def test_no_wait_begins_that_would_end_after_the_deadline() -> None:
    waits, tries = waits_of(throttled(30), throttled(30), backoff=Backoff(deadline_s=20), jitter=0)
    assert (waits, tries.total) == ([], 1)


def test_other_exceptions_end_the_call_at_once() -> None:
    async def main(*failures: BaseException) -> int:
        tries = Tries()
        with pytest.raises(type(failures[-1])):
            await Retries(BACKOFF, clock=asyncio.get_running_loop().time).run(failing(*failures, broken()), tries)
        return tries.total

    assert run_virtually(main(KeyError("first"))) == 1
    assert run_virtually(main(broken(), KeyError("second"))) == 2
    assert run_virtually(main(broken(), asyncio.CancelledError())) == 2


def test_a_wait_can_be_cancelled() -> None:
    async def main() -> bool:
        call = asyncio.create_task(
            Retries(BACKOFF, clock=asyncio.get_running_loop().time).run(failing(throttled(20)), Tries())
        )
        await asyncio.sleep(5)
        call.cancel()
        await asyncio.wait([call])
        return call.cancelled()

    assert run_virtually(main()) is True


def test_concurrent_calls_keep_their_own_count() -> None:
    async def main() -> list[int]:
        retries = Retries(BACKOFF, clock=asyncio.get_running_loop().time)
        all_tries = [Tries() for _ in range(4)]
        await asyncio.gather(
            *(retries.run(failing(*[broken()] * number), tries) for number, tries in enumerate(all_tries))
        )
        return [tries.total for tries in all_tries]

    assert run_virtually(main()) == [1, 2, 3, 4]


def test_failures_of_the_endpoint_are_counted_in_a_row() -> None:
    tries = Tries()
    for failure in (broken(of_endpoint=True), broken(), broken(of_endpoint=True), broken(of_endpoint=True)):
        tries.note(failure)
    assert tries.of_endpoint == 2
