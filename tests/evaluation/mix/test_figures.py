"""A run's means under a mix: by hand, with the error of the shares, and the verdict beside that on the set."""

import math
import random
from dataclasses import replace

import pytest

from evaluation.decision.decide import Decision, decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.mix import MixFigures, MixOutcome, PlacedMix, outcome_under
from evaluation.mix.figures import share_variance
from evaluation.mix.mix import Mix
from evaluation.mix.weighing import MixWeights, weigh
from evaluation.summary.columns import Columns
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from evaluation.summary.weights import ScenarioWeights
from tests.evaluation.made_runs import OVERALL, RULES, failed, scored, suite
from tests.evaluation.mix.examples import mix, scenarios

SET = scenarios(talk=12, grief=12)
GOOD, POOR = 0.8, 0.5


def value(name: str) -> float:
    return (GOOD if name.startswith("talk") else POOR) + random.Random(name).uniform(-0.05, 0.05)


VALUES = {each.id: value(each.id) for each in SET}


def under(users: Mix, *, without: str = "", weights: ScenarioWeights | None = None) -> tuple[MixOutcome, Summary]:
    columns = Columns(suite(), SET, 1, RULES, weights=weights)
    results = [failed(name) if name == without else scored(name, found) for name, found in VALUES.items()]
    summary = summarise(results, columns, run_id="r1", prompt=None)

    def decide_on(weighted: Summary) -> Decision:
        return with_first_line(decide(weighted, suite()), weighted)

    return outcome_under(PlacedMix("mix.yaml", users), summary, columns, decide_on), summary


def figures(users: Mix) -> MixFigures:
    found = under(users)[0].found
    assert isinstance(found, MixFigures)
    return found


def mean_of(category: str) -> float:
    values = [found for name, found in VALUES.items() if name.startswith(category)]
    return math.fsum(values) / len(values)


def test_the_mean_is_that_of_the_mix_and_the_verdict_its_own() -> None:
    outcome, summary = under(mix({"talk": 0.9, "grief": 0.1}))
    found = outcome.found
    assert isinstance(found, MixFigures) and found.overall is not None
    expected = 0.9 * mean_of("talk") + 0.1 * mean_of("grief")
    assert found.overall.estimate.mean == pytest.approx(expected)
    assert found.overall.effective_n == pytest.approx(1 / (12 * (0.9 / 12) ** 2 + 12 * (0.1 / 12) ** 2))
    assert (decide(summary, suite()).verdict, found.decision.verdict) == ("ab_test", "deploy")
    assert figures(mix({"talk": 0.1, "grief": 0.9})).decision.verdict == "needs_revision"


def test_the_error_of_the_shares_is_in_the_interval() -> None:
    exact, counted = (figures(mix({"talk": 0.5, "grief": 0.5}, independent=n)).overall for n in (None, 50.0))
    assert exact is not None and counted is not None
    apart = (mean_of("talk") - mean_of("grief")) / 2
    assert exact.estimate.se is not None and counted.estimate.se is not None
    assert counted.estimate.se**2 - exact.estimate.se**2 == pytest.approx(apart**2 / 50)


def test_the_error_of_shares_by_hand() -> None:
    weights = weigh(mix({"talk": 0.6, "grief": 0.2}, uncovered=0.2, independent=100.0), SET)
    assert isinstance(weights, MixWeights)
    values = {name: (0.9 if name.startswith("talk") else 0.5) for name in VALUES}
    # Of 100 responses 80 are like a scenario; 3 : 1 around a mean of 0.8.
    assert share_variance(values, weights) == pytest.approx((0.75 * 0.1**2 + 0.25 * 0.3**2) / 80)


def test_what_no_scenario_is_like_leaves_the_overall_open() -> None:
    found = figures(mix({"talk": 0.4, "grief": 0.4}, uncovered=0.2))
    mean = (mean_of("talk") + mean_of("grief")) / 2
    assert found.possible == pytest.approx((0.8 * mean, 0.8 * mean + 0.2))


def test_missing_values_leave_bounds_under_the_mix_too() -> None:
    found = under(mix({"talk": 0.9, "grief": 0.1}), without="talk-0")[0].found
    assert isinstance(found, MixFigures) and found.overall is not None and found.overall.bounds is not None
    assert found.overall.bounds[1] - found.overall.bounds[0] == pytest.approx(0.9 / 12)


def test_a_refusal_is_an_outcome_and_documents_say_it() -> None:
    outcome, _ = under(mix({"other": 1.0}))
    assert isinstance(outcome.found, str)
    assert outcome.to_json() == outcome.in_decision() == {"file": "mix.yaml", "refused": outcome.found}


def test_a_sample_of_production_has_no_mix_beside_its_own_weights() -> None:
    weights = weigh(mix({"talk": 0.5, "grief": 0.5}), SET)
    assert isinstance(weights, MixWeights)
    outcome, _ = under(mix({"talk": 0.5, "grief": 0.5}), weights=weights.weights)
    assert isinstance(outcome.found, str) and "its own weights" in outcome.found


def test_an_even_mix_of_an_even_set_gives_the_mean_of_the_set_and_the_error_within_categories() -> None:
    outcome, summary = under(mix({"talk": 0.5, "grief": 0.5}))
    assert isinstance(outcome.found, MixFigures) and outcome.found.overall is not None
    of_set = summary.metrics["heuristic"][OVERALL].estimate
    assert outcome.found.overall.estimate.mean == pytest.approx(of_set.mean)
    assert of_set.se is not None and outcome.found.overall.estimate.se is not None
    assert outcome.found.overall.estimate.se < of_set.se
    assert outcome.found.summary.human is None and replace(summary, human=None) == summary
