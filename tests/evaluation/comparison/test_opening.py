"""What is said of the no-regression gate before anything is paid for."""

import re

import numpy as np
import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionRules, no_regression
from evaluation.comparison.opening import Held, chance_unchanged, describe_opening, held_by
from tests.evaluation.comparison.examples import COMPONENTS, OVERALL, SUITE, run_of, scenario, scenarios_of
from tests.evaluation.comparison.test_gate import checked_suite

RULES = RegressionRules(margins={"overall": 0.02})
SEVEN = Held(overall=(0.02, 0.5), metrics=((0.05, 0.5),) * 6)


def test_it_names_the_situations_that_it_takes_and_those_that_are_there() -> None:
    said = describe_opening(scenarios_of(30), 1, RULES, SUITE, "heuristic")
    assert said.startswith(
        "gate no_regression: without any fall its margins take 74 situations of one size, here are 30 situations, the "
        "largest with 1 scenario: none of 100 unchanged versions would pass"
    )
    assert "; a better one may" in said


def test_it_says_how_likely_an_unchanged_version_is_to_pass_and_what_repeats_would_give() -> None:
    said = describe_opening(scenarios_of(120), 1, RULES, SUITE, "heuristic")
    assert re.search(r": about [3-5]\d of 100 unchanged versions would pass, with --repeats 3 about [7-9]\d \(", said)
    assert "--repeats" not in describe_opening(scenarios_of(120), 3, RULES, SUITE, "heuristic")


def test_variants_of_one_situation_count_once() -> None:
    alike = [scenario(number, situation=f"c{number // 3}") for number in range(90)]
    assert "here are 30 situations, the largest with 3 scenarios" in describe_opening(
        alike, 1, RULES, SUITE, "heuristic"
    )


def test_checks_are_held_by_their_own_margins() -> None:
    held = held_by(RegressionRules(), checked_suite(), "check")
    assert (held.overall, held.metrics) == (None, ())
    assert (held.all_checks, held.checks) == ((0.05, 1.0), ((0.1, 1.0),) * 3)
    assert "take 59 situations" in describe_opening(scenarios_of(40), 1, RegressionRules(), checked_suite(), "check")


def test_nothing_is_said_of_a_margin_of_0_or_of_a_set_that_is_large_enough_for_any() -> None:
    assert describe_opening(scenarios_of(40), 1, RegressionRules(margins={"trust": 0.0}), SUITE, "heuristic") == ""
    assert describe_opening(scenarios_of(2_001), 1, RULES, SUITE, "heuristic") == ""


@pytest.mark.parametrize(("repeats", "least"), [(1, 0.70), (3, 0.95)])
@pytest.mark.slow
def test_an_unchanged_version_of_217_situations_passes_all_seven_metrics(repeats: int, least: float) -> None:
    for seed in (1, 2):
        assert chance_unchanged([1] * 217, repeats, SEVEN, trials=1_000, seed=seed) >= least


@pytest.mark.slow
def test_what_is_said_is_what_the_gate_does() -> None:
    """Whole comparisons of unchanged versions, by the process that is supposed."""
    luck = np.random.default_rng(8)
    said = chance_unchanged([1] * 120, 1, held_by(RULES, SUITE, "heuristic"), trials=2_000)
    passed, trials = 0, 150
    for _ in range(trials):
        before = {("heuristic", name): np.full(120, 0.5) for name in COMPONENTS}
        noise = luck.normal(0, 0.2, (len(COMPONENTS), 120)).clip(-0.5, 0.5)
        after = {key: values + step for (key, values), step in zip(before.items(), noise, strict=True)}
        columns = []
        for side, overall in ((before, np.full(120, 0.5)), (after, 0.5 + noise.mean(axis=0) * np.sqrt(3) / 2)):
            columns.append({**{key: values.tolist() for key, values in side.items()}, OVERALL: overall.tolist()})
        runs = [run_of(each, scenarios_of(120), version=version) for version, each in enumerate(columns, start=1)]  # type: ignore[arg-type]
        passed += all(check.passed for check in no_regression(compare(*runs, suite=SUITE), SUITE, RULES).checks)
    assert passed / trials == pytest.approx(said, abs=0.12)
