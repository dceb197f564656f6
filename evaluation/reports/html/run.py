"""report.html of one run: may this prompt go live, why, and everything that the answer rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.decision.first_line import TITLES
from evaluation.decision.gate import StoredDecision, StoredMean
from evaluation.judging.fitness import CanaryReport
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports import prompts
from evaluation.reports.agreement import said_of as agreement_said
from evaluation.reports.html.figures import Axis, axis_of
from evaluation.reports.html.gathering import Gathered, Side
from evaluation.reports.html.judging import of_responses
from evaluation.reports.html.leads import Leads
from evaluation.reports.html.page import Assets, render
from evaluation.reports.html.plots import plots_of_run
from evaluation.reports.human_units import notes, table_of
from evaluation.reports.means import meaning_by, meaning_table
from evaluation.reports.panel import said_of
from evaluation.run import Run
from evaluation.runspec import RunSpec, differences
from evaluation.statistics.scenario_scores import Estimate
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

ANSWERS = {
    "deploy": "Yes: deploy",
    "ab_test": "On trial: A/B test",
    "needs_revision": "Not yet: needs revision",
    "held_back": "No: held back",
}
"""To the question whether a prompt may go live."""
UNSURE = {
    "deploy": "Perhaps: deploy",
    "ab_test": "Perhaps on trial: A/B test",
    "needs_revision": "Perhaps not: needs revision",
    "held_back": "No: held back",
}
"""The same where the intervals leave another verdict possible."""
IN_REHEARSAL = {"deploy": "Deploy", "ab_test": "A/B test", "needs_revision": "Needs revision", "held_back": "Held back"}
"""A scripted stand-in answers nothing about a prompt: the verdict shows how one looks."""
COMPARES = ("prompt", "repeats", "seed")
"""Parts in which runs of a trend may differ and be compared all the same: more repeats narrow the interval alone."""
MOST_CHECKS = 4
"""Checks that are named on the first screen."""
MOST_PROMPT = 100_000
"""Characters of one message of the prompt."""
MOST_CASES = 20
"""Cases with failed checks that are listed before any script runs."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One run of the trend, as it was decided."""

    day: str
    """When it was made: 2026-11-20 14:02."""
    version: str
    """Of the prompt: "v3"."""
    overall: StoredMean | Estimate
    source: str
    """The deciding one."""
    verdict: str | None
    others: tuple[str, ...] = ()
    """The parts, apart from the prompt, in which it differs from the run of the report: their means do not compare."""
    present: bool = False
    """True when it is the run of the report."""


def past_run(run: Run, day: str, spec: RunSpec, decision: Mapping[str, Json]) -> list[PastRun]:
    """An earlier run beside `run`, by its decision.json; none without a mean. Raises ValueError for another file."""
    stored = StoredDecision.model_validate(decision)
    if stored.overall is None or stored.overall.mean is None:
        return []
    others = tuple(part for part in differences(run.spec, spec) if part not in COMPARES)
    return [PastRun(day, _version(spec), stored.overall, stored.source, stored.verdict, others)]


def present_run(outcome: RunOutcome, day: str) -> list[PastRun]:
    """The run of the report itself; none where it has no mean."""
    deciding, verdict = outcome.summary.deciding(), outcome.decision.verdict
    if deciding is None or deciding.estimate.mean is None:
        return []
    version = _version(outcome.run.spec)
    return [PastRun(day, version, deciding.estimate, outcome.summary.source, verdict, present=True)]


def _version(spec: RunSpec) -> str:
    return "" if spec.prompt is None else spec.prompt.short_title


@dataclass(frozen=True, slots=True)
class RunReport:
    """All that the page of one run shows."""

    outcome: RunOutcome
    side: Side
    made: str
    """When the run was made, in words."""
    manifest: Mapping[str, Json]
    past: Sequence[PastRun] = ()
    """Runs of the same prompt name, oldest first, this one included."""


