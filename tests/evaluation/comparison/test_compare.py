"""Two runs compared: verdicts, what is tested, what is refused, and what stays visible."""

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.document import comparison_document
from evaluation.comparison.runs import RunScores, terms, variance_of_median
from evaluation.errors import UsageError
from evaluation.records import Scenario
from evaluation.reports.comparison import headline
from evaluation.runspec import PromptPin, TextPin, canonical_json
from evaluation.statistics.scenario_scores import MISSING
from evaluation.summary.columns import Key
from tests.evaluation.comparison.examples import (
    COMPONENTS,
    JUDGE,
    OVERALL,
    SUITE,
    Answers,
    answered_run,
    example_suite,
    overall_run,
    run_of,
    scenario,
    scenarios_of,
    spec,
)

ROOT = Path(__file__).resolve().parents[3]
NOISE = [0.03, -0.03, 0.01, -0.01, 0.02, -0.02]
"""Adds up to 0 over six scenarios."""


def against(changes: list[float], **options: object) -> Comparison:
    """A run of 0.5 everywhere against one that differs by these changes."""
    base = overall_run([0.5] * len(changes))
    candidate = overall_run([0.5 + change for change in changes], version=2)
    return compare(base, candidate, suite=SUITE, **options)  # type: ignore[arg-type]


def primary(found: Comparison) -> MetricDifference:
    assert found.primary is not None
    return found.primary


