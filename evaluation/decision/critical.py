"""Critical expectations in a decision: which failures hold a version back, and what keeps a gate shut."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evaluation.decision.decide import Decision
from evaluation.judging.item_errors import ItemErrors, count_failures_of_errors
from evaluation.rubrics.rubric import CriticalRule
from evaluation.summary.checks import CaseChecks
from evaluation.summary.expectations import Critical
from evaluation.summary.item_standing import ItemStanding, Standing
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

NAMED = 5
"""Items that a reason names; the rest is counted."""
IMPROVEMENTS = 3
"""Expectations that are named as what is to be improved."""
DOUBTS: Mapping[Standing, str] = {"sometimes": "fail in some repeats", "not_shown": "are not shown"}
"""What keeps a gate shut beside failures."""


def count_failures(critical: Critical, fit: bool | None = None) -> str:
    """How many critical expectations fail, as a sentence; those that an unfit judge alone shows stand by themselves."""
    failed, certain = len(critical.failed), len(critical.certain)
    if fit is False and certain < failed:
        return f"{_fail(certain)}, and {failed - certain} more by the word of an unfit judge"
    return _fail(failed)


def count_check_failures(summary: Summary) -> str:
    """In how many cases a critical check fails, as a sentence."""
    checks = summary.checks
    return f"critical checks fail in {len(checks.critical_failures)} of {numbers.times(checks.cases, 'case')}"


def check_faults(summary: Summary) -> Iterator[str]:
    """The cases in which a critical check fails, as one sentence; nothing where none does."""
    if failed := summary.checks.critical_failures:
        yield f"{count_check_failures(summary)}: {_name_cases(failed, summary)}"


def check_doubts(summary: Summary) -> Iterator[str]:
    """The cases in which a critical check cannot tell, as one sentence; nothing where each can."""
    if doubts := summary.checks.critical_doubts:
        count = f"critical checks cannot tell in {len(doubts)} of {numbers.times(summary.checks.cases, 'case')}"
        yield f"{count}: {_name_cases(doubts, summary)}"


def new_check_faults(before: Summary, now: Summary) -> Iterator[str]:
    """The cases in which a critical check fails that failed in none of its repeats before; nothing where none does."""
    known = {(each.scenario_id, name) for each in before.checks.critical_failures for name in each.checks}
    new = [
        each
        for each in now.checks.critical_failures
        if any((each.scenario_id, name) not in known for name in each.checks if name in now.checks.critical)
    ]
    if new:
        yield f"critical checks fail where the baseline passes: {_name_cases(new, now)}"


def _name_cases(failed: Sequence[CaseChecks], summary: Summary) -> str:
    """Each case with its critical checks that fail, the first ones by name."""
    checks: dict[str, dict[str, None]] = {}
    for each in failed:
        names = [name for name in each.checks if name in summary.checks.critical]
        checks.setdefault(each.scenario_id, {}).update(dict.fromkeys(names))
    named = [f"{' and '.join(names)} in {scenario_id}" for scenario_id, names in list(checks.items())[:NAMED]]
    more = [f"{len(checks) - NAMED} more"] if len(checks) > NAMED else []
    return ", ".join([*named, *more])


def hold_by_checks(decision: Decision, summary: Summary) -> Decision:
    """The decision under the critical checks of its run: one that fails holds the version back, whatever the rest."""
    said = tuple(check_faults(summary))
    if not said:
        return decision
    rest = () if decision.code == "no_rule" else decision.reasons
    reasons = (*said, *_beside(decision), *rest)
    return replace(decision, verdict="held_back", stable=True, code="held_back", held_by="rule", reasons=reasons)


def _fail(count: int) -> str:
    return f"{numbers.times(count, 'critical expectation')} {'fails' if count == 1 else 'fail'}"


def hold_back(
    decision: Decision, summary: Summary, rule: CriticalRule | None, errors: ItemErrors | None = None
) -> Decision:
    """The decision under the critical expectations of its run.

    Where the rubric has a rule, more failures than it bears hold the version back: those that a rule or a person shows
    whatever else is known, those that a judge alone shows only in the place of a verdict. Without a rule the verdict
    stays, and the failures are said beside it. `errors` are those of the judge where it was checked: what they alone
    would give is said with the failures.
    """
    if summary.expectations is None:
        return decision
    critical = summary.expectations.critical
    failed = critical.failed
    if not failed:
        return decision
    fit = decision.judge_fit
    said = f"{count_failures(critical, fit)}: {name_items(failed)}"
    alone = _of_errors_alone(critical, errors)
    if rule is None:
        aside = f"HELD BACK: {count_failures(critical, fit)}"
        return replace(decision, aside=aside, reasons=(*alone, *decision.reasons))
    by_rule = len(critical.certain) > rule.failures
    if len(failed) <= rule.failures or not (by_rule or decision.verdict is not None):
        return replace(decision, reasons=(*decision.reasons, said))
    return replace(
        decision,
        verdict="held_back",
        stable=True,
        code="held_back",
        held_by="rule" if by_rule else "judge",
        reasons=(said, *alone, *_beside(decision), *decision.reasons),
    )


def _of_errors_alone(critical: Critical, errors: ItemErrors | None) -> list[str]:
    """How many failures the errors of the judge alone would give, where a judge shows any and they are known."""
    by_judge = any(each.shown is not None and each.shown.answer.source == "judge" for each in critical.failed)
    if errors is None or not by_judge:
        return []
    expected = count_failures_of_errors(errors, critical.judged.get("ask", 0), critical.judged.get("never", 0))
    if expected is None:
        return []
    return [f"critical expectations: {len(critical.failed)} fail; this judge's errors alone would give {expected:.1f}"]


def name_improvements(decision: Decision, summary: Summary) -> Decision:
    """The decision with the expectations that fail in the most scenarios among what is to be improved.

    A version that may be deployed has nothing of the kind.
    """
    if summary.expectations is None or decision.verdict in (None, "deploy"):
        return decision
    groups = sorted(summary.expectations.groups, key=lambda group: -len(group.scenarios))[:IMPROVEMENTS]
    if not groups:
        return decision
    named = ", ".join(f"{group.item.id} in {len(group.scenarios)} of {group.of}" for group in groups)
    return replace(decision, reasons=(*decision.reasons, f"expectations that fail in the most scenarios: {named}"))


def _beside(decision: Decision) -> Iterator[str]:
    """What the means alone would say."""
    if decision.verdict is not None:
        yield f"by the means alone it would be {in_words(decision.verdict)}"


def name_items(items: Sequence[ItemStanding]) -> str:
    """Each item with its scenario, the first ones by name."""
    named = [str(each) for each in items[:NAMED]]
    more = [f"{len(items) - NAMED} more"] if len(items) > NAMED else []
    return ", ".join([*named, *more])


def critical_faults(summary: Summary) -> Iterator[str]:
    """What keeps every gate shut: a critical expectation that fails in any repeat, or of which nobody can tell."""
    if summary.expectations is None:
        return
    critical = summary.expectations.critical
    if critical.failed:
        yield f"{count_failures(critical)}: {name_items(critical.failed)}"
    for standing, how in DOUBTS.items():
        if found := critical.those(standing):
            yield f"{numbers.times(len(found), 'critical expectation')} {how}: {name_items(found)}"
