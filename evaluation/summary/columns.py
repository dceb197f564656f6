"""The values of a run, column by column: one per source and metric, with a place for every planned exchange."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from evaluation.errors import JournalError
from evaluation.records import Result, Source
from evaluation.statistics.clusters import NOT_APPLICABLE, ScenarioScores
from evaluation.statistics.plan import Plan, is_value
from evaluation.suites.suite import Suite

SOURCES: tuple[Source, ...] = ("heuristic", "check", "judge", "combined", "human")
"""In the order of every table; measures stand apart."""
MEASURE: Source = "measure"

Fallback: TypeAlias = Literal["exclude", "include"]
"""The treatment of the rubric's stand-in for an unread verdict: outside the means, or part of them."""


class Columns:
    """Filled result by result, in any order; a place that stays empty is a missing value."""

    def __init__(
        self, plan: Plan, suite: Suite, sources: Sequence[Source], source: Source, judge_fallback: Fallback
    ) -> None:
        self._plan = plan
        self._suite = suite
        self._source = source
        self._include = judge_fallback == "include"
        self._seen = bytearray(plan.size)
        self._columns: dict[tuple[Source, str], array[float]] = {}
        for planned in sources:
            for metric in suite.metrics_of(planned) if planned in (suite.rules, "check") else (suite.overall,):
                self.column(planned, metric)

    def add(self, result: Result, slot: int) -> float | None:
        """Takes in one result's scores; returns its overall under the deciding source."""
        if self._seen[slot]:
            cell = result.exchange.cell
            raise JournalError(
                f"journal: scenario {cell.scenario_id!r}, repeat {cell.repeat}, turn {result.exchange.turn} has two "
                "results: read the latest of each exchange only"
            )
        self._seen[slot] = 1
        without_context = self._suite.context_metrics if not result.exchange.context else frozenset()
        unread = result.verdict is not None and not result.verdict.parsed
        for score in result.scores:
            column = self._columns.get((score.source, score.metric))
            if column is None:
                column = self.column(score.source, score.metric)
            if not score.applicable or score.metric in without_context:
                column[slot] = NOT_APPLICABLE
            elif score.value is not None and not (unread and score.source in ("judge", "combined")):
                column[slot] = score.value
        if unread and self._include:
            self._stand_in(result, slot)
        value = self.column(self._source, self._suite.overall)[slot]
        return value if is_value(value) else None

    def scored(self) -> Iterator[tuple[Source, str, list[ScenarioScores]]]:
        """Column after column, scenario by scenario: in the order of SOURCES, the suite's metrics first."""
        keys = [key for key in self._columns if key[0] != MEASURE]
        for source, metric in sorted(keys, key=table_order(self._suite)):
            yield source, metric, self._plan.scores(self._columns[source, metric], *self._suite.scale(source))

    def measured(self) -> Iterator[tuple[str, list[ScenarioScores]]]:
        """The suite's measures. Their scales are their own, so that what is missing has no bounds."""
        for name in self._suite.measures:
            yield name, self._plan.scores(self.column(MEASURE, name), 0.0, 0.0)

    def column(self, source: Source, metric: str) -> "array[float]":
        key = (source, metric)
        if key not in self._columns:
            self._columns[key] = self._plan.blank(needs_context=metric in self._suite.context_metrics)
        return self._columns[key]

    def _stand_in(self, result: Result, slot: int) -> None:
        """The rubric's stand-in as every value that the judge was asked for, and the combined ones made with it."""
        fallback = result.verdict.fallback if result.verdict is not None else None
        if fallback is None:
            return
        asked = {score.metric for score in result.scores if score.source == "judge" and score.applicable}
        for metric in asked | {self._suite.overall}:
            self.column("judge", metric)[slot] = fallback
            rules = self.column("heuristic", metric)[slot]
            if is_value(rules):
                self.column("combined", metric)[slot] = (rules + fallback) / 2


def table_order(suite: Suite) -> Callable[[tuple[Source, str]], tuple[int, int, str]]:
    """The sort key of (source, metric) in every table: sources as in SOURCES, the suite's metrics before others."""
    places = {source: {name: place for place, name in enumerate(suite.metrics_of(source))} for source in SOURCES}

    def order(key: tuple[Source, str]) -> tuple[int, int, str]:
        source, metric = key
        return SOURCES.index(source), places[source].get(metric, len(places[source])), metric

    return order
