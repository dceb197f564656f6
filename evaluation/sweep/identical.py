"""Answers that are the same to the letter at every value of a factor: a sign that the endpoint does not honour it."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.records import Json
from evaluation.sweep.effects import Factor, Setting, value_text
from evaluation.text import numbers

WORTH_A_NOTE = 0.25
"""Share of identical answers from which on a report says so; short answers are alike now and then."""


@dataclass(frozen=True, slots=True)
class Identical:
    """The answers to the same requests but for one factor."""

    factor: Factor
    compared: int
    """Exchanges that were answered at every value of the factor, with all other factors alike."""
    same: int
    """Those of them whose answers are all identical."""

    @property
    def no_effect(self) -> bool:
        """True where the factor changed no answer at all."""
        return 0 < self.compared == self.same

    @property
    def note(self) -> str:
        """Says how many answers are identical; empty where hardly any is, or where all are."""
        if self.no_effect or self.same < max(1.0, WORTH_A_NOTE * self.compared):
            return ""
        share = numbers.percent(self.same / self.compared)
        verb = "is" if self.same == 1 else "are"
        return (
            f"{numbers.count(self.same)} of {numbers.times(self.compared, 'answer')} ({share}) {verb} identical at "
            f"{_places(self.factor)}"
        )

    def to_json(self) -> dict[str, Json]:
        """An entry of sweep.json."""
        counted = {"compared": self.compared, "identical": self.same, "no_effect": self.no_effect}
        return {"factor": self.factor.name, **counted}


def identical_answers(settings: Sequence[Setting], factor: Factor, factors: Sequence[Factor]) -> Identical:
    """Holds the answers at every value of a factor beside one another, exchange by exchange."""
    others = [other.name for other in factors if other is not factor]
    groups: dict[str, list[Sequence[int]]] = {}
    for setting in settings:
        alike = repr([setting.values[name] for name in others])
        groups.setdefault(alike, []).append(setting.run.answers)
    rows = [
        answers
        for group in groups.values()
        if len(group) == len(factor.values)
        for answers in zip(*group, strict=True)
        if all(answers)
    ]
    return Identical(factor, len(rows), sum(len(set(answers)) == 1 for answers in rows))


def no_effect(found: Sequence[Identical]) -> str:
    """Names the factors that changed no answer at all, in one sentence; empty where each changed some."""
    without = [each for each in found if each.no_effect]
    if not without:
        return ""
    names = _listed([each.factor.name for each in without])
    count = numbers.count(without[0].compared)
    answers = "the only answer is" if without[0].compared == 1 else f"all {count} answers are"
    if len(without) > 1:
        places = ", and at ".join(f"{each.factor.name} {_places(each.factor)}" for each in without)
        return f"{names} had no effect at all: all answers are identical at {places}; does the endpoint honour them?"
    places = _places(without[0].factor)
    return f"{names} had no effect at all: {answers} identical at {places}; does the endpoint honour it?"


def _places(factor: Factor) -> str:
    return _listed([value_text(value) for value in factor.values])


def _listed(words: Sequence[str]) -> str:
    """0.3, 0.7 and 1.2."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
