"""The forms of a judge's question, as data: what it is asked to write, and in which order.

A form is not a format: the format (schema, json, text) says how an answer is written down.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evaluation.errors import UsageError

OF_RUBRIC: Final = "rubric"
"""Named as a form, it is the one that the rubric names."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to ask a judge for its scores."""

    name: str
    asks: str
    """The answer that it asks for, for people."""


REASONED = Form("reasoned", "the reasoning first, then a number for each dimension and for the whole")
FORMS: Mapping[str, Form] = {form.name: form for form in (REASONED,)}
"""Every form there is, by its name."""


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