class TestVerdict:
    @pytest.mark.parametrize(
        ("shift", "noise", "verdict"),
        [
            # 12 situations with SE sqrt(2 x 0.0028 / 12 / 11) = 0.00651 and t(0.975, 11) = 2.201: half width 0.0143.
            (0.03, 1, "better"),
            (-0.03, 1, "worse"),
            # However alike, 12 situations cannot show that no rare fall of 0.5 was missed: that takes 74.
            (0.008, 1, "inconclusive"),
            (-0.008, 1, "inconclusive"),
            (0.0, 1, "inconclusive"),
            (0.0105, 1, "inconclusive"),
            (0.0, 3, "inconclusive"),
            # Sure and small: SE 0.000651, interval 0.005 +- 0.0014.
            (0.005, 0.1, "better"),
        ],
    )
    def test_by_hand(self, shift: float, noise: float, verdict: str) -> None:
        assert against([shift + noise * value for value in NOISE * 2]).verdict == verdict

    @pytest.mark.parametrize(
        ("shift", "situations", "verdict"),
        [
            # The pseudo-situation alone takes the bound to 0.5 x (1 - 0.05^(1/G)): 0.0201 at 73, 0.0198 at 74.
            (0.0, 73, "inconclusive"),
            (0.0, 74, "equivalent"),
            # One shift everywhere moves one bound by nearly as much, and is called where the tests are sure of it.
            (0.01, 240, "better"),
        ],
    )
    def test_equivalent_takes_situations_that_could_have_shown_a_fall(
        self, shift: float, situations: int, verdict: str
    ) -> None:
        found = against([shift] * situations)
        assert found.verdict == verdict
        few = any(f"takes 74 situations even where none differs, here are {situations}" in why for why in found.reasons)
        assert few == (verdict == "inconclusive")

    @pytest.mark.parametrize(("moved", "size", "verdict"), [(1, 0.05, "equivalent"), (5, 0.5, "inconclusive")])
    def test_equivalent_is_asked_on_both_sides(self, moved: int, size: float, verdict: str) -> None:
        # Clopper and Pearson's upper end of 5 in 240 is 0.043, and 0.043 x 0.5 lies beyond 0.02.
        for sign in (1, -1):
            found = against([sign * size] * moved + [0.0] * (240 - moved))
            assert found.verdict == verdict

    def test_the_interval_and_the_power_beside_it(self) -> None:
        row = primary(against([0.03 + value for value in NOISE * 2]))
        se = math.sqrt(2 * 0.0028 / 12 / 11)
        assert row.estimate.difference == pytest.approx(0.03)
        assert row.estimate.ci95 == pytest.approx((0.03 - 2.20099 * se, 0.03 + 2.20099 * se), abs=1e-7)
        # t(0.8, 11) = 0.87553.
        assert row.detectable == pytest.approx((2.20099 + 0.87553) * se, abs=1e-6)
        assert row.noise == pytest.approx(2.20099 * se, abs=1e-6)

    def test_below_ten_situations_there_is_none(self) -> None:
        nine = against([0.1] * 4 + [0.2] * 5)
        assert nine.verdict is None
        assert primary(nine).call is None
        assert nine.reasons[0] == "too few scenarios to decide (9 situations, 10 needed)"
        written: Any = comparison_document(nine, None, headline(nine))
        assert (written["verdict"], written["code"]) == ("none", "too_few_scenarios")
        assert written["headline"] == "TOO FEW SCENARIOS TO DECIDE (9 situations, 10 needed): v2 against v1"
        assert against([0.1] * 4 + [0.2] * 6).verdict == "better"

    def test_ten_scenarios_of_one_situation_are_one(self) -> None:
        place = [scenario(number, situation="same") for number in range(12)]
        runs = [run_of({OVERALL: [value] * 12}, place, version=version) for version, value in ((1, 0.5), (2, 0.9))]
        found = compare(*runs, suite=SUITE)
        assert found.verdict is None
        assert primary(found).estimate.ci95 is None

    def test_both_tests_must_agree(self) -> None:
        # One situation of 9 scenarios and 9 of one: all rise, the large one most. With 10 situations and every sign
        # equal the sign-flip p is 2/1024; the interval alone decides.
        place = [scenario(number, situation="big" if number < 9 else "") for number in range(18)]
        columns = [[0.5] * 18, [0.9] * 9 + [0.501] * 9]
        runs = [run_of({OVERALL: values}, place, version=version) for version, values in enumerate(columns, start=1)]
        found = compare(*runs, suite=SUITE)
        estimate = primary(found).estimate
        assert estimate.p_sign_flip is not None and estimate.p_t is not None
        assert estimate.p_sign_flip <= 0.05 < estimate.p_t
        assert found.verdict == "inconclusive"
        assert any("the interval does not leave out 0" in reason for reason in found.reasons)

    def test_an_interval_alone_is_not_enough_either(self) -> None:
        # Mean 0.011, SE 0.00482: t = 2.28 > 2.262. In steps of 0.01 the changes are 3 3 2 2 2 1 -1 -1 0 0, and 80 of
        # 1,024 sign patterns reach their sum of 11.
        found = against([0.03, 0.02, 0.02, 0.03, 0.01, -0.01, -0.01, 0.02, 0.0, 0.0], margin=0.01)
        estimate = primary(found).estimate
        assert estimate.p_t is not None and estimate.p_t <= 0.05
        assert estimate.p_sign_flip == pytest.approx(80 / 1024)
        assert found.verdict == "inconclusive"
        assert any("the sign-flip test does not confirm it" in reason for reason in found.reasons)

    def test_a_sure_but_small_difference_says_so(self) -> None:
        found = against([0.005 + value / 10 for value in NOISE * 2])
        assert found.verdict == "better"
        assert any("sure but small" in reason for reason in found.reasons)

    def test_the_margin_is_a_share_of_the_scale(self) -> None:
        suite = example_suite(1, 5)
        base = overall_run([3.0] * 120)
        candidate = overall_run([3.0 + value for value in NOISE * 20], version=2)
        found = compare(base, candidate, suite=suite, margin=0.02)
        assert found.margin == pytest.approx(0.08)
        assert found.verdict == "equivalent"

    @pytest.mark.parametrize("margin", [0, 1, -0.1, math.nan])
    def test_a_margin_outside_the_scale_is_refused(self, margin: float) -> None:
        with pytest.raises(UsageError, match="--margin"):
            against([0.0] * 12, margin=margin)


