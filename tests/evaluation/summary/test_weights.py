"""Weighted scenarios: what they stand for in every mean of a run, and that equal weights change nothing."""

import json
from dataclasses import replace

import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.runs import RunScores
from evaluation.errors import JournalError, UsageError
from evaluation.records import Json
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from evaluation.statistics.clusters import WeightedValue, weighted_estimate
from evaluation.statistics.prediction import Response, corrected_mean
from evaluation.statistics.scenario_scores import SampleWeight
from evaluation.summary.weights import ScenarioWeights, weights_from_text
from tests.evaluation.comparison.examples import SUITE, Answers, answered_run
from tests.evaluation.made_runs import OVERALL, failed, made_outcome, run, scenario, scored, summary_of

PLAN = [
    scenario("a", situation="ann"),
    scenario("b", situation="ann", category="grief"),
    scenario("c", category="grief"),
    scenario("d", turns=2),
]
RESULTS = [scored("a", 0.2), scored("b", 0.4), scored("c", 0.9), scored("d", 0.5), scored("d", 0.7, turn=2)]
WEIGHTS = ScenarioWeights(
    "production",
    {"a": SampleWeight(6, "w1"), "b": SampleWeight(2, "w1"), "c": SampleWeight(1, "w2"), "d": SampleWeight(1, "w2")},
)
EQUAL = ScenarioWeights("production", {each.id: SampleWeight(3.0, "all") for each in PLAN})


def figures(document: Json) -> Json:
    """Without what only a weighted run says."""
    if not isinstance(document, dict):
        return document
    return {key: figures(value) for key, value in document.items() if key not in ("weights", "effective_n")}


def test_equal_weights_of_one_stratum_give_the_figures_of_no_weights_to_the_last_digit() -> None:
    plain = summary_of([*RESULTS[:-1], failed("d", turn=2)], PLAN).to_json()
    weighed = summary_of([*RESULTS[:-1], failed("d", turn=2)], PLAN, weights=EQUAL).to_json()
    assert figures(weighed) == figures(plain)
    assert "weights" not in plain and "effective_n" not in json.dumps(plain)
    assert weighed["metrics"]["heuristic"][OVERALL]["effective_n"] == 4


def test_a_mean_counts_scenarios_by_what_they_stand_for() -> None:
    summary = summary_of(RESULTS, PLAN, weights=WEIGHTS)
    found = summary.metrics["heuristic"][OVERALL]
    assert found.estimate.mean == pytest.approx((6 * 0.2 + 2 * 0.4 + 0.9 + 0.6) / 10)
    assert found.effective_n == pytest.approx(100 / 42)
    drawn = [
        WeightedValue("w1", "ann", 6, 0.2),
        WeightedValue("w1", "ann", 2, 0.4),
        WeightedValue("w2", "c", 1, 0.9),
        WeightedValue("w2", "d", 1, 0.6),
    ]
    same = weighted_estimate(drawn, (0, 1))
    assert (found.estimate.se, found.estimate.ci95) == (same.se, same.ci95)
    assert summary.to_json()["weights"] == {
        "of": "production",
        "scenarios": 4,
        "strata": 2,
        "stands_for": 10.0,
        "largest": 6,
        "effective_n": pytest.approx(100 / 42),
    }


def test_a_category_is_a_part_of_the_whole_sample() -> None:
    grief = summary_of(RESULTS, PLAN, weights=WEIGHTS).by_category["grief"]["heuristic"][OVERALL]
    of_category = [
        WeightedValue("w1", "ann", 6, None),
        WeightedValue("w1", "ann", 2, 0.4),
        WeightedValue("w2", "c", 1, 0.9),
        WeightedValue("w2", "d", 1, None),
    ]
    assert grief.estimate.mean == pytest.approx((2 * 0.4 + 0.9) / 3)
    assert grief.estimate.se == weighted_estimate(of_category, (0, 1)).se
    assert (grief.estimate.n, grief.planned) == (2, 2)


def test_a_scenario_without_a_weight_is_outside_of_every_mean() -> None:
    three = replace(WEIGHTS, scenarios={name: each for name, each in WEIGHTS.scenarios.items() if name != "c"})
    found = summary_of(RESULTS, PLAN, weights=three).metrics["heuristic"][OVERALL]
    assert found.estimate.mean == pytest.approx((6 * 0.2 + 2 * 0.4 + 0.6) / 9)
    assert (found.estimate.n, found.planned) == (4, 4)


