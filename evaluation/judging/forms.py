"""The forms of a judge's question, as data: what it is asked to write, in which order, and in how many calls.

A form is not a format: the format (schema, json, text) says how an answer is written down.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from evaluation.errors import UsageError

OF_RUBRIC: Final = "rubric"
"""Named as a form, it is the one that the rubric names."""
PER_DIMENSION = "_each"
"""Ends the name of a form that asks about each dimension in a call of its own."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to ask a judge for its scores."""

    name: str
    asks: str
    """The answer that it asks for, for people."""
    words_first: bool = True
    """True where the reasons stand before the numbers."""
    whole_numbers: bool = False
    """True for whole numbers on a short scale, each one token, mapped to the rubric's."""
    each: bool = False
    """True for one call per dimension; the overall is then made of the dimensions alone."""
    in_template: bool = False
    """True where the text format is the rubric's own template, which asks for the overall alone."""
    in_parts: bool = False
    """True where each dimension is asked for as items that yes or no answers."""
    takes_median: bool = False
    """True where several samples come to their median; else to their mean."""


REASONED = Form(
    "reasoned",
    "the reasoning first, then a number for each dimension and for the whole",
    in_template=True,
    takes_median=True,
)
SCORE_FIRST = Form(
    "score_first",
    "whole numbers on a short scale first, the reasons after",
    words_first=False,
    whole_numbers=True,
)


PARTS = Form("parts", "each dimension as items that yes or no answers, with a quote for each yes", in_parts=True)


def _per_dimension(form: Form) -> Form:
    asks = f"{form.asks}; a call per dimension"
    return replace(form, name=form.name + PER_DIMENSION, asks=asks, each=True, in_template=False)


_WHOLE = (REASONED, SCORE_FIRST, PARTS)
FORMS: Mapping[str, Form] = {form.name: form for form in (*_WHOLE, *map(_per_dimension, _WHOLE))}
"""Every form there is, by its name."""


def form_called(name: str) -> Form:
    """The form of a judge's pin. Raises UsageError for one that this version does not know."""
    if name not in FORMS:
        raise UsageError(f"the form of the judge is {name[:80]!r}, which this version does not know")
    return FORMS[name]


def choose_form(asked: str | None, of_settings: str | None, of_rubric: str) -> str:
    """The form of a run's judge: as asked for, else as the settings say, else the rubric's own.

    Raises UsageError for a name that is no form's.
    """
    for named, place in ((asked, "--judge-form"), (of_settings, "EVAL_JUDGE_FORM")):
        if named is None:
            continue
        if named == OF_RUBRIC:
            return of_rubric
        if named in FORMS:
            return named
        raise UsageError(f"{place} {named[:80]!r} is unknown: there are {OF_RUBRIC}, {', '.join(FORMS)}")
    return of_rubric
