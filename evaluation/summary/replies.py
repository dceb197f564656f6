"""What the replies of a run cost and how long they took: of those that it paid for, none from the cache."""

import math
from array import array
from dataclasses import asdict, dataclass

from evaluation.records import Json, Reply


@dataclass(frozen=True, slots=True)
class FirstTokens:
    """The time until the first words of those replies that came as streams."""

    replies: int
    """At least 1."""
    mean_ms: float
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class ReplyFigures:
    """Price and latency of a reply of the evaluated model."""

    replies: int
    """At least 1."""
    cost_usd: float | None
    """Mean of one reply; None as soon as the price of one is unknown."""
    median_ms: float | None
    """Latency that half of the replies do not exceed; None where all came in batches."""
    p95_ms: float | None
    """Latency that 95% of the replies do not exceed: nearest rank, so that it is one that occurred."""
    first_token: FirstTokens | None = None
    """None where none came as a stream."""

    def to_json(self) -> dict[str, Json]:
        """The figures for summary.json."""
        return asdict(self)


class ReplyTally:
    """Takes in replies; what it says does not depend on their order. Keeps 24 bytes of each at most."""

    def __init__(self) -> None:
        self._count = 0
        self._latencies = array("d")
        self._first_tokens = array("d")
        self._costs = array("d")
        """Of those replies alone whose price is known."""

    def add(self, reply: Reply) -> None:
        self._count += 1
        if reply.timed:
            self._latencies.append(reply.latency_ms)
        if reply.first_token_ms is not None:
            self._first_tokens.append(reply.first_token_ms)
        if reply.cost_usd is not None:
            self._costs.append(reply.cost_usd)

    def figures(self) -> ReplyFigures | None:
        """None without a reply."""
        count = self._count
        if not count:
            return None
        ordered = sorted(self._latencies)
        cost = math.fsum(self._costs) / count if len(self._costs) == count else None
        half, most = (_quantile(ordered, share) if ordered else None for share in (0.5, 0.95))
        return ReplyFigures(count, cost, half, most, self._first())

    def _first(self) -> FirstTokens | None:
        ordered = sorted(self._first_tokens)
        if not ordered:
            return None
        mean = math.fsum(ordered) / len(ordered)
        return FirstTokens(len(ordered), mean, _quantile(ordered, 0.5), _quantile(ordered, 0.95))


def _quantile(ordered: list[float], share: float) -> float:
    """The least value that this share of the values does not exceed: nearest rank (Hyndman and Fan 1996, no. 1)."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