class TestNothingVaries:
    def test_identical_runs_are_equivalent(self) -> None:
        found = against([0.0] * 80)
        assert found.verdict == "equivalent"
        assert primary(found).detectable == 0.0
        assert primary(found).estimate.p == 1.0

    def test_one_shift_everywhere_is_a_difference(self) -> None:
        found = against([0.1] * 12)
        assert found.verdict == "better"
        assert primary(found).estimate.ci95 == pytest.approx((0.1, 0.1))
        assert any("the interval is a point" in reason for reason in found.reasons)


def metric_runs(shifts: dict[str, float], count: int = 30) -> tuple[RunScores, RunScores]:
    """Components with noise of their own, the overall their weighted sum, and a judge beside."""
    rng = np.random.default_rng(4)
    weights = SUITE.weights or {}
    sides = []
    for version in (1, 2):
        columns: dict[Key, list[float]] = {}
        total = np.zeros(count)
        for metric in COMPONENTS:
            values = 0.6 + rng.normal(0, 0.03, count) + (shifts.get(metric, 0.0) if version == 2 else 0.0)
            columns["heuristic", metric] = values.tolist()
            total += weights[metric] * values
        columns["heuristic", "overall"] = total.tolist()
        sides.append(run_of(columns, scenarios_of(count), version=version))
    return sides[0], sides[1]


class TestComponents:
    def test_roles_and_calls(self) -> None:
        found = compare(*metric_runs({"warmth": 0.1, "trust": -0.1}), suite=SUITE)
        rows = found.metrics["heuristic"]
        assert {metric: row.role for metric, row in rows.items()} == {
            "warmth": "component", "clarity": "component", "trust": "component", "overall": "primary",
        }  # fmt: skip
        assert {metric: row.call for metric, row in rows.items()} == {
            "warmth": "higher", "clarity": "unclear", "trust": "lower", "overall": "higher",
        }  # fmt: skip

    def test_holm_spans_the_components_and_leaves_the_primary_alone(self) -> None:
        found = compare(*metric_runs({"warmth": 0.02}), suite=SUITE)
        rows = found.metrics["heuristic"]
        assert rows["overall"].p_adjusted is None
        p_values = sorted((row.estimate.p or 0.0, metric) for metric, row in rows.items() if row.role == "component")
        smallest, metric = p_values[0]
        assert rows[metric].p_adjusted == pytest.approx(min(1.0, 3 * smallest))
        assert rows["warmth"].level == pytest.approx(0.05 / 3)

    def test_other_sources_describe(self) -> None:
        base, candidate = metric_runs({})
        both = [
            replace(run, columns={**run.columns, ("judge", "overall"): [0.5 + 0.2 * (run is candidate)] * 30})
            for run in (base, candidate)
        ]
        found = compare(*both, suite=SUITE)
        row = found.metrics["judge"]["overall"]
        assert (row.role, row.call, row.p_adjusted) == ("descriptive", None, None)
        assert row.estimate.p is not None

    def test_components_come_from_the_rules_where_the_deciding_source_has_only_an_overall(self) -> None:
        runs = [
            answered_run(Answers([0.5 + 0.01 * number for number in range(12)], judged=True), version=version)
            for version in (1, 2)
        ]
        found = compare(*runs, suite=SUITE)
        assert (found.source, primary(found).source) == ("combined", "combined")
        assert [(row.source, row.metric) for row in found.components] == [("heuristic", name) for name in COMPONENTS]
        assert found.metrics["heuristic"]["overall"].role == "descriptive"

    @pytest.mark.long
    def test_no_component_is_called_on_noise_more_often_than_the_family_may(self) -> None:
        """Each family of three has at most a 5% chance of any false call: 200 families, 3 deviations above 10."""
        rng = np.random.default_rng(12)
        families = 0
        for _ in range(200):
            runs = [
                run_of(
                    {
                        **{("heuristic", name): rng.beta(8, 2, 20).tolist() for name in COMPONENTS},
                        OVERALL: [0.5] * 20,
                    },
                    scenarios_of(20),
                    version=version,
                )
                for version in (1, 2)
            ]
            families += any(row.call in ("higher", "lower") for row in compare(*runs, suite=SUITE).components)
        assert families <= 19


