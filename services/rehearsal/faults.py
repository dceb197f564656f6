"""The requests that go wrong, decided by the seed, the request's body and how often that body was seen."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from services.rehearsal.options import RehearsalOptions

BREAKDOWNS = {"429": "rate_429", "500": "rate_500", "hang": "hang", "disconnect": "disconnect"}
SPOILINGS = {name: name for name in ("empty", "truncate", "refusal", "content_filter")}
"""Fates of a request and of its reply, by the option that holds the share of each."""


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
    burst = options.burst_every and (number - 1) % options.burst_every < options.burst_length
    breakdown = "429" if burst else _draw(first, options, BREAKDOWNS)
    return Fate(breakdown, _draw(second, options, SPOILINGS), third < options.malformed_verdict, delay)


def _draw(number: float, options: RehearsalOptions, names: Mapping[str, str]) -> str:
    """The name whose share the number, uniform in 0..1, falls into."""
    for name, option in names.items():
        number -= getattr(options, option)
        if number < 0:
            return name
    return ""
