"""Checks that hold a response against facts: what contradicts one of them, and what nobody said."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from pydantic import Field, StringConstraints

from evaluation.expectations.check import Checked, CueSettings, TextCheck, clip
from evaluation.metrics.utterance import Utterance

if TYPE_CHECKING:
    from evaluation.reference.held import Discrepancy, Kind

AGREES, ADDS_NONE = "agrees_with_facts", "adds_no_facts"
LONGEST_FACT = 200
"""Characters."""
MOST_FACTS = 12
"""Of one scenario: a judge is asked about each."""
OTHER_LANGUAGE = "the response is not in English, which is all that the rule reads"
NAMED = 3
"""Values that a reason names."""
FactText: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_FACT)]


class FactCheck(TextCheck):
    """Looks at the numbers, dates, times and names of a response, beside facts and conversation."""

    every = True
    kind: ClassVar["Kind"]
    facts: Annotated[tuple[FactText, ...], Field(strict=False, min_length=1, max_length=MOST_FACTS)]
    """What is true, a sentence each."""
    known: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """What the assistant may say beside them: what it was told of the user, and what its tools answer."""

    def look(self, utterance: Utterance, _cues: CueSettings) -> Checked:
        from evaluation.reference.held import discrepancies  # for scenarios with facts alone: the others start sooner
        from evaluation.reference.reading import is_english

        if not is_english(utterance.response.original):
            return Checked(False, reason=OTHER_LANGUAGE, shown=False)
        said = [utterance.user_input.original, *(text.original for _, text in utterance.earlier), *self.known]
        found = discrepancies(utterance.response.original, self.facts, said)
        found = tuple(each for each in found if each.kind == self.kind)
        if not found:
            return Checked(True, reason=self.nothing())
        return Checked(False, clip(found[0].sentence), self.reason(found))

    @abstractmethod
    def nothing(self) -> str:
        """The reason where nothing is found."""

    @abstractmethod
    def reason(self, found: "tuple[Discrepancy, ...]") -> str:
        """What is wrong, with the fact where there is one."""


class AgreesWithFacts(FactCheck):
    """No number, date, time or name of a response contradicts one of the facts."""

    kind = "contradicted"

    def question(self) -> str:
        return f"Do its numbers, dates and names agree with the facts: {' '.join(map(_quoted, self.facts))}?"

    def nothing(self) -> str:
        return "nothing is found that contradicts a fact"

    def reason(self, found: "tuple[Discrepancy, ...]") -> str:
        said = (f"says {_quoted(each.value)} against the fact {_quoted(each.fact)}" for each in found[:NAMED])
        return f"{'; '.join(said)}{_more(found)}"


class AddsNoFacts(FactCheck):
    """Every number, date, time and name of a response is among the facts, or was said in the conversation."""

    kind = "unsupported"

    def question(self) -> str:
        return "Are all numbers, dates and names that it claims among the facts, or said by the user?"

    def nothing(self) -> str:
        return "nothing is found that neither facts nor conversation say"

    def reason(self, found: "tuple[Discrepancy, ...]") -> str:
        return f"neither facts nor conversation say {_listed(each.value for each in found[:NAMED])}{_more(found)}"


def _quoted(text: str) -> str:
    return f'"{" ".join(text.split())}"'


def _listed(texts: Iterable[str]) -> str:
    return " or ".join(map(_quoted, texts))


def _more(found: "tuple[Discrepancy, ...]") -> str:
    return f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
