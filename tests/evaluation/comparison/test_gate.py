"""The no-regression gate: what it lets through, and above all what it does not."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionResult, RegressionRules, no_regression, parse_regression_rules, refuse
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import Limits, limit_faults
from evaluation.errors import ParseError, UsageError
from evaluation.runspec import TextPin, canonical_json
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Key
from tests.evaluation.comparison.examples import (
    OVERALL,
    SUITE,
    Answers,
    answered_run,
    example_suite,
    overall_run,
    run_of,
    scenarios_of,
)

GATES = Path(__file__).resolve().parents[3] / "evaluation" / "gates"
RULES = RegressionRules(margins={"overall": 0.02})
LEVELS: Sequence[float] = (0.70 + 0.1 * np.random.default_rng(5).normal(size=100)).tolist()


def run(
    shift: float = 0.0,
    *,
    version: int = 1,
    count: int = 100,
    noise: float = 0.01,
    failed: int = 0,
    unparsed: int = 0,
    judged: bool = True,
) -> RunScores:
    jitter = np.random.default_rng(version).normal(0, noise, count)
    answers = Answers(
        [level + shift + step for level, step in zip(LEVELS, jitter, strict=False)],
        judged=judged,
        failed=frozenset(range(failed)),
        unparsed=frozenset(range(50, 50 + unparsed)),
    )
    return answered_run(answers, version=version)


def gated(candidate: RunScores, base: RunScores | None = None, rules: RegressionRules = RULES) -> RegressionResult:
    baseline = run(count=len(candidate.scenarios)) if base is None else base
    return no_regression(compare(baseline, candidate, suite=SUITE, force=True), SUITE, rules)


def test_a_sound_candidate_passes() -> None:
    found = gated(run(version=2))
    assert found.passed
    assert len(found.reasons) == 1
    assert [check.metric for check in found.checks] == ["overall", "warmth", "clarity", "trust"]
    assert canonical_json(asdict(found))


def test_a_better_candidate_passes() -> None:
    assert gated(run(0.1, version=2)).passed


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (run(version=2, count=9), "too few scenarios to decide (9 situations, 10 needed)"),
        (run(version=2, failed=3), "candidate v2: 3% of the planned exchanges have no answer (3 failed"),
        (run(version=2, unparsed=10), "candidate v2: 10% of the verdicts could not be read (10)"),
        (run(version=2, judged=False), "the baseline is not comparable: the runs differ in more than prompt: judge"),
        (run(-0.018, version=2, noise=0.03), "borderline: overall (combined) may be lower by"),
        (run(-0.1, version=2), "worse: overall (combined) may be lower by"),
        (run(version=2, failed=100), "there is no exchange with a combined overall in both runs"),
    ],
    ids=["few", "failures", "fallbacks", "no-judge", "borderline", "worse", "nothing"],
)
def test_what_does_not_pass_says_why(candidate: RunScores, reason: str) -> None:
    found = gated(candidate)
    assert not found.passed
    assert any(text.startswith(reason) for text in found.reasons), found.reasons


def test_failures_of_the_baseline_count_too() -> None:
    found = gated(run(version=2), run(failed=3))
    assert not found.passed
    assert any(text.startswith("baseline v1: 3% of the planned") for text in found.reasons)


def test_a_judge_that_never_answered_is_missing_data() -> None:
    found = gated(run(version=2, unparsed=50))
    assert not found.passed
    assert any(
        "50 of 100 exchanges have a value in both runs (50%), the floor is 98%" in text for text in found.reasons
    )


def test_a_baseline_of_another_rubric_is_refused_and_cannot_be_forced_through() -> None:
    candidate = run(version=2)
    other = replace(candidate, spec=replace(candidate.spec, rubric=TextPin("example", "2.0", "q" * 64)))
    with pytest.raises(UsageError, match="rubric") as error:
        compare(run(), other, suite=SUITE)
    assert refuse(str(error.value)).passed is False
    found = gated(other)
    assert not found.passed
    assert any("rubric.version" in text for text in found.reasons)


def test_missing_pairs_count_at_their_worst() -> None:
    # 2 of 100 missing: at worst two situations fell by all that is assumed possible, which takes the bound to 0.031.
    rules = RegressionRules(margins={"overall": 0.02}, min_coverage=0.9, max_failure_rate=1, max_fallback_rate=1)
    assert gated(run(version=2), rules=rules).passed
    found = gated(run(version=2, failed=2), rules=rules)
    assert not found.passed
    assert found.checks[0].low is not None and found.checks[0].low < -0.03


def test_a_component_alone_closes_the_gate() -> None:
    base, candidate = run(), run(version=2)
    key = ("heuristic", "trust")
    lower = [value - 0.1 for value in candidate.columns["heuristic", "trust"]]
    found = gated(replace(candidate, columns={**candidate.columns, key: lower}), base)  # type: ignore[dict-item]
    assert not found.passed
    assert len(found.reasons) == 1
    assert found.reasons[0].startswith("worse: trust (heuristic) may be lower by")


def test_margins_are_shares_of_the_scale() -> None:
    assert gated(run(version=2), rules=RegressionRules(margins={"overall": 0.0})).passed is False
    checks = gated(run(version=2)).checks
    assert [check.margin for check in checks] == pytest.approx([0.02, 0.05, 0.05, 0.05])


def twins(falls: Sequence[float], count: int, margin: float = 0.02, **rules: object) -> RegressionResult:
    """The gate on two runs that differ in these falls of the overall alone."""
    values = [0.9] * count
    lower = [value - fall for value, fall in zip(values, [*falls, *[0.0] * (count - len(falls))], strict=True)]
    runs = [answered_run(Answers(scores), version=version) for version, scores in enumerate((values, lower), start=1)]
    asked = RegressionRules.model_validate({"margins": {"overall": margin, "default": 0.4}, **rules})
    found = compare(runs[0], runs[1], suite=SUITE, largest_fall=asked.fall)
    return no_regression(found, SUITE, asked)


class TestRareFalls:
    def test_no_fall_in_few_situations_is_no_proof(self) -> None:
        # 0.5 x (1 - 0.05^(1/73)) = 0.0201.
        assert twins([], 74).passed
        shut = twins([], 73)
        assert not shut.passed
        assert shut.reasons[0].startswith("borderline: overall (heuristic) may be lower by 0.0201, the margin is 0.02")
        assert shut.reasons[0].endswith("; it takes 74 situations to show that without any fall, here are 73")
        assert shut.checks[0].needed == 74

    def test_falls_count_by_their_size_and_number(self) -> None:
        assert twins([0.2], 120).passed
        assert not twins([0.2] * 5, 120).passed

    def test_the_assumption_is_said_and_a_larger_fall_takes_its_place(self) -> None:
        held, larger = twins([0.4], 240), twins([0.7], 240)
        assert held.assumptions == (
            "the lower bounds assume that no situation falls by more than 0.5, as the rules say",
        )
        assert (held.checks[0].largest_fall, larger.checks[0].largest_fall) == (0.5, 1.0)
        assert "overall (heuristic) fell by 0.7 in a situation, beyond that: its bound takes the whole scale" in (
            larger.assumptions
        )

    def test_a_team_may_assume_less_or_more(self) -> None:
        assert twins([], 30, largest_fall={"overall": 0.2, "scores": 0.5}).passed
        assert not twins([], 100, largest_fall={"scores": 1.0}).passed

    def test_the_bound_is_on_the_scale_of_the_metric(self) -> None:
        suite = example_suite(1, 5)
        runs = [overall_run([3.0] * 80, version=version) for version in (1, 2)]
        found = no_regression(compare(*runs, suite=suite), suite, RULES).checks[0]
        assert found.low == pytest.approx(-2 * (1 - 0.05 ** (1 / 80)))
        assert found.margin == pytest.approx(0.08) and found.largest_fall == 2.0

    def test_missing_pairs_never_help(self) -> None:
        """A pair that fell far and is lost afterwards: the gate must not open by its loss."""
        values = [0.9] * 100
        fallen = [0.5, *values[1:]]
        lost = [math.nan, *values[1:]]
        rules = RegressionRules(margins={"overall": 0.02}, min_coverage=0.5)
        ends = []
        for scores in (fallen, lost):
            runs = [overall_run(values), overall_run(scores, version=2)]
            ends.append(no_regression(compare(*runs, suite=SUITE), SUITE, rules).checks[0].low)
        assert ends[0] is not None and ends[1] is not None and ends[1] < ends[0] < -0.015

    def test_a_component_of_few_situations_is_held_over_all(self) -> None:
        columns: dict[Key, list[float]] = {
            OVERALL: [0.5] * 100,
            ("heuristic", "trust"): [0.5] * 10 + [math.inf] * 90,
        }
        runs = [run_of(columns, scenarios_of(100), version=version) for version in (1, 2)]
        found = no_regression(compare(*runs, suite=SUITE), SUITE, RULES)
        trust = found.checks[1]
        assert (trust.metric, trust.situations, trust.among_all, trust.passed) == ("trust", 10, True, True)
        worse = {**columns, ("heuristic", "trust"): [0.1] * 10 + [math.inf] * 90}
        lower = run_of(worse, scenarios_of(100), version=2)
        assert not no_regression(compare(runs[0], lower, suite=SUITE), SUITE, RULES).checks[1].passed


def checked_suite() -> Suite:
    return replace(SUITE, rules="check", checks=("opens", "closes", "rings", "overall"))


def checked(columns: Mapping[str, Sequence[float]], version: int) -> RunScores:
    count = len(next(iter(columns.values())))
    held: dict[Key, Sequence[float]] = {("check", name): values for name, values in columns.items()}
    found = run_of(held, scenarios_of(count), version=version)
    return replace(found, summary=replace(found.summary, source="check"))


class TestChecks:
    def test_they_are_held_one_by_one_and_as_a_whole(self) -> None:
        sound = {name: [1.0] * 80 for name in ("opens", "closes", "rings", "overall")}
        # Six failures of three checks, each in two exchanges of its own: 0.025 of the mean, 0.075 of the overall.
        faults = {
            name: [0.0 if 2 * place <= at < 2 * place + 2 else 1.0 for at in range(80)]
            for place, name in enumerate(("opens", "closes", "rings"))
        }
        faults["overall"] = [0.0] * 6 + [1.0] * 74
        suite = checked_suite()
        runs = [checked(columns, version) for version, columns in enumerate((sound, faults), start=1)]
        found = compare(*runs, suite=suite)
        checks = no_regression(found, suite, RegressionRules()).checks
        assert [check.metric for check in checks] == ["all_checks", "opens", "closes", "rings"]
        assert [check.margin for check in checks] == [0.05, 0.1, 0.1, 0.1]
        assert checks[0].difference == pytest.approx(-0.025)
        assert all(check.largest_fall == 1.0 for check in checks)
        assert [check.passed for check in checks] == [False, True, True, True]
        assert checks[1].low == pytest.approx(-beta.ppf(0.95, 3, 78), abs=1e-7)
        assert found.verdict == "worse" and found.overall == "overall", "the verdict stays on the overall"

    def test_a_check_that_applies_nowhere_is_left_out_of_the_mean(self) -> None:
        columns = {"opens": [1.0] * 60, "closes": [math.inf] * 60, "rings": [1.0] * 30 + [math.inf] * 30}
        runs = [checked({**columns, "overall": [1.0] * 60}, version) for version in (1, 2)]
        row = compare(*runs, suite=checked_suite()).all_checks
        assert row is not None and (row.estimate.mean_a, row.planned) == (1.0, 60)

    def test_a_file_with_one_margin_for_all_keeps_it(self) -> None:
        old = parse_regression_rules("margins: {default: 0.05}", "rules.yaml")
        assert [old.margin("opens", "check"), old.margin("all_checks", "check")] == [0.05, 0.05]
        new = parse_regression_rules("margins: {default: 0.05, each_check: 0.2, rings: 0.3}", "rules.yaml")
        assert [new.margin(name, "check") for name in ("opens", "rings", "all_checks")] == [0.2, 0.3, 0.05]


def test_a_least_overall() -> None:
    rules = RULES.model_copy(update={"min_overall": 0.9})
    found = gated(run(version=2), rules=rules)
    assert any("the least that is asked for" in text for text in found.reasons)
    assert gated(run(version=2), rules=RULES.model_copy(update={"min_overall": 0.5})).passed


class TestLimits:
    def test_nothing_asked_nothing_missed(self) -> None:
        assert list(limit_faults(run(failed=50).summary, Limits())) == []

    def test_limits_are_reached_without_being_exceeded(self) -> None:
        summary = run(failed=5, unparsed=19).summary
        assert list(limit_faults(summary, Limits(max_failure_rate=0.05, max_fallback_rate=0.2))) == []
        assert len(list(limit_faults(summary, Limits(max_failure_rate=0.049, max_fallback_rate=0.199)))) == 2

    def test_no_overall_is_below_any_least(self) -> None:
        faults = list(limit_faults(run(failed=100).summary, Limits(min_overall=0.0)))
        assert faults == ["there is no combined overall: at least 0 is asked for"]

    def test_a_rate_is_from_0_to_1(self) -> None:
        with pytest.raises(UsageError, match="max failure rate 2"):
            Limits(max_failure_rate=2)

    @pytest.mark.parametrize("least", [math.nan, math.inf, -math.inf])
    def test_a_least_overall_is_finite(self, least: float) -> None:
        with pytest.raises(UsageError, match=f"min overall {least}: give a finite number"):
            Limits(min_overall=least)


class TestRules:
    def test_the_shipped_file(self) -> None:
        path = GATES / "no_regression.yaml"
        rules = parse_regression_rules(path.read_text(encoding="utf-8"), path.name)
        assert rules.margin("overall_quality") == 0.02
        assert rules.margin("helpfulness") == 0.05
        assert rules == RegressionRules(margins=rules.margins)

    def test_what_is_left_out_has_its_usual_value(self) -> None:
        assert parse_regression_rules("gate: no_regression", "rules.yaml") == RegressionRules()

    def test_what_is_wrong_is_named_with_its_line(self) -> None:
        for text, problem in (
            ("", "rules.yaml: holds nothing, not a mapping"),
            ("- a", "rules.yaml: holds a list, not a mapping"),
            ("margin: 0.1", "rules.yaml:1: margin: unknown key 'margin'; did you mean 'margins'?"),
            ("gate: deploy", "rules.yaml:1: gate: 'deploy': input should be 'no_regression'"),
            ("min_coverage: 98", "rules.yaml:1: min_coverage: 98: input should be less than or equal to 1"),
            ("margins: 0.1", "rules.yaml:1: margins: 0.1: is no mapping: write keys with their values"),
            ("margins:\n  trust: much", "rules.yaml:2: margins.trust: 'much': input should be a valid number"),
            ("margins:\n  trust: -0.1", "rules.yaml:2: margins.trust: -0.1: input should be greater than"),
            ("max_failure_rate: true", "rules.yaml:1: max_failure_rate: True: input should be a valid number"),
            ("max_failure_rate: null", "rules.yaml:1: max_failure_rate: None: input should be a valid number"),
            ("min_clusters: 1", "rules.yaml:1: min_clusters: 1: input should be greater than or equal to 2"),
            ("min_clusters: 2.5", "rules.yaml:1: min_clusters: 2.5: input should be a valid integer"),
            ("min_overall: high", "rules.yaml:1: min_overall: 'high': input should be a valid number"),
            (
                "margins:\n  trust: 0.5",
                "rules.yaml:1: margins.trust 0.5 is not below largest_fall 0.5: lower it, or set",
            ),
            ("margins: {all_checks: 1}", "rules.yaml:1: margins.all_checks 1 is not below largest_fall 1: lower it"),
            (
                "largest_fall: {scores: 0.04}\nmargins: {default: 0.05}",
                "rules.yaml:1: margins.default 0.05 is not below largest_fall 0.04: lower it",
            ),
            ("largest_fall:\n  scores: 0", "rules.yaml:2: largest_fall.scores: 0: input should be greater than 0"),
            ("largest_fall:\n  scores: 2", "rules.yaml:2: largest_fall.scores: 2: input should be less than or equal"),
            ("min_overall: .nan", "rules.yaml:1: min_overall: '.nan': input should be a valid number"),
        ):
            with pytest.raises(ParseError) as error:
                parse_regression_rules(text, "rules.yaml")
            assert str(error.value).startswith(problem), text
