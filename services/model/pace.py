"""A provider's allowance per minute, kept by spacing the calls: so many requests, so many tokens."""

from collections import Counter
from collections.abc import Mapping

from evaluation.records import Json, Purpose, Request, Usage

CATCH_UP_S = 0.1
"""The part of an unused allowance that may be made up for at once: the event loop wakes late by a few milliseconds."""
CHARACTERS_PER_TOKEN = 4
USUAL_OUTPUT_TOKENS = 200
SOON_S = 1e-6
"""A shorter wait is none: a clock near the rounding of its own numbers would never see it pass."""
_LENGTHS = ("max_tokens", "max_completion_tokens")


class _Account:
    """An allowance that fills steadily and is drawn on in advance: a call may start once the debt is paid."""

    def __init__(self, per_minute: float, most: float) -> None:
        self._rate = per_minute / 60
        self._most = most
        self._level = 0.0
        self._at: float | None = None

    def wait_s(self, now: float) -> float:
        if self._at is not None:
            self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now
        debt_s = -self._level / self._rate
        return debt_s if debt_s > SOON_S else 0.0

    def draw(self, amount: float) -> None:
        self._level -= amount


class Pace:
    """When the next call may start under `rpm` requests and `tpm` tokens a minute; None means no limit.

    Calls are spread evenly, without a burst at the start: a provider that counts by the second then refuses none.
    """

    def __init__(self, rpm: float | None = None, tpm: float | None = None) -> None:
        burst = 0.0 if rpm is None else max(0.0, rpm / 60 * CATCH_UP_S - 1)
        self._requests = None if rpm is None else _Account(rpm, burst)
        self._tokens = None if tpm is None else _Account(tpm, tpm / 60 * CATCH_UP_S)

    @property
    def unlimited(self) -> bool:
        return self._requests is None and self._tokens is None

    def wait_s(self, now: float) -> float:
        """Seconds until a call may start; 0 when it may now. `now` is in seconds of any steady clock."""
        return max((account.wait_s(now) for account in (self._requests, self._tokens) if account), default=0.0)

    def start(self, tokens: float) -> None:
        """A call starts, of so many tokens as far as can be known."""
        if self._requests:
            self._requests.draw(1)
        if self._tokens:
            self._tokens.draw(tokens)

    def settle(self, expected: float, used: float) -> None:
        """Takes in what a call really used, once it is known."""
        if self._tokens:
            self._tokens.draw(used - expected)


class TokenForecast:
    """Guesses the tokens of a call: a quarter of its characters, and the mean answer of its purpose so far."""

    def __init__(self) -> None:
        self._calls: Counter[Purpose] = Counter()
        self._tokens: Counter[Purpose] = Counter()

    def of(self, request: Request) -> float:
        """Tokens of the question and the answer together."""
        question = sum(len(turn.content) for turn in request.messages) / CHARACTERS_PER_TOKEN
        calls = self._calls[request.purpose]
        return question + (self._tokens[request.purpose] / calls if calls else _longest(request.parameters))

    def learn(self, request: Request, usage: Usage) -> None:
        """Takes in what an answered call used."""
        if usage.output_tokens is not None:
            self._calls[request.purpose] += 1
            self._tokens[request.purpose] += usage.output_tokens


def _longest(parameters: Mapping[str, Json]) -> float:
    limits = [value for name in _LENGTHS if isinstance(value := parameters.get(name), int | float)]
    return min(limits, default=USUAL_OUTPUT_TOKENS)
