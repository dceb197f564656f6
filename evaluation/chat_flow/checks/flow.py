"""Checks that need no knowledge of food: the options as a list, their numbers, the selection, the calls."""

from collections.abc import Callable

from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    amount,
    fail_with,
    list_findings,
    no_options,
    not_applicable,
    option,
    pass_with,
)
from evaluation.chat_flow.flow_run import Recipe
from evaluation.food.tokens import words
from evaluation.metrics.explained import excerpt
from evaluation.runspec import canonical_json

OF_OPTIONS = ("schema", "empty")
"""Faults that say what is wrong with the options, and not that the flow broke."""
UNANSWERED = ("timeout", "connection")
LEAST_STEPS = 2


def options_present(subject: CheckSubject) -> CheckResult:
    run = subject.run
    if run.options:
        return pass_with(f"{len(run.options)} option{'s' if len(run.options) > 1 else ''}")
    if run.fault is not None and run.fault.kind != "empty":
        reported_by = "schema" if run.fault.kind == "schema" else "no_fault"
        what = f"the flow broke off: {run.fault.kind} at {excerpt(run.fault.where)}"
        # Somebody has to report it: where the case leaves that check out, this one does.
        return not_applicable(what) if subject.case.includes(reported_by) else fail_with(what)
    if may_be_empty := subject.case.options_may_be_empty:
        why = f": {excerpt(may_be_empty)}" if isinstance(may_be_empty, str) else ""
        return not_applicable(f"the case allows that there is nothing to offer{why}")
    return fail_with("the list of options is empty" if run.options is not None else "the flow never came to options")


def no_duplicates(subject: CheckSubject) -> CheckResult:
    if len(subject.options) < 2:
        return not_applicable("there are fewer than two options")
    first: dict[str, int] = {}
    found: list[str] = []
    for number, recipe in enumerate(subject.options, start=1):
        title = " ".join(words(recipe.title)) or canonical_json(recipe.raw)
        if first.setdefault(title, number) != number:
            found.append(f"{option(number, recipe)} has the title of option {first[title]}")
    return (
        fail_with(list_findings(found)) if found else pass_with(f"{len(subject.options)} options with different titles")
    )


def schema(subject: CheckSubject) -> CheckResult:
    fault = subject.run.fault
    if fault is not None and fault.kind == "schema":
        return fail_with(f"{excerpt(fault.where)}: {excerpt(fault.message)}")
    if not subject.options:
        return no_options(subject)
    found = [
        f"{option(number, recipe)}: {', '.join(recipe.violations)}"
        for number, recipe in enumerate(subject.options, start=1)
        if recipe.violations
    ]
    return (
        fail_with(list_findings(found))
        if found
        else pass_with("every option has a title, ingredients, minutes and steps")
    )


def time_budget(subject: CheckSubject) -> CheckResult:
    budget = subject.asked.time_budget_minutes
    if budget is None:
        return not_applicable("the messages state no time budget")

    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        minutes = recipe.time_minutes
        return None if minutes is None else (minutes <= budget, f"takes {amount(minutes)} minutes")

    return _each_number(subject, judge, "states its time", f"at most {amount(budget)} minutes were asked for")


def servings(subject: CheckSubject) -> CheckResult:
    people = subject.asked.servings
    if people is None:
        return not_applicable("the messages state no servings")

    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        served = recipe.servings
        return None if served is None else (served == people, f"serves {amount(served)}")

    return _each_number(subject, judge, "states its servings", f"{amount(people)} were asked for")


def steps_present(subject: CheckSubject) -> CheckResult:
    def judge(recipe: Recipe) -> tuple[bool, str] | None:
        if recipe.steps is None:
            return None
        count = len(recipe.steps)
        return count >= LEAST_STEPS, f"has {count or 'no'} step{'' if count == 1 else 's'}"

    return _each_number(subject, judge, "has a list of steps", f"at least {LEAST_STEPS} are needed")


def _each_number(
    subject: CheckSubject, judge: Callable[[Recipe], tuple[bool, str] | None], what: str, asked: str
) -> CheckResult:
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
    return (
        fail_with(f"{list_findings(bad)}; {asked}")
        if bad
        else pass_with(f"{list_findings(each for _, each in verdicts)}; {asked}")
    )


def no_fault(subject: CheckSubject) -> CheckResult:
    run = subject.run
    if run.fault is not None and run.fault.kind not in OF_OPTIONS:
        return fail_with(f"{run.fault.kind} at {excerpt(run.fault.where)}: {excerpt(run.fault.message)}")
    for number, call in enumerate(run.calls, start=1):
        if call.status is None or call.status >= 400:
            what = "got no answer" if call.status is None else f"was answered {call.status}"
            return fail_with(f"call {number}, {excerpt(call.path)}, {what}")
    return pass_with(f"{len(run.calls)} call{'' if len(run.calls) == 1 else 's'} answered")


def latency(subject: CheckSubject) -> CheckResult:
    run, most = subject.run, subject.case.max_latency_ms
    if run.fault is not None and run.fault.kind in UNANSWERED:
        return not_applicable(f"the flow broke off: {run.fault.kind} at {excerpt(run.fault.where)}")
    answered = [call for call in run.calls if call.status is not None]
    if not answered:
        return not_applicable("no call was answered")
    slowest = max(answered, key=lambda call: call.latency_ms)
    found = (
        f"the slowest call, {excerpt(slowest.path)}, took {amount(slowest.latency_ms)} ms; at most {amount(most)} ms"
    )
    return pass_with(found) if slowest.latency_ms <= most else fail_with(found)
