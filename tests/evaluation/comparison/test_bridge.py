"""A baseline under another judge: which scenarios are sampled, and what the bridge makes of differences."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.simulations import compared_bridges
from benchmarks.simulations.bridges import Change, cell
from evaluation.comparison.bridge import (
    Bridge,
    bridge_comparison,
    sampled_scenarios,
    under_the_new_judge,
)
from evaluation.comparison.carried import LEAST_SITUATIONS, name_judges
from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.gate import RegressionRules, no_regression
from evaluation.comparison.runs import RunScores
from evaluation.records import Scenario
from evaluation.runspec import JudgePin
from evaluation.summary.columns import Key
from tests.evaluation.comparison.examples import SUITE, run_of, scenario, scenarios_of

SCENARIOS = scenarios_of(60)
OLD, NEW = (JudgePin(name, "e", "schema") for name in ("old", "new"))
RULES: Key = ("heuristic", "overall")
JUDGED: Key = ("combined", "overall")
SIMULATED = 1_200
"""Trials: the standard error of 95% is 0.63 points, and the bounds lie three of them away."""


def quality(scenario_id: str, run: str) -> float:
    return random.Random(scenario_id).uniform(0.5, 0.8) + random.Random(f"{run} {scenario_id}").uniform(-0.05, 0.05)


def old(value: float) -> float:
    return value


def new(value: float) -> float:
    """A judge that is stricter, and moves less."""
    return 0.6 * value + 0.1


def made(
    run: str,
    judge: Callable[[float], float],
    pin: JudgePin,
    scenarios: Sequence[Scenario] = SCENARIOS,
    fall: float = 0.0,
) -> RunScores:
    values = [judge(quality(item.id, run) - fall) for item in scenarios]
    columns = {RULES: [0.7] * len(scenarios), JUDGED: values}
    return run_of(columns, scenarios, version=1 if run == "base" else 2, judge=pin)


def bridged(
    fall: float = 0.0, scenarios: Sequence[Scenario] = SCENARIOS, least: int = 20
) -> tuple[Comparison, Comparison]:
    """Plainly compared as if the judge were the same, and through the bridge."""
    base, tonight = made("base", old, OLD, scenarios), made("tonight", new, NEW, scenarios, fall)
    only = set(sampled_scenarios(scenarios, 1, "base", least))
    again = made("base", new, NEW, [item for item in scenarios if item.id in only])
    plain = compare(under_the_new_judge(base, tonight), tonight, suite=SUITE)
    return plain, bridge_comparison(plain, base, tonight, Bridge(again, len(scenarios)))


def test_too_small_a_sample_gives_no_verdict_and_says_what_is_missing() -> None:
    _, found = bridged(fall=0.2)
    assert found.carried is not None and found.verdict is None
    missing = "the bridge between the judges lacks 40 exchanges of the 60 in 20 that it takes"
    assert found.reasons[0] == missing == found.carried.lacking
    assert missing in found.standing.nothing
    assert missing in no_regression(found, SUITE, RegressionRules()).reasons


def test_a_sample_of_sixty_decides_and_all_there_are_lack_nothing() -> None:
    _, found = bridged(fall=0.2, scenarios=scenarios_of(90), least=60)
    assert found.verdict == "worse" and found.carried is not None
    assert (found.carried.exchanges, found.carried.situations, found.carried.of_situations) == (60, 60, 90)
    assert (found.carried.before, found.carried.now, found.carried.lacking) == ("old", "new", "")
    _, whole = bridged(fall=0.2, scenarios=scenarios_of(12))
    assert whole.verdict == "worse" and whole.carried is not None and not whole.carried.lacking


def test_the_base_keeps_its_own_judge_and_the_gate_says_that_a_bridge_has_no_bound() -> None:
    _, found = bridged(scenarios=scenarios_of(90), least=60)
    assert (found.base.spec.judge, found.candidate.spec.judge) == (OLD, NEW)
    said = no_regression(found, SUITE, RegressionRules())
    assert not said.passed
    [fault] = [reason for reason in said.reasons if "a bridge gives no bound" in reason]
    assert "overall (combined)" in fault and not any("no interval to stand on" in reason for reason in said.reasons)


@pytest.mark.parametrize(
    ("change", "before", "now"),
    [
        ({"model": "b"}, "a", "b"),
        ({"form": "parts"}, "a (form reasoned)", "a (form parts)"),
        ({"samples": 3, "format": "text"}, "a (1 sample, format schema)", "a (3 samples, format text)"),
        ({"endpoint": "f"}, "a (at e)", "a (at f)"),
    ],
)
def test_two_judges_are_named_by_what_distinguishes_them(change: dict[str, Any], before: str, now: str) -> None:
    pin = JudgePin("a", "e", "schema")
    assert name_judges(pin, replace(pin, **change)) == (before, now)


def test_the_bridge_takes_the_judges_difference_out() -> None:
    plain, found = bridged()
    before, after = plain.metrics["combined"]["overall"].estimate, found.metrics["combined"]["overall"].estimate
    assert before.ci95 is not None and before.ci95[1] < 0, "the stricter judge looks like a fall"
    assert after.ci95 is not None and after.ci95[0] <= 0 <= after.ci95[1]
    assert after.clusters == 20
    assert after.mean_a is not None and after.mean_b is not None and after.difference is not None
    assert after.mean_a + after.difference == pytest.approx(after.mean_b)
    assert found.metrics["heuristic"] == plain.metrics["heuristic"]
    assert found.worst == () and found.categories == ()


def test_a_fall_is_seen_through_the_bridge_on_the_scale_of_the_new_judge() -> None:
    _, found = bridged(fall=0.2)
    row = found.metrics["combined"]["overall"].estimate
    assert row.difference == pytest.approx(-0.6 * 0.2, abs=0.02)
    assert row.p is not None and row.p < 0.005


def test_whole_situations_are_sampled_the_same_each_time() -> None:
    scenarios = [scenario(at, situation=f"g{at // 2}") for at in range(100)]
    found = sampled_scenarios(scenarios, 1, "r1", 60)
    assert found == sampled_scenarios(scenarios, 1, "r1", 60) != sampled_scenarios(scenarios, 1, "r2", 60)
    assert len(found) == 60
    assert all({f"s{2 * (int(name[1:]) // 2) + at:03d}" for at in (0, 1)} <= set(found) for name in found)
    assert len(sampled_scenarios(scenarios, 50, "r1", 60)) == 2 * LEAST_SITUATIONS  # no fewer situations than that
    assert len(sampled_scenarios(scenarios[:10], 1, "r1", 60)) == 10  # all there are


@pytest.mark.long
@pytest.mark.parametrize("change", [Change(-0.1, 1), Change(-0.3, 1.4), Change(0.05, 0.6)], ids=str)
def test_the_interval_keeps_its_word(change: Change) -> None:
    covered, width, called = cell(change, (20, 217, 3), 77, SIMULATED)
    assert 0.93 <= covered <= 0.97 and width < 1 and called <= 0.01


@pytest.mark.long
@pytest.mark.parametrize("shape", compared_bridges.SHAPES, ids=str)
def test_the_interval_of_two_versions_keeps_its_word(shape: compared_bridges.Shape) -> None:
    covered, wider = compared_bridges.cell(Change(-0.3, 1.4), shape, 77, SIMULATED)
    assert 0.93 <= covered <= 0.97 and 1 < wider < 2
