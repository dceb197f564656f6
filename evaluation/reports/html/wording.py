"""The sentences that only the pages have; all others are shared with the other reports."""

from evaluation.decision.decide import Decision
from evaluation.judging.canaries import CanaryReport
from evaluation.reports.html.selection import Selection
from evaluation.reports.run import headline
from evaluation.rubrics.rubric import DecisionRule
from evaluation.summary.summary import Summary
from evaluation.text import numbers

ANSWERS = {"deploy": "Yes: deploy", "ab_test": "On trial: A/B test", "needs_revision": "Not yet: needs revision"}
"""To the question whether a prompt may go live."""
UNSURE = {
    "deploy": "Perhaps: deploy",
    "ab_test": "Perhaps on trial: A/B test",
    "needs_revision": "Perhaps not: needs revision",
}
"""The same where the intervals leave another verdict possible."""
IN_REHEARSAL = {"deploy": "Deploy", "ab_test": "A/B test", "needs_revision": "Needs revision"}
"""A scripted stand-in answers nothing about a prompt: the verdict shows how one looks."""

MOST_CHECKS = 4
"""Checks that are named on the first screen."""

COMPARED = {
    "better": "Yes: better",
    "worse": "No: worse",
    "equivalent": "No: equivalent",
    "inconclusive": "Cannot be told",
}
"""To the question whether a candidate is better than its base."""


def comparison_answer(verdict: str | None, *, rehearsal: bool) -> str:
    """The verdict of a comparison as an answer."""
    if verdict is None:
        return "No verdict"
    shown = COMPARED[verdict]
    return shown.rpartition(": ")[2].capitalize() if rehearsal else shown


def question(rule: DecisionRule | None) -> str:
    """The question that the page answers; a suite without a decision rule only measures."""
    return "How good was it?" if rule is None else "May this prompt go live?"


def answer(decision: Decision, *, rehearsal: bool, measured: Summary | None = None) -> str:
    """The verdict as an answer; where nothing is decided (`measured`), how the checks ended, or the mean overall."""
    if decision.verdict is None and measured is not None and measured.checked:
        return headline(decision, measured).capitalize()
    overall = None if measured is None else measured.deciding()
    if decision.verdict is None and overall is not None and overall.estimate.n:
        return f"{numbers.score(overall.estimate.mean)} overall"
    if decision.verdict is None:
        return "No verdict"
    return (IN_REHEARSAL if rehearsal else ANSWERS if decision.stable else UNSURE)[decision.verdict]


def low_checks(summary: Summary) -> list[str]:
    """The checks that failed anywhere, the lowest first, with the figures of the table."""
    found = [
        (each.estimate, name) for name, each in summary.metrics.get("check", {}).items() if name != summary.overall
    ]
    low = [(each.mean, name, each) for each, name in found if each.mean is not None and each.mean < 1]
    return [
        f"{name.replace('_', ' ')} passes in {numbers.score(each.mean)} of its {numbers.times(each.n, 'case')}"
        for _, name, each in sorted(low, key=lambda entry: entry[:2])[:MOST_CHECKS]
    ]


def selection_sentence(selection: Selection | None, *, compared: bool) -> str:
    """Says which exchanges the page holds; empty when it holds all of them."""
    if selection is None:
        return ""
    parts = [
        (selection.not_scored, "not scored"),
        (selection.weakest, "with the largest losses" if compared else "with the lowest overall"),
        (
            selection.disagreeing,
            "with the widest differences" if compared else "on which rules and judge disagree most",
        ),
        (selection.sampled, "drawn at random from the rest"),
    ]
    shown = ", ".join(f"{numbers.count(count)} {what}" for count, what in parts if count)
    total = numbers.times(selection.available, "exchange")
    return (
        f"{numbers.count(len(selection.slots))} of {total} are in this page: {shown}. "
        "All figures above count every exchange; results.jsonl holds them all."
    )


def canary_sentence(report: CanaryReport | None) -> str:
    """The judge's results on exchanges of known quality; empty where it was not asked."""
    if report is None:
        return ""
    met = f"{report.expectations - len(report.missed)} of {numbers.times(report.expectations, 'expectation')} met"
    missed = f"; missed: {', '.join(report.missed)}" if report.missed else ""
    return f"{met} on {numbers.times(report.asked, 'exchange')} of known quality{missed}"
