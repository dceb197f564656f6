"""One call to a model or an application, and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluation.records.scenarios import Cell, Json, ToolCall, Turn

Purpose: TypeAlias = Literal[
    "generation",
    "judge",
    "expectations",
    "conversation",
    "moderation",
    "embedding",
    "canary",
    "application",
    "pairs",
    "drafts",
]


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model or an application, as asked: before the endpoint's peculiarities are met."""

    purpose: Purpose
    model: str
    messages: tuple[Turn, ...]
    parameters: Mapping[str, Json]
    """Request parameters other than model and messages: temperature, max_tokens, seed, ...; of a call to an
    application its path and body."""
    cell: Cell
    turn: int
    """Counts from 1."""
    sample: int = 1
    """The place among several answers to the same question (judge samples). Counts from 1."""
    endpoint: str = ""
    """Identity of the endpoint that is asked; empty for the one that the run's calls usually go to."""
    readable: "Callable[[Reply], bool] | None" = field(default=None, compare=False, repr=False)
    """True for an answer that can be used; None takes any. In the place of one that cannot, the question is asked."""
    run_id: str = field(default="", compare=False, repr=False)
    """The run that asks; empty until the call is handed to whoever answers."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    """Of the input, those that the provider had in its own cache, which many bill at a discount."""


NOT_COUNTED = Usage()
"""The tokens of a call whose endpoint counts none."""


@dataclass(frozen=True, slots=True)
class NumberToken:
    """One token of a reply that is a number, and how likely each number was in its place."""

    start: int
    """Offset of its first digit in the text of the reply."""
    digits: str
    odds: Mapping[str, float]
    """Digits -> probability, of the numbers among the alternatives that the endpoint named."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answered call. The text may be empty; `finish_reason` says how it ended."""

    text: str
    finish_reason: str
    """stop, length, content_filter, refusal, or what else the endpoint said."""
    model: str
    """The model that the endpoint says answered."""
    parameters: Mapping[str, Json]
    """As really sent, after the endpoint's peculiarities were met."""
    usage: Usage
    started_at: float
    """Seconds since the epoch, UTC."""
    ended_at: float
    """The same as the start where a batch brought it, which has no latency."""
    attempts: int = 1
    cost_usd: float | None = None
    cached: bool = False
    """True when this run did not pay for it: the reply was journaled by another run."""
    saved_usd: float = 0.0
    """How much more it would have cost without the provider's cache; 0 where no price of cached input is known."""
    numbers: tuple[NumberToken, ...] = ()
    """The tokens that are numbers, in order, where the endpoint was asked for them and named alternatives."""
    tool_calls: tuple[ToolCall, ...] = ()
    """In the order in which they were asked for; of the answer to a turn those of all its rounds."""
    http: Mapping[str, Json] | None = field(default=None, compare=False, repr=False)
    """Of an application: the raw call without keys, and the session that its next turn needs."""
    first_token_ms: float | None = None
    """Until the first words of a stream of an application; None for what did not come as a stream."""

    @property
    def latency_ms(self) -> float:
        return (self.ended_at - self.started_at) * 1000

    @property
    def timed(self) -> bool:
        """False for what a batch brought."""
        return self.ended_at > self.started_at

    @property
    def wordless(self) -> bool:
        """True where nothing came back, neither words nor a call of a tool."""
        return not self.text.strip() and not self.tool_calls


@dataclass(frozen=True, slots=True)
class CallFailure:
    """A call that got no usable answer after every permitted try."""

    kind: str
    """timeout, connection, rate_limited, server_error, malformed, empty_reply, content_filter, rejected."""
    message: str
    attempts: int
    started_at: float
    ended_at: float
    purpose: Purpose | None = None
    """Of the call that failed, where its place in a result does not say; None where it does."""
    http: Mapping[str, Json] | None = field(default=None, compare=False, repr=False)
    """Of an application: the raw call without keys."""