class TestCategories:
    def test_are_descriptive_and_corrected_together(self) -> None:
        count = 40
        place = scenarios_of(count, ["crisis", "talk"])
        rng = np.random.default_rng(6)
        change = [-0.1 if number % 2 == 0 else 0.1 for number in range(count)]
        base = run_of({OVERALL: [0.5] * count}, place)
        values = [0.5 + value + noise for value, noise in zip(change, rng.normal(0, 0.02, count), strict=True)]
        found = compare(base, run_of({OVERALL: values}, place, version=2), suite=SUITE)
        cells = {cell.category: cell for cell in found.categories}
        assert list(cells) == ["crisis", "talk"]
        assert all(cell.row.role == "descriptive" and cell.row.call is None for cell in cells.values())
        assert cells["crisis"].row.estimate.difference == pytest.approx(-0.1, abs=0.02)
        assert cells["talk"].p_adjusted == pytest.approx(2 * (cells["talk"].row.estimate.p or 0.0), rel=0.5)

    def test_one_category_is_not_repeated(self) -> None:
        assert against([0.1] * 12).categories == ()


class TestMissing:
    def test_pairs_without_a_value_stay_visible(self) -> None:
        # 20 scenarios rise by 0.1; one fails in either run, another one in the other.
        base = overall_run([MISSING] + [0.5] * 19)
        candidate = overall_run([0.6, MISSING] + [0.6] * 18, version=2)
        row = primary(compare(base, candidate, suite=SUITE))
        assert (row.paired, row.planned, row.coverage) == (18, 20, 0.9)
        assert row.estimate.scenarios == 18
        assert row.estimate.difference == pytest.approx(0.1)
        # (18 x 0.1 + (0.6 - 1) + (0 - 0.5)) / 20 and (18 x 0.1 + 0.6 + 0.5) / 20.
        assert row.bounds == pytest.approx((0.045, 0.145))

    def test_a_difference_that_the_missing_pairs_could_turn_says_so(self) -> None:
        base = overall_run([0.5] * 20)
        candidate = overall_run([MISSING] * 4 + [0.55, 0.56] * 8, version=2)
        found = compare(base, candidate, suite=SUITE)
        # (16 x 0.055 - 4 x 0.5) / 20 < 0.
        assert found.verdict == "better"
        assert found.reasons[-1] == "the missing pairs could turn the difference around"

    def test_failed_and_unparsed_exchanges_through_the_whole_path(self) -> None:
        values = [0.4 + 0.01 * number for number in range(20)]
        base = answered_run(Answers(values, judged=True, failed=frozenset({3})))
        candidate = answered_run(Answers(values, judged=True, unparsed=frozenset({5})), version=2)
        found = compare(base, candidate, suite=SUITE)
        assert (primary(found).paired, primary(found).planned) == (18, 20)
        rules = found.metrics["heuristic"]["warmth"]
        assert (rules.paired, rules.planned) == (19, 20)
        assert found.base.summary.counts.failed == 1
        assert found.candidate.summary.counts.unparsed == 1

    def test_nothing_in_common(self) -> None:
        found = compare(overall_run([MISSING] * 12), overall_run([0.5] * 12, version=2), suite=SUITE)
        assert found.verdict is None
        assert primary(found).estimate.difference is None
        assert found.reasons == ("there is no exchange on which both runs have an overall of the deciding source",)


