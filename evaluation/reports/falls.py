"""The scenarios that fell most between two runs, as a comparison and a night show them."""

from collections.abc import Iterator, Sequence

from evaluation.reports.document import Block, Column, Fields, Heading, Name, table
from evaluation.statistics.paired import ScenarioPair
from evaluation.text import numbers
from evaluation.text.names import in_words


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
