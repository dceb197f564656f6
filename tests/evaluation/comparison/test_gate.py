"""The no-regression gate: what it lets through, and above all what it does not."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.comparison.compare import compare
from evaluation.comparison.gate import RegressionResult, RegressionRules, no_regression, parse_regression_rules, refuse
from evaluation.comparison.runs import RunScores
from evaluation.decision.gate import Limits, limit_faults
from evaluation.errors import ParseError, UsageError
from evaluation.runspec import TextPin, canonical_json
from tests.evaluation.comparison.examples import SUITE, Answers, answered_run

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
        (run(version=2, count=9), "too few scenarios: 9 situations, at least 10 are needed"),
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
    # 2 of 100 missing: at worst the candidate's mean falls by about 2 x 0.7 / 100, beyond the margin of 0.01.
    rules = RegressionRules(margins={"overall": 0.01}, min_coverage=0.9, max_failure_rate=1, max_fallback_rate=1)
    assert gated(run(version=2), rules=rules).passed
    found = gated(run(version=2, failed=2), rules=rules)
    assert not found.passed
    assert found.checks[0].low is not None and found.checks[0].low < -0.01


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
            ("margins: 0.1", "rules.yaml:1: margins: 0.1: input should be a valid dictionary"),
            ("margins:\n  trust: much", "rules.yaml:2: margins.trust: 'much': input should be a valid number"),
            ("margins:\n  trust: -0.1", "rules.yaml:2: margins.trust: -0.1: input should be greater than"),
            ("max_failure_rate: true", "rules.yaml:1: max_failure_rate: True: input should be a valid number"),
            ("max_failure_rate: null", "rules.yaml:1: max_failure_rate: None: input should be a valid number"),
            ("min_clusters: 1", "rules.yaml:1: min_clusters: 1: input should be greater than or equal to 2"),
            ("min_clusters: 2.5", "rules.yaml:1: min_clusters: 2.5: input should be a valid integer"),
            ("min_overall: high", "rules.yaml:1: min_overall: 'high': input should be a valid number"),
            ("min_overall: .nan", "rules.yaml:1: min_overall: '.nan': input should be a valid number"),
        ):
            with pytest.raises(ParseError) as error:
                parse_regression_rules(text, "rules.yaml")
            assert str(error.value).startswith(problem), text
