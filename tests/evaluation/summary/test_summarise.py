import itertools
import json
import random
from dataclasses import replace

import pytest

from evaluation.errors import JournalError
from evaluation.records import Result, Score, Turn
from evaluation.runspec import PromptPin
from evaluation.summary.columns import Columns, deciding_source
from evaluation.summary.summarise import summarise
from tests.evaluation.judging.verdicts import overall_judge
from tests.evaluation.made_runs import (
    JUDGED,
    METRICS,
    OVERALL,
    exchange,
    failed,
    failure,
    reply,
    scenario,
    scored,
    suite,
    summary_of,
    unparsed,
)


def test_every_planned_exchange_ends_somewhere() -> None:
    plan = [scenario("a"), scenario("b", turns=3), scenario("c")]
    results = [
        scored("a", 0.8, judge=0.6),
        scored("b", 0.4, judge=0.4),
        failed("b", turn=2),  # turn 3 has no result: skipped
        unparsed("c", 0.6),
    ]
    found = summary_of(results, plan, sources=JUDGED)
    counts = found.counts
    assert (counts.planned, counts.scored, counts.failed, counts.unparsed, counts.skipped) == (5, 2, 1, 1, 1)
    rules, combined = found.metrics["heuristic"][OVERALL], found.metrics["combined"][OVERALL]
    # Rules have a value for a, b turn 1 and c; the mean is over scenarios: (0.8 + 0.4 + 0.6) / 3.
    assert rules.estimate.mean == pytest.approx(0.6)
    assert rules.coverage == pytest.approx(3 / 5)
    # Worst: b = (0.4 + 0 + 0) / 3 = 0.1333; best: b = (0.4 + 1 + 1) / 3 = 0.8.
    assert rules.bounds == pytest.approx(((0.8 + 0.4 / 3 + 0.6) / 3, (0.8 + 0.8 + 0.6) / 3))
    # Combined: a (0.8 + 0.6) / 2 = 0.7, b 0.4, c none.
    assert combined.estimate.mean == pytest.approx(0.55)
    assert combined.coverage == pytest.approx(2 / 5)
    assert combined.bounds == pytest.approx(((0.7 + 0.4 / 3 + 0) / 3, (0.7 + 0.8 + 1) / 3))
    assert found.source == "combined"
    assert found.fallbacks == 1


def test_no_interval_leaves_the_scale_of_its_source_and_measures_have_none() -> None:
    by = replace(suite(), judge=overall_judge(OVERALL, 3.0, 1.0, 5.0), measures=("words",))
    plan = [scenario(name, category=category) for name, category in zip("abcd", ("x", "x", "y", "y"), strict=True)]
    results = []
    for item, low, judge, words in zip(plan, (0.0, 1.0, 1.0, 1.0), (1, 5, 5, 5), (3, 90, 5, 70), strict=True):
        result = scored(item.id, low, judge=judge)
        results.append(replace(result, scores=(*result.scores, Score("words", "measure", words))))
    found = summary_of(results, plan, sources=("heuristic", "judge"), by=by)
    for table in (found.metrics, *found.by_category.values()):
        for source, metrics in table.items():
            low, high = (1.0, 5.0) if source == "judge" else (0.0, 1.0)
            for each in metrics.values():
                ends = each.estimate.ci95
                assert each.estimate.n < 2 or ends is not None
                assert ends is None or low <= ends[0] < ends[1] <= high
    # 3, 90, 5 and 70: mean 42, SE 22.4, t(3) = 3.18.
    ends = found.measures["words"].estimate.ci95
    assert ends is not None and ends[0] < 0 and ends[0] + ends[1] == pytest.approx(84)


def test_an_unread_verdict_stays_outside_unless_it_is_asked_in() -> None:
    results = [scored("a", 0.8, judge=0.6), unparsed("b", 0.7)]
    plan = [scenario("a"), scenario("b")]
    outside = summary_of(results, plan, sources=JUDGED)
    inside = summarise(
        results,
        Columns(suite(), plan, 1, JUDGED, "include"),
        run_id="r",
        prompt=None,
    )
    assert outside.metrics["judge"][OVERALL].estimate.mean == 0.6
    # Judge (0.6 + 0.5) / 2; combined ((0.8 + 0.6) / 2 + (0.7 + 0.5) / 2) / 2 = (0.7 + 0.6) / 2.
    assert inside.metrics["judge"][OVERALL].estimate.mean == pytest.approx(0.55)
    assert inside.metrics["combined"][OVERALL].estimate.mean == pytest.approx(0.65)
    assert inside.metrics["combined"][OVERALL].coverage == 1.0
    assert inside.counts.unparsed == 1
    assert inside.to_json()["fallbacks"] == {"count": 1, "in_means": True}


