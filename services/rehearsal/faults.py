"""Which requests go wrong, decided by the seed, the request's body and how often that body was seen."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from services.rehearsal.options import RehearsalOptions

Breakdown = Literal["", "429", "500", "hang", "disconnect"]
Spoiling = Literal["", "empty", "truncate", "refusal", "content_filter"]


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one request."""

    breakdown: Breakdown
    spoiling: Spoiling
    malformed: bool
    delay: float
    """Seconds."""


def fate(options: RehearsalOptions, purpose: str, body: bytes, times: int, number: int) -> Fate:
    """The fate of the `number`th completion, whose body digest came for the `times`th time (both from 1).

    It does not depend on the order in which requests arrive, except for bursts.
    """
    seal = hashlib.blake2b(body, digest_size=32, salt=options.seed.to_bytes(8, "big", signed=True), key=b"%d" % times)
    drawn = seal.digest()
    first, second, third, fourth = (int.from_bytes(drawn[at : at + 8], "big") / 2**64 for at in (0, 8, 16, 24))
    delay = options.latency_ms / 1000 * (1 + options.jitter * (2 * fourth - 1))
    if options.faults_on not in ("all", purpose):
        return Fate("", "", False, delay)
    breakdown: Breakdown = ""
    if options.burst_every and (number - 1) % options.burst_every < options.burst_length:
        breakdown = "429"
    else:
        breakdown = _drawn(
            first,
            ("429", options.rate_429),
            ("500", options.rate_500),
            ("hang", options.hang),
            ("disconnect", options.disconnect),
        )  # type: ignore[assignment]
    spoiling: Spoiling = _drawn(
        second,
        ("empty", options.empty),
        ("truncate", options.truncate),
        ("refusal", options.refusal),
        ("content_filter", options.content_filter),
    )  # type: ignore[assignment]
    return Fate(breakdown, spoiling, third < options.malformed_verdict, delay)


def _drawn(number: float, *shares: tuple[str, float]) -> str:
    """The name whose share the number, uniform in 0..1, falls into."""
    upper = 0.0
    for name, share in shares:
        upper += share
        if number < upper:
            return name
    return ""
