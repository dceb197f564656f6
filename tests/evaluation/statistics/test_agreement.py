"""Kappa and alpha against published examples and values worked out by hand."""

import math
import random
import subprocess
import sys
from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from evaluation.statistics.agreement import (
    Level,
    PairedValues,
    _weighted_alpha,
    _weighted_kappa,
    krippendorff_alpha,
    mean_figure,
    paired_figures,
    quadratic_kappa,
    spearman_figure,
)
from evaluation.statistics.resamples import Figure, weighted_correlation, weighted_ranks

FOUR_OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section D: twelve units, gaps as dots."""

COHEN_1968 = ((88, 14, 18), (10, 40, 10), (2, 6, 12))
"""Cohen (1968), "Weighted kappa": two psychiatrists, three diagnoses, 200 patients; proportions .44, .07, .09, ..."""


def units_of(rows: Sequence[str]) -> list[list[float]]:
    return [[float(value) for value in unit if value != "."] for unit in zip(*map(str.split, rows), strict=True)]


def columns_of(table: Sequence[Sequence[int]]) -> tuple[list[float], list[float]]:
    cells = [(float(a), float(b)) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in cells], [b for _, b in cells]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(level: Level, published: float) -> None:
    assert krippendorff_alpha(units_of(FOUR_OBSERVERS), level) == pytest.approx(published, abs=5e-4)


def test_alpha_by_hand() -> None:
    """Units (1,1), (1,2): observed 2 of 4 ordered values differ: 2/4. Expected: 3 ones, 1 two: 2*3*1/(4*3) = 1/2."""
    assert krippendorff_alpha([[1, 1], [1, 2]], "nominal") == pytest.approx(0)
    # Interval, values 0, 0, 0, 4 and 4, 4: observed (16 + 16) / 6, expected 2 * 6 * 24 / (6 * 5) = 9.6.
    assert krippendorff_alpha([[0, 0], [0, 4], [4, 4]], "interval") == pytest.approx(1 - (32 / 6) / 9.6)


def test_alpha_at_its_ends() -> None:
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]], "ordinal") == 1
    opposed = krippendorff_alpha([[0, 1], [1, 0]], "nominal")
    assert opposed == pytest.approx(-0.5), "two categories, always opposed: 1 - 1 / (2/3)"


@pytest.mark.parametrize("units", [[], [[1.0]], [[1.0], [2.0]], [[2.0, 2.0], [2.0, 2.0]]])
@pytest.mark.parametrize("level", get_args(Level))
def test_alpha_says_nothing_where_nothing_was_distinguished(units: list[list[float]], level: Level) -> None:
    assert krippendorff_alpha(units, level) is None


def test_a_unit_with_one_value_changes_nothing() -> None:
    units = units_of(FOUR_OBSERVERS)
    assert krippendorff_alpha([*units, [99.0]], "interval") == krippendorff_alpha(units, "interval")


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=4), min_size=2, max_size=8))
def test_alpha_is_that_of_the_coincidence_matrix(units: list[list[int]]) -> None:
    """The definition: disagreements over all ordered pairs, each unit's weighted by 1 / (m - 1)."""
    values = [value for unit in units for value in unit]
    found = krippendorff_alpha(units, "interval")
    if len(set(values)) < 2:
        assert found is None
        return
    total = len(values)
    observed = sum(sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units) / total
    expected = sum((a - b) ** 2 for a in values for b in values) / (total * (total - 1))
    assert found == pytest.approx(1 - observed / expected, abs=1e-9)


def test_kappa_of_cohens_table() -> None:
    """By hand: observed (40 * 1 + 20 * 4) / 200 = 0.6; chance from the marginals (.6 .3 .1), (.5 .3 .2): 1.1."""
    first, second = columns_of(COHEN_1968)
    assert quadratic_kappa(first, second) == pytest.approx(1 - 0.6 / 1.1)


def test_kappa_of_two_categories_is_cohens_unweighted() -> None:
    """The common grant-proposal example: 20 and 15 agreed, 5 and 10 not: (0.7 - 0.5) / (1 - 0.5) = 0.4."""
    assert quadratic_kappa(*columns_of(((20, 5), (10, 15)))) == pytest.approx(0.4)


def test_kappa_at_its_ends() -> None:
    assert quadratic_kappa([0, 1, 2], [0, 1, 2]) == 1
    assert quadratic_kappa([0, 2], [2, 0]) == -1
    assert quadratic_kappa([0, 1, 2], [1, 1, 1]) == 0, "a column that never varies agrees as chance does"