def test_what_does_not_apply_is_outside_mean_count_and_coverage() -> None:
    plan = [scenario("a"), scenario("b", turns=2)]
    results = [scored("a", 0.1), scored("b", 0.2), scored("b", 0.9, turn=2)]
    found = summary_of(results, plan).metrics["heuristic"]["personalization"]
    assert (found.estimate.n, found.planned, found.not_applicable, found.estimate.mean) == (1, 1, 2, 0.9)
    # The one exchange with context is missing: it is in the denominator, the others still are not.
    missing = summary_of([results[0], failed("b")], plan).metrics["heuristic"]["personalization"]
    assert (missing.estimate.n, missing.planned, missing.coverage, missing.bounds) == (0, 1, 0.0, (0.0, 1.0))


def test_a_history_is_context_and_a_flag_overrules_a_value() -> None:
    returning = scenario("a")
    returning = type(returning)("a", "x", ("hi",), history=(Turn("user", "before"),))
    unreached = summary_of([], [returning]).metrics["heuristic"]["personalization"]
    assert unreached.planned == 1
    flagged = Result(exchange("a"), "scored", (Score("trust", "heuristic", 0.3, applicable=False),))
    found = summary_of([flagged], [scenario("a")]).metrics["heuristic"]["trust"]
    assert (found.estimate.mean, found.planned, found.not_applicable, found.coverage) == (None, 0, 1, None)


def test_order_of_arrival_changes_nothing() -> None:
    plan = [scenario(name, turns=2, situation=name[0], category=name[1]) for name in ("ax", "ay", "bx", "cx")]
    results = [
        scored(item.id, value, repeat, turn, judge=value / 2)
        for (item, repeat, turn), value in zip(
            itertools.product(plan, (1, 2), (1, 2)), (0.1 * number for number in range(16)), strict=True
        )
        if value <= 1
    ]
    once = summary_of(results, plan, repeats=2, sources=JUDGED)
    shuffled = list(results)
    random.Random(7).shuffle(shuffled)
    again = summary_of(shuffled, plan, repeats=2, sources=JUDGED)
    assert json.dumps(once.to_json()) == json.dumps(again.to_json())
    assert [weak.result for weak in once.weakest] == [weak.result for weak in again.weakest]


def test_categories_have_the_same_shape() -> None:
    plan = [scenario("a", category="x"), scenario("b", category="y"), scenario("c", category="y")]
    found = summary_of([scored("a", 0.2), scored("b", 0.6), failed("c")], plan)
    assert list(found.by_category) == ["x", "y"]
    y = found.by_category["y"]["heuristic"][OVERALL]
    assert (y.estimate.mean, y.coverage) == (0.6, 0.5)
    assert y.bounds == pytest.approx((0.3, 0.8))
    assert found.by_category["x"].keys() == found.metrics.keys()
    assert found.by_category["x"]["heuristic"].keys() == found.metrics["heuristic"].keys()


def test_planned_sources_show_even_when_nothing_came() -> None:
    found = summary_of([failed("a")], sources=JUDGED)
    assert found.metrics["combined"][OVERALL].coverage == 0.0
    assert found.metrics["combined"][OVERALL].bounds == (0.0, 1.0)
    assert list(found.metrics["heuristic"]) == list(METRICS)
    assert found.quality_level is None
    assert found.weakest == ()


def test_checks_and_unknown_metrics_are_taken_as_they_come() -> None:
    scores = (Score("no_nuts", "check", 1.0), Score("is_fast", "check", 0.0), Score(OVERALL, "judge", 0.5))
    plan = [scenario("a"), scenario("b")]
    found = summary_of([Result(exchange("a"), "scored", scores)], plan, sources=("check", "judge"))
    assert list(found.metrics) == ["check", "judge"]
    assert list(found.metrics["check"]) == ["is_fast", "no_nuts"]
    assert found.metrics["check"]["no_nuts"].bounds == (0.5, 1.0)
    assert found.source == "judge"


