"""The report of a run as a document: the verdict and its reasons first."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.outcome import RunOutcome
from evaluation.records import Source
from evaluation.reports import wording
from evaluation.reports.document import (
    Banner,
    Block,
    Bullets,
    Cell,
    Column,
    Command,
    Document,
    Heading,
    Item,
    Outside,
    Paragraph,
    Row,
    Table,
    Tone,
    Words,
    bullets,
    document,
    name,
)
from evaluation.reports.run.weakest import judgement, place, telling_metrics
from evaluation.summary.disagreement import listed
from evaluation.summary.summarise import MetricSummary, MetricTable, Summary
from evaluation.text import numbers

REST = "summary.json"
MOST_NOTES = 40
TONES: Mapping[str, Tone] = {"deploy": "good", "ab_test": "warning", "needs_revision": "bad"}


def describe_run(outcome: RunOutcome) -> Document:
    """One run, with what is left to do at its end."""
    summary = outcome.summary
    return document(
        _verdict(outcome),
        _subject(outcome),
        wording.gate_blocks(outcome.gate),
        _failed_checks(summary),
        *(_metrics(summary, sources) for sources in _abreast(summary)),
        _measures(summary),
        _categories(summary),
        _weakest(outcome),
        _disagreements(outcome),
        _incidents(outcome),
        _places(outcome),
    )


def _verdict(outcome: RunOutcome) -> Iterator[Block]:
    summary, decision = outcome.summary, outcome.decision
    yield from map(Banner, wording.banners(outcome))
    words: tuple[str | Outside, ...] = (wording.headline(decision, summary),)
    deciding = summary.deciding()
    if deciding is not None and deciding.estimate.mean is not None:
        level = f", {summary.quality_level}" if summary.quality_level else ""
        words = (f"{words[0]}: {summary.source} ", name(summary.overall), f" {_mean(deciding)}{level}")
    yield Heading(words, level=2, tone=TONES.get(decision.verdict or "", "strong"))
    grounds = (*wording.reasons(summary, decision), wording.beside(summary, decision))
    yield from bullets(text for text in grounds if text)


def _subject(outcome: RunOutcome) -> Iterator[Block]:
    yield Paragraph(wording.subject(outcome))
    yield Paragraph(wording.size(outcome))
    yield from bullets(f"note: {note}" for note in outcome.notes[:MOST_NOTES])


def _failed_checks(summary: Summary) -> Iterator[Block]:
    """Case by case, each failed check with its evidence."""
    items = []
    for failed in summary.failed_checks:
        where = f"{failed.scenario_id}, repeat {failed.repeat}" if failed.repeat > 1 else failed.scenario_id
        items.append(Item((name(where), ": ", Outside(failed.user_input))))
        items += [
            Item((name(check), ": ", Outside(evidence)), "bad", depth=1) for check, evidence in failed.checks.items()
        ]
    if items:
        yield Heading(f"Checks that failed, in {numbers.times(len(summary.failed_checks), 'case')}", tone="bad")
        yield Bullets(items, brief=60, rest="report.html and summary.json")


def _abreast(summary: Summary) -> list[list[Source]]:
    """The sources, those side by side that score the same metrics: checks stand in a table of their own."""
    others: list[Source] = [source for source in summary.metrics if source != "check"]
    checks: list[Source] = ["check"] if "check" in summary.metrics else []
    return [sources for sources in (checks, others) if sources] or [[]]


def _metrics(summary: Summary, sources: Sequence[Source]) -> Iterator[Block]:
    names = dict.fromkeys(metric for source in sources for metric in summary.metrics[source])
    if names:
        yield Heading("Metrics", printed=False)
        rows = [
            _row(metric, summary.metrics, sources, metric, "strong" if metric == summary.overall else "")
            for metric in names
        ]
        yield Table([Column("mean [95% interval]"), *map(Column, sources)], rows, rest=REST)
    yield Paragraph(_coverage([metric for source in sources for metric in summary.metrics[source].values()]))


def _row(title: str, table: MetricTable, sources: Sequence[Source], metric: str, tone: Tone = "") -> Row:
    cells = (_cell(table.get(source, {}).get(metric)) for source in sources)
    return Row([name(title), *cells], tone)


def _cell(summary: MetricSummary | None) -> Cell:
    if summary is None:
        return Cell("")
    if not summary.planned:
        return Cell("not applicable")
    below = f"{numbers.percent(summary.coverage)} {numbers.interval(summary.bounds)}" if _incomplete(summary) else ""
    return Cell(_mean(summary), below)


def _mean(summary: MetricSummary) -> str:
    found = summary.estimate
    ends = "" if found.ci95 is None else f" {numbers.interval(found.ci95)}"
    return f"{numbers.score(found.mean)}{ends}"


def _incomplete(summary: MetricSummary) -> bool:
    return summary.estimate.n < summary.planned


def _coverage(metrics: Sequence[MetricSummary]) -> str:
    if not metrics:
        return "nothing was scored"
    if any(map(_incomplete, metrics)):
        return (
            "coverage: 100% of the applicable planned exchanges where no share is shown; else the share, and within "
            "[worst, best] the mean that the missing ones leave possible"
        )
    return "coverage: 100% of the applicable planned exchanges, everywhere"


def _measures(summary: Summary) -> Iterator[Block]:
    if summary.measures:
        yield Heading("For information, on scales of their own")
        rows = [Row([name(title), _cell(measure)]) for title, measure in summary.measures.items()]
        yield Table([Column("measure"), Column("mean [95% interval]")], rows, rest=REST)


def _categories(summary: Summary) -> Iterator[Block]:
    if len(summary.by_category) > 1:
        sources = [source for source in summary.metrics if summary.overall in summary.metrics[source]]
        yield Heading((name(summary.overall), " by category"), printed=False)
        rows = [_row(title, table, sources, summary.overall) for title, table in summary.by_category.items()]
        yield Table([Column("by category"), *map(Column, sources)], rows, rest=REST)


def _weakest(outcome: RunOutcome) -> Iterator[Block]:
    summary, items = outcome.summary, []
    for weak in summary.weakest:
        result = weak.result
        lines: list[Words] = [("user: ", Outside(result.exchange.user_input))]
        lines += [(f"{title}: ", Outside(text)) for title, text in wording.response_parts(result, outcome)]
        for low in telling_metrics(result, summary.overall):
            lines.append((name(low.metric), f" {numbers.score(low.value)}: ", Outside(low.explanation)))
        lines += [("judge: ", Outside(said)) for said in [judgement(result, summary.overall)] if said]
        items += _entry((f"{numbers.score(weak.value)} ", name(place(result))), lines)
    if items:
        yield Heading(f"{numbers.times(len(summary.weakest), 'weakest response')} ({summary.source})")
        yield Bullets(items)


def _disagreements(outcome: RunOutcome) -> Iterator[Block]:
    items = []
    for each in listed(outcome.disagreements):
        lines: list[Words] = [("response: ", Outside(each.result.exchange.response))]
        if each.result.verdict is not None:
            lines.append(("judge: ", Outside(each.result.verdict.reasoning)))
        figures = f"rules {numbers.score(each.heuristic)}, judge {numbers.score(each.judge)} "
        items += _entry((figures, name(place(each.result))), lines)
    if items:
        yield Heading("Rules and judge disagree most on")
        yield Bullets(items)


def _entry(title: Words, lines: Sequence[Words]) -> list[Item]:
    return [Item(title, "strong"), *(Item(words, depth=1) for words in lines)]


def _incidents(outcome: RunOutcome) -> Iterator[Block]:
    summary = outcome.summary
    yield Heading("Exchanges", printed=False)
    yield Paragraph(wording.ends(summary), "strong")
    failures = [
        Item(
            (name(each.kind), f" x {each.count}, first in ", name(each.scenario_id), ": ", Outside(each.message)), "bad"
        )
        for each in summary.failures
    ]
    said = [Item(text, "warning") for text in wording.incidents(summary)]
    said += [Item(text) for text in wording.checks(outcome)]
    reasons = wording.finish_reasons(summary)
    said += [Item(("finish reasons: ", Outside(reasons)))] if reasons else []
    if failures or said:
        yield Bullets([*said, *failures], brief=20, rest=REST)


def _places(outcome: RunOutcome) -> Iterator[Block]:
    files = f" ({', '.join(outcome.files)})" if outcome.files else ""
    yield Paragraph(("run ", name(outcome.run.run_id), ": files in ", Outside(outcome.directory), files))
    yield from (Command(title, address) for title, address in outcome.links.items())
    if outcome.next_command:
        yield Command("to go on", outcome.next_command)
