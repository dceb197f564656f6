"""The demands of a case on the recipes, and the answers that state them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.errors import ParseError
from evaluation.records import Json, Scenario, Turn
from evaluation.text.complaint import complaint
from evaluation.text.yaml_text import ValuePath

Overlap: TypeAlias = Literal["each", "any"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Demands on recipes. Empty or None: nothing was said of it."""

    available: tuple[str, ...] = ()
    """Ingredients that the user has."""
    min_overlap: int = 2
    """The number of these that a recipe must use; never more than there are."""
    overlap: Overlap = "each"
    """each: every option must; any: one must."""
    time_budget_minutes: int | float | None = None
    servings: int | float | None = None
    diet: tuple[str, ...] = ()
    """Names of the word lists' diets: vegetarian, gluten-free, halal, ..."""
    allergies: tuple[str, ...] = ()
    """Names of the word lists' allergens: peanut, sesame, ..."""
    forbidden: tuple[str, ...] = ()
    """Ingredients that may not be used, for whatever reason."""

    def with_more(self, said: Mapping[str, Json]) -> "Constraints":
        """With what a later message states: a single value replaces, a list is added to."""
        return replace(self, **{name: _joined(getattr(self, name), value) for name, value in said.items()})


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The user's words when the application asks."""

    say: str
    to: tuple[str, ...] = ()
    """Words of the question that it answers; empty for an answer that fits any question, given in order."""
    states: Mapping[str, Json] = field(default_factory=dict)
    """Constraints that hold once it has been said."""


def _joined(before: Json, said: Json) -> Json:
    if not isinstance(said, list | tuple):
        return said
    return (*before, *(entry for entry in said if entry not in before))


def stated(constraints: Constraints, answers: Iterable[UserAnswer], messages: Iterable[Turn]) -> Constraints:
    """The constraints that the application could know of: the case's own, and those of the answers that were given."""
    said = {turn.content for turn in messages if turn.role == "user"}
    for answer in answers:
        if answer.say in said:
            constraints = constraints.with_more(answer.states)
    return constraints


NEUTRAL_ANSWER = "No preference, thanks. Please suggest something with what I told you."
"""Said when the application asks for what the case does not answer: no assistant is stuck for having asked."""
MAX_LATENCY_MS = 10_000.0
"""Of one call, unless a case says otherwise."""

Positive: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Word: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=200)]

_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\[|^_")
"""In a place that pydantic names: one of several forms that were tried, and no key."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _ConstraintsForm(_Form):
    available: list[Word] = []
    min_overlap: Annotated[int, Field(ge=1, le=100)] = 2
    overlap: Literal["each", "any"] = "each"
    time_budget_minutes: Positive | None = None
    servings: Positive | None = None
    diet: list[Word] = []
    allergies: list[Word] = []
    forbidden: list[Word] = []


class _AnswerForm(_Form):
    say: Word
    to: list[Word] = []
    states: _ConstraintsForm = _ConstraintsForm()


class _CaseForm(_ConstraintsForm):
    message: Annotated[str, Field(pattern=r"^\s*$")] | None = None
    fridge_input: Json = None
    answers: list[Word | _AnswerForm] | dict[Word, Word] = []
    otherwise: Word = NEUTRAL_ANSWER
    checks: list[Word] | None = None
    options_may_be_empty: bool = False
    choose: bool = True
    max_latency_ms: Positive = MAX_LATENCY_MS


@dataclass(frozen=True, slots=True)
class FlowCase:
    """A case with its demands. Constraints are stated here and nowhere else: no check believes the application."""

    constraints: Constraints = field(default_factory=Constraints)
    """Those of the first messages. `asked` adds what the answers stated."""
    fridge_input: Json = None
    answers: tuple[UserAnswer, ...] = ()
    otherwise: str = NEUTRAL_ANSWER
    message: str | None = None
    """Blank text to send in place of the scenario's turn, which may not be blank."""
    checks: tuple[str, ...] | None = None
    """The only checks that apply; None for all of them."""
    options_may_be_empty: bool = False
    """True where an honest assistant may have nothing to offer."""
    choose: bool = True
    """True where one of the options is to be chosen."""
    max_latency_ms: float = MAX_LATENCY_MS

    @classmethod
    def read(cls, data: Mapping[str, Json]) -> "FlowCase":
        """A case from a scenario's data. Raises ParseError for unknown keys and values of the wrong type."""
        try:
            form = _CaseForm.model_validate(dict(data))
        except ValidationError as error:
            path, problem = complaint(error, _keys_beside)
            where = ".".join(str(part) for part in path if not _MARK.search(str(part)))
            raise ParseError(where or "data", problem) from None
        return cls(
            constraints=Constraints().with_more(_given(form, _ConstraintsForm)),
            fridge_input=form.fridge_input,
            answers=_answers(form),
            otherwise=form.otherwise,
            message=form.message,
            checks=None if form.checks is None else tuple(form.checks),
            options_may_be_empty=form.options_may_be_empty,
            choose=form.choose,
            max_latency_ms=form.max_latency_ms,
        )

    @staticmethod
    def keys() -> tuple[str, ...]:
        """The keys of a case's data."""
        return tuple(_CaseForm.model_fields)

    def includes(self, check: str) -> bool:
        """True where the case asks for a check."""
        return self.checks is None or check in self.checks

    def asked(self, messages: Sequence[Turn]) -> Constraints:
        """The constraints known after these messages: an answer's constraints hold once it was given."""
        return stated(self.constraints, self.answers, messages)

    def answer(self, question: str, said: Collection[str]) -> str:
        """The user's answer to a question, after having said `said`.

        The first answer to a word of the question that was not given yet; else the next of those that fit any
        question; else the fitting one again; else `otherwise`.
        """
        asked = _spaced(question)
        fitting = [each.say for each in self.answers if any(_spaced(word) in asked for word in each.to)]
        general = [each.say for each in self.answers if not each.to]
        fresh = [say for say in (*fitting, *general) if say not in said]
        return next(iter([*fresh, *fitting]), self.otherwise)


def first_messages(scenario: Scenario) -> tuple[Turn, ...]:
    """The messages that a case starts with: its history and the user's message."""
    message = FlowCase.read(scenario.data).message
    return (*scenario.history, Turn("user", scenario.turns[0] if message is None else message))


def _spaced(text: str) -> str:
    """The words of a text, caseless, each between single spaces: one is part of another where all its words are."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _given(form: _ConstraintsForm, of: type[BaseModel]) -> dict[str, Json]:
    """The written part of a form, without its defaults."""
    return {name: getattr(form, name) for name in of.model_fields if name in form.model_fields_set}


def _answers(form: _CaseForm) -> tuple[UserAnswer, ...]:
    if isinstance(form.answers, dict):
        return tuple(UserAnswer(say, (word,)) for word, say in form.answers.items())
    return tuple(
        UserAnswer(entry)
        if isinstance(entry, str)
        else UserAnswer(entry.say, tuple(entry.to), _given(entry.states, _ConstraintsForm))
        for entry in form.answers
    )


def _keys_beside(path: ValuePath) -> tuple[str, ...]:
    form: type[BaseModel] = _CaseForm
    if "states" in path[:-1]:
        form = _ConstraintsForm
    elif "answers" in path[:-1]:
        form = _AnswerForm
    return tuple(form.model_fields)
