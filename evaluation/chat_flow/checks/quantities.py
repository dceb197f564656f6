"""Checks of what options state in numbers: minutes, servings, steps."""

from collections.abc import Callable

from evaluation.chat_flow.checks.outcome import (
    Check,
    CheckResult,
    Subject,
    amount,
    failed,
    listed,
    no_options,
    not_applicable,
    option,
    passed,
)
from evaluation.chat_flow.recipe import Recipe

LEAST_STEPS = 2


def time_budget(subject: Subject) -> CheckResult:
    budget = subject.asked.time_budget_minutes
    if budget is None:
        return not_applicable("the messages state no time budget")

    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        minutes = recipe.time_minutes
        return None if minutes is None else (minutes <= budget, f"takes {amount(minutes)} minutes")

    return _each(subject, judge, "states its time", f"at most {amount(budget)} minutes were asked for")


def servings(subject: Subject) -> CheckResult:
    people = subject.asked.servings
    if people is None:
        return not_applicable("the messages state no servings")

    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        served = recipe.servings
        return None if served is None else (served == people, f"serves {amount(served)}")

    return _each(subject, judge, "states its servings", f"{amount(people)} were asked for")


def steps_present(subject: Subject) -> CheckResult:
    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        if recipe.steps is None:
            return None
        count = len(recipe.steps)
        return count >= LEAST_STEPS, f"has {count or 'no'} step{'' if count == 1 else 's'}"

    return _each(subject, judge, "has a list of steps", f"at least {LEAST_STEPS} are needed")


def _each(subject: Subject, judge: Callable[[Recipe], tuple[bool, str] | None], what: str, asked: str) -> CheckResult:
    """Fails when any option fails. `judge` gives None for an option that does not say; schema reports that."""
    if not subject.options:
        return no_options(subject)
    verdicts = [
        (found[0], f"{option(number, recipe)} {found[1]}")
        for number, recipe in enumerate(subject.options, start=1)
        if (found := judge(recipe)) is not None
    ]
    if not verdicts:
        return not_applicable(f"no option {what}")
    bad = [evidence for good, evidence in verdicts if not good]
    return failed(f"{listed(bad)}; {asked}") if bad else passed(f"{listed(each for _, each in verdicts)}; {asked}")


TIME_BUDGET = Check(
    "time_budget",
    "Time budget",
    "Every option's time_minutes is at most the minutes that the user has.",
    "The messages state a time budget, and an option states its time.",
    time_budget,
)
SERVINGS = Check(
    "servings",
    "Servings",
    "Every option is for as many people as asked for, neither fewer nor more.",
    "The messages state how many people eat, and an option states how many it serves.",
    servings,
)
STEPS_PRESENT = Check(
    "steps_present",
    "Steps present",
    f"Every option has at least {LEAST_STEPS} steps that are not blank.",
    "An option has a list of steps.",
    steps_present,
)
