"""Faults that a test asks the double for, and which request meets which."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Kind = Literal[
    "400",
    "401",
    "403",
    "404",
    "413",
    "429",
    "500",
    "502",
    "503",
    "reject",
    "hang",
    "hang_after_store",
    "reset",
    "reset_after_store",
    "slow",
]
"""A status; `reject`: scores (207) or spans (partial success) of the given names are refused and not stored;
`hang`: never answered, nothing stored; `hang_after_store`: stored, never answered; `reset`: the connection is reset
before the body is read; `reset_after_store`: stored, then reset, so that the acknowledgement is lost;
`slow`: answered after `seconds`."""

MESSAGES = {
    400: ("Invalid request data", "InvalidRequestError"),
    401: ("Invalid credentials. Confirm that you've configured the correct host.", "UnauthorizedError"),
    403: ("Access denied", "ForbiddenError"),
    404: ("Not found", "LangfuseNotFoundError"),
    413: ("Body exceeded the limit", "PayloadTooLargeError"),
    429: ("Rate limit exceeded", "RateLimitError"),
    500: ("Internal Server Error", "InternalServerError"),
    502: ("Bad Gateway", "BadGatewayError"),
    503: ("Service Unavailable", "ServiceUnavailableError"),
}


@dataclass
class Fault:
    """One fault; `times` none means until it is healed."""

    pattern: str
    kind: Kind
    times: int | None = 1
    after: int = 0
    """The number of matching requests that pass unharmed first."""
    retry_after: str | None = None
    """Value of the Retry-After header: seconds or an HTTP date."""
    names: frozenset[str] = frozenset()
    seconds: float = 0.0
    seen: int = 0
    fired: int = 0

    @property
    def status(self) -> int | None:
        return int(self.kind) if self.kind.isdigit() else None

    def meets(self, method: str, path: str) -> bool:
        """Counts the request and says whether it is the fault's; `pattern` may begin with a method."""
        subject = f"{method} {path}" if " " in self.pattern else path
        if not fnmatchcase(subject, self.pattern):
            return False
        self.seen += 1
        if self.seen <= self.after or (self.times is not None and self.fired >= self.times):
            return False
        self.fired += 1
        return True


@dataclass
class Bucket:
    """A plan's rate limit: so many requests that match any of the patterns per fixed window of the clock."""

    patterns: tuple[str, ...]
    requests: int
    clock: Callable[[], float]
    window_s: float
    window: int = -1
    used: int = 0
    refused: int = 0

    def refusal(self, method: str, path: str) -> Fault | None:
        """Counts a request that matches; past the limit a 429 that says when the next window begins."""
        subjects = {True: f"{method} {path}", False: path}
        if not any(fnmatchcase(subjects[" " in pattern], pattern) for pattern in self.patterns):
            return None
        window, into = divmod(self.clock(), self.window_s)
        if window != self.window:
            self.window, self.used = int(window), 0
        self.used += 1
        if self.used <= self.requests:
            return None
        self.refused += 1
        return Fault("*", "429", retry_after=str(math.ceil(self.window_s - into)))


class FaultPlan:
    """The faults in force, in the order in which they were asked for; the first that applies is used."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._buckets: list[Bucket] = []

    def limit(self, bucket: Bucket) -> None:
        self._buckets.append(bucket)

    def add(
        self,
        pattern: str,
        kind: Kind,
        *,
        times: int | None,
        after: int,
        retry_after: str | float | None,
        names: Collection[str],
        seconds: float,
    ) -> Fault:
        header = None if retry_after is None else str(retry_after)
        fault = Fault(pattern, kind, times, after, header, frozenset(names), seconds)
        self._faults.append(fault)
        return fault

    def take(self, method: str, path: str) -> Fault | None:
        refusals = [bucket.refusal(method, path) for bucket in self._buckets]
        found = next((refusal for refusal in refusals if refusal is not None), None)
        return found or next((fault for fault in self._faults if fault.meets(method, path)), None)

    def clear(self) -> None:
        self._faults.clear()
