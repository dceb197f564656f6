"""A comparison for a terminal of 80 columns: what is better and how sure that is, before the tables."""

from collections.abc import Iterator, Sequence

from evaluation.comparison.compare import Comparison
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.gate import RegressionResult
from evaluation.comparison.ranking import RankedPair, Ranking
from evaluation.decision.gate import GateResult
from evaluation.records import Source
from evaluation.reports.comparison import wording
from evaluation.reports.comparison.details import details, tested_lines
from evaluation.text import numbers
from evaluation.text.page import WIDTH, Line, printed
from evaluation.text.safe_text import pad, wrap

NAME = 27
MEAN = 7
"""Columns of a run's mean."""
MOST_CATEGORIES = 30
MOST_ABREAST = 6
"""Columns of the pairwise matrix; further runs start a new block."""
STYLES = {"better": "bold green", "worse": "bold red", "equivalent": "bold cyan", "inconclusive": "bold yellow"}
CALLS = {"higher": "higher", "lower": "LOWER", "unclear": "-"}
MARKS = {"better": "better", "worse": "worse", "equivalent": "equal", "inconclusive": "?", None: "-"}


def render_comparison(
    comparison: Comparison,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
    color: bool = False,
) -> str:
    """The report as text that ends with a line break; no line is wider than 80 columns. `color` adds ANSI styles.

    `notes` are one line each (a run that was reused and its date), `files` say where more can be read.
    """
    return printed(
        (
            _verdict(comparison, notes),
            _gate(gate),
            *(_table(comparison, source) for source in wording.ordered_sources(comparison)),
            _categories(comparison),
            _places([(run.name, run.run_id) for run in (comparison.base, comparison.candidate)], files),
        ),
        color,
    )


def render_ranking(
    ranking: Ranking,
    *,
    gate: RegressionResult | GateResult | None = None,
    notes: Sequence[str] = (),
    files: Sequence[str] = (),
    color: bool = False,
) -> str:
    """Runs from best to worst, every pair, and which cannot be told apart; as `render_comparison`."""
    return printed(
        (
            _ranking_head(ranking, notes),
            _gate(gate),
            _ranked(ranking),
            _matrix(ranking),
            _places([(run.name, run.run_id) for run in ranking.runs], files),
        ),
        color,
    )


def _paragraph(text: str, *, lead: str = "", lines: int = 6, style: str = "") -> Iterator[Line]:
    for number, part in enumerate(wrap(text, WIDTH - len(lead), lines)):
        yield Line((lead if number == 0 else " " * len(lead)) + part, style)


def _verdict(comparison: Comparison, notes: Sequence[str]) -> Iterator[Line]:
    for banner in wording.banners(comparison.rehearsal, comparison.forced):
        yield from _paragraph(banner.upper(), lead="!! ", style="bold magenta")
    yield from _paragraph(wording.headline(comparison), style=STYLES.get(comparison.verdict or "", "bold"))
    for text in details(comparison):
        yield from _paragraph(text, lead="  - ")
    for note in notes:
        yield from _paragraph(note, lead="note: ")


def _gate(gate: RegressionResult | GateResult | None) -> Iterator[Line]:
    if gate is None:
        return
    first, *reasons = wording.gate_lines(gate)
    yield Line(first, "bold green" if gate.passed else "bold red")
    for reason in reasons:
        yield from _paragraph(reason, lead="  - ")


def _table(comparison: Comparison, source: Source) -> Iterator[Line]:
    rows = comparison.metrics[source]
    yield _columns(source, *_headers(comparison), "difference [95% interval]", "call", "bold")
    for metric, row in rows.items():
        call = CALLS.get(row.call or "", "") if row.role != "descriptive" else "(descr.)"
        yield _columns(metric, *_means(row), _change(row), call, _style(row))
        if row.paired < row.planned:
            share = f"coverage {numbers.percent(row.coverage)}"
            yield Line(pad(f"  {share}; missing pairs leave {numbers.span(row.bounds)} possible", WIDTH), "yellow")
    for text in tested_lines(rows.values(), comparison.overall):
        yield from _paragraph(text)


def _headers(comparison: Comparison) -> tuple[str, str]:
    """The names of the runs; their parts, where the columns are too narrow to tell them apart."""
    base, candidate = comparison.base.name, comparison.candidate.name
    return ("base", "cand.") if pad(base, MEAN) == pad(candidate, MEAN) else (base, candidate)


