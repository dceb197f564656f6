"""The allowance of a provider: a bucket of requests and one of tokens, each with a second's worth of room."""

import time
from collections.abc import Callable


class Bucket:
    """Fills steadily to one second's worth, and is full at the start. A draw may leave it in debt."""

    def __init__(self, per_minute: float, now: Callable[[], float]) -> None:
        self._rate = per_minute / 60
        self._room = max(1.0, self._rate)
        self._level = self._room
        self._now = now
        self._at = now()

    def wait_s(self, least: float) -> float:
        """Seconds until it holds so much."""
        now = self._now()
        self._level = min(self._room, self._level + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (least - self._level) / self._rate)

    def draw(self, amount: float) -> None:
        self._level -= amount


class Allowance:
    """Permits or refuses each request; 0 a minute means no limit."""

    def __init__(self, rpm: float, tpm: float, now: Callable[[], float] = time.monotonic) -> None:
        self._requests = Bucket(rpm, now) if rpm else None
        self._tokens = Bucket(tpm, now) if tpm else None

    def admit(self) -> float:
        """0 when the request may pass, and it counts; else the seconds until it could."""
        waits = [bucket.wait_s(least) for bucket, least in ((self._requests, 1.0), (self._tokens, 0.0)) if bucket]
        wait = max(waits, default=0.0)
        if wait <= 0 and self._requests:
            self._requests.draw(1)
        return wait

    def charge(self, tokens: int) -> None:
        """The tokens that a request took."""
        if self._tokens:
            self._tokens.draw(tokens)