def test_the_weakest_are_kept_with_their_explanations() -> None:
    values = {"a": 0.9, "b": 0.1, "c": 0.5, "d": 0.1, "e": 0.3, "f": 0.2, "g": 0.8}
    found = summary_of([scored(name, value) for name, value in values.items()])
    assert [weak.result.exchange.cell.scenario_id for weak in found.weakest] == ["b", "d", "f", "e", "c"]
    assert found.weakest[0].value == 0.1
    assert found.weakest[0].result.scores[0].explanation == "base 0.1"


def test_tokens_money_endings_and_failures() -> None:
    results = [
        scored("a", 0.5, judge=0.5),
        Result(exchange("b", outcome=reply(finish_reason="length", cached=True)), "scored", ()),
        failed("c"),
        failed("d", error=failure("timeout", "another")),
        failed("e", error=failure("rejected", "no")),
    ]
    found = summary_of(results)
    answered, judged = found.tokens.generation, found.tokens.judge
    assert (answered.calls, answered.input_tokens, answered.output_tokens) == (1, 10, 5)
    assert (judged.calls, judged.input_tokens) == (1, 20)
    assert found.cost_usd == 0.75  # 0.25 for the reply, 0.5 for the verdict; the cached one costs this run nothing
    assert found.cached_replies == 1
    assert dict(found.finish_reasons) == {"length": 1, "stop": 1}
    assert [(kind.kind, kind.count, kind.message) for kind in found.failures] == [
        ("timeout", 2, "no answer in 60 s"),
        ("rejected", 1, "no"),
    ]
    unpriced = Result(exchange("b", outcome=reply(cost_usd=None)), "scored", ())
    assert summary_of([results[0], unpriced]).cost_usd is None


def test_results_outside_the_plan_or_twice_are_refused() -> None:
    with pytest.raises(JournalError, match="'b', repeat 1, turn 1 is not in the run's plan"):
        summary_of([scored("b", 0.5)], [scenario("a")])
    with pytest.raises(JournalError, match="repeat 2"):
        summary_of([scored("a", 0.5, repeat=2)], [scenario("a")])
    with pytest.raises(JournalError, match="two results"):
        summary_of([scored("a", 0.5), scored("a", 0.6)], [scenario("a")])


def test_summary_json_has_its_fixed_fields() -> None:
    pin = PromptPin("penpal", 3, None, "00", "directory")
    found = summarise(
        [scored("a", 0.75), scored("b", 0.85)],
        Columns(suite(), [scenario("a"), scenario("b")], 1, ("heuristic",)),
        run_id="r1",
        prompt=pin,
    )
    value = json.loads(json.dumps(replace(found, wall_seconds=2.5).to_json(langfuse={"url": "u"}), allow_nan=False))
    assert value["schema_version"] == 1
    assert value["prompt"] == {"name": "penpal", "version": 3, "label": None, "sha256": "00", "source": "directory"}
    assert value["counts"] == {"planned": 2, "scored": 2, "failed": 0, "unparsed": 0, "skipped": 0}
    entry = value["metrics"]["heuristic"][OVERALL]
    fixed = {"n", "clusters", "mean", "stdev", "ci95", "coverage", "bounds", "min", "p10", "p50", "max"}
    assert fixed <= entry.keys()
    assert entry["bounds"] == [0.8, 0.8]
    assert value["by_category"]["small_talk"]["heuristic"][OVERALL] == entry
    assert (value["quality_level"], value["decision"], value["wall_seconds"]) == ("good", None, 2.5)
    assert value["langfuse"] == {"url": "u"}
    assert (value["usage"]["input_tokens"], value["cost_usd"]) == (20, 0.5)


@pytest.mark.parametrize(
    ("mean", "level"),
    [
        (0.9, "excellent"),
        (0.9 - 1e-10, "excellent"),
        (0.899, "good"),
        (0.7, "good"),
        (0.65, "adequate"),
        (0.5, "adequate"),
        (0.3, "poor"),
        (0.2999, "unacceptable"),
        (0.0, "unacceptable"),
        (None, None),
    ],
)
def test_quality_levels_have_no_gaps(mean: float | None, level: str | None) -> None:
    assert suite().level_of(mean) == level


def test_which_source_decides() -> None:
    assert deciding_source(("heuristic",)) == "heuristic"
    assert deciding_source(("heuristic", "judge", "combined")) == "combined"
    assert deciding_source(("check", "judge")) == "judge"
    assert deciding_source(("human",)) == "human"