@pytest.mark.parametrize("column", [[], [3.0], [3.0, 3.0]])
def test_kappa_says_nothing_where_nothing_was_distinguished(column: list[float]) -> None:
    assert quadratic_kappa(column, column) is None


def test_kappa_wants_pairs() -> None:
    with pytest.raises(ValueError, match="1 and 2 values"):
        quadratic_kappa([1], [1, 2])


def test_kappa_is_that_of_the_table() -> None:
    """Weights (i - j)^2 over the observed and the expected cells, as the definition has them."""
    chosen = random.Random(3)
    first = [float(chosen.randrange(5)) for _ in range(60)]
    second = [min(4.0, max(0.0, value + chosen.choice((-1, 0, 0, 1)))) for value in first]
    observed = math.fsum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / 60
    expected = math.fsum((a - b) ** 2 for a in first for b in second) / 3600
    assert quadratic_kappa(first, second) == pytest.approx(1 - observed / expected)


def columns(tool: list[float], people: list[float], clusters: list[str] | None = None) -> PairedValues:
    tool_band, people_band = ([float(round(value * 4)) for value in side] for side in (tool, people))
    return PairedValues(tool, people, tool_band, people_band, clusters or [str(number) for number in range(len(tool))])


def related(count: int, clusters: int, seed: int = 1) -> PairedValues:
    chosen = random.Random(seed)
    people = [chosen.choice((0.0, 0.5, 1.0)) for _ in range(count)]
    tool = [0.5 * value + 0.5 * chosen.random() for value in people]
    return columns(tool, people, [str(number % clusters) for number in range(count)])


def test_the_values_by_hand() -> None:
    """Differences 0.1, -0.2, 0.1, 0.4; ranks 1 2 3 4 against 1 3 2 4: Spearman 1 - 6 * 2 / (4 * 15) = 0.8."""
    found = paired_figures(columns([0.1, 0.3, 0.4, 1.0], [0.0, 0.5, 0.3, 0.6]), seed=0)
    assert (found.n, found.clusters) == (4, 4)
    assert found.spearman.value == pytest.approx(0.8)
    assert found.mae.value == pytest.approx(0.2)
    assert found.bias.value == pytest.approx(0.1)


def test_weighted_figures_are_those_of_the_rows_that_were_drawn() -> None:
    """A weight of 3 must count as three rows, ties included: scipy is asked about the rows themselves."""
    chosen = np.random.default_rng(5)
    x, y = chosen.integers(0, 5, 40).astype(float), chosen.integers(0, 4, 40).astype(float)
    weights = chosen.integers(0, 4, (6, 40)).astype(float)
    ranks = [weighted_ranks(weights, values) for values in (x, y)]
    rank_correlations = weighted_correlation(weights, *ranks)
    correlations = weighted_correlation(weights, x, y)
    kappas = _weighted_kappa(weights, x, y)
    for number, row in enumerate(weights.astype(int)):
        drawn_x, drawn_y = np.repeat(x, row), np.repeat(y, row)
        assert rank_correlations[number] == pytest.approx(spearmanr(drawn_x, drawn_y).statistic)
        assert correlations[number] == pytest.approx(pearsonr(drawn_x, drawn_y).statistic)
        assert kappas[number] == pytest.approx(quadratic_kappa(drawn_x.tolist(), drawn_y.tolist()))


def test_the_same_seed_gives_the_same_intervals_and_another_does_not() -> None:
    sample = related(60, 20)
    assert paired_figures(sample, seed=4) == paired_figures(sample, seed=4)
    assert paired_figures(sample, seed=4).spearman.ci95 != paired_figures(sample, seed=5).spearman.ci95


def test_an_interval_lies_around_its_value() -> None:
    found = paired_figures(related(200, 40), seed=0)
    for figure in (found.spearman, found.pearson, found.mae, found.bias, found.kappa):
        assert figure.value is not None
        assert figure.ci95 is not None
        assert figure.ci95[0] < figure.value < figure.ci95[1]


