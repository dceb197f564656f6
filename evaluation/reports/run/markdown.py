"""summary.md: the summary of a run for pull requests and job summaries, under 60 KB.

Text from outside stands in code spans, where no markup, HTML, link, mention or issue reference takes effect.
"""

from collections.abc import Iterable, Iterator, Sequence

from evaluation.decision.decide import Decision
from evaluation.outcome import RunOutcome
from evaluation.records import Source
from evaluation.reports import wording
from evaluation.reports.document import NAME
from evaluation.reports.markdown import bounded, code, link, prose
from evaluation.reports.run.weakest import judgement, place, telling_metrics
from evaluation.summary.disagreement import listed
from evaluation.summary.summarise import MetricSummary, MetricTable, Summary
from evaluation.text import numbers

MOST_METRICS = 60
MOST_CATEGORIES = 40
MOST_FAILURES = 20
MOST_CASES = 40
"""Cases whose failed checks are listed."""
MOST_LINES = 40
"""Notes, files and links."""


def summary_markdown(outcome: RunOutcome) -> str:
    """The whole document, GitHub-flavoured, ending with a line break."""
    summary, decision = outcome.summary, outcome.decision
    lines = [
        *_verdict(summary, decision, outcome),
        *_failed_checks(summary),
        *_metrics(summary),
        *_measures(summary),
        *_categories(summary),
        *_weakest(summary, outcome),
        *_disagreements(outcome),
        *_incidents(summary, outcome),
        *_places(summary, outcome),
    ]
    return bounded(lines)


def _verdict(summary: Summary, decision: Decision | None, outcome: RunOutcome) -> Iterator[str]:
    yield f"## {wording.headline(decision, summary)}"
    yield ""
    for banner in wording.banners(outcome):
        yield f"> **{prose(banner)}**"
        yield ""
    deciding = summary.deciding()
    if deciding is not None and deciding.estimate.mean is not None:
        level = f", {prose(summary.quality_level)}" if summary.quality_level else ""
        yield f"**{prose(summary.source)} {code(summary.overall, NAME)} {_cell(deciding)}{level}**"
        yield ""
    for reason in wording.reasons(summary, decision):
        yield f"- {prose(reason)}"
    together = wording.beside(summary, decision)
    if together:
        yield f"- {prose(together)}"
    yield ""
    pin = outcome.run.spec.prompt
    if pin is not None:
        yield f"Prompt {code(pin.title, NAME)} (from {code(pin.source, NAME)}),"
    judge = f"judge {code(outcome.judge_model, NAME)}" if outcome.judge_model else "no judge"
    kind, name = ("application", outcome.application) if outcome.application else ("model", outcome.run.spec.model)
    answered = f"{kind} {code(name, NAME)}"
    yield f"suite {code(summary.suite, NAME)}, {answered}, {judge};"
    yield f"{prose(wording.size(outcome))}."
    yield ""
    for note in outcome.notes[:MOST_LINES]:
        yield f"- note: {prose(note)}"
    yield ""


def _failed_checks(summary: Summary) -> Iterator[str]:
    if not summary.failed_checks:
        return
    yield "### Checks that failed"
    yield ""
    for failed in summary.failed_checks[:MOST_CASES]:
        where = f"{failed.scenario_id}, repeat {failed.repeat}" if failed.repeat > 1 else failed.scenario_id
        yield f"- **{code(where, NAME + 30)}** {code(failed.user_input, NAME * 2)}"
        for check, evidence in failed.checks.items():
            yield f"  - {code(check, NAME)}: {code(evidence)}"
    if len(summary.failed_checks) > MOST_CASES:
        yield f"- {len(summary.failed_checks) - MOST_CASES} more cases are in summary.json"
    yield ""


def _metrics(summary: Summary) -> Iterator[str]:
    sources = list(summary.metrics)
    names = list(dict.fromkeys(metric for source in sources for metric in summary.metrics[source]))
    if not names:
        return
    yield "### Metrics: mean [95% interval], coverage [worst, best]"
    yield ""
    yield from _header("metric", sources)
    for metric in names[:MOST_METRICS]:
        yield _row(metric, summary.metrics, sources, metric, strong=metric == summary.overall)
    yield ""
    if len(names) > MOST_METRICS:
        yield f"{len(names) - MOST_METRICS} more metrics are in summary.json."
        yield ""


def _measures(summary: Summary) -> Iterator[str]:
    if not summary.measures:
        return
    yield "### For information, on scales of their own: mean [95% interval]"
    yield ""
    for name, measure in list(summary.measures.items())[:MOST_METRICS]:
        yield f"- {code(name, NAME)}: {_cell(measure) if measure.planned else 'not applicable'}"
    yield ""


