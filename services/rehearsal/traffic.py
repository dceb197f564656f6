"""The calls that arrive: counted, so that none can be made twice unseen; held to an allowance; hit by faults."""

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from services.rehearsal.options import RehearsalOptions


class Ledger:
    """Counts of one server process. A body is known by its digest."""

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()
        self._answered: dict[bytes, float] = {}
        self._answers_not_kept: list[float] = []
        """When each answer was given that was asked for again."""
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._in_flight = 0
        self._most_in_flight = 0

    def arrived(self, body: bytes) -> tuple[bytes, int]:
        """(digest, how often this body has come, this time included)."""
        key = hashlib.blake2b(body, digest_size=16).digest()
        self._seen[key] += 1
        if key in self._answered:
            self._answers_not_kept.append(self._answered[key])
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)
        return key, self._seen[key]

    def left(self, key: bytes, purpose: str, outcome: str) -> None:
        """A call is over: its HTTP status, or hang, disconnect, aborted (the client went away first)."""
        self._in_flight -= 1
        self._outcomes[purpose][outcome] += 1
        if outcome == "200":
            self._answered[key] = time.time()

    def as_json(self) -> dict[str, Any]:
        """The body of GET /stats."""
        return {
            "completions": self._seen.total(),
            "in_flight": self._in_flight,
            "max_in_flight": self._most_in_flight,
            "by_purpose": {purpose: dict(counts) for purpose, counts in self._outcomes.items()},
            "distinct_bodies": len(self._seen),
            "repeated_bodies": self._seen.total() - len(self._seen),
            "repeated_after_answer": len(self._answers_not_kept),
            "repeated_answers_at": self._answers_not_kept,
        }


class Bucket:
    """An allowance that fills steadily to one second's worth, and is full at the start. A draw may leave it in debt."""

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
    """The requests and tokens that a provider permits a minute; 0 means no limit."""

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


BREAKDOWNS = {"429": "rate_429", "500": "rate_500", "hang": "hang", "disconnect": "disconnect"}
SPOILINGS = {name: name for name in ("empty", "truncate", "refusal", "content_filter")}
"""Fates of a request and of its reply -> the option that holds the share of each."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The outcome that is drawn for one request."""

    breakdown: str
    """One of BREAKDOWNS, or empty."""
    spoiling: str
    """One of SPOILINGS, or empty."""
    malformed: bool
    delay: float
    """Seconds."""


def draw_fate(options: RehearsalOptions, purpose: str, body: bytes, times: int) -> Fate:
    """The fate of a call whose body digest came for the `times`th time; the order of other calls plays no part."""
    seal = hashlib.blake2b(body, digest_size=32, salt=options.seed.to_bytes(8, "big", signed=True), key=b"%d" % times)
    drawn = seal.digest()
    first, second, third = (int.from_bytes(drawn[at : at + 8], "big") / 2**64 for at in (0, 8, 16))
    delay = options.latency_ms / 1000
    if options.faults_on not in ("all", purpose):
        return Fate("", "", False, delay)
    return Fate(
        _draw(first, options, BREAKDOWNS), _draw(second, options, SPOILINGS), third < options.malformed_verdict, delay
    )


def _draw(number: float, options: RehearsalOptions, names: Mapping[str, str]) -> str:
    """The name whose share the number, uniform in 0..1, falls into."""
    for name, option in names.items():
        number -= getattr(options, option)
        if number < 0:
            return name
    return ""
