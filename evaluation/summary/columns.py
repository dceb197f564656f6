"""The values of a run, column by column: one per source and metric, with a slot for every planned exchange."""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Literal, NamedTuple, TypeAlias

from evaluation.errors import JournalError
from evaluation.records import Exchange, Result, Scenario, Source
from evaluation.statistics.scenario_scores import MISSING, NOT_APPLICABLE, SampleWeight, ScenarioScores, from_grid
from evaluation.suites.suite import Suite
from evaluation.summary.weights import ScenarioWeights

SOURCES: tuple[Source, ...] = ("heuristic", "check", "judge", "combined", "human")
"""In the order of every table; measures stand apart."""
MEASURE: Source = "measure"

Key: TypeAlias = tuple[Source, str]
"""Source and metric."""

Fallback: TypeAlias = Literal["exclude", "include"]
"""The treatment of the rubric's stand-in for an unread verdict: outside the means, or part of them."""

DECIDING: tuple[Source, ...] = ("combined", "heuristic", "judge", "check", "human")
"""The first of these that a run has decides; without a combined score, rules decide before a judge on its scale."""


class Span(NamedTuple):
    """The slots of one scenario: `repeats` cells of `turns` exchanges each, side by side."""

    cluster: str
    category: str
    start: int
    stop: int
    turns: int
    sample: SampleWeight | None = None
    """None where all scenarios count alike."""


class Plan:
    """Slots for scenario x repeat x turn, in plan order."""

    def __init__(self, scenarios: Sequence[Scenario], repeats: int, weights: ScenarioWeights | None = None) -> None:
        self.repeats = repeats
        self.spans: list[Span] = []
        self._places: dict[str, Span] = {}
        self._with_history = {scenario.id for scenario in scenarios if scenario.history}
        start = 0
        for scenario in scenarios:
            turns = len(scenario.turns)
            stop = start + repeats * turns
            sample = None if weights is None else weights.of_scenario(scenario.id)
            span = self._places[scenario.id] = Span(scenario.cluster, scenario.category, start, stop, turns, sample)
            self.spans.append(span)
            start = stop
        self.size = start
        """Planned exchanges."""

    def slot(self, exchange: Exchange) -> int:
        """The place of an exchange, from 0. Raises JournalError for one that was never planned."""
        cell = exchange.cell
        span = self._places.get(cell.scenario_id)
        if span is None or not (1 <= cell.repeat <= self.repeats and 1 <= exchange.turn <= span.turns):
            raise JournalError(
                f"journal: scenario {cell.scenario_id!r}, repeat {cell.repeat}, turn {exchange.turn} is not in the "
                "run's plan: summarise with the scenarios and repeats that the run was made with"
            )
        return span.start + (cell.repeat - 1) * span.turns + exchange.turn - 1

    def blank(self, *, needs_context: bool) -> "array[float]":
        """A column of missing values; with `needs_context`, marked where there is no earlier conversation."""
        column = array("d", [MISSING]) * self.size
        if needs_context:
            for scenario_id, span in self._places.items():
                if scenario_id not in self._with_history:
                    for slot in range(span.start, span.stop, span.turns):
                        column[slot] = NOT_APPLICABLE
        return column

    def scores(self, column: "array[float]", low: float, high: float) -> list[ScenarioScores]:
        """A column, scenario by scenario, in the order of `spans`."""
        return [
            from_grid(span.cluster, column[span.start : span.stop].tolist(), span.turns, low, high, span.sample)
            for span in self.spans
        ]

    def weighted(self, weights: ScenarioWeights) -> "Plan":
        """The same slots, each scenario with its weight."""
        found = copy(self)
        ids = self._places
        found.spans = [
            span._replace(sample=weights.of_scenario(name)) for name, span in zip(ids, self.spans, strict=True)
        ]
        return found

    def by_category(self) -> Mapping[str, list[int]]:
        """Category -> positions in `spans`, categories in plan order."""
        found: dict[str, list[int]] = {}
        for position, span in enumerate(self.spans):
            found.setdefault(span.category, []).append(position)
        return found


def is_value(entry: float) -> bool:
    """True where a column holds a score, and not one of the two marks."""
    return entry < math.inf