def _categories(summary: Summary) -> Iterator[str]:
    if len(summary.by_category) < 2:
        return
    sources = [source for source in summary.metrics if summary.overall in summary.metrics[source]]
    yield f"### {code(summary.overall, NAME)} by category"
    yield ""
    yield from _header("category", sources)
    for category, table in list(summary.by_category.items())[:MOST_CATEGORIES]:
        yield _row(category, table, sources, summary.overall)
    yield ""
    if len(summary.by_category) > MOST_CATEGORIES:
        yield f"{len(summary.by_category) - MOST_CATEGORIES} more categories are in summary.json."
        yield ""


def _header(name: str, sources: Sequence[Source]) -> Iterable[str]:
    return (
        f"| {name} | " + " | ".join(sources) + " |",
        "| --- |" + " --- |" * len(sources),
    )


def _row(name: str, table: MetricTable, sources: Sequence[Source], metric: str, *, strong: bool = False) -> str:
    cells = [_full_cell(table.get(source, {}).get(metric)) for source in sources]
    shown = code(name, NAME)
    return f"| {f'**{shown}**' if strong else shown} | " + " | ".join(cells) + " |"


def _cell(summary: MetricSummary) -> str:
    return f"{numbers.score(summary.estimate.mean)} {numbers.interval(summary.estimate.ci95)}"


def _full_cell(summary: MetricSummary | None) -> str:
    if summary is None:
        return ""
    if not summary.planned:
        return "not applicable"
    if summary.estimate.n == summary.planned:
        return f"{_cell(summary)}, 100%"
    return f"{_cell(summary)}, {numbers.percent(summary.coverage)} {numbers.interval(summary.bounds)}"


def _weakest(summary: Summary, outcome: RunOutcome) -> Iterator[str]:
    if not summary.weakest:
        return
    yield f"### Weakest responses ({summary.source})"
    yield ""
    for weak in summary.weakest:
        exchange = weak.result.exchange
        yield f"- **{numbers.score(weak.value)}** {code(place(weak.result), NAME + 30)}"
        yield f"  - user: {code(exchange.user_input)}"
        for name, text in wording.response_parts(weak.result, outcome):
            yield f"  - {code(name, NAME) if outcome.run.suite.show else name}: {code(text)}"
        for low in telling_metrics(weak.result, summary.overall):
            yield f"  - {code(low.metric, NAME)} {numbers.score(low.value)}: {code(low.explanation)}"
        verdict = judgement(weak.result, summary.overall)
        if verdict:
            yield f"  - judge: {code(verdict)}"
    yield ""


def _disagreements(outcome: RunOutcome) -> Iterator[str]:
    shown = listed(outcome.disagreements)
    if not shown:
        return
    yield "### Where rules and judge disagree most"
    yield ""
    for each in shown:
        figures = f"rules {numbers.score(each.heuristic)}, judge {numbers.score(each.judge)}"
        yield f"- **{figures}** {code(place(each.result), NAME + 30)}"
        yield f"  - response: {code(each.result.exchange.response)}"
        if each.result.verdict is not None:
            yield f"  - judge: {code(each.result.verdict.reasoning)}"
    yield ""


def _incidents(summary: Summary, outcome: RunOutcome) -> Iterator[str]:
    yield "### Exchanges"
    yield ""
    yield f"- {prose(wording.ends(summary))}"
    for failure in summary.failures[:MOST_FAILURES]:
        where = code(failure.scenario_id, NAME)
        yield f"- {code(failure.kind, NAME)} x {failure.count}, first in {where}: {code(failure.message)}"
    if len(summary.failures) > MOST_FAILURES:
        yield f"- {len(summary.failures) - MOST_FAILURES} more kinds of failure are in summary.json"
    for text in (*wording.incidents(summary), *wording.checks(outcome)):
        yield f"- {prose(text)}"
    reasons = wording.finish_reasons(summary)
    if reasons:
        yield f"- finish reasons: {code(reasons)}"
    yield ""


def _places(summary: Summary, outcome: RunOutcome) -> Iterator[str]:
    yield f"Run {code(summary.run_id, NAME * 2)}: files in {code(outcome.directory)}."
    for title, address in list(outcome.links.items())[:MOST_LINES]:
        yield f"- {link(title, address)}"
    if outcome.next_command:
        yield f"- to go on: {code(outcome.next_command)}"
