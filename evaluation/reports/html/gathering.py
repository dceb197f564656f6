"""From runs to what a page shows of their exchanges: the values of every column, and the rows for its script.

Runs are read as streams: once where all of their exchanges fit into the page, else once to choose the ones worth
reading, and a sample of the rest, and once to take them.
"""

import hashlib
import heapq
import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.records import Cell, Json, Result, Scenario, Source
from evaluation.reports.html.exchanges import Book, Position
from evaluation.reports.html.figures import Histogram, histogram
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Columns, is_value
from evaluation.summary.disagreement import disagreement
from evaluation.summary.summary import Summary
from evaluation.text import numbers

MOST = 2000
"""Exchanges in one page, those of all runs together."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Slots of a plan, and how many of them came from where."""

    slots: frozenset[int]
    critical: int
    not_scored: int
    weakest: int
    disagreeing: int
    sampled: int
    available: int
    """Exchanges that there were to choose from."""

    def sentence(self, *, compared: bool) -> str:
        """Says which exchanges the page holds."""
        parts = [
            (self.critical, "on which critical expectations that do not hold are shown"),
            (self.not_scored, "not scored"),
            (self.weakest, "with the largest losses" if compared else "with the lowest overall"),
            (
                self.disagreeing,
                "with the widest differences" if compared else "on which rules and judge disagree most",
            ),
            (self.sampled, "drawn at random from the rest"),
        ]
        shown = ", ".join(f"{numbers.count(count)} {what}" for count, what in parts if count)
        return (
            f"{numbers.count(len(self.slots))} of {numbers.times(self.available, 'exchange')} are in this page: "
            f"{shown}. All figures above count every exchange; results.jsonl holds them all."
        )


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
    as_shown: Callable[[Result], Result] = lambda result: result
    """The result as the page shows it: with people's answers in the place of others."""
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
    readings: tuple["Reading", ...] = ()
    """Of every side, with the values of all its exchanges."""

    @property
    def held(self) -> str:
        """Says which exchanges the page holds; empty when it holds all of them."""
        return "" if self.selection is None else self.selection.sentence(compared=len(self.data["sides"]) > 1)


class Reading:
    """One side while it is read: a place for every planned exchange."""

    def __init__(self, side: Side, suite: Suite) -> None:
        summary = side.summary
        self.side = side
        self.suite = suite
        sources, weights = tuple(summary.metrics), summary.weights
        self.columns = Columns(suite, side.scenarios, side.repeats, sources, summary.judge_fallback, weights)
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

    def positions(self) -> Iterator[tuple[int, Position]]:
        """Every slot of the plan, and which exchange it is for."""
        for scenario, span in zip(self.side.scenarios, self.plan.spans, strict=True):
            for slot in range(span.start, span.stop):
                repeat, turn = divmod(slot - span.start, span.turns)
                yield slot, (scenario.id, repeat + 1, turn + 1)

    def histograms(self) -> tuple[Histogram, ...]:
        """The spread of every column that has a value."""
        return tuple(
            histogram(metric, source, self.columns.column(source, metric), self.suite.scale(source), summary)
            for source, table in self.side.summary.metrics.items()
            for metric, summary in table.items()
            if summary.estimate.n
        )


class Gathering:
    """Takes in the results of the sides; at most `most` exchanges of all of them together go into the page.

    Several sides are shown exchange by exchange, so that what is chosen is chosen for all of them: by the last one,
    the candidate.
    """

    def __init__(self, sides: Sequence[Side], suite: Suite, *, seed: int, most: int = MOST) -> None:
        self.sides = sides
        self._seed = seed
        self._most = most
        self._book = Book(suite, sides[-1].summary.source, _metrics(sides), [side.scenarios for side in sides])
        self._readings = [Reading(side, suite) for side in sides]
        self._whole = sum(reading.plan.size for reading in self._readings) <= most

    def read(self) -> None:
        """Takes in all results of all sides, read again."""
        for number, side in enumerate(self.sides):
            for result in side.results(None):
                self._add(number, result)

    def watch(self, results: Iterable[Result]) -> Iterator[Result]:
        """All results of the only side, taken in on their way to somebody else: a reading saved."""
        for result in results:
            self._add(0, result)
            yield result

    def finish(self) -> Gathered:
        """All that was taken in. Where not every exchange fits, the sides are read once more for the chosen ones."""
        selection = None if self._whole else self._choose()
        sides = [{"name": side.name, "run": side.run_id, "traces": side.trace_page} for side in self.sides]
        data = {**self._book.to_json(), "sides": sides}
        return Gathered(self._readings[-1].histograms(), selection, data, tuple(self._readings))

    def _add(self, number: int, result: Result) -> None:
        slot = self._readings[number].add(result)
        if self._whole:
            self._put(number, result, slot)

    def _put(self, number: int, result: Result, slot: int) -> None:
        trace = self.sides[number].trace_ids.get(result.exchange.cell, "")
        shown = self.sides[number].as_shown(result)
        reading = self._readings[number]
        self._book.add(number, shown, reading.overall[slot], reading.columns.at(slot), trace)

    def _choose(self) -> Selection | None:
        """Reads the chosen exchanges of every side into the page."""
        lead = self._readings[-1]
        ranks = _ranks(self._readings)
        shown = _critical_places(lead.side.summary)
        first = [slot for slot, position in lead.positions() if position in shown]
        most = self._most // len(self.sides)
        selection = select(lead.present, *ranks, first=first, seed=self._seed, most=most)
        slots = frozenset(lead.present) if selection is None else selection.slots
        wanted = {position for slot, position in lead.positions() if slot in slots}
        for number, side in enumerate(self.sides):
            for result in side.results(wanted):
                self._put(number, result, self._readings[number].plan.slot(result.exchange))
        return selection


