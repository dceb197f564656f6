"""Checks: expectations that a rule decides, without a judge. A new one is a class and its line in the table.

A check looks at the responses that it is about one by one. Most are content when one response does what is asked, those
that forbid or limit something only when every response keeps to it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Self, TypeAlias

from pydantic import Field, model_validator

from evaluation.expectations.bounded_pattern import check_bounded
from evaluation.expectations.call_checks import Called, CalledAll, CalledInOrder, NotCalled
from evaluation.expectations.check import Check, Checked, CueSettings, TextCheck
from evaluation.expectations.denials import is_denied, places_of
from evaluation.expectations.fact_checks import ADDS_NONE, AGREES, AddsNoFacts, AgreesWithFacts
from evaluation.expectations.output_checks import FieldSays, KeepsToSchema
from evaluation.metrics.cues import CUES
from evaluation.metrics.cues.cue import Detect, Phrase
from evaluation.metrics.cues.own import unknown_cue
from evaluation.metrics.cues.phrases import find_phrase
from evaluation.metrics.utterance import Utterance, fold_phrase
from evaluation.records import Json

Phrases: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]
CUE = "cue"
"""The check that names a cue."""
SCHEMA = "schema"
"""The check of a reply's form."""
MOST_READ = 20_000
"""Characters of a response in which a pattern is looked for."""
LISTED = 3
"""Phrases that a question or a reason names."""


class Mentions(TextCheck):
    """The response says one of the phrases of `any`, and each of those of `all`.

    What it says just behind one of `not_after` is denied ("I'm not a doctor") and does not count.
    """

    any: Phrases = ()
    all: Phrases = ()
    not_after: Phrases = ()

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.any and not self.all:
            raise ValueError("names no phrase: give any or all")
        return self

    def question(self) -> str:
        wanted = (
            [f"one of {list_phrases(self.any)}"] if len(self.any) > 1 else [list_phrases(self.any)] if self.any else []
        )
        wanted += [list_phrases(self.all, "and")] if self.all else []
        return f"Does it mention {', and '.join(wanted)}, or say the same in other words?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        missing = next((phrase for phrase in self.all if not self._meant(utterance, phrase)), None)
        if missing is not None:
            return Checked(False, reason=f'does not say "{missing}"')
        found = next((quote for phrase in (*self.any, *self.all) if (quote := self._meant(utterance, phrase))), "")
        if found:
            return Checked(True, found)
        denied = next((quote for phrase in self.any if (quote := quote_phrase(utterance, phrase))), "")
        if denied:
            return Checked(False, denied, f'denies "{denied}"')
        return Checked(False, reason=f"says none of {list_phrases(self.any)}")

    def _meant(self, utterance: Utterance, phrase: str) -> str:
        """The words in which a phrase is said and not denied; empty where there are none."""
        if not self.not_after:
            return quote_phrase(utterance, phrase)
        text, denials = utterance.response, tuple(map(fold_phrase, self.not_after))
        places = places_of(text.line, fold_phrase(phrase))
        span = next((place for place in places if not is_denied(text.line, place, denials)), None)
        return "" if span is None else text.finding("", *span).quote


class Omits(TextCheck):
    """No response says one of the phrases."""

    every = True
    any: Phrases = Field(min_length=1)

    def question(self) -> str:
        return f"Does it leave out {list_phrases(self.any)}?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        found = next((quote for phrase in self.any if (quote := quote_phrase(utterance, phrase))), "")
        return Checked(False, found, "says what it should not") if found else Checked(True, reason="says none of them")


