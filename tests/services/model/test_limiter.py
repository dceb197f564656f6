import asyncio

import pytest

from services.model.limiter import LONGEST_PAUSE_S, Limiter
from tests.services.virtual_time import run_virtually


def now() -> float:
    return asyncio.get_running_loop().time()


def test_never_more_in_flight_than_the_bound_and_never_fewer_while_there_is_work() -> None:
    async def main() -> tuple[Limiter, int, float]:
        limiter = Limiter(4)
        most = 0

        async def call() -> None:
            nonlocal most
            await limiter.acquire(limiter.ticket())
            most = max(most, limiter.in_flight)
            await asyncio.sleep(1)
            limiter.note_answer(throttled=False)
            limiter.release()

        await asyncio.gather(*(call() for _ in range(40)))
        return limiter, most, now()

    limiter, most, elapsed = run_virtually(main())
    assert most == 4
    assert limiter.in_flight == 0
    assert elapsed == pytest.approx(10)  # 40 calls of 1 s, four at a time: any idle slot would take longer


def test_a_call_that_comes_back_goes_ahead_of_work_that_arrived_after_it() -> None:
    async def main() -> list[str]:
        limiter = Limiter(1)
        order: list[str] = []

        async def throttled_once() -> None:
            ticket = limiter.ticket()
            await limiter.acquire(ticket)
            await asyncio.sleep(1)
            limiter.release()
            await asyncio.sleep(1.5)
            await limiter.acquire(ticket)
            order.append("returned")
            limiter.release()

        async def new(name: str) -> None:
            await limiter.acquire(limiter.ticket())
            order.append(name)
            await asyncio.sleep(1)
            limiter.release()

        async with asyncio.TaskGroup() as group:
            group.create_task(throttled_once())
            await asyncio.sleep(0.1)
            for name in ("a", "b", "c", "d"):
                group.create_task(new(name))
        return order

    # At 2.5 s, "b" is under way and "c" and "d" wait.
    assert run_virtually(main()) == ["a", "b", "returned", "c", "d"]


@pytest.mark.parametrize(
    ("bound", "throttled", "allowed"),
    [
        (16, 0, 16),
        (16, 3, 14),  # 16 * (1 - 3/32) = 14.5, rounded to even
        (16, 16, 8),
        (16, 31, 1),  # 0.5 rounds to 0: one slot always remains
        (1, 15, 1),
    ],
)
def test_slots_shrink_with_the_throttled_share(bound: int, throttled: int, allowed: int) -> None:
    limiter = Limiter(bound)
    for _ in range(throttled):
        limiter.note_answer(throttled=True)
    assert limiter.allowed == allowed


def test_slots_grow_back_as_good_answers_push_the_throttled_ones_out() -> None:
    limiter = Limiter(8)
    for _ in range(8):
        limiter.note_answer(throttled=True)
    shrunk = limiter.allowed
    allowed = []
    for _ in range(24):
        limiter.note_answer(throttled=False)
        allowed.append(limiter.allowed)
    assert shrunk == 4
    assert allowed == sorted(allowed)
    assert (allowed[7], allowed[-1]) == (4, 8)


def test_a_grown_limit_is_used_at_once() -> None:
    async def main() -> int:
        limiter = Limiter(4)
        for _ in range(12):
            limiter.note_answer(throttled=True)
        await limiter.acquire(limiter.ticket())
        waiting = [asyncio.create_task(limiter.acquire(limiter.ticket())) for _ in range(8)]
        await asyncio.sleep(0)
        for _ in range(16):
            limiter.note_answer(throttled=False)
        limiter.release()
        await asyncio.sleep(0)
        granted = sum(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return granted

    assert run_virtually(main()) == 4


def test_a_newcomer_does_not_overtake_the_queue_when_the_limit_has_just_grown() -> None:
    async def main() -> tuple[bool, bool]:
        limiter = Limiter(2)
        for _ in range(12):
            limiter.note_answer(throttled=True)
        await limiter.acquire(limiter.ticket())
        queued = asyncio.create_task(limiter.acquire(limiter.ticket()))
        await asyncio.sleep(0)
        for _ in range(16):
            limiter.note_answer(throttled=False)
        newcomer = asyncio.create_task(limiter.acquire(limiter.ticket()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        granted = queued.done(), newcomer.done()
        newcomer.cancel()
        await asyncio.wait([newcomer])
        return granted

    assert run_virtually(main()) == (True, False)


def test_all_calls_pause_only_when_the_whole_window_was_throttled() -> None:
    async def main() -> tuple[float, float]:
        limiter = Limiter(2)
        for _ in range(15):
            limiter.note_answer(throttled=True, wait_s=7)
        await limiter.acquire(limiter.ticket())
        before = now()
        limiter.release()
        limiter.note_answer(throttled=True, wait_s=7)
        await limiter.acquire(limiter.ticket())
        return before, now()

    assert run_virtually(main()) == (0, 7)


def test_one_good_answer_in_the_window_prevents_the_pause() -> None:
    async def main() -> float:
        limiter = Limiter(2)
        for number in range(40):
            limiter.note_answer(throttled=number % 16 != 0, wait_s=7)
        await limiter.acquire(limiter.ticket())
        return now()

    assert run_virtually(main()) == 0


def test_a_pause_is_lengthened_never_shortened_and_capped() -> None:
    async def main() -> tuple[float, float]:
        limiter = Limiter(2)
        limiter.pause(5)
        limiter.pause(2)
        limiter.pause(0)
        await limiter.acquire(limiter.ticket())
        first = now()
        limiter.pause(86_400)
        await limiter.acquire(limiter.ticket())
        return first, now() - first

    assert run_virtually(main()) == (5, LONGEST_PAUSE_S)


def test_a_cancelled_wait_takes_no_slot_and_blocks_nobody() -> None:
    async def main() -> tuple[int, bool]:
        limiter = Limiter(1)
        await limiter.acquire(limiter.ticket())
        first = asyncio.create_task(limiter.acquire(limiter.ticket()))
        second = asyncio.create_task(limiter.acquire(limiter.ticket()))
        await asyncio.sleep(0)
        first.cancel()
        limiter.release()
        await second
        return limiter.in_flight, first.cancelled()

    assert run_virtually(main()) == (1, True)


def test_a_slot_granted_in_the_step_of_the_cancellation_is_handed_on() -> None:
    async def main() -> tuple[int, int]:
        limiter = Limiter(1)
        await limiter.acquire(limiter.ticket())
        first = asyncio.create_task(limiter.acquire(limiter.ticket()))
        second = asyncio.create_task(limiter.acquire(limiter.ticket()))
        await asyncio.sleep(0)
        limiter.release()  # grants the slot to `first`, which has not run yet
        first.cancel()
        await asyncio.wait_for(second, 1)
        held = limiter.in_flight
        limiter.release()
        return held, limiter.in_flight

    assert run_virtually(main()) == (1, 0)


def test_close_ends_a_pause_so_that_no_timer_outlives_the_endpoint() -> None:
    async def main() -> float:
        limiter = Limiter(1)
        limiter.pause(30)
        limiter.close()
        await limiter.acquire(limiter.ticket())
        return now()

    assert run_virtually(main()) == 0


def test_a_limiter_without_slots_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one slot, not 0"):
        Limiter(0)
