"""The plan of a run as slots: every planned exchange has a place, whether anything came of it or not."""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluation.errors import JournalError
from evaluation.records import Exchange, Scenario
from evaluation.statistics.clusters import MISSING, NOT_APPLICABLE, ScenarioScores, from_grid


class Span(NamedTuple):
    """The slots of one scenario: `repeats` cells of `turns` exchanges each, side by side."""

    cluster: str
    category: str
    start: int
    stop: int
    turns: int


class Plan:
    """Slots for scenario x repeat x turn, in plan order."""

    def __init__(self, scenarios: Sequence[Scenario], repeats: int) -> None:
        self.repeats = repeats
        self.spans: list[Span] = []
        self._places: dict[str, Span] = {}
        self._with_history = {scenario.id for scenario in scenarios if scenario.history}
        start = 0
        for scenario in scenarios:
            turns = len(scenario.turns)
            stop = start + repeats * turns
            span = self._places[scenario.id] = Span(scenario.cluster, scenario.category, start, stop, turns)
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
            from_grid(span.cluster, column[span.start : span.stop].tolist(), span.turns, low, high)
            for span in self.spans
        ]

    def by_category(self) -> Mapping[str, list[int]]:
        """Category -> positions in `spans`, categories in plan order."""
        found: dict[str, list[int]] = {}
        for position, span in enumerate(self.spans):
            found.setdefault(span.category, []).append(position)
        return found


def is_value(entry: float) -> bool:
    """True where a column holds a score, and not one of the two marks."""
    return entry < math.inf
