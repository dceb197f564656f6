import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluation.decision.decide import decide
from evaluation.decision.gate import StoredDecision, coverage_below_floor, decision_document, gate
from evaluation.metrics.reach import phrases_to_reach
from evaluation.records import Result
from evaluation.rubrics.rubric import Metric
from evaluation.summary.summary import Summary
from scripts.run.load import load_suite
from tests.evaluation.made_runs import (
    JUDGED,
    METRICS,
    OVERALL,
    failed,
    scenario,
    scored,
    suite,
    summary_of,
    unparsed,
)


def spread(
    means: Mapping[str, float], half: float = 0.002, situations: int = 12, *, judge: float | None = None
) -> Summary:
    """A run with these means in so many situations, half of them `half` above and half below. All in context."""
    results: list[Result] = []
    plan = [scenario(f"s{number}", turns=2) for number in range(situations)]
    for number, item in enumerate(plan):
        values = {metric: mean + (half if number % 2 else -half) for metric, mean in means.items()}
        results += [scored(item.id, values, turn=turn, judge=judge) for turn in (1, 2)]
    return summary_of(results, plan, sources=("heuristic",) if judge is None else JUDGED)


def means(overall: float, **others: float) -> dict[str, float]:
    return {metric: others.get(metric, 0.8) for metric in METRICS[:-1]} | {OVERALL: overall}


@pytest.mark.parametrize(
    ("overall", "others", "verdict"),
    [
        (0.8, {}, "deploy"),
        (0.7, {}, "deploy"),
        (0.6999999999, {}, "deploy"),  # within the rounding of a sum of decimals
        (0.69999, {}, "ab_test"),
        (0.6, {}, "ab_test"),
        (0.59999, {}, "needs_revision"),
        (0.95, {"trust": 0.5}, "deploy"),
        (0.95, {"trust": 0.49999}, "needs_revision"),
        (0.65, {"trust": 0.5}, "ab_test"),
        (0.65, {"trust": 0.49999}, "needs_revision"),
        (0.95, {"personalization": 0.4}, "needs_revision"),
    ],
)
def test_the_rule_at_its_bounds(overall: float, others: dict[str, float], verdict: str) -> None:
    found = decide(spread(means(overall, **others)), suite())
    assert found.verdict == verdict


def test_means_on_a_bound_are_not_stable_and_clear_ones_are() -> None:
    found = [decide(spread(means(overall)), suite()).stable for overall in (0.8, 0.7, 0.65, 0.6, 0.55)]
    assert found == [True, False, True, False, True]


def test_equal_scores_everywhere_are_no_certainty() -> None:
    """Twelve situations at 0.72 cannot rule out a rare low one: Wilson's interval of 12 trials is [0.41, 0.91]."""
    found = decide(spread(means(0.72), half=0.0), suite())
    assert (found.verdict, found.stable, found.lower, found.upper) == ("deploy", False, "needs_revision", "deploy")
    assert "95% interval [0.41, 0.91] over 12 situations" in found.reasons[0]
    high = decide(spread(dict.fromkeys(METRICS, 1.0), half=0.0, situations=24), suite())
    assert high.stable and "95% interval [0.85, 1.00]" in high.reasons[0]


def test_reasons_carry_the_figures() -> None:
    deploy = decide(spread(means(0.74, trust=0.55)), suite())
    assert deploy.reasons[0].startswith("overall quality 0.74 is at least 0.70, what deploy asks; 95% interval [0.74")
    assert "no metric is below its floor of 0.50: the lowest is trust, 0.55" in deploy.reasons
    assert deploy.areas == ()
    candidate = decide(spread(means(0.6996, helpfulness=0.52, trust=0.65)), suite())
    assert candidate.reasons[0].startswith("overall quality 0.70 is at least 0.60, what an A/B test asks")
    assert candidate.areas == ("helpfulness", "trust")
    assert "to improve: helpfulness 0.52, trust 0.65" in candidate.reasons
    revision = decide(spread(means(0.599, trust=0.4996)), suite())
    assert revision.reasons[0].startswith("overall quality 0.599 is below 0.60, what an A/B test asks")
    assert "trust 0.4996 is below its floor of 0.50 (heuristic)" in revision.reasons  # not "0.50 is below 0.50"


def test_an_interval_across_a_bound_is_not_stable() -> None:
    # 12 situations at 0.72 +- 0.08: SE = 0.08 / sqrt(11) = 0.0241, n = 0.2016 / SE^2 = 346, t(11) = 2.201: from 0.663.
    found = decide(spread(means(0.72), half=0.08), suite())
    assert (found.verdict, found.stable, found.lower, found.upper) == ("deploy", False, "ab_test", "deploy")
    assert "not stable: A/B test at the lower ends of the intervals" in found.reasons
    strict = decide(spread(means(0.72), half=0.08), suite(), strict=True)
    assert strict.verdict == "ab_test"
    assert strict.reasons[0].startswith("the lower end of overall quality 0.66 is at least 0.60, what an A/B")
    assert decide(spread(means(0.76), half=0.08), suite(), strict=True).verdict == "deploy"


