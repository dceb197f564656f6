"""The tables of means of a run: by source, by category, and the measures on scales of their own."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.metrics.meaning.measures import MEASURES, NO_MODEL
from evaluation.records import Source
from evaluation.reports.coverage import COMPLETE, FULL, bounds_of_mean, general_shares, own_share, say_coverage
from evaluation.reports.document import (
    Block,
    Column,
    Heading,
    Name,
    Only,
    Paragraph,
    Part,
    Row,
    Table,
    TableCell,
    Tone,
    Words,
)
from evaluation.reports.intervals import mean_text
from evaluation.run import Run
from evaluation.runspec import EmbeddingPin
from evaluation.summary.metric import MetricSummary, MetricTable
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

REST = "summary.json"


def abreast(summary: Summary) -> list[list[Source]]:
    """The sources, those side by side that score the same metrics: checks stand in a table of their own."""
    others: list[Source] = [source for source in summary.metrics if source != "check"]
    checks: list[Source] = ["check"] if "check" in summary.metrics else []
    return [sources for sources in (checks, others) if sources] or [[]]


def describe_means(summary: Summary, sources: Sequence[Source]) -> Iterator[Part]:
    """The means of these sources, side by side, and above them how much could be scored."""
    names = dict.fromkeys(metric for source in sources for metric in summary.metrics[source])
    # Of nothing there are no means: a screen has room for what ended the run.
    measured = bool(summary.counts.scored + summary.counts.unparsed)
    yield Heading("Metrics", printed=False)
    means = {source: summary.metrics[source] for source in sources}
    main = summary.source if summary.source in sources else next(iter(sources), summary.source)
    gaps = say_coverage(means, summary.overall, main, summary.by_category.values())
    said = Paragraph(gaps or (COMPLETE if names else "nothing was scored"))
    yield said if measured and (gaps or not names) else Only(said, short=False)
    if names:
        shares = general_shares(means, summary.overall)
        rows = [
            _row(in_words(metric), means, shares, metric, "strong" if metric == summary.overall else "")
            for metric in names
        ]
        table = Table([Column("mean [95% interval]"), *map(Column, sources)], rows, rest=REST)
        yield table if measured else Only(table, short=False)
    if summary.weights is not None and summary.source in sources:
        yield Paragraph(say_weights(summary))


def say_weights(summary: Summary) -> str:
    """How scenarios count that do not count alike, and what that leaves of their number; empty where all do."""
    if summary.weights is None:
        return ""
    found = summary.deciding()
    like = None if found is None else found.effective_n
    size = f": they count like {numbers.count(round(like))} of equal weight" if like else ""
    return f"weighted by how many responses each one stands for{size}"


def _row(title: Words, table: MetricTable, shares: Mapping[Source, str], metric: str, tone: Tone = "") -> Row:
    """`shares` are what the figures of each source usually rest on."""
    cells = (mean_cell(table.get(source, {}).get(metric), share) for source, share in shares.items())
    return Row([title, *cells], tone)


def mean_cell(summary: MetricSummary | None, general: str = FULL) -> TableCell:
    """The mean with its interval; below it the share that it rests on, where that is not the `general` one."""
    if summary is None:
        return TableCell("")
    if not summary.planned:
        return TableCell("not applicable")
    share = own_share(summary, general)
    return TableCell(mean_text(summary.estimate), f"{share} {bounds_of_mean(summary)}" if share else "")


def describe_measures(summary: Summary) -> Iterator[Block]:
    """The measures but for those of meaning; nothing where the suite has none."""
    measures = {name: measure for name, measure in summary.measures.items() if name not in MEASURES}
    if measures:
        yield Heading("For information, on scales of their own")
        rows = [Row([in_words(title), mean_cell(measure)]) for title, measure in measures.items()]
        yield Table([Column("measure"), Column("mean [95% interval]")], rows, rest=REST)


def describe_meaning(summary: Summary, run: Run) -> Iterator[Block]:
    """The measures of meaning with their distributions, and who made the vectors.

    Without anybody, that nobody did, where the rubric names a measure; else nothing.
    """
    embedding = run.spec.embedding
    if embedding is None:
        lacking = [*run.suite.by_vectors, *(name for name in summary.measures if name in MEASURES)]
        if lacking:
            yield Paragraph(
                f"{', '.join(map(in_words, lacking))} {'have' if lacking[1:] else 'has'} no value: {NO_MODEL}"
            )
        return
    yield Heading("Meaning, for information")
    yield Paragraph(meaning_by(embedding))
    yield meaning_table(summary)


def meaning_by(embedding: EmbeddingPin) -> str:
    """Who made the vectors, and what that means for their cosines."""
    return f"cosines of vectors by {embedding.title}; values of two models do not compare"


def meaning_table(summary: Summary) -> Table:
    """Each measure of meaning: its mean, and how its values lie."""
    rows = []
    for name, measure in summary.measures.items():
        if name in MEASURES:
            found = measure.estimate
            mean = mean_text(found) if found.n else "not applicable"
            spread = [numbers.score(each) for each in (found.p10, found.p50, found.max)] if found.n else [""] * 3
            rows.append(Row([in_words(name), mean, numbers.count(found.n), *spread]))
    shown = [Column(title, right=True) for title in ("responses", "10%", "median", "highest")]
    return Table([Column("measure"), Column("mean [95% interval]"), *shown], rows, rest=REST)


def describe_by_category(summary: Summary) -> Iterator[Block]:
    """The overall within each category; nothing with a single one."""
    if len(summary.by_category) > 1:
        yield Heading(f"{in_words(summary.overall)} by category".capitalize(), printed=False)
        shares = {
            source: share
            for source, share in general_shares(summary.metrics, summary.overall).items()
            if summary.overall in summary.metrics[source]
        }
        rows = [
            _row(Name(in_words(title)), table, shares, summary.overall) for title, table in summary.by_category.items()
        ]
        yield Table([Column("by category"), *map(Column, shares)], rows, rest=REST)
