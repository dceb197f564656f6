"""The summary of a run for a terminal of 80 columns: the verdict and its reasons first."""

from collections.abc import Iterable, Iterator

from evaluation.decision.decide import Decision
from evaluation.outcome import RunOutcome
from evaluation.records import Source
from evaluation.reports import wording
from evaluation.reports.run.weakest import judgement, place, telling_metrics
from evaluation.summary.disagreement import listed
from evaluation.summary.summarise import MetricSummary, MetricTable, Summary
from evaluation.text import numbers
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import clip, pad, wrap

NAME = 27
CELL = 17
"""Fits "0.74 [0.70, 0.78]"; the name and three cells with gaps make 80."""
SOURCES_ABREAST = 3
MOST_CATEGORIES = 30
MOST_FAILURES = 8
MOST_CASES = 20
"""Cases whose failed checks are listed."""
LONGEST_ADDRESS = 400
"""Columns of an address or a command, which may be wider than the page."""
STYLES = {"deploy": "bold green", "ab_test": "bold yellow", "needs_revision": "bold red"}


def render_summary(outcome: RunOutcome, *, color: bool = False) -> str:
    """The report as text that ends with a line break; no line is wider than 80 columns. `color` adds ANSI styles."""
    summary, decision = outcome.summary, outcome.decision
    sections = (
        _verdict(summary, decision, outcome),
        _failed_checks(summary),
        _metrics(summary),
        _measures(summary),
        _categories(summary),
        _weakest(summary, outcome),
        _disagreements(outcome),
        _incidents(summary, outcome),
        _places(summary, outcome),
    )
    return printed(sections, color)


def _paragraph(text: str, *, lead: str = "", lines: int = 4, style: str = "") -> Iterator[Line]:
    """Wrapped text behind a lead, which later lines are indented by."""
    for number, part in enumerate(wrap(text, WIDTH - len(lead), lines)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)


def _verdict(summary: Summary, decision: Decision | None, outcome: RunOutcome) -> Iterator[Line]:
    for banner in wording.banners(outcome):
        yield from _paragraph(banner.upper(), lead="!! ", style="bold magenta")
    style = STYLES.get(decision.verdict or "", "bold") if decision is not None else "bold"
    deciding = summary.deciding()
    figures = ""
    if deciding is not None and deciding.estimate.mean is not None:
        figures = f": {summary.source} {summary.overall} {_cell(deciding)}"
        figures += f", {summary.quality_level}" if summary.quality_level else ""
    yield from _paragraph(wording.headline(decision, summary) + figures, style=style)
    for reason in wording.reasons(summary, decision):
        yield from _paragraph(reason, lead="  - ")
    together = wording.beside(summary, decision)
    if together:
        yield from _paragraph(together, lead="  - ")
    yield Line("")
    yield from _paragraph(wording.subject(outcome))
    yield from _paragraph(wording.size(outcome))
    for note in outcome.notes:
        yield from _paragraph(note, lead="note: ")


def _failed_checks(summary: Summary) -> Iterator[Line]:
    """Case by case, each failed check with its evidence."""
    if not summary.failed_checks:
        return
    yield Line(clip(f"checks that failed, in {numbers.times(len(summary.failed_checks), 'case')}", WIDTH), "bold red")
    for failed in summary.failed_checks[:MOST_CASES]:
        where = f"{failed.scenario_id}, repeat {failed.repeat}" if failed.repeat > 1 else failed.scenario_id
        yield from _paragraph(f"{where}: {failed.user_input}", lead="  ", lines=2)
        for check, evidence in failed.checks.items():
            yield from _paragraph(f"{check}: {evidence}", lead="    - ", lines=3, style="red")
    if len(summary.failed_checks) > MOST_CASES:
        yield Line(f"  ... and {len(summary.failed_checks) - MOST_CASES} more: see report.html or summary.json")


def _metrics(summary: Summary) -> Iterator[Line]:
    for number, shown in enumerate(_abreast(summary)):
        names = _names(summary.metrics, shown)
        if number:
            yield Line("")
        yield _row("mean [95% interval]", shown, "bold")
        for metric in names:
            cells = [summary.metrics[source].get(metric) for source in shown]
            yield _row(metric, [_cell(cell) for cell in cells], "bold" if metric == summary.overall else "")
            if any(cell is not None and _incomplete(cell) for cell in cells):
                yield _row("  coverage [worst, best]", [_coverage(cell) for cell in cells], "yellow")
    yield from _paragraph(_coverage_note(summary))


def _abreast(summary: Summary) -> list[list[Source]]:
    """The sources, those side by side that score the same metrics: checks stand in a table of their own."""
    others: list[Source] = [source for source in summary.metrics if source != "check"]
    tables = [others[start : start + SOURCES_ABREAST] for start in range(0, len(others), SOURCES_ABREAST)]
    return [["check"], *tables] if "check" in summary.metrics else tables


def _names(table: MetricTable, sources: Iterable[Source]) -> list[str]:
    return list(dict.fromkeys(metric for source in sources for metric in table[source]))


def _row(name: str, cells: Iterable[str], style: str = "") -> Line:
    return Line(pad(name, NAME - 1) + " " + " ".join(pad(cell, CELL) for cell in cells), style)