def test_strict_holds_the_floors_to_their_lower_ends_too() -> None:
    run = spread(means(0.9, trust=0.52), half=0.05)
    assert decide(run, suite()).verdict == "deploy"
    strict = decide(run, suite(), strict=True)
    assert strict.verdict == "needs_revision"
    assert any(reason.startswith("the lower end of trust 0.49 is below its floor of 0.50") for reason in strict.reasons)


def test_missing_values_that_could_turn_the_verdict_make_it_unstable() -> None:
    plan = [scenario(str(number)) for number in range(20)]
    results = [
        scored(item.id, {name: value + (0.002 if place % 2 else -0.002) for name, value in means(0.72).items()})
        for place, item in enumerate(plan)
    ]
    assert decide(summary_of(results, plan), suite()).stable
    # With one of 20 missing the mean could be 0.95 * 0.72 = 0.684.
    gap = decide(summary_of(results[1:], plan), suite())
    assert (gap.verdict, gap.stable, gap.lower) == ("deploy", False, "ab_test")
    assert any(reason.startswith("19 of 20 planned exchanges count (95%;") for reason in gap.reasons)


def test_one_situation_decides_nothing() -> None:
    found = decide(summary_of([scored("a", means(0.9))]), suite())
    assert (found.verdict, found.stable, found.lower) == (None, False, None)
    assert found.reasons[:2] == (
        "too few scenarios to decide (1 situation, 10 needed)",
        "so far: heuristic overall quality 0.90, over 1 situation",
    )
    assert decide(summary_of([scored("a", means(0.9))]), suite(), strict=True).verdict is None


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("situations", "decided"), [(2, False), (9, False), (10, True)])
def test_nothing_is_decided_below_ten_situations(situations: int, decided: bool, strict: bool) -> None:
    run = spread(dict.fromkeys(METRICS, 0.999), situations=situations, judge=0.999)
    found = decide(run, suite(), strict=strict)
    assert (found.verdict is not None) == decided
    assert {choice.verdict is not None for choice in found.by_source.values()} == {decided}
    if not decided:
        assert not found.stable
        few = f"too few scenarios to decide ({situations} situations, 10 needed)"
        assert found.reasons[0] == few
        assert found.reasons[1].startswith("so far: combined overall quality 1.00, 95% interval [")
        assert not any("deploy" in reason for reason in found.reasons)
        assert gate(found, run, gate="ab_test").reasons == (few,)
        assert decision_document(found, run)["verdict"] == "none"


def test_a_metric_that_applies_nowhere_breaks_no_floor() -> None:
    found = decide(summary_of([scored(name, means(0.9, personalization=0.1)) for name in "abcdefghij"]), suite())
    assert found.verdict == "deploy"
    assert "personalization applies to no exchange of this run: its floor was not tested" in found.reasons


def test_a_judge_of_the_overall_leaves_the_floors_to_the_rules() -> None:
    found = decide(spread(means(0.8, trust=0.45), judge=0.9), suite())
    assert (found.source, found.verdict) == ("combined", "needs_revision")
    assert "trust 0.45 is below its floor of 0.50 (heuristic)" in found.reasons
    assert any(
        reason.startswith("the floors are held against the heuristic means: combined has") for reason in found.reasons
    )
    assert found.by_source["judge"].floors_from == ("heuristic",)
    sides = {
        source: choice.verdict for source, choice in decide(spread(means(0.5), judge=0.9), suite()).by_source.items()
    }
    assert sides == {"heuristic": "needs_revision", "judge": "deploy", "combined": "deploy"}


def test_without_data_or_rule_there_is_no_verdict() -> None:
    nothing = decide(summary_of([failed("a"), unparsed("b", 0.9)], sources=JUDGED), suite())
    assert nothing.verdict is None
    assert not nothing.stable
    assert nothing.reasons == (
        "no verdict: not one of 2 planned exchanges has a combined overall quality (1 failed, 1 unparsed, 0 skipped)",
    )
    ruleless = suite(decision=None)
    assert decide(spread(means(0.9)), ruleless).reasons == ("suite companion has no decision rule",)
    run = spread(means(0.9))
    assert run.to_json(decision=nothing.in_summary())["decision"]["verdict"] == "none"
    assert run.to_json(decision=decide(run, ruleless).in_summary())["decision"] is None
    decided = run.to_json(decision=decide(run, suite()).in_summary())["decision"]
    assert decided["verdict"] == "deploy"


def test_gate_passes_only_what_reaches_it() -> None:
    good, middling = spread(means(0.9)), spread(means(0.65))
    assert gate(decide(good, suite()), good).passed
    assert gate(decide(good, suite()), good, gate="ab_test").passed
    assert gate(decide(middling, suite()), middling, gate="ab_test").passed
    refused = gate(decide(middling, suite()), middling)
    assert not refused.passed
    assert refused.reasons == ("the verdict is A/B test, the gate asks for deploy",)