class TestNoise:
    def test_judge_samples_split_the_variance(self) -> None:
        # Two samples 0.1 above and below: variance 0.02, of their mean 0.01, in both runs 0.02.
        values = [0.3 + 0.02 * number for number in range(20)]
        runs = [answered_run(Answers(values, judged=True, samples=2), version=version) for version in (1, 2)]
        found = compare(*runs, suite=SUITE)
        assert primary(found).components is not None
        # The judge is half of the combined score: a quarter of its variance.
        assert primary(found).components.judge == pytest.approx(0.005)  # type: ignore[union-attr]
        warmth = found.metrics["heuristic"]["warmth"].components
        assert warmth is not None and warmth.judge == 0.0

    @pytest.mark.parametrize(("samples", "excess"), [(2, 1.0), (3, 1.168), (5, 1.096), (9, 1.053)])
    @pytest.mark.slow
    def test_the_variance_of_a_median(self, samples: int, excess: float) -> None:
        """Against what medians of normal draws do: never too low, and too high by what is documented."""
        drawn = np.random.default_rng(samples).normal(size=(40_000, samples))
        claimed = np.mean([variance_of_median(row) for row in drawn.tolist()])
        assert claimed / np.median(drawn, axis=1).var() == pytest.approx(excess, rel=0.03)

    def test_one_sample_has_no_variance(self) -> None:
        assert math.isnan(variance_of_median((0.5,)))

    def test_single_samples_leave_the_judge_unknown(self) -> None:
        values = [0.3 + 0.02 * number for number in range(20)]
        runs = [answered_run(Answers(values, judged=True), version=version) for version in (1, 2)]
        parts = primary(compare(*runs, suite=SUITE)).components
        assert parts is not None and parts.judge is None

    @pytest.mark.slow
    def test_planted_scenario_sampling_and_judge_noise_are_recovered(self) -> None:
        rng = np.random.default_rng(21)
        count, repeats, samples = 3000, 3, 2
        effect = rng.normal(0, 0.05, count)
        runs = []
        for version in (1, 2):
            level = 0.5 + effect * (version - 1)
            answers = np.repeat(level, repeats) + rng.normal(0, 0.06, count * repeats)
            verdicts = answers[:, None] + rng.normal(0, 0.04, (count * repeats, samples))
            variance = verdicts.var(axis=1, ddof=1) / samples
            columns: dict[Key, list[float]] = {("judge", "overall"): verdicts.mean(axis=1).tolist()}
            run = run_of(columns, scenarios_of(count), version=version, repeats=repeats)
            source_judge = replace(run.summary, source="judge")
            runs.append(replace(run, summary=source_judge, judge_variance=variance.tolist()))
        parts = primary(compare(*runs, suite=SUITE)).components
        assert parts is not None
        assert parts.scenario == pytest.approx(0.05**2, rel=0.1)
        assert parts.sampling == pytest.approx(2 * 0.06**2, rel=0.1)
        assert parts.judge == pytest.approx(2 * 0.04**2 / samples, rel=0.1)

    def test_what_it_takes_to_find_an_effect(self) -> None:
        found = against([3 * value for value in NOISE * 4], effect=0.01)
        row = primary(found)
        assert row.need is not None and row.need.scenarios is not None and row.detectable is not None
        assert row.need.effect == pytest.approx(0.01)
        # SE falls with the root: about 24 x (detectable / 0.01)^2 scenarios, a little less since t grows tighter.
        assert row.need.scenarios == pytest.approx(24 * (row.detectable / 0.01) ** 2, rel=0.1)
        assert row.need.repeats is None