def run_report(report: RunReport, gathered: Gathered, assets: Assets) -> str:
    """The whole page; `gathered` is of its only side."""
    outcome = report.outcome
    summary, suite = outcome.summary, outcome.run.suite
    values = {
        "title": outcome.prompt or outcome.application or f"suite {summary.suite}",
        "report": report,
        "info": outcome,
        "suite": suite,
        "summary": summary,
        "decision": outcome.decision,
        "answer": answer(outcome),
        "titles": TITLES,
        # A suite without a decision rule only measures.
        "question": "May this prompt go live?" if suite.decision else "How good was it?",
        "low_checks": low_checks(summary),
        "gate": outcome.gate,
        "canaries": canary_sentence(outcome.canaries),
        "sources": list(summary.metrics),
        "metrics": metric_names(summary),
        "axes": {source: Axis(*suite.scale(source)) for source in summary.metrics},
        "one_scale": len({suite.scale(source) for source in summary.metrics}) == 1,
        "rule": suite.decision,
        **human_values(summary),
        **meaning_values(outcome),
        "histograms": gathered.histograms,
        **plots_of_run(gathered, summary, suite),
        "trend": trend_axis(report.past, suite.scale(summary.source)),
        "most_cases": MOST_CASES,
        "prompting": prompts,
        "most_prompt": MOST_PROMPT,
        "items": summary.expectations,
        "agreement": agreement_said(outcome.agreement),
        "panel_said": [] if summary.panel is None else said_of(summary.panel, summary.overall),
        "item_numbers": {item[0]: number for number, item in enumerate(gathered.data["items"])},
        "shown_rows": {tuple(row[:3]) for row in gathered.data["rows"]},
        "places": {about["id"]: number for number, about in enumerate(gathered.data["scenarios"])},
        "selection": gathered.held,
        "leads": Leads(gathered.data),
        "manifest": report.manifest,
        "columns": {source: list(table) for source, table in summary.metrics.items()},
    }
    return render(assets, "run.html.j2", values, {**gathered.data, "judging": of_responses(outcome.run)})


def human_values(summary: Summary) -> dict[str, Json]:
    """The section on human units; nothing where people labelled nothing."""
    human = summary.human
    if human is None:
        return {}
    table = table_of(human)
    return {
        "human_titles": [str(column.title) for column in table.columns[1:]],
        "human_rows": [(name, row.cells[1:]) for name, row in zip(human.metrics, table.rows, strict=True)],
        "human_notes": list(notes(human)),
    }


def meaning_values(outcome: RunOutcome) -> dict[str, Json]:
    """The section on measures of meaning; nothing where nobody made vectors."""
    embedding = outcome.run.spec.embedding
    if embedding is None:
        return {"meaning_rows": []}
    table = meaning_table(outcome.summary)
    return {
        "meaning_by": meaning_by(embedding),
        "meaning_titles": [str(column.title) for column in table.columns],
        "meaning_rows": [row.cells for row in table.rows],
    }


def answer(outcome: RunOutcome) -> str:
    """The first line as an answer to the page's question; where nothing is decided or checked, the mean overall."""
    decision, overall = outcome.decision, outcome.summary.deciding()
    if decision.code == "no_rule" and overall is not None and overall.estimate.n:
        return f"{numbers.score(overall.estimate.mean)} overall"
    if decision.verdict is None or decision.code != decision.verdict:
        return decision.headline.capitalize()
    rehearsal = outcome.run.spec.embedded
    return (IN_REHEARSAL if rehearsal else ANSWERS if decision.stable else UNSURE)[decision.verdict]


def low_checks(summary: Summary) -> list[str]:
    """The checks that failed anywhere, the lowest first, with the figures of the table."""
    found = [
        (each.estimate, name) for name, each in summary.metrics.get("check", {}).items() if name != summary.overall
    ]
    low = [(each.mean, name, each) for each, name in found if each.mean is not None and each.mean < 1]
    return [
        f"{in_words(name)} passes in {numbers.score(each.mean)} of its {numbers.times(each.n, 'case')}"
        for _, name, each in sorted(low, key=lambda entry: entry[:2])[:MOST_CHECKS]
    ]


def canary_sentence(report: CanaryReport | None) -> str:
    """The judge's results on exchanges of known quality; empty where it was not asked."""
    if report is None:
        return ""
    met = f"{len(report.figures) - len(report.missed)} of {numbers.times(len(report.figures), 'expectation')} met"
    missed = f"; missed: {', '.join(report.missed)}" if report.missed else ""
    return f"{met} on {numbers.times(report.asked, 'exchange')} of known quality{missed}"


def metric_names(summary: Summary) -> list[str]:
    """Every metric of any source, in the order of the tables, and the overall last."""
    names = dict.fromkeys(metric for table in summary.metrics.values() for metric in table)
    return sorted(names, key=lambda metric: metric == summary.overall)


def trend_axis(runs: Sequence[PastRun], scale: tuple[float, float]) -> Axis | None:
    """The axis that the runs are drawn on, side by side; None for fewer than two, which make no trend."""
    if len(runs) < 2:
        return None
    return axis_of((run.overall for run in runs), scale)