def test_bounds_and_coverage_know_the_weights() -> None:
    found = summary_of([failed("a"), *RESULTS[1:]], PLAN, weights=WEIGHTS).metrics["heuristic"][OVERALL]
    assert found.bounds == pytest.approx(((0.8 + 0.9 + 0.6) / 10, (6 + 0.8 + 0.9 + 0.6) / 10))
    assert found.coverage == pytest.approx(4 / 5)


def test_what_is_measured_by_words_and_groups_is_weighted_too() -> None:
    tagged = [replace(each, tags=("t",)) if each.id in ("a", "c") else each for each in PLAN]
    summary = summary_of(RESULTS, tagged, weights=WEIGHTS)
    assert summary.groups.by_tag["t"].overall.estimate.mean == pytest.approx((6 * 0.2 + 0.9) / 7)


def test_the_weights_live_in_the_inputs_of_a_run() -> None:
    weighted = replace(run(*PLAN), inputs={"weights": WEIGHTS.to_text()})
    assert weighted.weights == WEIGHTS
    assert run(*PLAN).weights is None
    assert weights_from_text('{"of": "production", "scenarios": {"a": {"weight": 2}}}', "w").of_scenario("a") == (2, "")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[", "JSONDecodeError"),
        ('{"of": "production"}', "KeyError"),
        ('{"of": "p", "scenarios": {"a": {"weight": -1}}}', "scenario 'a' weighs -1"),
        ('{"of": "p", "scenarios": {"a": {"weight": NaN}}}', "scenario 'a' weighs nan"),
        ('{"of": "p", "scenarios": {"a": 3}}', "TypeError"),
    ],
)
def test_damaged_weights_are_named(text: str, named: str) -> None:
    with pytest.raises(JournalError, match=f"weights of run r1: .*{named}"):
        weights_from_text(text, "weights of run r1")


def test_the_report_says_what_the_weights_are() -> None:
    said = to_terminal(describe_run(made_outcome(summary_of(RESULTS, PLAN, weights=WEIGHTS), PLAN)), color=False)
    assert "weighted by how many responses each one stands for: they count like 2 of equal" in " ".join(said.split())
    plain = to_terminal(describe_run(made_outcome(summary_of(RESULTS, PLAN), PLAN)), color=False)
    assert "stands for" not in plain


def test_people_correct_the_weighted_mean() -> None:
    def response(at: int, weight: float) -> Response:
        people = 0.5 if at % 2 else None
        return Response(f"s{at}", f"s{at}", 0, 0, 0.3 if at < 10 else 0.9, people, 0.5, weight)

    alike = corrected_mean([response(at, 1.0) for at in range(20)], (0, 1))
    heavy = corrected_mean([response(at, 9.0 if at < 10 else 1.0) for at in range(20)], (0, 1))
    assert alike is not None and heavy is not None
    assert (alike.raw, heavy.raw) == pytest.approx((0.6, 0.36))


def test_two_runs_of_one_sample_are_compared_by_its_weights() -> None:
    base, candidate = (answered_run(Answers([low] * 10 + [0.5] * 10)) for low in (0.5, 0.9))
    sample = {each.id: SampleWeight(3 if at < 10 else 1) for at, each in enumerate(base.scenarios)}

    def weigh(one: RunScores) -> RunScores:
        return replace(one, summary=replace(one.summary, weights=ScenarioWeights("production", sample)))

    found = compare(weigh(base), weigh(candidate), suite=SUITE).primary
    assert found is not None and found.bound is not None
    assert found.estimate.difference == pytest.approx(0.4 * 30 / 40)
    assert found.bound.effective == pytest.approx(40**2 / 100)
    with pytest.raises(UsageError, match="stand for something else in each"):
        compare(base, weigh(candidate), suite=SUITE)


def test_equal_weights_change_nothing_of_a_comparison() -> None:
    base, candidate = (
        answered_run(Answers([low * at / 20 for at in range(20)], failed=frozenset({3}))) for low in (0.5, 0.9)
    )
    sample = {each.id: SampleWeight(3) for each in base.scenarios}

    def weigh(one: RunScores) -> RunScores:
        return replace(one, summary=replace(one.summary, weights=ScenarioWeights("production", sample)))

    plain, weighted = compare(base, candidate, suite=SUITE), compare(weigh(base), weigh(candidate), suite=SUITE)
    assert weighted.primary is not None and plain.primary is not None
    assert weighted.primary.estimate == plain.primary.estimate
    assert weighted.primary.bounds == plain.primary.bounds
    assert weighted.primary.bound is not None and plain.primary.bound is not None
    assert weighted.primary.bound.low == pytest.approx(plain.primary.bound.low)
