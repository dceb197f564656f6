"""What is scored, and what is said of it: by rules, by a judge, and about each expectation."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, Self, TypeAlias

from evaluation.records.calls import NOT_COUNTED, CallFailure, Reply, Usage
from evaluation.records.scenarios import Cell, ToolCall, Turn
from evaluation.vectors import Vector

Source: TypeAlias = Literal["heuristic", "check", "judge", "combined", "human", "measure"]
"""Who scored; a measure is a figure on a scale of its own, for information."""
State: TypeAlias = Literal["scored", "failed", "unparsed", "skipped"]
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


finding_of: Callable[[tuple[str, Where, int, int, str, float]], Finding] = partial(tuple.__new__, Finding)
"""A finding of all its fields, made in half the time that a call of the class takes."""


class _ScoreFields(NamedTuple):
    metric: str
    source: Source
    value: float | None
    explanation: str = ""
    applicable: bool = True
    """False where the metric means nothing here; the value stays, outside floors and coverage."""
    reason: str = ""
    """The reason why there is no value."""


class Score(_ScoreFields):
    """One value of one metric from one source, or the reason why there is none.

    A tuple, which is made in less than half the time of a frozen dataclass: seven are made for a response.
    """

    __slots__ = ()

    def __new__(
        cls,
        metric: str,
        source: Source,
        value: float | None,
        explanation: str = "",
        applicable: bool = True,
        reason: str = "",
    ) -> Self:
        """Raises ValueError for a value that is no finite number, and for none without a reason."""
        if value is None:
            if not reason:
                raise ValueError(f"score {metric!r} has neither a value nor a reason")
        elif not math.isfinite(value):
            raise ValueError(f"score {metric!r} is {value!r}; a score is a finite number")
        return tuple.__new__(cls, (metric, source, value, explanation, applicable, reason))


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
    usage: Usage = NOT_COUNTED
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
