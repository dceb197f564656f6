"""The one owner of retries: what is tried again, after how long, and when to give up. Backed by tenacity.

Beside it: the waits that response headers ask for, in seconds.
"""

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Backoff:
    """The patience of a call. All times in seconds."""

    attempts: int = 5
    """Tries in all that may end in anything but a throttle."""
    first_s: float = 0.5
    """Longest wait after the first failure; it doubles from try to try."""
    longest_s: float = 20.0
    """Longest wait that is not asked for by the endpoint."""
    retry_after_cap_s: float = 120.0
    """Longest wait that the endpoint may ask for; it is asked again after that."""
    deadline_s: float = 900.0
    """From the first failure on. No wait begins that would end later. Throttled tries are bounded by it alone."""


class TryAgain(Exception):
    """One try failed in a way that another try may mend."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        wait_s: float | None = None,
        throttled: bool = False,
        of_endpoint: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.wait_s = wait_s
        """Seconds that the endpoint asked to wait (Retry-After)."""
        self.throttled = throttled
        """The endpoint asked for patience and did no work: the try is not counted against `Backoff.attempts`."""
        self.of_endpoint = of_endpoint
        """Nothing there speaks the protocol (refused connection, unknown host, a web page): it is not this call."""


@dataclass(slots=True)
class Tries:
    """The story of one call so far. Handed to each try, which may read it."""

    total: int = 0
    """Tries begun."""
    counted: int = 0
    """Tries that failed and count against the attempts."""
    throttled: int = 0
    last: TryAgain | None = None
    of_endpoint: int = 0
    """So many of the latest failures in a row were the endpoint's own."""
    deadline: float = math.inf
    """On the clock of the `Retries`; set by the first failure."""

    def note(self, failure: TryAgain) -> None:
        self.last = failure
        self.of_endpoint = self.of_endpoint + 1 if failure.of_endpoint else 0
        if failure.throttled:
            self.throttled += 1
        else:
            self.counted += 1


@dataclass(frozen=True, slots=True)
class Retries:
    """Runs a call until it succeeds, fails for good, or patience ends. Shared by any number of concurrent calls."""

    backoff: Backoff = field(default_factory=Backoff)
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, kw_only=True)
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    jitter: Callable[[], float] = field(default=random.random, kw_only=True)
    """Numbers in 0..1 that spread the waits."""

    async def run(self, attempt: Callable[[Tries], Awaitable[T]], tries: Tries) -> T:
        """The result of the first try that succeeds.

        `tries` is new, belongs to this call, and says afterwards how many tries it took. Raises the last `TryAgain`
        when patience ends, and at once whatever else a try raises, cancellation included.
        """

        async def count() -> T:
            tries.total += 1
            try:
                return await attempt(tries)
            except TryAgain as failure:
                tries.note(failure)
                raise

        # The first try stands outside tenacity, whose bookkeeping costs more than everything else here: only calls that
        # failed once pay for it.
        try:
            return await count()
        except TryAgain:
            tries.deadline = self.clock() + self.backoff.deadline_s
            wait_s = self._wait(tries)
            if self._ends(tries, wait_s):
                raise
        await self.sleep(wait_s)
        from tenacity import AsyncRetrying, retry_if_exception_type

        policy = AsyncRetrying(
            sleep=self.sleep,
            retry=retry_if_exception_type(TryAgain),
            wait=lambda _: self._wait(tries),
            stop=lambda state: self._ends(tries, state.upcoming_sleep),
            reraise=True,
        )
        result: T = await policy(count)
        return result

    def _wait(self, tries: Tries) -> float:
        """Seconds before the next try: what the endpoint asked for, else exponential with half of it jittered."""
        backoff, failure = self.backoff, tries.last
        if failure and failure.wait_s:
            # Up to a tenth more, so that calls throttled together do not come back together.
            return min(failure.wait_s, backoff.retry_after_cap_s) * (1 + 0.1 * self.jitter())
        alike = tries.throttled if failure and failure.throttled else tries.counted
        longest: float = min(backoff.longest_s, backoff.first_s * 2 ** min(alike - 1, 30))
        return longest * (0.5 + 0.5 * self.jitter())

    def _ends(self, tries: Tries, wait_s: float) -> bool:
        return tries.counted >= self.backoff.attempts or self.clock() + wait_s > tries.deadline


# --- waits that rate-limit headers ask for ----------------------------------------------------------------------------

_LONGEST_HEADER = 64
_DURATION = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9}(?:\.\d+)?)s)?(?:(\d{1,9}(?:\.\d+)?)ms)?")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait before the next try, >= 0: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date.

    `now` is the time in seconds since the epoch, against which a date is read. None when neither header can be read.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    return _until(value, now) if seconds is None else seconds


def seconds_exhausted(headers: Mapping[str, str]) -> float | None:
    """Seconds until requests are possible again, when the endpoint says that none remain; None when some do.

    Reads `x-ratelimit-remaining-requests` and `x-ratelimit-reset-requests` ("1s", "6m0s", "120ms" or seconds).
    A missing or unreadable reset counts as 1 second.
    """
    if headers.get("x-ratelimit-remaining-requests") != "0":
        return None
    reset = duration(headers.get("x-ratelimit-reset-requests"))
    return 1.0 if reset is None else reset


def duration(value: str | None) -> float | None:
    """Seconds in "1h2m3.5s", "120ms" or "17"; None for anything else."""
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    match = _DURATION.fullmatch(value.strip()[:_LONGEST_HEADER])
    if match is None or not any(match.groups()):
        return None
    hours, minutes, whole, milliseconds = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + whole + milliseconds / 1000


def _number(value: str | None) -> float | None:
    if value is None or len(value) > _LONGEST_HEADER:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(value: str | None, now: float) -> float | None:
    if value is None or len(value) > _LONGEST_HEADER:
        return None
    try:
        moment = parsedate_to_datetime(value)
        # "-0000" leaves the zone out; HTTP dates are always UTC.
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, OverflowError):
        return None
