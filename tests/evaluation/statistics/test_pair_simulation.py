"""The tables of docs on head to head: intervals that hold the truth, and judges that are caught."""

import re

import pytest

from benchmarks.simulations.__main__ import TABLES
from benchmarks.simulations.tables import Draws
from tests.pages import text_of

TRIALS = 500
CARE = 3.0
"""Three standard errors of a share of 95% over so many trials, in percentage points."""


def test_the_tables_stand_in_the_documents() -> None:
    for name, page in (("pairs", "docs/statistics.md"), ("pair-judges", "docs/judge.md")):
        assert re.search(rf"<!-- simulated: {name}, seed \d+ -->", text_of(page)), name


@pytest.mark.long
def test_the_intervals_of_both_win_rates_hold_the_truth() -> None:
    for name, _, *cells in TABLES["pairs"](Draws(1, TRIALS)).rows:
        for cell in cells:
            plain, equal = (float(figure) for figure in re.findall(r"\d+\.\d", cell)[:2])
            assert 93 - CARE <= plain <= 97 + CARE, (name, cell)
            assert 93 - CARE <= equal <= 97 + CARE, (name, cell)


@pytest.mark.slow
def test_judges_of_one_habit_are_caught_and_honest_ones_are_not() -> None:
    for name, percent, asked in TABLES["pair-judges"](Draws(1, 200)).rows:
        if asked.startswith("blamed"):
            assert float(percent) <= 4, name
        elif asked:
            assert float(percent) >= 95, name
