"""Checks of the options as a list: that there are some, that they differ, that each keeps the contract."""

from evaluation.chat_flow.checks.outcome import (
    Check,
    CheckResult,
    Subject,
    failed,
    listed,
    no_options,
    not_applicable,
    option,
    passed,
)
from evaluation.chat_flow.checks.tokens import words
from evaluation.metrics.quoting import shown
from evaluation.runspec import canonical_json

OF_OPTIONS = ("schema", "empty")
"""Faults that say what is wrong with the options, and not that the flow broke."""


def options_present(subject: Subject) -> CheckResult:
    run = subject.run
    if run.options:
        return passed(f"{len(run.options)} option{'s' if len(run.options) > 1 else ''}")
    if run.fault is not None and run.fault.kind != "empty":
        reported_by = "schema" if run.fault.kind == "schema" else "no_fault"
        what = f"the flow broke off: {run.fault.kind} at {shown(run.fault.where)}"
        # Somebody has to report it: where the case leaves that check out, this one does.
        return not_applicable(what) if subject.case.includes(reported_by) else failed(what)
    if subject.case.options_may_be_empty:
        return not_applicable("the case allows that there is nothing to offer")
    return failed("the list of options is empty" if run.options is not None else "the flow never came to options")


def no_duplicates(subject: Subject) -> CheckResult:
    if len(subject.options) < 2:
        return not_applicable("there are fewer than two options")
    first: dict[str, int] = {}
    found: list[str] = []
    for number, recipe in enumerate(subject.options, start=1):
        title = " ".join(words(recipe.title)) or canonical_json(recipe.raw)
        if first.setdefault(title, number) != number:
            found.append(f"{option(number, recipe)} has the title of option {first[title]}")
    return failed(listed(found)) if found else passed(f"{len(subject.options)} options with different titles")


def schema(subject: Subject) -> CheckResult:
    fault = subject.run.fault
    if fault is not None and fault.kind == "schema":
        return failed(f"{shown(fault.where)}: {shown(fault.message)}")
    if not subject.options:
        return no_options(subject)
    found = [
        f"{option(number, recipe)}: {', '.join(recipe.violations)}"
        for number, recipe in enumerate(subject.options, start=1)
        if recipe.violations
    ]
    return failed(listed(found)) if found else passed("every option has a title, ingredients, minutes and steps")


OPTIONS_PRESENT = Check(
    "options_present",
    "Options present",
    "The flow ends with at least one option.",
    "The flow did not break off, or the case leaves out the check that says so; and the case allows no empty list.",
    options_present,
)
NO_DUPLICATES = Check(
    "no_duplicates",
    "No duplicates",
    "No two options have the same title; case, accents and punctuation do not make a difference.",
    "There are two options or more.",
    no_duplicates,
)
SCHEMA = Check(
    "schema",
    "Schema",
    "Every option is a mapping with title, ingredients, time_minutes and steps of the right type; servings and diet, "
    "where given, are of the right type too.",
    "There are options, or a response was not of the form that the contract asks for.",
    schema,
)
