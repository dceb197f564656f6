"""The counts of the server: enough to prove that no call was made twice."""

import hashlib
import time
from collections import Counter, defaultdict
from typing import Any


class Ledger:
    """Counts of one server process. A body is known by its digest."""

    def __init__(self) -> None:
        self.completions = 0
        """Calls to complete or to moderate."""
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
        self.completions += 1
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
            "completions": self.completions,
            "in_flight": self._in_flight,
            "max_in_flight": self._most_in_flight,
            "by_purpose": {purpose: dict(counts) for purpose, counts in self._outcomes.items()},
            "distinct_bodies": len(self._seen),
            "repeated_bodies": self.completions - len(self._seen),
            "repeated_after_answer": len(self._answers_not_kept),
            "repeated_answers_at": self._answers_not_kept,
        }