@pytest.mark.slow
def test_rows_that_repeat_within_clusters_do_not_narrow_the_interval() -> None:
    """Every row ten times in its cluster is no new knowledge; as clusters of their own they pretend to be."""
    once = related(30, 30)
    tool, people = list(once.tool) * 10, list(once.people) * 10
    same = paired_figures(columns(tool, people, list(once.clusters) * 10), seed=0).spearman.ci95
    apart = paired_figures(columns(tool, people), seed=0).spearman.ci95
    alone = paired_figures(once, seed=0).spearman.ci95
    assert same is not None
    assert apart is not None
    assert alone is not None
    assert same == pytest.approx(alone, abs=0.02)
    assert apart[1] - apart[0] < 0.5 * (same[1] - same[0])


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Unrelated columns in 40 clusters of shared level: 0 lies inside 95% of the time, give or take."""
    chosen = random.Random(11)
    inside = 0
    for _ in range(100):
        levels = [(chosen.gauss(0, 1), chosen.gauss(0, 1)) for _ in range(40)]
        tool = [level + chosen.gauss(0, 1) for level, _ in levels for _ in range(3)]
        people = [level + chosen.gauss(0, 1) for _, level in levels for _ in range(3)]
        sample = columns(tool, people, [str(number) for number in range(40) for _ in range(3)])
        ends = paired_figures(sample, seed=2, resamples=200).spearman.ci95
        assert ends is not None
        inside += ends[0] <= 0 <= ends[1]
    assert 85 <= inside <= 100


POOR = [
    ([], []),
    ([0.5], [0.5]),
    ([0.1, 0.9], [0.2, 0.8]),
    ([0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.5]),
    ([0.1, 0.2, 0.3, 0.4, 0.5], [0.5] * 5),
    ([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], [0.0, 1.0, 0.0, 1.0]),
]


@pytest.mark.parametrize(("tool", "people"), POOR)
def test_poor_samples_have_no_correlation_and_still_an_error(tool: list[float], people: list[float]) -> None:
    found = paired_figures(columns(tool, people), seed=0)
    assert found.n == len(tool)
    assert found.spearman == found.pearson == Figure(None)
    assert (found.mae.value is None) == (not tool)


def test_one_conversation_has_no_interval() -> None:
    found = paired_figures(columns([0.1, 0.2, 0.3], [0.1, 0.3, 0.2], ["a"] * 3), seed=0)
    assert found.spearman.value == pytest.approx(0.5)
    assert found.spearman.ci95 is None
    assert found.bias.ci95 is None


def test_a_column_that_varies_in_one_row_alone_has_no_interval() -> None:
    """More than a third of the resamples miss that row: the correlation exists too rarely to speak of an interval."""
    found = paired_figures(columns([0.0] * 9 + [1.0], [number / 10 for number in range(10)]), seed=0)
    assert found.spearman.value is not None
    assert found.spearman.ci95 is None


def test_a_mean_with_its_interval() -> None:
    found = mean_figure([0.0, 1.0] * 50, [str(number) for number in range(100)], seed=0)
    assert found.value == 0.5
    assert found.ci95 is not None
    assert found.ci95 == pytest.approx((0.4, 0.6), abs=0.02), "0.5 +- 1.96 * 0.05"
    assert mean_figure([], [], seed=0) == Figure(None)
    assert mean_figure([1.0], ["a"], seed=0) == Figure(1.0)


def test_a_large_sample_is_drawn_in_parts_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = paired_figures(related(50, 25), seed=9, resamples=300).spearman
    monkeypatch.setattr("evaluation.statistics.resamples.CHUNK", 50 * 7)
    parts = paired_figures(related(50, 25), seed=9, resamples=300).spearman
    assert whole.ci95 is not None
    assert parts.ci95 == pytest.approx(whole.ci95, abs=1e-12)


@pytest.mark.slow
def test_importing_loads_neither_numpy_nor_scipy() -> None:
    code = "import evaluation.calibration.calibrate, evaluation.metrics.scoring, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "scipy"} & set(loaded) == set()


def test_the_weighted_alpha_is_that_of_rows_that_really_repeat() -> None:
    chosen = random.Random(3)
    first, second = ([float(chosen.randrange(4)) for _ in range(15)] for _ in range(2))
    weights = [chosen.randrange(4) for _ in range(15)]
    repeated = [
        pair for pair, times in zip(zip(first, second, strict=True), weights, strict=True) for _ in range(times)
    ]
    found = _weighted_alpha(np.array([weights], dtype=float), np.array(first), np.array(second))
    assert found[0] == pytest.approx(krippendorff_alpha(repeated, "ordinal"))


def test_the_rank_correlation_alone_is_that_of_all_figures() -> None:
    given = related(60, 12)
    alone = spearman_figure(given.tool, given.people, given.clusters, seed=3, resamples=200)
    assert alone == paired_figures(given, seed=3, resamples=200).spearman
    assert spearman_figure([1.0] * 5, [1.0, 2.0, 3.0, 4.0, 5.0], list("abcde"), seed=3) == Figure(None)
