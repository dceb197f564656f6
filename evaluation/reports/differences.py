"""The tables of a comparison: differences of means by metric, by category and of whole conversations."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from evaluation.comparison.compare import Comparison
from evaluation.comparison.conversations import ConversationPair
from evaluation.comparison.differences import LEAST_CLUSTERS, MetricDifference
from evaluation.records import Source
from evaluation.reports.coverage import FULL, own_share, say_pair_coverage, usual_share
from evaluation.reports.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Fields,
    Heading,
    Name,
    Only,
    Outside,
    Paragraph,
    Part,
    Row,
    Table,
    TableCell,
    Tone,
    Words,
    in_detail,
    table,
)
from evaluation.reports.intervals import difference_text
from evaluation.statistics.paired import ScenarioPair
from evaluation.text import numbers
from evaluation.text.names import in_words

LONGEST_HEADER = 12
"""Columns of a run's name above its means."""
REST = "comparison.json"
CALLS = {"higher": "higher", "lower": "LOWER", "unclear": "unclear", None: "untested"}
ROLES = {
    "primary": "tested, uncorrected",
    "component": "tested, Holm over these",
    "descriptive": "descriptive, not tested",
}
CONVERSATIONS = "conversations as a whole, by the judge"
TableRow: TypeAlias = tuple[Words, MetricDifference, str]
"""The name of a row, its difference, and what a test says of it."""
MOST_IN_SHORT = 3
"""Pairs of runs whose conversations are held side by side on a screen."""


def describe_metrics(comparison: Comparison, source: Source) -> Iterator[Block]:
    """The differences of one source, and what was tested in them."""
    rows = comparison.metrics[source]
    yield Heading(f"{source.capitalize()}: candidate minus base", printed=False)
    if said := say_pair_coverage(rows, comparison.overall):
        yield Paragraph(said)
    yield _table(comparison, source, [(in_words(metric), row, _call(row)) for metric, row in rows.items()])
    yield Bullets(tuple(map(Bullet, describe_tests(rows.values(), comparison.overall))))


def ordered_sources(comparison: Comparison) -> list[Source]:
    """The deciding source first."""
    return sorted(comparison.metrics, key=lambda source: source != comparison.source)


def describe_tests(rows: Iterable[MetricDifference], overall: str) -> Iterable[str]:
    """Says what was tested in a table, at which level, and what could have been found; or that nothing was."""
    shown = list(rows)
    for row in shown:
        if row.role == "primary":
            yield f"{in_words(overall)}: the primary metric, {_level(row)}"
    family = [row for row in shown if row.role == "component"]
    tested = [row for row in family if row.call is not None]
    if tested:
        count = numbers.times(len(tested), "component")
        of_all = count if len(tested) == len(family) else f"{len(tested)} of {numbers.times(len(family), 'component')}"
        yield f"{of_all}: called at 5% after Holm's correction{reach_phrase(tested)}"
    elif family:
        yield f"{numbers.times(len(family), 'component')}: not tested, fewer than {LEAST_CLUSTERS} situations"
    descriptive = [row for row in shown if row.role == "descriptive"]
    if descriptive:
        chance = "; one interval in 20 leaves out 0 by chance" if any(row.estimate.ci95 for row in descriptive) else ""
        yield f"(descr.): descriptive, not tested{chance}"


def _level(row: MetricDifference) -> str:
    if row.call is not None:
        return "tested at 5%, uncorrected"
    found = row.estimate
    if found.difference is None:
        return "not tested: no data"
    no_interval = "" if found.ci95 else " and no interval"
    return (
        f"not tested{no_interval}: {numbers.times(found.clusters, 'situation')}, at least {LEAST_CLUSTERS} are needed"
    )


def reach_phrase(rows: Iterable[MetricDifference]) -> str:
    """The differences that could have been found in each row; nothing where nothing varied."""
    shown = list(rows)
    least = max((row.detectable or 0.0) for row in shown)
    found = f"; differences of {numbers.above(least)} could be detected in each" if least else ""
    closed = sum(row.source == "check" and row.estimate.se is not None and row.detectable is None for row in shown)
    if not closed:
        return found
    within = found.replace(" in each", " in the others")
    return f"{within}; in {closed} of them no fall is deep enough to be found in 80 of 100 cases"


def describe_categories(comparison: Comparison) -> Iterator[Block]:
    """The differences of the overall in each category; nothing without any."""
    cells = [cell for cell in comparison.categories if cell.row.metric == comparison.overall]
    if cells:
        yield Heading("By category (descriptive, not tested)", printed=False)
        rows: list[TableRow] = [
            (Name(in_words(cell.category)), cell.row, f"(descr.) {cell.row.estimate.scenarios} sc.") for cell in cells
        ]
        yield _table(comparison, "overall by category", rows)


