"""Rubrics beside each other, beside the length, and within bots, against figures worked out by other means."""

import math
import re

import pytest

from evaluation.calibration.ratings import WORDS, RatedUnit, ScoreKey
from evaluation.calibration.spread import measure_spread
from evaluation.calibration.validity import (
    Pair,
    RatedSet,
    bot_by,
    measure_pairs,
    measure_validity,
    metrics_for,
    parse_pairs,
)
from evaluation.errors import ParseError
from evaluation.metrics.explained import Explained, Term
from evaluation.records import Finding
from evaluation.statistics.agreement import rank_figures

PEOPLE = [1.0, 2.0, 3.0, 4.0, 5.0, 3.0]
TOOL = [0.1, 0.4, 0.3, 0.8, 0.9, 0.5]
BASE = [0.5, 0.5, 0.6, 0.4, 0.7, 0.5]
WORD_COUNTS = [3.0, 9.0, 4.0, 8.0, 12.0, 7.0]
CLUSTERS = ["a", "a", "b", "b", "c", "c"]


def test_rank_figures_are_scipys_and_the_partial_one_is_that_of_residuals_of_ranks() -> None:
    import numpy as np
    from scipy.stats import pearsonr, rankdata, spearmanr

    found = rank_figures(TOOL, BASE, WORD_COUNTS, PEOPLE, CLUSTERS, seed=1, resamples=50)
    rho = {
        name: float(spearmanr(side, PEOPLE).statistic) for name, side in (("t", TOOL), ("b", BASE), ("l", WORD_COUNTS))
    }
    assert found.tool.value == pytest.approx(rho["t"])
    assert found.base.value == pytest.approx(rho["b"])
    assert found.length.value == pytest.approx(rho["l"])
    assert found.above_base.value == pytest.approx(rho["t"] - rho["b"])
    assert found.above_length.value == pytest.approx(rho["t"] - rho["l"])
    tool, people, words = (rankdata(side) for side in (TOOL, PEOPLE, WORD_COUNTS))
    rest = [side - np.polyval(np.polyfit(words, side, 1), words) for side in (tool, people)]
    assert found.given_length.value == pytest.approx(float(pearsonr(*rest).statistic))


def test_differences_are_taken_over_the_same_resamples() -> None:
    same = rank_figures(TOOL, TOOL, WORD_COUNTS, PEOPLE, CLUSTERS, seed=3, resamples=200)
    assert same.above_base.ci95 == (0.0, 0.0)
    assert same.tool == same.base


@pytest.mark.parametrize("tool", [[0.5] * 6, []])
def test_what_does_not_vary_has_no_figure(tool: list[float]) -> None:
    n = len(tool)
    found = rank_figures(tool, BASE[:n], WORD_COUNTS[:n], PEOPLE[:n], CLUSTERS[:n], seed=1, resamples=20)
    assert found.tool.value is None
    assert found.above_length.value is None
    assert found.given_length.value is None


def unit(number: int, bot: str) -> RatedUnit:
    scores: dict[ScoreKey, float] = {("heuristic", "warmth"): (number * 7) % 5 / 10, WORDS: float(number % 3)}
    rating = float((number * 7) % 5 if bot == "up" else -((number * 7) % 5))
    return RatedUnit(f"x-{number}-{bot}", f"c{number % 4}", "turn", scores, {"kind": rating})


def test_correlations_within_bots_see_each_bot_alone() -> None:
    units = [unit(number, bot) for bot in ("up", "down") for number in range(12)]
    rated = RatedSet("set", units, {each.id: each.scores for each in units})
    (row,) = measure_validity(rated, (Pair(dimension="kind", metric="warmth"),), "all", bot_by(r"-(\w+)$"), seed=1)
    assert (row.n, row.clusters, row.bots) == (24, 4, 2)
    assert row.within_bots == pytest.approx(0.0)  # +1 among one bot's answers, -1 among the other's
    (one,) = measure_validity(
        RatedSet("set", units[:12], rated.base),
        (Pair(dimension="kind", metric="warmth"),),
        "all",
        bot_by("(up)"),
        seed=1,
    )
    assert one.within_bots == pytest.approx(1.0)


def test_a_unit_without_a_score_of_both_rubrics_is_left_out() -> None:
    units = [unit(number, "up") for number in range(12)]
    rated = RatedSet("set", units, {each.id: each.scores for each in units[:9]})
    (row,) = measure_validity(rated, (Pair(dimension="kind", metric="warmth"),), "all", bot_by(""), seed=1)
    assert (row.n, row.bots, row.within_bots) == (9, 0, None)


def test_which_of_two_is_better() -> None:
    better = RatedUnit("a", "g", "pair", {("heuristic", "all"): 0.7, WORDS: 3.0}, {"preference": 1.0})
    worse = RatedUnit("b", "g", "pair", {("heuristic", "all"): 0.4, WORDS: 9.0}, {"preference": 0.0})
    base: dict[ScoreKey, float] = {("heuristic", "all"): 0.5}
    (row,) = measure_pairs(RatedSet("set", [better, worse], {"a": base, "b": base}), (), "all", seed=1, resamples=20)
    assert [side.accuracy.value for side in (row.rubric, row.base, row.length)] == [1.0, 0.5, 0.0]


def test_a_dimension_has_the_metrics_chosen_for_its_data_and_else_the_overall() -> None:
    pairs = parse_pairs("pairs: [{data: one, dimension: kind, metric: warmth}]", "pairs.yaml")
    assert metrics_for("one.dev", "kind", pairs, "all") == ("warmth",)
    assert metrics_for("two.dev", "kind", pairs, "all") == ("all",)


def test_wrong_pairs_and_patterns_are_refused() -> None:
    with pytest.raises(ParseError, match="did you mean 'metric'"):
        parse_pairs("pairs: [{dimension: kind, metrik: warmth}]", "pairs.yaml")
    with pytest.raises(re.error):
        bot_by("(")


def test_the_spread_counts_exchanges_in_which_a_cue_was_found() -> None:
    found = (Finding("is", "response", 0, 2, "is"),)
    still, moved = (
        Explained(0.5, (Term(0.5, "base"),), ""),
        Explained(0.7, (Term(0.5, "base"), Term(0.2, "x", found)), ""),
    )
    nothing = Explained(None, (), "", "nothing")
    cues = {"warmth": ("never", "is")}
    (row,) = measure_spread([{"warmth": still}, {"warmth": moved}, {"warmth": nothing}, {}], cues)
    assert list(row.cues.items()) == [("is", 0.5), ("never", 0.0)]
    assert row.without == 0.5
    assert (row.n, row.fired) == (2, 0.5)
    assert row.mean == pytest.approx(0.6)
    assert row.stdev == pytest.approx(math.sqrt(0.02))
