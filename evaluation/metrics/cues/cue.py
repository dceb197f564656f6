"""A cue, a named question about one exchange whose answer is its evidence; and a formula, which scores one."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from evaluation.metrics.explained import Explained
from evaluation.metrics.utterance import Utterance
from evaluation.records import Finding, Json
from evaluation.text.forms import Form

Built = TypeVar("Built")
Findings: TypeAlias = tuple[Finding, ...]
Detect: TypeAlias = Callable[[Utterance], Findings]
"""Looks at one exchange; no finding means that the cue is absent."""
Rule: TypeAlias = Callable[[Utterance], Explained]
"""Scores one exchange on one metric."""


def look(detect: Detect, utterance: Utterance) -> Findings:
    """A cue looks at an exchange once, whatever the number of metrics, conditions and other cues that ask."""
    found: Findings | None = utterance.remembered.get(detect)
    if found is None:
        found = utterance.remembered[detect] = detect(utterance)
    return found


def once_a_reply(detect: Detect) -> Detect:
    """The same for a cue that reads the reply alone: where a reply is held against many messages, it looks once."""

    def look_once(utterance: Utterance) -> Findings:
        remembered = utterance.response.remembered
        found: Findings | None = remembered.get(detect)
        if found is None:
            found = remembered[detect] = detect(utterance)
        return found

    return look_once


def strongest(findings: Findings) -> float:
    """The strength of the strongest; there must be one."""
    return findings[0].strength if len(findings) == 1 else max([finding.strength for finding in findings])


class RuleSettings(Form):
    """Settings that a rubric may give a cue or a formula. Anything else is refused."""

    model_config = ConfigDict(allow_inf_nan=False)


Given = TypeVar("Given", bound=RuleSettings)


class Same(Generic[Given]):
    """Settings as a key: two that say the same are the same, so that what is built of them is shared."""

    __slots__ = ("_said", "settings")

    def __init__(self, settings: Given) -> None:
        self.settings = settings
        self._said = settings.model_dump_json()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)


def _with_a_word(phrase: str) -> str:
    if not phrase.strip():
        raise ValueError("is an empty phrase, which every text holds")
    return phrase


Phrase: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(_with_a_word)]
Phrases: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]
Span: TypeAlias = tuple[int, int]
"""Start and end of a place in a text."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a cue or a formula needs of the language that it reads; without needs the form of a text is enough."""

    lists: tuple[str, ...] = ()
    """Names of settings whose words are of a language: they come from its pack, or are written in the rubric's own."""
    words: Literal["", "counted", "apart"] = ""
    """counted: how many words there are; apart: which they are, where blanks part them."""
    reading: bool = False
    """The usual lengths of words and sentences."""
    own: bool = False
    """The code knows the rubric's own language alone."""


FORM = Needs()
OWN_LANGUAGE = Needs(own=True)
"""Of code that reads English, and of what says nothing of its needs."""


@dataclass(frozen=True)
class Entry(Generic[Built]):
    """One entry of the table of cues, or of a table of formulas."""

    name: str
    meaning: str
    """One line for the error messages and the human document."""
    settings: type[RuleSettings]
    """The settings or constants that a rubric gives, checked when it is loaded."""
    build: Callable[[Any], Built]
    """From an instance of `settings` to the function that looks or scores: lists are prepared here, once."""
    needs: Needs = OWN_LANGUAGE
    """What it needs of a language other than the rubric's own."""

    def prepare(self, given: Mapping[str, Json]) -> Built:
        """The function under what a rubric gives. Raises ValueError (a ValidationError is one) where that is wrong."""
        built: Built = _prepared(self, json.dumps(given, sort_keys=True))
        return built


@lru_cache(maxsize=512)
def _prepared(entry: Entry[Any], given: str) -> Any:
    """Lists are prepared once, however often a cue is used and a rubric is read."""
    return entry.build(entry.settings(**json.loads(given)))


Cue: TypeAlias = Entry[Detect]
Formula: TypeAlias = Entry[Rule]


class NoSettings(RuleSettings):
    """A cue that has nothing to set."""
