"""A situation to evaluate in: what is said in it, and what its responses are held to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Any
"""A value made of None, bool, int, float, str, list and dict only."""


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

    def asked(self) -> dict[str, Json]:
        """What files say of it beside its id and an answer."""
        names = ("kind", "question", "check", "critical", "scope", "origin")
        return {name: getattr(self, name) for name in names}


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