class TestTerms:
    def test_only_the_prompt_differs(self) -> None:
        found = terms(spec(1), spec(2))
        assert found.refusal == ""
        assert [name for name, _, _ in found.compared] == ["prompt.version", "prompt.sha256"]

    @pytest.mark.parametrize(
        ("change", "part"),
        [
            ({"rubric": TextPin("example", "1.1", "q" * 64)}, "rubric.version"),
            ({"model": "model-b"}, 'model "model-a" / "model-b"'),
            ({"parameters": {"temperature": 0.2, "max_tokens": 300}}, "parameters.temperature 0.7 / 0.2"),
            ({"parameters": {"max_tokens": 300}}, "parameters.temperature 0.7 / (not set)"),
            ({"judge": None}, "judge"),
            ({"judge": replace(JUDGE, samples=3)}, "judge.samples 1 / 3"),
            ({"scenarios": TextPin("example", "11", "t" * 64)}, "scenarios"),
            ({"repeats": 3}, "repeats 1 / 3"),
            ({"seed": 8}, "seed 7 / 8"),
            ({"endpoint": "https://other.test/v1"}, "endpoint"),
        ],
    )
    def test_anything_else_is_refused_by_name(self, change: dict[str, object], part: str) -> None:
        base = overall_run([0.5] * 12)
        candidate = replace(overall_run([0.6] * 12, version=2), spec=spec(2, **change))
        with pytest.raises(UsageError, match="differ in more than prompt") as refusal:
            compare(base, candidate, suite=SUITE)
        assert part in str(refusal.value)
        assert "\n" not in str(refusal.value)
        assert "--force" in str(refusal.value)

    def test_force_compares_and_marks(self) -> None:
        base = overall_run([0.5] * 12)
        candidate = replace(overall_run([0.6] * 12, version=2), spec=spec(2, model="model-b"))
        found = compare(base, candidate, suite=SUITE, force=True)
        assert found.forced
        assert found.terms.parts == ("model",)
        assert found.verdict == "better"
        assert not compare(base, overall_run([0.6] * 12, version=2), suite=SUITE).forced

    def test_another_suite_cannot_be_forced(self) -> None:
        candidate = replace(overall_run([0.6] * 12, version=2), spec=spec(2, suite="other"))
        with pytest.raises(UsageError, match="different suites"):
            compare(overall_run([0.5] * 12), candidate, suite=SUITE, force=True)

    def test_another_deciding_source_is_refused(self) -> None:
        judged = answered_run(Answers([0.5] * 12, judged=True), judge=JUDGE)
        plain = answered_run(Answers([0.5] * 12), version=2, judge=JUDGE)
        with pytest.raises(UsageError, match="decided by combined"):
            compare(judged, plain, suite=SUITE)
        assert compare(judged, plain, suite=SUITE, force=True).forced

    @pytest.mark.parametrize("by", ["temperature", "parameters.temperature", "parameters"])
    def test_by_a_parameter(self, by: str) -> None:
        other = spec(1, parameters={"temperature": 0.2, "max_tokens": 300})
        assert terms(spec(1), other, (by,)).refusal == ""
        more = spec(1, parameters={"temperature": 0.2, "max_tokens": 900})
        assert (terms(spec(1), more, (by,)).refusal == "") == (by == "parameters")

    def test_by_several_parts(self) -> None:
        other = spec(2, model="model-b", endpoint="https://other.test/v1")
        assert terms(spec(1), other, ("prompt", "model", "endpoint")).refusal == ""
        assert terms(spec(1), other, ("prompt", "model")).parts == ("endpoint",)

    @pytest.mark.parametrize("by", ["colour", "suite", "tempreature", ""])
    def test_an_unknown_part_is_refused_with_what_there_is(self, by: str) -> None:
        with pytest.raises(UsageError, match=r"choose from prompt, model, .*temperature"):
            terms(spec(1), spec(2), (by,))

    def test_a_version_that_holds_another_text_now_is_reported(self) -> None:
        changed = spec(1, prompt=PromptPin("penpal", 1, None, "f" * 64, "langfuse"))
        assert "does not hold the same text" in " ".join(terms(spec(1), changed).notes)
        assert terms(spec(1), spec(2)).notes == ()

    def test_a_new_number_for_the_same_text_is_reported(self) -> None:
        twin = spec(2, prompt=PromptPin("penpal", 2, None, f"{1:064d}", "directory"))
        assert terms(spec(1), twin).notes == ("v1 and v2 of 'penpal' hold the same text and configuration",)

    def test_a_run_against_its_like_measures_noise(self) -> None:
        assert terms(spec(1), spec(1)).notes == (
            "the runs do not differ in prompt: whatever differs in the scores is noise",
        )

    def test_a_moved_label_is_no_difference(self) -> None:
        moved = spec(1, prompt=PromptPin("penpal", 1, "production", f"{1:064d}", "directory"))
        assert terms(spec(1), moved).compared == ()

    def test_long_values_are_cut(self) -> None:
        found = terms(spec(1), spec(1, model="m" * 10_000))
        assert len(found.refusal) < 300


