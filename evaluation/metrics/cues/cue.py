"""A cue: a named question about one exchange whose answer is its evidence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, ConfigDict, StringConstraints

from evaluation.metrics.explained import Explained
from evaluation.metrics.utterance import Utterance, fold_phrase
from evaluation.records import Finding
from evaluation.text.forms import Form

Findings: TypeAlias = tuple[Finding, ...]
Detect: TypeAlias = Callable[[Utterance], Findings]
"""Looks at one exchange; no finding means that the cue is absent."""
Rule: TypeAlias = Callable[[Utterance], Explained]
"""Scores one exchange on one metric."""


class RuleSettings(Form):
    """Settings that a rubric may give a cue or a formula. Anything else is refused."""

    model_config = ConfigDict(allow_inf_nan=False)


def _with_a_word(phrase: str) -> str:
    if not fold_phrase(phrase):
        raise ValueError("is an empty phrase, which every text holds")
    return phrase


Phrase: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(_with_a_word)]


@dataclass(frozen=True, slots=True)
class Cue:
    """One entry of the table of cues."""

    name: str
    meaning: str
    """One line for the error messages and the human document."""
    settings: type[RuleSettings]
    build: Callable[[Any], Detect]
    """From an instance of `settings` to the function that looks: lists are prepared here, once."""


class NoSettings(RuleSettings):
    """A cue that has nothing to set."""
