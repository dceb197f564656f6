"""The records that travel, in the order in which they come to be.

Scenario -> Cell -> Request -> Reply | CallFailure -> Exchange -> Finding -> Score, Verdict, ItemAnswer -> Result.
All are frozen values; identity (row ids, hashes) belongs to storage.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from evaluation.vectors import Vector

Json: TypeAlias = Any
"""A value made of None, bool, int, float, str, list and dict only."""

Source: TypeAlias = Literal["heuristic", "check", "judge", "combined", "human", "measure"]
"""Who scored; a measure is a figure on a scale of its own, for information."""
State: TypeAlias = Literal["scored", "failed", "unparsed", "skipped"]
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
Where: TypeAlias = Literal["response", "user_input", "context"]
Outcome: TypeAlias = Literal["holds", "fails", "not_shown"]
"""What became of an expectation; not shown where nobody can tell from what was said."""

Scope: TypeAlias = Literal["response", "conversation"]
"""What a result is of: one response of the assistant, or all of its conversation together."""

Position: TypeAlias = tuple[str, int, int]
"""Scenario id, repeat, turn: where a result stands in its run."""
WHOLE = 0
"""The turn under which a conversation as a whole stands, whose turns count from 1."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool that a model asks for."""

    id: str
    """By which the message with its result names it."""
    name: str
    """Of the tool."""
    arguments: str
    """As sent: JSON in most cases, and nobody promises that."""
    result: str | None = None
    """The text that answered it; None where nothing did."""


@dataclass(frozen=True, slots=True)
class ScriptedResult:
    """What a tool answers in a scenario."""

    result: str
    arguments: Mapping[str, Json] | None = None
    """It answers every call whose arguments hold these; None for one call, whatever its arguments are."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: str
    """system, user, assistant, tool, or placeholder (in an uncompiled chat prompt)."""
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant's message."""
    tool_call_id: str = ""
    """Of a tool's message: the call whose result it is."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that a good response does, or never does: an item that is answered by itself."""

    id: str
    """Stands for one question in the whole set."""
    kind: Literal["ask", "never", "check"]
    """ask: a yes is wanted; never: a yes is a failure; check: a rule decides."""
    question: str
    """The question as a judge and people are asked it, to be answered with yes or no."""
    check: str = ""
    """Name of the rule; empty for the other kinds."""
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Of the rule."""
    critical: bool = False
    """True where one failure says that a version may not go live."""
    scope: Literal["response", "turn", "conversation"] = "conversation"
    """response: every response by itself; turn: that of `turn`; conversation: all responses of the cell together."""
    turn: int = 0
    """Counts from 1; 0 where the scope is no turn."""
    origin: Literal["scenario", "category", "audience", "rubric", "prompt", "facts", "criteria"] = "scenario"


def of_turn(turn: int) -> str:
    """Behind the name of an item the turn that it is about; empty where it is about none by itself."""
    return f" (turn {turn})" if turn else ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One situation to evaluate in: what the user says, turn by turn, and what a good answer does."""

    id: str
    category: str
    turns: tuple[str, ...]
    """The user's turns; more than one makes a scripted conversation."""
    situation: str = ""
    """Variants of one situation share it; it is the cluster of every standard error. Empty means the id."""
    audience: str = ""
    """Who is speaking, in words that reach the assistant; empty when it does not matter."""
    tags: tuple[str, ...] = ()
    note: str = ""
    """A description of a good answer, for the judge and for human reviewers."""
    history: tuple[Turn, ...] = ()
    """Earlier conversation that precedes the first turn (a returning user)."""
    data: Mapping[str, Json] = field(default_factory=dict)
    """Everything that a suite needs beyond this, in that suite's own form."""
    expect: tuple[Expectation, ...] = ()
    """What its responses are held to, those of rubric, category and audience first."""
    tools: Mapping[str, tuple[ScriptedResult, ...]] = field(default_factory=dict)
    """Name of a tool -> what answers its calls, the first that fits."""
    lang: str = ""
    """The language that the user speaks; empty where the texts are left to say it."""
    reply_lang: str = ""
    """The language that the answer is wanted in where that is another one; empty for the user's."""

    @property
    def answer_language(self) -> str:
        """The language that an answer is wanted in; empty where nobody said."""
        return self.reply_lang or self.lang

    @property
    def cluster(self) -> str:
        return self.situation or self.id


