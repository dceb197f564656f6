"""A comparison or a ranking as a document: what is better and how sure that is, before the tables."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.comparison.compare import ComparedSide, Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import RankedPair, Ranking
from evaluation.decision.gate import GateResult
from evaluation.records import Source
from evaluation.reports.comparison import wording
from evaluation.reports.document import (
    Banner,
    Block,
    Cell,
    Column,
    Command,
    Document,
    Heading,
    Paragraph,
    Row,
    Table,
    Tone,
    Words,
    bullets,
    document,
    name,
)
from evaluation.reports.run import gate_blocks
from evaluation.statistics.paired import ScenarioPair
from evaluation.text import numbers

LONGEST_HEADER = 12
"""Columns of a run's name above its means."""
GAPS = "below a difference: the share of the pairs with values, and where the missing ones could move it"
REST = "comparison.json"
TONES: Mapping[str, Tone] = {"better": "good", "worse": "bad", "equivalent": "even", "inconclusive": "warning"}
CALLS = {"higher": "higher", "lower": "LOWER", "unclear": "unclear", None: "untested"}


def describe_comparison(
    comparison: Comparison,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Document:
    """Two runs. `notes` are one line each (a run that was reused and its date), `files` say where more can be read."""
    return document(
        _head(
            comparison.verdict or "no verdict",
            wording.headline(comparison),
            wording.banners(comparison.rehearsal, comparison.forced),
            (*wording.details(comparison), *(f"note: {note}" for note in notes)),
        ),
        gate_blocks(gate),
        *(_metrics(comparison, source) for source in wording.ordered_sources(comparison)),
        worst_blocks(comparison.worst),
        _categories(comparison),
        _places((comparison.base, comparison.candidate), files),
    )


def describe_ranking(
    ranking: Ranking,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Document:
    """Runs from best to worst, every pair, and which cannot be distinguished."""
    return document(
        _head(
            f"ranking of {len(ranking.runs)}",
            wording.ranking_headline(ranking),
            wording.banners(ranking.rehearsal, ranking.forced),
            (*wording.ranking_details(ranking), *(f"note: {note}" for note in notes)),
        ),
        gate_blocks(gate),
        [_places_table(ranking)],
        _pairs(ranking),
        _places(ranking.runs, files),
    )


def worst_blocks(worst: Sequence[ScenarioPair]) -> Iterator[Block]:
    """The scenarios that fell most; nothing without any."""
    if worst:
        yield Heading("Worst regressions")
        columns = ("scenario", "category", "before", "now", "difference")
        yield Table([Column(title) for title in columns], [_fall(pair) for pair in worst])


def _fall(pair: ScenarioPair) -> Row:
    means = (numbers.score(pair.a), numbers.score(pair.b), numbers.signed(pair.difference))
    return Row([name(pair.place.scenario_id), name(pair.place.category), *means])


def _head(title: str, headline: str, banners: Sequence[str], grounds: Sequence[str]) -> Iterator[Block]:
    yield from map(Banner, banners)
    yield Heading(title.capitalize(), level=2, printed=False)
    yield Paragraph(headline, TONES.get(title, "strong"))
    yield from bullets(grounds)


def _metrics(comparison: Comparison, source: Source) -> Iterator[Block]:
    rows = comparison.metrics[source]
    yield Heading(f"{source}: candidate minus base", printed=False)
    yield _table(comparison, source, [(metric, row, _call(row)) for metric, row in rows.items()])
    gaps = [GAPS] * any(row.paired < row.planned for row in rows.values())
    yield from bullets((*wording.tested_lines(rows.values(), comparison.overall), *gaps))


def _categories(comparison: Comparison) -> Iterator[Block]:
    cells = [cell for cell in comparison.categories if cell.row.metric == comparison.overall]
    if cells:
        yield Heading("By category (descriptive, not tested)", printed=False)
        rows = [(cell.category, cell.row, f"(descr.) {cell.row.estimate.scenarios} sc.") for cell in cells]
        yield _table(comparison, "overall by category", rows)


def _table(comparison: Comparison, title: str, rows: Sequence[tuple[str, MetricDifference, str]]) -> Table:
    """Means, difference and what a test says, a line for each metric or category."""
    columns = (
        *(Column(words) for words in (title, *_headers(comparison), "difference [95%]", "tested")),
        *(Column(words, detail=True) for words in ("p", "adjusted p", "role")),
    )
    return Table(columns, [_row(*row) for row in rows], rest=REST)


def _row(title: str, row: MetricDifference, call: str) -> Row:
    found = row.estimate
    below = ""
    if row.paired < row.planned:
        below = f"{numbers.percent(row.coverage)}: {numbers.span(row.bounds)}"
    means = (numbers.score(found.mean_a), numbers.score(found.mean_b))
    tests = (numbers.p_value(found.p), numbers.p_value(row.p_adjusted), wording.ROLES[row.role])
    return Row([name(title), *means, Cell(wording.change(row), below), call, *tests], _tone(row))


def _call(row: MetricDifference) -> str:
    return "(descr.)" if row.role == "descriptive" else CALLS[row.call]


def _tone(row: MetricDifference) -> Tone:
    if row.call in ("higher", "lower"):
        return "good" if row.call == "higher" else "bad"
    return "strong" if row.role == "primary" else ""


def _headers(comparison: Comparison) -> tuple[Words, Words]:
    """The names of the runs; their parts, where a name is too long for the head of a column."""
    names = comparison.base.name, comparison.candidate.name
    if max(map(len, names)) > LONGEST_HEADER or names[0] == names[1]:
        return "base", "candidate"
    return name(names[0]), name(names[1])


def _places_table(ranking: Ranking) -> Table:
    columns = ("place", "run", f"{ranking.source} {ranking.overall}", "coverage")
    rows = []
    for place, run in enumerate(ranking.runs, start=1):
        found = ranking.overall_of(run)
        cells = [numbers.NONE, numbers.NONE]
        if found is not None:
            mean = f"{numbers.score(found.estimate.mean)} {numbers.interval(found.estimate.ci95)}"
            cells = [mean, numbers.percent(found.coverage)]
        rows.append(Row([f"#{place}", name(run.name), *cells]))
    return Table([Column(title) for title in columns], rows, rest=REST)


def _pairs(ranking: Ranking) -> Iterator[Block]:
    runs = [Column("first", fluid=True), Column("minus second", fluid=True)]
    figures = [Column("difference [95%]"), Column("adjusted p", detail=True), Column("the first is")]
    yield Heading("Every pair: the first minus the second, corrected together by Holm", printed=False)
    yield Table([*runs, *figures], [_pair(ranking, pair) for pair in ranking.pairs], rest=REST)
    yield Paragraph(wording.pair_test_line(ranking))


def _pair(ranking: Ranking, pair: RankedPair) -> Row:
    names = [(f"#{place + 1} ", name(ranking.runs[place].name)) for place in (pair.first, pair.second)]
    below = f"{numbers.percent(pair.row.coverage)}: {numbers.span(pair.row.bounds)}" if pair.row.bounds else ""
    verdict = Cell(wording.pair_verdict(pair), "at stake" if pair.overturnable else "")
    change = Cell(wording.change(pair.row), below if pair.row.paired < pair.row.planned else "")
    return Row([*names, change, numbers.p_value(pair.row.p_adjusted), verdict], TONES.get(pair.verdict or "", ""))


def _places(runs: Sequence[ComparedSide], files: Sequence[str]) -> Iterator[Block]:
    for run in runs:
        yield Paragraph((name(run.name), ": run ", name(run.run_id)))
    yield from (Command("", file) for file in files)
