"""The tables of docs/statistics.md that are computed and not drawn."""

import math

from benchmarks.simulations.tables import Draws, Table
from evaluation.statistics.bound import situations_needed
from evaluation.statistics.power import clusters_needed, detectable

BETWEEN, WITHIN = 0.06, 0.14
"""Standard deviations of a difference: between scenarios, and of one repeat of both versions."""
REPEATS = (1, 3, 5, 10)
COLUMNS = [f"{repeats} repeat" + "s" * (repeats > 1) for repeats in REPEATS]


def error_of(situations: int, repeats: int) -> float:
    return math.sqrt((BETWEEN**2 + WITHIN**2 / repeats) / situations)


def detectable_differences(_: Draws) -> Table:
    rows = [
        [str(count), *(f"{detectable(error_of(count, repeats), count):.3f}" for repeats in REPEATS)]
        for count in (10, 20, 40, 60, 120, 250, 500)
    ]
    note = "Computed: the differences found in 80 of 100 comparisons, which is their power."
    return Table("Detectable differences", ["situations", *COLUMNS], rows, note)


def situations_for(_: Draws) -> Table:
    rows = [
        [f"{effect:.2f}", *(str(clusters_needed(effect, error_of(40, repeats), 40, least=10)) for repeats in REPEATS)]
        for effect in (0.01, 0.02, 0.03, 0.05, 0.10)
    ]
    note = "Computed: what finds the difference in 80 of 100 comparisons."
    return Table("Situations needed for a given difference", ["difference", *COLUMNS], rows, note)


def situations_of_gate(_: Draws) -> Table:
    rows = [
        [f"{margin:g}", *(str(situations_needed(margin, largest)) for largest in (0.2, 0.5, 1.0))]
        for margin in (0.01, 0.02, 0.05, 0.1)
    ]
    return Table(
        "Situations of one size that show a margin when none falls",
        ["margin", "largest fall 0.2", "0.5", "1.0"],
        rows,
        "Computed. With fewer an unchanged version passes only by gains; `opening` has the cost.",
    )
