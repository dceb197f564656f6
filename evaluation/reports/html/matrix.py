"""The matrix of scenarios by runs: the mean of each scenario under each run, as the page's script reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from evaluation.records import Json, Scenario
from evaluation.reports.html.figures import heat
from evaluation.reports.html.gathering import Gathered, Reading
from evaluation.suites.suite import Suite
from evaluation.summary.scenario_means import scenario_means

DECIMALS = 4
MOST = 3000
"""Scenarios in a matrix: the first in the plan."""
MOST_PLAIN = 40
"""Scenarios up to which the matrix stands in the page as a table too, for readers without a script."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One scenario."""

    scenario: Scenario
    cells: tuple[tuple[float, int] | None, ...]
    """For each run the mean and its colour; None where the run has no value."""


def matrix_rows(readings: Sequence[Reading], suite: Suite) -> list[MatrixRow]:
    """A row for every scenario on which any run has a value, of the first `MOST` in the plan."""
    planned = chain.from_iterable(each.side.scenarios for each in readings)
    scenarios: dict[str, Scenario] = {}
    for scenario in planned:
        if len(scenarios) < MOST:
            scenarios.setdefault(scenario.id, scenario)
    found = [scenario_means(each.columns, each.columns.source, suite.overall) for each in readings]
    means = [{name: mean for name, mean in of_run if name in scenarios} for of_run in found]
    sources = [each.columns.source for each in readings]

    def cell(run: int, name: str) -> tuple[float, int] | None:
        value, rule = means[run].get(name), suite.decision
        return None if value is None else (value, heat(value, suite.scale(sources[run]), rule))

    rows = [
        MatrixRow(scenario, tuple(cell(run, name) for run in range(len(readings))))
        for name, scenario in scenarios.items()
    ]
    return [row for row in rows if any(each is not None for each in row.cells)]


def matrix_data(rows: Sequence[MatrixRow], gathered: Gathered) -> list[Json]:
    """The rows for the script: [place of the scenario in the page's data, or [id, category], [[mean, colour] or null]].

    A scenario of which the page holds no response has no place there.
    """
    known = gathered.data["scenarios"]
    places: Mapping[str, int] = {each["id"]: place for place, each in enumerate(known)}
    return [
        [
            places.get(row.scenario.id, [row.scenario.id, row.scenario.category]),
            [None if each is None else [round(each[0], DECIMALS), each[1]] for each in row.cells],
        ]
        for row in rows
    ]