@dataclass(frozen=True, slots=True)
class Cell:
    """Unit of plan, failure and resume: one scenario, played once. `repeat` counts from 1."""

    scenario_id: str
    repeat: int


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


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of what an exchange is made of, by one model. Each field is empty where there is no such text."""

    by: str
    """The model, for people, with what it is where it is no language model."""
    sentences: tuple[Vector, ...] = ()
    """Of the response, in order."""
    response: Vector | None = None
    messages: tuple[Vector, ...] = ()
    """The user's, oldest first; the one that is answered is the last."""
    replies: tuple[Vector, ...] = ()
    """The assistant's before the response, oldest first."""
    points: tuple[tuple[str, Vector], ...] = ()
    """The key points that the conversation should have covered with this response; none before its last turn."""
    said: tuple[tuple[str, Vector], ...] = ()
    """The sentences in which they may be covered."""
    missing: str = ""
    """The reason why there are no vectors; empty where there are."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The unit that is scored: what the user said, what came before, and what came back."""

    cell: Cell
    turn: int
    """Counts from 1; `WHOLE` where the conversation up to and with this response is meant."""
    context: tuple[Turn, ...]
    """The conversation before this turn, oldest first, without the system prompt."""
    user_input: str
    outcome: Reply | CallFailure
    moderation: tuple[str, ...] = ()
    """Categories for which a moderation endpoint flagged the response, sorted; empty when clean or not asked."""
    words: str | None = None
    """What is scored of a structured reply: the text of one field, empty where it has none; None for the whole text."""
    meaning: Meaning | None = field(default=None, compare=False, repr=False)
    """Its vectors while it is scored, where a model of embeddings was asked; the journal keeps them by text."""
    language: str = ""
    """The language in which the scenario wants an answer; empty where it names none."""

    @property
    def response(self) -> str:
        """The assistant's words; empty when the call failed."""
        if self.words is not None:
            return self.words
        return self.outcome.text if isinstance(self.outcome, Reply) else ""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of tools that the response took, or ends with."""
        return self.outcome.tool_calls if isinstance(self.outcome, Reply) else ()

    @property
    def said(self) -> tuple[Turn, ...]:
        """Everything that was said up to and with the response, oldest first."""
        return (*self.context, Turn("user", self.user_input), Turn("assistant", self.response, self.tool_calls))


class Finding(NamedTuple):
    """Evidence of one cue: what was matched and where. A dozen are made for a response: a tuple is made soonest."""

    cue: str
    where: Where
    start: int
    end: int
    """Character offsets into the text named by `where`; both 0 when the whole text is meant."""
    quote: str
    """The matched text, or a short statement of the measure ("18 words")."""
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Score:
    """One value of one metric from one source, or the reason why there is none."""

    metric: str
    source: Source
    value: float | None
    explanation: str = ""
    applicable: bool = True
    """False where the metric means nothing here; the value stays, outside floors and coverage."""
    reason: str = ""
    """The reason why there is no value."""

    def __post_init__(self) -> None:
        if self.value is None:
            if not self.reason:
                raise ValueError(f"score {self.metric!r} has neither a value nor a reason")
        elif not math.isfinite(self.value):
            raise ValueError(f"score {self.metric!r} is {self.value!r}; a score is a finite number")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's words about one exchange, and what could be read from them."""

    scores: Mapping[str, float]
    """Metric -> value as read. Holds the overall alone where the format gives no more. Empty when unparsed."""
    reasoning: str
    parsed: bool
    raw: str
    model: str
    problem: str = ""
    """Why it could not be parsed."""
    fallback: float | None = None
    """The rubric's stand-in for an unparsed verdict: stored and counted, outside the mean by default."""
    samples: tuple[float, ...] = ()
    """The overall of each sample, where several were taken."""
    injection_suspected: bool = False
    usage: Usage = Usage()
    cost_usd: float | None = None
    latency_ms: float = 0.0
    cached: bool = False
    given_overall: float | None = None
    """The overall that the judge itself gave, where `scores` holds the one recomputed from its dimensions."""
    spread: Mapping[str, float] = field(default_factory=dict)
    """Metric -> largest minus smallest of its samples, or of a panel's members; empty for a single one."""
    review: tuple[str, ...] = ()
    """Why a person should look at this verdict; empty when nothing stands out."""
    rationale: Mapping[str, str] = field(default_factory=dict)
    """Metric -> why it got its value; empty where the rubric asks for one reasoning."""
    saved_usd: float = 0.0
    """As of a reply."""
    members: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of a panel: member -> metric -> its own value; `scores` are the means."""
    escalated: str = ""
    """The model whose verdict stands in the place of the mean, as the members lay too far apart; empty without one."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Metric -> least and most that its value may be, where a part of it could not be shown."""


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """The answer to one expectation, with what shows it."""

    id: str
    outcome: Outcome
    source: Literal["rule", "judge", "human"]
    """Who answered."""
    quote: str = ""
    """Words of the assistant that show it, as they stand in its response; empty where nothing can be quoted."""
    reason: str = ""
    """What was measured, what is missing, or why nobody can tell."""
    turn: int = 0
    """The turn whose response holds the quote; 0 without one."""
    answers: tuple[Outcome, ...] = ()
    """Each answer of the judge, in the order in which it was asked; more than one where the first was put again."""
    members: Mapping[str, tuple[Outcome, ...]] = field(default_factory=dict)
    """Of a panel: member -> its own answers, of which `answers` are the majorities."""


@dataclass(frozen=True, slots=True)
class AnswerCalls:
    """The calls in which the judge was asked about the expectations of one exchange, added up."""

    calls: int
    model: str
    """Of the last one that answered; of a panel those of all members."""
    usage: Usage
    cost_usd: float | None
    """None as soon as the price of one is unknown."""
    latency_ms: float
    cached: bool
    """True where this run paid for none of them."""


@dataclass(frozen=True, slots=True)
class Result:
    """One evaluated exchange, or one conversation as a whole; final once journaled."""

    exchange: Exchange
    state: State
    scores: tuple[Score, ...]
    verdict: Verdict | None = None
    error: CallFailure | None = None
    """Of the generation, or of the moderation, scoring or judge call when the generation went well."""
    expectations: tuple[ItemAnswer, ...] = ()
    """Answers to the items that are due at this turn."""
    answer_calls: AnswerCalls | None = None
    """What these took; None where nobody was asked."""
    scope: Scope = "response"
    """Of a conversation, the exchange is its last one, under the turn `WHOLE`."""

    def values(self, source: Source) -> dict[str, float | None]:
        """Metric -> value of one source, in metric order."""
        return {score.metric: score.value for score in self.scores if score.source == source}