def describe_conversations(comparison: Comparison) -> Iterator[Part]:
    """The differences of what the judge says of conversations; nothing where one of the runs has none."""
    rows: list[TableRow] = [(in_words(row.metric), row, _call(row)) for row in comparison.conversations]
    if rows:
        yield from in_detail([_conversations_heading(), _table(comparison, CONVERSATIONS, rows)])
        yield Only(Paragraph(conversations_in_short(comparison.conversations)), short=True)


def describe_conversation_pairs(
    pairs: Sequence[ConversationPair], names: Sequence[tuple[str | Outside, ...]], *, rest: str
) -> Iterator[Part]:
    """The same of several runs, metric by metric in every pair; `names` are those of the places, `rest` a file."""
    if not pairs:
        return
    metrics = list(dict.fromkeys(row.metric for pair in pairs for row in pair.rows))
    listed = [(pair, row) for metric in metrics for pair in pairs for row in pair.rows if row.metric == metric]
    fields: Fields[tuple[ConversationPair, MetricDifference]] = [
        (Column(CONVERSATIONS), lambda each: in_words(each[1].metric)),
        (Column("first", fluid=True), lambda each: names[each[0].first]),
        (Column("minus second", fluid=True), lambda each: names[each[0].second]),
        (Column("difference [95%]"), lambda each: change_cell(each[1])),
        (Column("tested", detail=True), lambda each: _call(each[1])),
    ]
    yield from in_detail([_conversations_heading(), table(fields, listed, lambda _: "", rest=rest)])
    for pair in pairs[:MOST_IN_SHORT]:
        said = conversations_in_short(pair.rows)
        yield Only(Paragraph((*names[pair.first], " minus ", *names[pair.second], f", {said}")), short=True)
    if len(pairs) > MOST_IN_SHORT:
        more = numbers.times(len(pairs) - MOST_IN_SHORT, "further pair")
        yield Only(Paragraph(f"conversations of {more}: {rest}"), short=True)


def _conversations_heading() -> Heading:
    return Heading("Conversations as a whole (descriptive, in no verdict)", printed=False)


def worst_blocks(worst: Sequence[ScenarioPair]) -> Iterator[Block]:
    """The scenarios that fell most; nothing without any."""
    if worst:
        yield Heading("Worst regressions")
        yield table(FALLS, worst)


FALLS: Fields[ScenarioPair] = [
    (Column("scenario"), lambda pair: Name(pair.place.scenario_id)),
    (Column("category"), lambda pair: Name(in_words(pair.place.category))),
    (Column("before"), lambda pair: numbers.score(pair.a)),
    (Column("now"), lambda pair: numbers.score(pair.b)),
    (Column("difference"), lambda pair: numbers.with_sign(pair.difference)),
]


def conversations_in_short(rows: Sequence[MetricDifference]) -> str:
    """The differences of what the judge says of conversations in one line; empty where one of the runs has none."""
    said = (f"{in_words(row.metric)} {numbers.with_sign(row.estimate.difference)}" for row in rows)
    return f"conversations: {', '.join(said)}" if rows else ""


def _table(comparison: Comparison, title: str, rows: Sequence[TableRow]) -> Table:
    """Means, difference and what a test says, a line for each metric or category."""
    columns = (
        *(Column(words) for words in (title, *_headers(comparison), "difference [95%]", "tested")),
        *(Column(words, detail=True) for words in ("p", "adjusted p", "role")),
    )
    usual = {source: usual_share(table, comparison.overall) for source, table in comparison.metrics.items()}
    return Table(columns, [_row(*row, usual.get(row[1].source, FULL)) for row in rows], rest=REST)


def _row(title: Words, row: MetricDifference, call: str, general: str) -> Row:
    found = row.estimate
    means = (numbers.score(found.mean_a), numbers.score(found.mean_b))
    tests = (numbers.p_value(found.p), numbers.p_value(row.p_adjusted), ROLES[row.role])
    return Row([title, *means, change_cell(row, general), call, *tests], _tone(row))


def change_cell(row: MetricDifference, general: str = FULL) -> TableCell:
    """A difference; below it, where it rests on another share of the pairs, how far the others could move it."""
    share = own_share(row, general)
    return TableCell(change(row), f"{share}: {numbers.span(row.bounds)}" if share else "")


def change(row: MetricDifference) -> str:
    """+0.041 [+0.022, +0.060]."""
    return difference_text(row.estimate.difference, row.estimate.ci95)


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
    return Name(names[0]), Name(names[1])