def _columns(name: str, base: str, candidate: str, change: str, call: str, style: str = "") -> Line:
    cells = (pad(base, MEAN), pad(candidate, MEAN), pad(change, 26), pad(call, 8))
    return Line(pad(name, NAME) + " " + " ".join(cells), style)


def _means(row: MetricDifference) -> tuple[str, str]:
    return numbers.score(row.estimate.mean_a), numbers.score(row.estimate.mean_b)


def _change(row: MetricDifference) -> str:
    found = row.estimate
    if found.ci95 is None:
        return numbers.signed(found.difference)
    low, high = (numbers.signed(end) for end in found.ci95)
    return f"{numbers.signed(found.difference)} [{low}, {high}]"


def _style(row: MetricDifference) -> str:
    return {"higher": "green", "lower": "red"}.get(row.call or "", "")


def _categories(comparison: Comparison) -> Iterator[Line]:
    cells = [cell for cell in comparison.categories if cell.row.metric == comparison.overall]
    if not cells:
        return
    yield _columns("overall by category", *_headers(comparison), "difference [95% interval]", "(descr.)", "bold")
    for cell in cells[:MOST_CATEGORIES]:
        yield _columns(cell.category, *_means(cell.row), _change(cell.row), f"{cell.row.estimate.scenarios} sc.")
    if len(cells) > MOST_CATEGORIES:
        yield Line(f"... and {len(cells) - MOST_CATEGORIES} more: see comparison.json")


def _ranking_head(ranking: Ranking, notes: Sequence[str]) -> Iterator[Line]:
    for banner in wording.banners(ranking.rehearsal, ranking.forced):
        yield from _paragraph(banner.upper(), lead="!! ", style="bold magenta")
    yield from _paragraph(wording.ranking_headline(ranking), style="bold")
    for text in wording.ranking_details(ranking):
        yield from _paragraph(text, lead="  - ")
    for note in notes:
        yield from _paragraph(note, lead="note: ")


def _ranked(ranking: Ranking) -> Iterator[Line]:
    yield Line(pad(f"    {ranking.source} {ranking.overall}", NAME + 5) + "mean [95% interval]", "bold")
    for place, run in enumerate(ranking.runs, start=1):
        found = ranking.overall_of(run)
        cell = ""
        if found is not None:
            cell = f"{numbers.score(found.estimate.mean)} {numbers.interval(found.estimate.ci95)}"
            if found.estimate.n < found.planned:
                cell += f", coverage {numbers.percent(found.coverage)}"
        yield Line(f"{f'#{place}':>3s} {pad(run.name, NAME)} {cell}")


def _matrix(ranking: Ranking) -> Iterator[Line]:
    count = len(ranking.runs)
    for start in range(0, count, MOST_ABREAST):
        places = range(start, min(start + MOST_ABREAST, count))
        if start:
            yield Line("")
        yield Line(pad("row minus column", 20) + "".join(pad(f"#{place + 1}", 10) for place in places), "bold")
        for row in range(count):
            cells = "".join(pad(_pair_cell(ranking, row, column), 10) for column in places)
            verdicts = "".join(pad(_pair_mark(ranking, row, column), 10) for column in places)
            yield Line(pad(f"#{row + 1} {ranking.runs[row].name}", 19) + " " + cells)
            yield Line(" " * 20 + verdicts)
    yield from _paragraph(wording.pair_test_line(ranking))


def _pair_cell(ranking: Ranking, row: int, column: int) -> str:
    if row == column:
        return ""
    pair = ranking.pair(row, column)
    change = pair.row.estimate.difference
    return numbers.signed(None if change is None else change * _side(pair, row))


def _pair_mark(ranking: Ranking, row: int, column: int) -> str:
    if row == column:
        return ""
    pair = ranking.pair(row, column)
    verdict = "no data" if pair.no_data else MARKS[pair.verdict]
    return {"better": "worse", "worse": "better"}.get(verdict, verdict) if _side(pair, row) < 0 else verdict


def _side(pair: RankedPair, row: int) -> int:
    return 1 if pair.first == row else -1


def _places(runs: Sequence[tuple[str, str]], files: Sequence[str]) -> Iterator[Line]:
    for name, run_id in runs:
        yield from _paragraph(f"{name}: run {run_id}", lines=2)
    for file in files:
        yield from _paragraph(file, lines=3)
