"""A check that the choice is one of the offers."""

from evaluation.chat_flow.checks.outcome import (
    Check,
    CheckResult,
    Subject,
    failed,
    no_options,
    not_applicable,
    option,
    passed,
)
from evaluation.chat_flow.checks.tokens import words
from evaluation.chat_flow.recipe import Recipe, kind_of
from evaluation.metrics.quoting import shown
from evaluation.records import Json


def consistency(subject: Subject) -> CheckResult:
    run = subject.run
    if not subject.case.choose:
        return not_applicable("the case asks for no choice")
    if not subject.options:
        return no_options(subject)
    if run.selected is None:
        if run.fault is not None and run.fault.kind != "empty":
            return not_applicable(f"the flow broke off: {run.fault.kind} at {shown(run.fault.where)}")
        return failed("there were options, and none was selected")
    for number, recipe in enumerate(subject.options, start=1):
        if not _changed(recipe.raw, run.selected):
            return passed(f"selected is {option(number, recipe)}, unchanged")
    return failed(_difference(subject.options, run.selected))


def _changed(offered: Json, selected: Json) -> list[str]:
    """The fields of an option that the selection lacks or has otherwise; what it adds is not counted."""
    if not isinstance(offered, dict) or not isinstance(selected, dict):
        return [] if offered == selected else ["the value"]
    return [key for key, value in offered.items() if key not in selected or selected[key] != value]


def _difference(options: tuple[Recipe, ...], selected: Json) -> str:
    """The fault of a selection that no option equals."""
    chosen = Recipe.read(selected)
    if not isinstance(selected, dict):
        return f"selected is {kind_of(selected)}, and none of the options"
    for number, recipe in enumerate(options, start=1):
        if chosen.title and words(recipe.title) == words(chosen.title):
            fields = ", ".join(map(shown, _changed(recipe.raw, selected)[:5]))
            return f"selected is {option(number, recipe)} with another {fields}"
    return f'selected is "{shown(chosen.title)}", and none of the {len(options)} options'


CONSISTENCY = Check(
    "consistency",
    "Consistency",
    "The selection is one of the options, and every field of that option is unchanged in it; it may have more fields.",
    "There are options, the case asks for a choice, and the flow did not break off before it.",
    consistency,
)