def gather(sides: Sequence[Side], suite: Suite, *, seed: int, most: int = MOST) -> Gathered:
    """Reads from these sides everything that a page shows of them."""
    gathering = Gathering(sides, suite, seed=seed, most=most)
    gathering.read()
    return gathering.finish()


def _metrics(sides: Sequence[Side]) -> dict[Source, tuple[str, ...]]:
    """Source -> its metrics, of all sides together, in the order of the tables."""
    found: dict[Source, dict[str, None]] = {}
    for side in sides:
        for source, table in side.summary.metrics.items():
            found.setdefault(source, {}).update(dict.fromkeys(table))
    return {source: tuple(metrics) for source, metrics in found.items()}


def _critical_places(summary: Summary) -> set[Position]:
    """The exchanges that show how critical expectations stand that do not hold."""
    if summary.expectations is None:
        return set()
    critical = summary.expectations.critical
    return {
        (each.scenario_id, each.shown.repeat, each.shown.turn)
        for each in (*critical.items, *critical.waived)
        if each.shown is not None
    }


def _ranks(readings: Sequence[Reading]) -> tuple["array[float]", "array[float]"]:
    """The values to choose by: low overalls and wide gaps of rules and judge; of two sides low and wide differences."""
    lead = readings[-1]
    if len(readings) != 2:
        return lead.overall, lead.gaps
    base = {position: readings[0].overall[slot] for slot, position in readings[0].positions()}
    change = array("d", [math.nan]) * lead.plan.size
    width = array("d", [math.nan]) * lead.plan.size
    for slot, position in lead.positions():
        before, after = base.get(position, math.nan), lead.overall[slot]
        if is_value(before) and is_value(after):
            change[slot], width[slot] = after - before, abs(after - before)
    return change, width


def select(
    present: Sequence[int],
    weak: Sequence[float],
    apart: Sequence[float],
    *,
    first: Collection[int] = (),
    seed: int,
    most: int = MOST,
) -> Selection | None:
    """Chooses at most `most` of the slots in `present`; None when all of them fit.

    Those of `first` come first, up to a third of the room. `weak` and `apart` hold a value for each slot, or a mark:
    the lowest of the former and the highest of the latter are taken, a third each of the room that then remains. Up to
    a tenth of it goes to slots without a value in `weak` before them, and what is left to a random sample, the same for
    the same seed.
    """
    if len(present) <= most:
        return None
    chosen: set[int] = set()
    wanted = frozenset(first)
    critical = _take(chosen, (slot for slot in present if slot in wanted), most // 3)
    room = most - critical
    unscored = [slot for slot in present if slot not in chosen and not is_value(weak[slot])]
    not_scored = _take(chosen, sorted(unscored, key=lambda slot: _draw(seed, slot)), room // 10)
    scored = (slot for slot in present if slot not in chosen and is_value(weak[slot]))
    weakest = _take(chosen, heapq.nsmallest(room // 3, scored, key=lambda slot: (weak[slot], slot)), room // 3)
    differing = (slot for slot in present if slot not in chosen and is_value(apart[slot]))
    disagreeing = _take(chosen, heapq.nlargest(room // 3, differing, key=lambda slot: (apart[slot], -slot)), room // 3)
    rest = (slot for slot in present if slot not in chosen)
    left = most - len(chosen)
    sampled = _take(chosen, heapq.nsmallest(left, rest, key=lambda slot: _draw(seed, slot)), left)
    return Selection(frozenset(chosen), critical, not_scored, weakest, disagreeing, sampled, len(present))


def _take(chosen: set[int], slots: Iterable[int], room: int) -> int:
    before = len(chosen)
    for slot in slots:
        if len(chosen) - before >= room:
            break
        chosen.add(slot)
    return len(chosen) - before


def _draw(seed: int, slot: int) -> bytes:
    """A number that orders slots at random, the same on every machine."""
    return hashlib.blake2b(f"{seed}:{slot}".encode(), digest_size=8).digest()