class Matches(TextCheck):
    """The response holds a match of a bounded regular expression, in which case does not count."""

    pattern: Annotated[str, Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _takes_bounded_time(self) -> Self:
        check_bounded(self.pattern)
        return self

    def question(self) -> str:
        return f"Does it hold what the pattern {self.pattern} describes?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        found = _compiled(self.pattern).search(utterance.response.original[:MOST_READ])
        return Checked(True, found[0]) if found else Checked(False, reason="nothing in it matches")


class Recalls(TextCheck):
    """The response names a fact of an earlier turn, in one of its wordings."""

    fact: Phrase | None = None
    any: Phrases = ()
    from_turn: Annotated[int, Field(ge=0)]
    """The turn in which the user said it; 0 for the history before the conversation."""

    @model_validator(mode="after")
    def _names_a_fact(self) -> Self:
        if not self.wordings:
            raise ValueError("names no fact: give fact, or any for one with several wordings")
        return self

    @property
    def wordings(self) -> tuple[str, ...]:
        """Everything that names the fact."""
        return (*([self.fact] if self.fact is not None else []), *self.any)

    def question(self) -> str:
        return f"Does it remember {list_phrases(self.wordings)}?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        found = next((quote for phrase in self.wordings if (quote := quote_phrase(utterance, phrase))), "")
        return Checked(True, found) if found else Checked(False, reason=f"does not say {list_phrases(self.wordings)}")


class DoesNotConfuse(TextCheck):
    """No response says a decoy in the place of the fact; beside the fact it may name it."""

    every = True
    fact: Phrase | None = None
    any: Phrases = ()
    decoys: Phrases = Field(min_length=1)
    from_turn: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _tells_them_apart(self) -> Self:
        facts = set(map(fold_phrase, self.wordings))
        same = next((decoy for decoy in self.decoys if fold_phrase(decoy) in facts), None)
        if same is not None:
            raise ValueError(f"{same!r} is decoy and fact: leave it out of one of the two")
        return self

    @property
    def wordings(self) -> tuple[str, ...]:
        """Everything that names the fact."""
        return (*([self.fact] if self.fact is not None else []), *self.any)

    def question(self) -> str:
        return f"Does it keep {list_phrases(self.wordings) or 'the fact'} apart from {list_phrases(self.decoys)}?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        decoy = next((quote for phrase in self.decoys if (quote := quote_phrase(utterance, phrase))), "")
        if not decoy:
            return Checked(True, reason=f"does not say {list_phrases(self.decoys)}")
        fact = next((quote for phrase in self.wordings if (quote := quote_phrase(utterance, phrase))), "")
        return Checked(True, fact) if fact else Checked(False, decoy, f"says it without {list_phrases(self.wordings)}")


class AsksQuestion(TextCheck):
    """The response asks questions: so many at the least, and no more than `at_most`."""

    at_least: Annotated[int, Field(ge=0)] | None = None
    at_most: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if self.at_least == 0 and self.at_most is None:
            raise ValueError("bounds nothing: give at_most, or an at_least above 0")
        _check_order(self.at_least or 0, self.at_most)
        return self

    @property
    def of_every_response(self) -> bool:
        return self.at_most is not None

    def question(self) -> str:
        if self.at_most == 0:
            return "Does it ask no question?"
        bounds = [f"at least {self.at_least}"] if (self.at_least or 0) > 1 or (self.at_least and self.at_most) else []
        bounds += [f"at most {self.at_most}"] if self.at_most is not None else []
        if not bounds:
            return "Does it ask the user a question?"
        return f"Does it ask {' and '.join(bounds)} question{'s' * ((self.at_most or self.at_least) != 1)}?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        spans = utterance.response.questions
        least = self.at_least if self.at_least is not None else int(self.at_most is None)
        count = f"{len(spans)} question{'s' * (len(spans) != 1)}"
        holds = least <= len(spans) and (self.at_most is None or len(spans) <= self.at_most)
        return Checked(holds, utterance.response.original[slice(*spans[0])] if spans else "", count)


class Words(TextCheck):
    """Every response has a number of words within bounds."""

    every = True
    at_most: Annotated[int, Field(ge=1)] | None = None
    at_least: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if self.at_most is None and not self.at_least:
            raise ValueError("bounds nothing: give at_most or at_least")
        _check_order(self.at_least, self.at_most)
        return self

    def question(self) -> str:
        bounds = [f"at least {self.at_least}"] if self.at_least else []
        bounds += [f"at most {self.at_most}"] if self.at_most is not None else []
        return f"Does it have {' and '.join(bounds)} words?"

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        count = utterance.response.word_count
        holds = self.at_least <= count and (self.at_most is None or count <= self.at_most)
        return Checked(holds, reason=f"{count} words")


class HasCue(TextCheck):
    """A cue of the registry is found in the response or, with `absent`, in no response."""

    cue: str
    settings: dict[str, Json] = Field(default_factory=dict)
    absent: bool = False

    @model_validator(mode="after")
    def _names_a_cue(self) -> Self:
        if self.cue not in CUES:
            raise ValueError(unknown_cue(self.cue))
        return self

    @property
    def of_every_response(self) -> bool:
        return self.absent

    def question(self) -> str:
        return f"Is this {'un' * self.absent}true: {CUES[self.cue].meaning}?"

    def detect(self, settings_of: CueSettings) -> Detect:
        """The cue under its own settings, which add to those of the rubric. Raises ValueError where they are wrong."""
        return CUES[self.cue].prepare({**settings_of(self.cue), **self.settings})

    def look(self, utterance: Utterance, cues: CueSettings) -> Checked:
        found = self.detect(cues)(utterance)
        quote = found[0].quote if found and found[0].end else ""
        reason = found[0].quote if found else f"{self.cue} is not found"
        return Checked(bool(found) is not self.absent, quote, "" if quote else reason)


def _check_order(at_least: int, at_most: int | None) -> None:
    """Raises ValueError for bounds that nothing can keep."""
    if at_most is not None and at_least > at_most:
        raise ValueError(f"at_least {at_least} is above at_most {at_most}: swap the two or leave one out")


CHECKS: Mapping[str, type[Check]] = {
    "mentions": Mentions,
    "omits": Omits,
    "matches": Matches,
    "recalls": Recalls,
    "does_not_confuse": DoesNotConfuse,
    "question": AsksQuestion,
    "words": Words,
    CUE: HasCue,
    "called": Called,
    "not_called": NotCalled,
    "called_in_order": CalledInOrder,
    "called_all": CalledAll,
    "field": FieldSays,
    SCHEMA: KeepsToSchema,
    AGREES: AgreesWithFacts,
    ADDS_NONE: AddsNoFacts,
}
"""Name -> check."""


def prepare_check(name: str, settings: Mapping[str, Json]) -> Check:
    """A check under its settings. Raises ValidationError for settings that it does not take."""
    return CHECKS[name].model_validate(dict(settings))


def quote_phrase(utterance: Utterance, phrase: str) -> str:
    """The words of the response in which a phrase stands, as they are written; empty where it does not."""
    text = utterance.response
    span = find_phrase(text.line, fold_phrase(phrase))
    return "" if span is None else text.finding("", *span).quote


def list_phrases(phrases: tuple[str, ...], joined: str = "or") -> str:
    shown = [f'"{phrase}"' for phrase in phrases[:LISTED]]
    if len(phrases) > LISTED:
        return f"{', '.join(shown)} and {len(phrases) - LISTED} more"
    return f" {joined} ".join(shown)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