def test_gate_never_passes_on_missing_data() -> None:
    plan = [scenario(str(number)) for number in range(100)]

    def short_of(missing: int) -> Summary:
        return summary_of([scored(item.id, means(0.9)) for item in plan[missing:]], plan)

    assert gate(decide(short_of(2), suite()), short_of(2)).passed
    three = gate(decide(short_of(3), suite()), short_of(3))
    assert not three.passed
    assert "coverage of overall quality (heuristic) is 97%, 97 of 100: the floor is 98%" in three.reasons
    assert coverage_below_floor(decide(short_of(3), suite()), short_of(3))
    assert not coverage_below_floor(decide(short_of(2), suite()), short_of(2))
    nothing = summary_of([], plan, sources=JUDGED)
    assert not gate(decide(nothing, suite()), nothing).passed


def test_gate_refuses_borderline_and_small_runs() -> None:
    borderline = spread(means(0.72), half=0.08)
    refused = gate(decide(borderline, suite()), borderline)
    assert refused.reasons == (
        "borderline: at the lower ends of the intervals it is A/B test, the gate asks for deploy",
    )
    # Reaching A/B test is certain even where deploy is not.
    assert gate(decide(borderline, suite()), borderline, gate="ab_test").passed
    few = spread(means(0.9), situations=9)
    assert gate(decide(few, suite()), few).reasons == ("too few scenarios to decide (9 situations, 10 needed)",)


def test_gate_counts_unread_verdicts_as_missing() -> None:
    plan = [scenario(str(number)) for number in range(20)]
    results = [scored(item.id, means(0.9), judge=0.9) for item in plan[2:]] + [
        unparsed(item.id, 0.9) for item in plan[:2]
    ]
    run = summary_of(results, plan, sources=JUDGED)
    assert any("is 90%, 18 of 20" in reason for reason in gate(decide(run, suite()), run).reasons)


def test_decision_document_is_json() -> None:
    run = spread(means(0.9))
    decision = decide(run, suite())
    value = json.loads(json.dumps(decision_document(decision, run, gate(decision, run)), allow_nan=False))
    assert (value["schema_version"], value["verdict"], value["gate"]["passed"]) == (1, "deploy", True)
    assert value["overall"]["mean"] == pytest.approx(0.9)
    assert value["by_source"]["heuristic"]["verdict"] == "deploy"
    assert decision_document(decision, run)["gate"] is None


def test_the_level_is_that_of_the_source_that_decides() -> None:
    run = spread(means(0.5), judge=1.0)
    assert decide(run, suite()).quality_level == "good"  # (0.5 + 1.0) / 2


def test_a_stored_decision_is_read_as_far_as_it_is_understood() -> None:
    stored = StoredDecision.model_validate({"verdict": "shipped", "overall": {"mean": 0.7}, "later": 1})
    assert stored.verdict is None
    assert stored.overall is not None and (stored.overall.mean, stored.overall.ci95) == (0.7, None)


@pytest.mark.parametrize(
    ("adjustments", "said"),
    [
        ([("response_says", 0.3, ["glad of it", "more"])], True),
        ([("response_says", 0.3, ["glad of it"]), ("asks_question", 0.05, None)], True),
        ([("response_says", 0.3, ["glad of it"]), ("asks_question", -0.4, None)], True),
        ([("response_says", 0.3, ["glad of it"]), ("asks_question", 0.1, None)], False),
        ([("asks_question", 0.05, None)], False),
    ],
)
def test_a_floor_that_only_phrases_reach_is_named(
    adjustments: list[tuple[str, float, list[str] | None]], said: bool
) -> None:
    uses = [
        {"when": when, "add": add} | ({} if phrases is None else {"phrases": phrases})
        for when, add, phrases in adjustments
    ]
    metric = Metric.model_validate(
        {"title": "Trust", "kind": "adjustments", "definition": "Trust.", "base": 0.4, "adjustments": uses}
    )
    phrases = phrases_to_reach(metric, 0.5)
    assert phrases == (("glad of it",) if said else ())
    by = replace(suite(), floor_phrases={"trust": phrases} if phrases else {})
    sentence = 'by the rules the floor of trust cannot be met without phrases such as "glad of it": '
    for run, expected in (
        (spread(means(0.8, trust=0.45)), said),
        (spread(means(0.8, trust=0.45), judge=0.9), said),  # the judge has an overall alone
        (spread(means(0.8, trust=0.55)), False),
        (spread(means(0.8, trust=0.45), situations=3), said),
    ):
        assert any(reason.startswith(sentence) for reason in decide(run, by).reasons) == expected


def test_the_shipped_rubric_says_which_floor_needs_phrases() -> None:
    assert load_suite("companion").suite.floor_phrases == {
        "personalization_continuity": ("as we discussed", "for you", "as I always say")
    }
