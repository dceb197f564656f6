"""From runs to what a page shows of their exchanges: the values of every column, and the rows for its script.

Runs are read as streams: once where all of their exchanges fit into the page, else once to choose and once to take.
"""

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.records import Cell, Json, Result, Scenario, Source
from evaluation.reports.html.exchanges import Book, Position
from evaluation.reports.html.figures import Histogram, histogram
from evaluation.reports.html.selection import MOST, Selection, select
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, Plan, is_value
from evaluation.summary.disagreement import disagreement
from evaluation.summary.summary import Summary


@dataclass(frozen=True, slots=True)
class Side:
    """One run of a page, and how to read it."""

    name: str
    """Its name for people: "penpal-companion v3"."""
    run_id: str
    summary: Summary
    scenarios: Sequence[Scenario]
    repeats: int
    results: Callable[[Collection[Position] | None], Iterable[Result]]
    """A new stream of the run's results at each call, or of those wanted."""
    trace_ids: Mapping[Cell, str] = field(default_factory=dict)
    """Of the traces that Langfuse holds."""
    trace_page: str = ""
    """Address of a trace, up to its id; empty without Langfuse."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that was read."""

    histograms: tuple[Histogram, ...]
    """Of the last side, source by source."""
    selection: Selection | None
    """None when the page holds every exchange."""
    data: Mapping[str, Json]


@dataclass(slots=True)
class Reading:
    """One side while it is read: a place for every planned exchange."""

    side: Side
    suite: Suite
    plan: Plan = field(init=False)
    columns: Columns = field(init=False)
    overall: "array[float]" = field(init=False)
    gaps: "array[float]" = field(init=False)
    present: "array[int]" = field(init=False)

    def __post_init__(self) -> None:
        summary = self.side.summary
        self.columns = Columns(
            self.suite, self.side.scenarios, self.side.repeats, tuple(summary.metrics), summary.judge_fallback
        )
        self.plan = self.columns.plan
        self.overall = array("d", [math.nan]) * self.plan.size
        self.gaps = array("d", [math.nan]) * self.plan.size
        self.present = array("q")

    def add(self, result: Result) -> int:
        """Takes in one result; returns its slot."""
        slot, value = self.columns.add(result)
        differing = disagreement(result, self.suite)
        self.overall[slot] = math.nan if value is None else value
        self.gaps[slot] = math.nan if differing is None else differing.gap
        self.present.append(slot)
        return slot


class Gathering:
    """Takes in the results of the sides; at most `most` exchanges of all of them together go into the page.

    Several sides are shown exchange by exchange, so that what is chosen is chosen for all of them: by the last one,
    the candidate.
    """

    def __init__(self, sides: Sequence[Side], suite: Suite, *, seed: int, most: int = MOST) -> None:
        self.sides = sides
        self._seed = seed
        self._most = most
        self._book = Book(suite, sides[-1].summary.source, shown_columns(sides), len(sides))
        self._readings = [Reading(side, suite) for side in sides]
        for side in sides:
            self._book.plan(side.scenarios)
        self._whole = sum(reading.plan.size for reading in self._readings) <= most

    def read(self) -> None:
        """Takes in all results of all sides, read again."""
        for number, side in enumerate(self.sides):
            for result in side.results(None):
                self._add(number, result)

    def watched(self, results: Iterable[Result]) -> Iterator[Result]:
        """All results of the only side, taken in on their way to somebody else: a reading saved."""
        for result in results:
            self._add(0, result)
            yield result

    def gathered(self) -> Gathered:
        """All that was taken in. Where not every exchange fits, the sides are read once more for the chosen ones."""
        selection = None if self._whole else self._selected()
        data = {**self._book.to_json(), "sides": list(map(_about, self.sides))}
        return Gathered(tuple(_histograms(self._readings[-1])), selection, data)

    def _add(self, number: int, result: Result) -> None:
        reading = self._readings[number]
        slot = reading.add(result)
        if self._whole:
            _put(self._book, number, reading, result, slot)

    def _selected(self) -> Selection | None:
        lead = self._readings[-1]
        ranks = _ranks(self._readings)
        selection = select(lead.present, *ranks, seed=self._seed, most=self._most // len(self.sides))
        slots = frozenset(lead.present) if selection is None else selection.slots
        wanted = {position for slot, position in _positions(lead) if slot in slots}
        for number, reading in enumerate(self._readings):
            _take(self._book, number, reading, wanted)
        return selection


def gather(sides: Sequence[Side], suite: Suite, *, seed: int, most: int = MOST) -> Gathered:
    """Reads from these sides everything that a page shows of them."""
    gathering = Gathering(sides, suite, seed=seed, most=most)
    gathering.read()
    return gathering.gathered()


def shown_columns(sides: Sequence[Side]) -> dict[Source, tuple[str, ...]]:
    """Source -> its metrics, of all sides together, in the order of the tables."""
    found: dict[Source, dict[str, None]] = {}
    for side in sides:
        for source, table in side.summary.metrics.items():
            found.setdefault(source, {}).update(dict.fromkeys(table))
    return {source: tuple(metrics) for source, metrics in found.items()}


def _put(book: Book, number: int, reading: Reading, result: Result, slot: int) -> None:
    trace = reading.side.trace_ids.get(result.exchange.cell, "")
    book.add(number, result, reading.overall[slot], trace)


def _take(book: Book, number: int, reading: Reading, wanted: Collection[Position]) -> None:
    for result in reading.side.results(wanted):
        _put(book, number, reading, result, reading.plan.slot(result.exchange))


def _ranks(readings: Sequence[Reading]) -> tuple["array[float]", "array[float]"]:
    """The values to choose by: low overalls and wide gaps of rules and judge; of two sides low and wide differences."""
    lead = readings[-1]
    if len(readings) != 2:
        return lead.overall, lead.gaps
    base = {position: readings[0].overall[slot] for slot, position in _positions(readings[0])}
    change = array("d", [math.nan]) * lead.plan.size
    width = array("d", [math.nan]) * lead.plan.size
    for slot, position in _positions(lead):
        before, after = base.get(position, math.nan), lead.overall[slot]
        if is_value(before) and is_value(after):
            change[slot], width[slot] = after - before, abs(after - before)
    return change, width


def _positions(reading: Reading) -> Iterable[tuple[int, Position]]:
    """Every slot of the plan, and which exchange it is for."""
    for scenario, span in zip(reading.side.scenarios, reading.plan.spans, strict=True):
        for slot in range(span.start, span.stop):
            repeat, turn = divmod(slot - span.start, span.turns)
            yield slot, (scenario.id, repeat + 1, turn + 1)


def _histograms(reading: Reading) -> Iterable[Histogram]:
    for source, table in reading.side.summary.metrics.items():
        for metric, summary in table.items():
            if summary.estimate.n:
                column = reading.columns.column(source, metric)
                yield histogram(metric, source, column, reading.suite.scale(source), summary)


def _about(side: Side) -> Json:
    return {"name": side.name, "run": side.run_id, "traces": side.trace_page}
