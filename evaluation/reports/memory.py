"""The table of planted memory: how much is recalled, confused, taken back and held, by how far back it was said."""

from collections.abc import Iterator, Mapping

from evaluation.expectations.memory import ALL, RATES, Memory, Rate
from evaluation.reports.document import Block, Column, Heading, Paragraph, Part, Row, Table, in_detail, in_short
from evaluation.statistics.scenario_scores import Estimate
from evaluation.text import numbers

TITLE = "Planted memory"
TITLES: Mapping[Rate, str] = {
    "recall": "recalled",
    "false_recall": "false recall",
    "contradiction": "old value",
    "boundary_holding": "boundary held",
}
"""Rate -> its name in tables."""
DISTANCE_TITLES: Mapping[str, str] = {"2-3": "2 to 3", "4-6": "4 to 6", "7+": "7 or more"}
"""Distance -> how it is said, where that differs."""
REST = "summary.json"
MEANING = (
    "shares of probes, by rule, with 95% intervals; recalled: the fact is said; false recall: a decoy or a corrected "
    "value is said in its place; old value: of the corrected values alone; boundary held: by the turn of the "
    "conversation"
)


def describe_memory(memory: Memory) -> Iterator[Part]:
    """The table with its heading, and what its columns mean.

    In short the shares alone, with the intervals of all, and only where most conversations of the run are made for it.
    """
    yield from in_detail(_in_full(memory))
    if 2 * memory.conversations > memory.scenarios:
        yield from in_short([_table_in_short(memory)])


def _in_full(memory: Memory) -> Iterator[Block]:
    yield Heading(TITLE)
    yield memory_table(memory)
    yield Paragraph(explain(memory))


def memory_table(memory: Memory) -> Table:
    """A row for each distance with an answer, the last for all."""
    columns = [Column("turns since then"), *(Column(TITLES[rate]) for rate in RATES)]
    rows = [
        Row([_title(row), *(_cell(memory.rates[rate][row]) for rate in RATES)], "strong" if row == ALL else "")
        for row in memory.rows()
    ]
    return Table(columns, rows, rest=REST)


def explain(memory: Memory) -> str:
    """What the columns mean, and how many probes are without an answer."""
    missing = f"; {numbers.times(memory.unanswered, 'probe')} without an answer" if memory.unanswered else ""
    return f"{MEANING}{missing}"


def _table_in_short(memory: Memory) -> Table:
    """A row for each rate, a column for each distance."""
    distances = [row for row in memory.rows() if row != ALL]
    columns = [Column(TITLE.lower()), *(Column(_title(each)) for each in distances), Column("all [95% interval]")]
    rows = []
    for rate in RATES:
        found = memory.rates[rate]
        if found[ALL].n:
            shares = (numbers.score(found[each].mean) if found[each].n else "" for each in distances)
            rows.append(Row([TITLES[rate], *shares, _share(found[ALL])]))
    return Table(columns, rows, rest=REST)


def _title(distance: str) -> str:
    return DISTANCE_TITLES.get(distance, distance)


def _share(found: Estimate) -> str:
    ends = f" {numbers.interval(found.ci95)}" if found.ci95 else ""
    return f"{numbers.score(found.mean)}{ends}"


def _cell(found: Estimate) -> str:
    return f"{_share(found)} n {found.n}" if found.n else ""