class TestForcedPlans:
    def test_only_common_scenarios_are_paired(self) -> None:
        base = run_of({OVERALL: [0.5] * 14}, scenarios_of(14))
        pin = TextPin("other", "15", "x" * 64)
        others: list[Scenario] = [*scenarios_of(12), scenario(90), scenario(91), scenario(92)]
        candidate = run_of({OVERALL: [0.6] * 15}, others, version=2)
        found = compare(base, replace(candidate, spec=spec(2, scenarios=pin)), suite=SUITE, force=True)
        assert found.unpaired == (2, 3)
        assert primary(found).estimate.scenarios == 12

    def test_other_repeats_are_compared_by_means(self) -> None:
        base = overall_run([0.5] * 12)
        candidate = run_of({OVERALL: [0.5, 0.7] * 12}, scenarios_of(12), version=2, repeats=2)
        found = compare(base, candidate, suite=SUITE, force=True)
        assert primary(found).estimate.difference == pytest.approx(0.1)
        assert primary(found).coverage == 1.0
        assert not any("lack a value" in reason for reason in found.reasons)


@pytest.mark.parametrize(("margin", "cautioned"), [(0.02, True), (0.03, False)])
def test_equivalent_is_cautioned_when_gaps_lead_beyond_the_margin(margin: float, cautioned: bool) -> None:
    """Four of 80 pairs lack their value: the difference may be 4 x 0.5 / 80 either way."""
    candidate = overall_run([*[MISSING] * 4, *[0.5] * 76], version=2)
    found = compare(overall_run([0.5] * 80), candidate, suite=SUITE, margin=margin)
    assert found.verdict == "equivalent"
    assert ("the missing pairs could take the difference beyond the margin" in found.reasons) == cautioned


def test_runs_of_one_name_are_distinguished_by_their_ids() -> None:
    base, candidate = overall_run([0.5] * 12, name="v3"), overall_run([0.5] * 12, version=2, name="v3")
    found = compare(base, candidate, suite=SUITE)
    assert (found.base.name, found.candidate.name) == ("v3 (run-1)", "v3 (run-2)")


def test_the_seed_of_the_draws_is_fixed() -> None:
    changes = np.random.default_rng(2).normal(0.01, 0.05, 30).tolist()
    assert against(changes).metrics == against(changes).metrics
    assert (
        primary(against(changes, seed=1)).estimate.p_sign_flip != primary(against(changes, seed=2)).estimate.p_sign_flip
    )


def test_the_document_is_json_and_says_what_a_pipeline_needs() -> None:
    found = compare(*metric_runs({"warmth": 0.1}), suite=SUITE)
    document = comparison_document(found, headline="a sentence")
    assert canonical_json(document)
    assert document["schema_version"] == 1
    assert document["verdict"] == "better"
    assert document["overall"]["call"] == "higher"
    assert document["metrics"]["heuristic"]["warmth"]["p_adjusted"] <= 0.05
    assert document["base"]["digests"]["rubric"] == document["candidate"]["digests"]["rubric"]
    assert document["gate"] is None


def test_the_document_of_runs_without_a_value_is_json_too() -> None:
    found = compare(overall_run([MISSING] * 3), overall_run([MISSING] * 3, version=2), suite=SUITE)
    assert canonical_json(comparison_document(found))


@pytest.mark.slow
def test_importing_loads_no_numpy() -> None:
    code = "import evaluation.comparison.gate, evaluation.reports.comparison, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not {"numpy", "scipy", "pandas"} & set(loaded.split())
