"""The functions through which the core reaches the world; it is handed them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.records import CallFailure, Exchange, Reply, Request, Result, Score, Usage

Complete: TypeAlias = Callable[[Request], Awaitable[Reply | CallFailure]]
"""Answers one request. When it returns, the reply is journaled. Raises EndpointRefused or StopRequested."""

Record: TypeAlias = Callable[[Result], Awaitable[None]]
"""Commits one result. When it returns, the result survives a crash."""

Observe: TypeAlias = Callable[[Result], None]
"""Sees each committed result, for progress."""

ScoreExchange: TypeAlias = Callable[[Exchange], tuple[Score, ...]]
"""Scores one answered exchange by rule: no call, no side effect."""

Exchanges: TypeAlias = AsyncIterator[Exchange]
"""The exchanges of one cell, in order, each as soon as it is answered."""

PriceOf: TypeAlias = Callable[[str, Usage], float | None]
"""(model, tokens) -> US dollars; None where the price is unknown."""


@dataclass(frozen=True, slots=True)
class CallTotals:
    """The answered calls of one purpose in one run. Tokens and cost are of the paid ones alone."""

    paid: int
    reused: int
    """Answered by a reply to an earlier run."""
    input_tokens: int
    output_tokens: int
    uncounted: int
    """Paid calls whose endpoint named no token counts: with any, the two sums are lower bounds."""
    cost_usd: float | None
    """None as soon as the price of one is unknown."""
    cached_input_tokens: int = 0
    saved_usd: float = 0.0
