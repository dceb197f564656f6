"""How far the repeats of a scenario lie apart on the deciding overall: what one playing of it is worth."""

import heapq
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.statistics.clusters import average, percentile
from evaluation.summary.columns import Columns, Span, is_value

MOST = 100
"""Scenarios that are kept, the widest first."""
ALIKE = 1e-9
"""Values that differ by less are the same but for rounding."""


@dataclass(frozen=True, slots=True)
class ScenarioRepeats:
    """The repeats of one scenario."""

    scenario_id: str
    values: tuple[float | None, ...]
    """Of each repeat the mean over its turns; None where no turn has a value."""
    lowest: tuple[int, int]
    """Repeat and turn of the lowest response in the lowest repeat, from 1."""

    @property
    def known(self) -> list[float]:
        """The values, lowest first."""
        return sorted(value for value in self.values if value is not None)

    @property
    def width(self) -> float:
        """From the lowest to the highest."""
        return self.known[-1] - self.known[0]


@dataclass(frozen=True, slots=True)
class Repeats:
    """The scenarios of a run by how far their repeats lie apart."""

    scenarios: tuple[ScenarioRepeats, ...]
    """The widest first, at most `MOST`; equal ones in plan order. Without those whose repeats are all alike."""
    counted: int
    """Scenarios that have values in two repeats or more."""
    alike: int
    """Those of them whose repeats all have the same value."""
    median: float
    """Half of the scenarios counted have a width of at most this."""


def compare_repeats(columns: Columns) -> Repeats | None:
    """The spread of repeats over every scenario; None where none has values in two repeats."""
    column = columns.column(columns.source, columns.suite.overall)
    widths = array("d")

    def apart() -> Iterator[ScenarioRepeats]:
        for scenario, span in zip(columns.scenarios, columns.plan.spans, strict=True):
            found = _repeats(scenario.id, span, column[span.start : span.stop])
            if found is not None:
                widths.append(found.width)
                if found.width > ALIKE:
                    yield found

    widest = heapq.nlargest(MOST, apart(), key=lambda each: each.width)
    if not widths:
        return None
    alike = sum(width <= ALIKE for width in widths)
    return Repeats(tuple(widest), len(widths), alike, percentile(sorted(widths), 0.5))


def _repeats(scenario_id: str, span: Span, values: Sequence[float]) -> ScenarioRepeats | None:
    cells = [values[start : start + span.turns] for start in range(0, len(values), span.turns)]
    known = [[value for value in cell if is_value(value)] for cell in cells]
    means = tuple(average(cell) if cell else None for cell in known)
    if sum(mean is not None for mean in means) < 2:
        return None
    _, repeat = min((mean, place) for place, mean in enumerate(means) if mean is not None)
    turn = min(range(span.turns), key=lambda place: (not is_value(cells[repeat][place]), cells[repeat][place]))
    return ScenarioRepeats(scenario_id, means, (repeat + 1, turn + 1))