def _cell(summary: MetricSummary | None) -> str:
    if summary is None:
        return ""
    if not summary.planned:
        return "not applicable"
    found = summary.estimate
    if found.ci95 is None:
        return numbers.score(found.mean)
    return f"{numbers.score(found.mean)} {numbers.interval(found.ci95)}"


def _incomplete(summary: MetricSummary) -> bool:
    return summary.estimate.n < summary.planned


def _coverage(summary: MetricSummary | None) -> str:
    if summary is None or not summary.planned:
        return ""
    if not _incomplete(summary):
        return "100%"
    return f"{numbers.percent(summary.coverage)} {numbers.interval(summary.bounds)}"


def _coverage_note(summary: Summary) -> str:
    every = [metric for table in summary.metrics.values() for metric in table.values()]
    if not every:
        return "nothing was scored"
    if not any(_incomplete(metric) for metric in every):
        return "coverage: 100% of the applicable planned exchanges, everywhere"
    return "coverage: 100% of the applicable planned exchanges where no share is shown"


def _measures(summary: Summary) -> Iterator[Line]:
    if not summary.measures:
        return
    yield Line("for information, on scales of their own: mean [95% interval]", "bold")
    for name, measure in summary.measures.items():
        yield Line(clip(f"{pad(name, NAME - 1)} {_cell(measure)}", WIDTH))


def _categories(summary: Summary) -> Iterator[Line]:
    if len(summary.by_category) < 2:
        return
    sources = [source for source in summary.metrics if summary.overall in summary.metrics[source]][:SOURCES_ABREAST]
    yield _row("by category", sources, "bold")
    for number, (category, table) in enumerate(summary.by_category.items()):
        if number == MOST_CATEGORIES:
            yield Line(f"... and {len(summary.by_category) - number} more: see summary.json")
            return
        cells = [table.get(source, {}).get(summary.overall) for source in sources]
        yield _row(category, [_cell(cell) for cell in cells])
        if any(cell is not None and _incomplete(cell) for cell in cells):
            yield _row("  coverage [worst, best]", [_coverage(cell) for cell in cells], "yellow")


def _weakest(summary: Summary, outcome: RunOutcome) -> Iterator[Line]:
    if not summary.weakest:
        return
    yield Line(clip(f"{numbers.times(len(summary.weakest), 'weakest response')} ({summary.source})", WIDTH), "bold")
    for number, weak in enumerate(summary.weakest, start=1):
        exchange = weak.result.exchange
        yield from _paragraph(f"{numbers.score(weak.value)}  {place(weak.result)}", lead=f"{number}. ", lines=2)
        yield from _paragraph(exchange.user_input, lead="   user      ", lines=2)
        for name, text in wording.response_parts(weak.result, outcome):
            yield from _paragraph(text, lead=f"   {name:<10}", lines=3)
        for low in telling_metrics(weak.result, summary.overall):
            text = f"{low.metric} {numbers.score(low.value)}: {low.explanation}"
            yield from _paragraph(text, lead="   why       ", lines=3)
        verdict = judgement(weak.result, summary.overall)
        if verdict:
            yield from _paragraph(verdict, lead="   judge     ", lines=3)


def _disagreements(outcome: RunOutcome) -> Iterator[Line]:
    shown = listed(outcome.disagreements)
    if not shown:
        return
    yield Line("rules and judge disagree most on", "bold")
    for number, each in enumerate(shown, start=1):
        figures = f"rules {numbers.score(each.heuristic)}, judge {numbers.score(each.judge)}"
        yield from _paragraph(f"{figures}  {place(each.result)}", lead=f"{number}. ", lines=2)
        yield from _paragraph(each.result.exchange.response or "(empty)", lead="   response  ", lines=2)
        if each.result.verdict is not None:
            yield from _paragraph(each.result.verdict.reasoning, lead="   judge     ", lines=2)


def _incidents(summary: Summary, outcome: RunOutcome) -> Iterator[Line]:
    yield from _paragraph(wording.ends(summary), style="bold")
    for failure in summary.failures[:MOST_FAILURES]:
        text = f"{failure.kind} x {failure.count}, first in {failure.scenario_id}: {failure.message}"
        yield from _paragraph(text, lead="  - ", lines=3, style="red")
    if len(summary.failures) > MOST_FAILURES:
        yield Line(f"  - {len(summary.failures) - MOST_FAILURES} more kinds of failure: see summary.json", "red")
    for text in wording.incidents(summary):
        yield from _paragraph(text, lead="  - ", style="yellow")
    for text in wording.checks(outcome):
        yield from _paragraph(text, lead="  - ")
    reasons = wording.finish_reasons(summary)
    if reasons:
        yield from _paragraph(f"finish reasons: {reasons}", lead="  - ")


def _places(summary: Summary, outcome: RunOutcome) -> Iterator[Line]:
    files = f" ({', '.join(outcome.files)})" if outcome.files else ""
    yield from _paragraph(f"run {summary.run_id}: files in {outcome.directory}{files}", lines=5)
    # Addresses and commands are copied: they stay whole, whatever the width.
    for title, address in outcome.links.items():
        yield Line(clip(title, WIDTH - 1) + ":")
        yield Line(clip(address, LONGEST_ADDRESS))
    if outcome.next_command:
        yield Line("to go on:")
        yield Line(clip(outcome.next_command, LONGEST_ADDRESS), "bold")