class Columns:
    """Filled result by result, in any order; a place that stays empty is a missing value.

    `scenarios` and `repeats` are the plan; `sources` are those that it plans for (heuristic, judge, combined; heuristic
    alone without a judge): their columns are there even when no value comes of them. `weights` are what each scenario
    stands for; without them all count alike.
    """

    def __init__(
        self,
        suite: Suite,
        scenarios: Sequence[Scenario],
        repeats: int,
        sources: Sequence[Source],
        judge_fallback: Fallback = "exclude",
        weights: ScenarioWeights | None = None,
    ) -> None:
        self.suite = suite
        self.scenarios = tuple(scenarios)
        self.weights = weights
        self.plan = Plan(scenarios, repeats, weights)
        self.source = deciding_source(sources)
        self.judge_fallback = judge_fallback
        self._seen = bytearray(self.plan.size)
        self._columns: dict[Key, array[float]] = {}
        for planned in sources:
            for metric in suite.metrics_of(planned) if planned in (suite.rules, "check") else (suite.overall,):
                self.column(planned, metric)

    def add(self, result: Result) -> tuple[int, float | None]:
        """Takes in one result's scores; returns its slot, and its overall under the deciding source.

        Raises JournalError for a result that is not in the plan or comes twice.
        """
        slot = self.plan.slot(result.exchange)
        if self._seen[slot]:
            cell = result.exchange.cell
            raise JournalError(
                f"journal: scenario {cell.scenario_id!r}, repeat {cell.repeat}, turn {result.exchange.turn} has two "
                "results: read the latest of each exchange only"
            )
        self._seen[slot] = 1
        without_context = self.suite.context_metrics if not result.exchange.context else frozenset()
        unread = result.verdict is not None and not result.verdict.parsed
        for score in result.scores:
            column = self._columns.get((score.source, score.metric))
            if column is None:
                column = self.column(score.source, score.metric)
            if not score.applicable or score.metric in without_context:
                column[slot] = NOT_APPLICABLE
            elif score.value is not None and not (unread and score.source in ("judge", "combined")):
                column[slot] = score.value
        if unread and self.judge_fallback == "include":
            self._stand_in(result, slot)
        value = self.column(self.source, self.suite.overall)[slot]
        return slot, value if is_value(value) else None

    def in_order(self) -> Iterator[tuple[Key, "array[float]"]]:
        """Column after column: in the order of SOURCES, the suite's metrics first."""
        for key in sorted((key for key in self._columns if key[0] != MEASURE), key=table_order(self.suite)):
            yield key, self._columns[key]

    def at(self, slot: int) -> dict[Key, float]:
        """Everything but measures that stands in one slot: values and marks."""
        return {key: column[slot] for key, column in self._columns.items() if key[0] != MEASURE}

    def weighted(self, weights: ScenarioWeights) -> "Columns":
        """The same values, each scenario with its weight; nothing is to be added to it."""
        found = copy(self)
        found.weights, found.plan = weights, self.plan.weighted(weights)
        return found

    def measures(self) -> Iterator[tuple[str, list[ScenarioScores]]]:
        """The suite's measures. Their scales are their own, so that what is missing has no bounds."""
        for name in self.suite.measures:
            yield name, self.plan.scores(self.column(MEASURE, name), 0.0, 0.0)

    def column(self, source: Source, metric: str) -> "array[float]":
        key = (source, metric)
        if key not in self._columns:
            self._columns[key] = self.plan.blank(needs_context=metric in self.suite.context_metrics)
        return self._columns[key]

    def _stand_in(self, result: Result, slot: int) -> None:
        """The rubric's stand-in as every value that the judge was asked for, and the combined ones made with it."""
        fallback = result.verdict.fallback if result.verdict is not None else None
        if fallback is None:
            return
        asked = {score.metric for score in result.scores if score.source == "judge" and score.applicable}
        for metric in asked | {self.suite.overall}:
            self.column("judge", metric)[slot] = fallback
            rules = self.column("heuristic", metric)[slot]
            if is_value(rules):
                self.column("combined", metric)[slot] = (rules + fallback) / 2


def deciding_source(sources: Iterable[Source]) -> Source:
    """The one of a run's sources that decides: combined when there is a judge to combine with, else the rules."""
    planned = set(sources)
    return next((source for source in DECIDING if source in planned), "heuristic")


def table_order(suite: Suite) -> Callable[[Key], tuple[int, int, str]]:
    """The sort key of (source, metric) in every table: sources as in SOURCES, the suite's metrics before others."""
    places = {source: {name: place for place, name in enumerate(suite.metrics_of(source))} for source in SOURCES}

    def order(key: Key) -> tuple[int, int, str]:
        source, metric = key
        return SOURCES.index(source), places[source].get(metric, len(places[source])), metric

    return order
