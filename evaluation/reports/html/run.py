"""report.html of one run: may this prompt go live, why, and everything that the answer rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.outcome import RunOutcome
from evaluation.records import Json, Source
from evaluation.reports import run as wording
from evaluation.reports.html.figures import Axis, heat, is_small
from evaluation.reports.html.gathering import Gathered, Side
from evaluation.reports.html.page import Assets, render
from evaluation.reports.html.trend import PastRun, trend
from evaluation.reports.html.wording import answer, canary_sentence, low_checks, question, selection_sentence
from evaluation.reports.weakest import judgement, place, telling_metrics
from evaluation.suites.suite import Suite
from evaluation.summary.summary import Summary

MOST_CASES = 20
"""Cases with failed checks that are listed before any script runs."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """All that the page of one run tells."""

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
        "answer": answer(
            outcome.decision,
            rehearsal=outcome.run.spec.embedded,
            measured=None if suite.decision else summary,
        ),
        "question": question(suite.decision),
        "low_checks": low_checks(summary),
        "banners": wording.banners(outcome),
        "gate": outcome.gate,
        "canaries": canary_sentence(outcome.canaries),
        "sources": list(summary.metrics),
        "metrics": metric_names(summary),
        "axes": axes(suite, summary.metrics),
        "one_scale": len({suite.scale(source) for source in summary.metrics}) == 1,
        "rule": suite.decision,
        "heat": lambda source, mean: heat(
            mean, suite.scale(source), suite.decision if source == summary.source else None
        ),
        "small": is_small,
        "histograms": gathered.histograms,
        "trend": trend(report.past, suite.scale(summary.source)),
        "telling": lambda result: telling_metrics(result, summary.overall),
        "judgement": lambda result: judgement(result, summary.overall),
        "most_cases": MOST_CASES,
        "place": place,
        "places": {about["id"]: number for number, about in enumerate(gathered.data["scenarios"])},
        "selection": selection_sentence(gathered.selection, compared=False),
        "manifest": report.manifest,
        "columns": {source: list(table) for source, table in summary.metrics.items()},
        "compared": False,
    }
    return render(assets, "run.html.j2", values, gathered.data)


def metric_names(summary: Summary) -> list[str]:
    """Every metric of any source, in the order of the tables, and the overall last."""
    names = dict.fromkeys(metric for table in summary.metrics.values() for metric in table)
    return sorted(names, key=lambda metric: metric == summary.overall)


def axes(suite: Suite, sources: Mapping[Source, object]) -> dict[Source, Axis]:
    """Source -> its scale as an axis."""
    return {source: Axis(*suite.scale(source)) for source in sources}
