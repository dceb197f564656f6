"""A case: what a scenario of this suite says beyond the conversation, in its `data`.

A case is a Scenario with one turn, the user's last message, and the earlier messages as its history. So it passes
through the same selection, plan, journal and digests as any scenario.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, ValidationError

from evaluation.errors import ParseError
from evaluation.food.lexicon import Lexicon
from evaluation.food.rules import Rules, rules_of
from evaluation.records import Json, Scenario, Turn
from evaluation.text.forms import Form, complaint

NEUTRAL_ANSWER = "No preference, thanks. Please suggest something with what I told you."
"""Said when the application asks for what the case does not answer: no assistant is stuck for having asked."""
MAX_LATENCY_MS = 10_000.0
"""Of one call, unless a case says otherwise."""
MAX_FLOW_MS = 30_000.0
"""Of all calls of a flow together, unless a case says otherwise."""
ENOUGH_TURNS = 6
"""Replies until there are options, unless a case says otherwise."""
MAX_OPTIONS = 10
"""More than anybody reads, unless a case says otherwise."""

Positive: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Word: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=200)]

_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\[|^UserAnswer$")
"""In a place that pydantic names: one of several forms that were tried, and no key."""


class Constraints(Form):
    """Demands on recipes. Empty or None: nothing was said of it."""

    available: list[Word] = Field(default_factory=list)
    """Ingredients that the user has."""
    min_overlap: int = Field(default=2, ge=1, le=100)
    """The number of these that a recipe must use; never more than there are."""
    overlap: Literal["each", "any"] = "each"
    """each: every option must; any: one must."""
    time_budget_minutes: Positive | None = None
    servings: Positive | None = None
    diet: list[Word] = Field(default_factory=list)
    """Names of the word lists' diets: vegetarian, gluten-free, halal, ..."""
    allergies: list[Word] = Field(default_factory=list)
    """Names of the word lists' allergens: peanut, sesame, ..."""
    forbidden: list[Word] = Field(default_factory=list)
    """Ingredients that may not be used, for whatever reason."""

    def rules(self, lexicon: Lexicon) -> Rules:
        """What may not be eaten."""
        return rules_of(self.diet, self.allergies, self.forbidden, lexicon)

    def with_more(self, said: "Constraints") -> "Constraints":
        """With what a later message states: a single value replaces, a list is added to."""
        named = Constraints.model_fields.keys() & said.model_fields_set
        return self.model_copy(update={name: _join(getattr(self, name), getattr(said, name)) for name in named})


class UserAnswer(Form):
    """The user's words when the application asks."""

    say: Word
    to: list[Word] = Field(default_factory=list)
    """Words of the question that it answers; empty for an answer that fits any question, given in order."""
    states: Constraints = Field(default_factory=Constraints)
    """Constraints that hold once it has been said."""


class FlowCase(Constraints):
    """A case with its demands. Constraints are stated here and nowhere else: no check believes the application."""

    message: str | None = Field(default=None, pattern=r"^\s*$")
    """Blank text to send in place of the scenario's turn, which may not be blank."""
    fridge_input: Json = None
    answers: list[Word | UserAnswer] | dict[Word, Word] = Field(default_factory=list)
    """As written; a mapping is from a word of the question to the answer."""
    otherwise: Word = NEUTRAL_ANSWER
    checks: list[Word] | None = None
    """The only checks that apply; None for all of them."""
    options_may_be_empty: bool | Word = False
    """Why an honest assistant may have nothing to offer, or true; false where it must offer something."""
    choose: bool = True
    """True where one of the options is to be chosen."""
    max_latency_ms: Positive = MAX_LATENCY_MS
    max_flow_ms: Positive = MAX_FLOW_MS
    max_turns: int = Field(default=ENOUGH_TURNS, ge=1, le=100)
    max_options: int = Field(default=MAX_OPTIONS, ge=1, le=1000)
    planted: list[Word] = Field(default_factory=list)
    """Texts that stand in the application's system prompt alone: no answer may hold one."""
    strangers: list[Word] = Field(default_factory=list)
    """Texts of other conversations, such as names: no answer of this one may hold one."""

    @classmethod
    def read(cls, data: Mapping[str, Json]) -> "FlowCase":
        """A case from a scenario's data. Raises ParseError for unknown keys and values of the wrong type."""
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            path, problem = complaint(error)
            where = ".".join(str(part) for part in path if not _MARK.search(str(part)))
            raise ParseError(where or "data", problem) from None

    @property
    def constraints(self) -> Constraints:
        """Those of the first messages. `asked` adds what the answers stated."""
        return Constraints().with_more(self)

    @property
    def user_answers(self) -> list[UserAnswer]:
        """The answers, each with the words and constraints that belong to it."""
        if isinstance(self.answers, dict):
            return [UserAnswer(say=say, to=[word]) for word, say in self.answers.items()]
        return [UserAnswer(say=entry) if isinstance(entry, str) else entry for entry in self.answers]

    def includes(self, check: str) -> bool:
        """True where the case asks for a check."""
        return self.checks is None or check in self.checks

    def constraints_after(self, messages: Sequence[Turn]) -> Constraints:
        """The constraints known after these messages: an answer's constraints hold once it was given."""
        said = [turn.content for turn in messages if turn.role == "user"]
        known = self.constraints
        for answer in self.user_answers:
            if any(_says(text, answer.say) for text in said):
                known = known.with_more(answer.states)
        return known


def first_messages(scenario: Scenario) -> tuple[Turn, ...]:
    """The messages that a case starts with: its history and the user's message."""
    message = FlowCase.read(scenario.data).message
    return (*scenario.history, Turn("user", scenario.turns[0] if message is None else message))


def _join(before: Json, said: Json) -> Json:
    if not isinstance(said, list):
        return said
    return [*before, *(entry for entry in said if entry not in before)]


def _says(text: str, words: str) -> bool:
    """True where a message is these words, or holds them beside the answer to another question."""
    sought = _caseless_words(words)
    return text == words or (bool(sought.strip()) and sought in _caseless_words(text))


def _caseless_words(text: str) -> str:
    """The words of a text, caseless, each between single spaces: one is part of another where all its words are."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
