"""The clock of delivery, and the one loop that tries until something is done or its time is over."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

SHORTEST_S = 0.05


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something is not done yet."""

    problems: tuple[str, ...]
    """Everything that is left, for the report."""
    said: str
    """Why, in words for the progress line."""
    wait_s: float | None = None
    """Seconds after which trying again makes sense, where that is known."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock that waits are measured by, and how to wait; both in seconds."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def until(
        self,
        attempt: Callable[[], Awaitable[Waiting | None]],
        deadline: float,
        longest_s: float,
        progress: Callable[[str], None],
    ) -> tuple[str, ...]:
        """Attempts until nothing is left or no further attempt fits before the deadline; returns what is left then.

        Waits as long as it is asked to, else longer from time to time, at most `longest_s`.
        """
        pause = 1.0
        while waiting := await attempt():
            left = deadline - self.clock()
            if left <= (waiting.wait_s or 0):
                return waiting.problems
            wait = waiting.wait_s or min(pause, left)
            progress(f"Langfuse: {waiting.said}; going on in {wait:.0f} s")
            await self.sleep(max(SHORTEST_S, wait))
            pause = min(2 * pause, longest_s)
        return ()
