"""Whole comparisons of simulated runs: calls of noise, coverage, and shifts that are found.

The process is that of tests/evaluation/statistics/test_simulation.py.
"""

from collections.abc import Sequence

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics.power import reach
from tests.evaluation.statistics.test_simulation import Process, trials

BLOCKS: Sequence[tuple[str, Sequence[int], Sequence[int]]] = (
    ("1 or 2", (1, 1, 1, 2), (10, 20, 40, 120)),
    ("1 to 3", (1, 2, 3), (10, 40, 120)),
    ("one in ten holds half of all scenarios", (9, 1, 1, 1, 1, 1, 1, 1, 1, 1), (10, 20, 40, 120)),
)


def cell(sizes: Sequence[int], clusters: int, seed: int, count: int) -> tuple[float, float, float, float]:
    """The MDE, and the shares called, covered and found."""
    process = Process(clusters, seed, sizes)
    noise = trials(process, count=count)
    effect = reach(clusters) * noise.mean_square_error**0.5
    found = trials(process, process.push_for(effect), count=count)
    return effect, noise.called, noise.covered / count, found.called


def whole_comparisons(draws: Draws) -> Table:
    count = draws.count(1_000)
    places = [(name, sizes, clusters) for name, sizes, several in BLOCKS for clusters in several]
    jobs = [(sizes, clusters, draws.cell("whole", name, clusters), count) for name, sizes, clusters in places]
    rows = []
    for (name, _, clusters), (effect, called, covered, found) in zip(places, spread(cell, jobs), strict=True):
        rows.append([name, str(clusters), f"{effect:.3f}", *map(percent, (called, covered, found))])
    return Table(
        "Whole comparisons",
        ["scenarios per situation", "situations", "MDE", "called %", "coverage %", "found %"],
        rows,
        f"Seed {draws.seed}, {count:,} trials a figure, standard error {error(count, 0.05)} points for called and "
        f"coverage and {error(count, 0.8)} for found, which is the power.",
    )
