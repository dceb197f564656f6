"""A run in human units: which labels count, what they make of its means, and what is missing."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from evaluation.decision.decide import decide
from evaluation.decision.first_line import with_first_line
from evaluation.decision.gate import decision_document, gate
from evaluation.expectations.human import content_digest
from evaluation.records import Result, Source
from evaluation.rubrics.rubric import DecisionRule
from evaluation.summary.columns import Columns
from evaluation.summary.human_units import HumanUnits, LabelTally
from evaluation.summary.labels import NO_LABELS, Chance, Draw, Label, LabelPlace, Labels
from evaluation.summary.summarise import summarise
from evaluation.summary.summary import Summary
from tests.evaluation.made_runs import OVERALL, RULE, exchange, reply, scenario, scored, suite

SCENARIOS = [scenario(f"s{at}") for at in range(120)]
ON_PEOPLE = suite(decision=RULE.model_copy(update={"decide": "human"}))
SCALE = (0.0, 1.0)


def truth(at: int, mean: float = 0.72) -> float:
    """What people would give to the response to a scenario."""
    return mean + random.Random(f"people {at}").uniform(-0.15, 0.15)


def results(mean: float = 0.72, *, bias: float = 0.1, slope: float = 0.7) -> list[Result]:
    """Of a tool that is off by a bias, moves less than people do, and errs by chance."""
    found = []
    for at, item in enumerate(SCENARIOS):
        noise = random.Random(f"tool {at}").gauss(0, 0.03)
        value = mean + bias + slope * (truth(at, mean) - mean) + noise
        result = scored(item.id, round(min(1.0, max(0.0, value)), 4))
        found.append(replace(result, exchange=exchange(item.id, outcome=reply(f"response {at}"))))
    return found


def place(result: Result, by: str = "") -> LabelPlace:
    digest = content_digest(suite().describe(result.exchange), "") + by
    cell = result.exchange.cell
    return LabelPlace(cell.scenario_id, cell.repeat, result.exchange.turn, digest)


def label(result: Result, value: float, **changes: Any) -> Label:
    score = result.values("heuristic")[OVERALL]
    assert score is not None
    machine: dict[Source, dict[str, float]] = {"heuristic": {OVERALL: score}}
    made = Label(place(result), "r1", result.exchange.cell.scenario_id, {OVERALL: value}, SCALE, machine)
    return replace(made, **changes)


def drawn(found: Sequence[Result], chance: float = 0.35, run_id: str = "r1") -> tuple[Draw, list[int]]:
    luck = random.Random(4)
    chosen = [at for at in range(len(found)) if luck.random() < chance]
    return Draw(run_id, {place(found[at]): Chance(chance) for at in chosen}), chosen


def labelled(found: Sequence[Result], mean: float = 0.72, chance: float = 0.35) -> Labels:
    draw, chosen = drawn(found, chance)
    return Labels([label(found[at], truth(at, mean)) for at in chosen], [draw])


def summary_of(found: Sequence[Result], labels: Labels) -> Summary:
    columns = Columns(suite(), SCENARIOS, 1, ("heuristic",))
    return summarise(found, columns, run_id="r1", prompt=None, labels=LabelTally(columns, labels))


def human(found: Sequence[Result], labels: Labels) -> HumanUnits:
    units = summary_of(found, labels).human
    assert units is not None
    return units


def test_the_corrected_mean_holds_what_people_would_give_and_the_raw_one_does_not() -> None:
    found = results()
    summary = summary_of(found, labelled(found))
    assert summary.human is not None and summary.human.lacking == ()
    overall, everyone = summary.human.metrics[OVERALL].found, sum(map(truth, range(120))) / 120
    assert overall is not None and overall.corrected.ci95 is not None and overall.people.ci95 is not None
    raw = summary.metrics["heuristic"][OVERALL].estimate
    assert raw.ci95 is not None and raw.mean == pytest.approx(overall.raw)
    assert not raw.ci95[0] <= everyone <= raw.ci95[1]
    low, high = overall.corrected.ci95
    assert low <= everyone <= high
    assert high - low < overall.people.ci95[1] - overall.people.ci95[0]
    assert overall.slope > 0.8
    assert list(summary.human.metrics) == [OVERALL]  # people gave nothing else


def test_each_tag_has_the_mean_that_people_would_give_to_its_responses() -> None:
    tagged = [replace(each, tags=("even",) if at % 2 == 0 else ("odd",)) for at, each in enumerate(SCENARIOS)]
    columns = Columns(suite(), tagged, 1, ("heuristic",))
    found = results()
    labels = labelled(found)
    units = summarise(found, columns, run_id="r1", prompt=None, labels=LabelTally(columns, labels)).human
    assert units is not None
    overall = units.metrics[OVERALL].found
    assert overall is not None
    assert units.by_tag.keys() == {"even", "odd"}
    assert sum(each.labels for each in units.by_tag.values()) == overall.labels
    for tag, first in (("even", 0), ("odd", 1)):
        each, true = units.by_tag[tag], [truth(at) for at in range(first, len(SCENARIOS), 2)]
        assert each.corrected.ci95 is not None
        assert each.corrected.ci95[0] <= sum(true) / len(true) <= each.corrected.ci95[1]
    assert human(found, labels).by_tag == {}
    assert "by_tag" not in human(found, labels).to_json()


def test_labels_without_a_recorded_probability_count_nowhere() -> None:
    found = results()
    labels = labelled(found)
    beside = [at for at in range(120) if place(found[at]) not in labels.draws[0].chances][:15]
    flattering = replace(labels, labels=[*labels.labels, *(label(found[at], 1.0) for at in beside)])
    assert human(found, flattering).metrics == human(found, labels).metrics
    assert human(found, flattering).undrawn == 15


def test_labels_under_another_rubric_and_of_another_text_are_no_labels_of_the_run() -> None:
    found = results()
    draw, chosen = drawn(found)
    other = Labels([label(found[at], 0.5, same_rubric=False) for at in chosen], [draw])
    assert (human(found, other).labels, human(found, other).other_rubric) == (0, len(chosen))
    changed = Labels([label(found[at], 0.5, place=place(found[at], "?")) for at in chosen], [draw])
    assert human(found, changed).labels == 0


def test_a_run_that_scores_the_same_responses_once_more_has_the_labels_of_its_parent() -> None:
    found = results()
    draw, chosen = drawn(found, run_id="parent")
    labels = Labels([label(found[at], truth(at), run_id="parent") for at in chosen], [draw])
    assert human(found, labels).labels == len(chosen)


def test_labels_of_another_version_are_carried_over_beside_and_decide_nothing() -> None:
    before, now = results(0.6), results(0.72)
    now = [replace(each, exchange=exchange(each.exchange.cell.scenario_id, outcome=reply("new"))) for each in now]
    draw, chosen = drawn(before, run_id="r0")
    labels = Labels([label(before[at], truth(at, 0.6), run_id="r0") for at in chosen], [draw])
    summary = summary_of(now, labels)
    assert summary.human is not None
    overall = summary.human.metrics[OVERALL]
    assert overall.found is None and overall.carried is not None and overall.carried.ci95 is not None
    assert overall.carried.ci95[0] <= 0.72 <= overall.carried.ci95[1]
    assert (summary.human.carried, summary.human.labels) == (len(chosen), 0)
    assert decide(summary, ON_PEOPLE).code == "too_few_labels"
    undrawn = summary_of(now, replace(labels, draws=[])).human
    assert undrawn is None  # a label elsewhere whose probability nobody knows says nothing here


def test_nothing_is_said_where_nobody_labelled() -> None:
    assert summary_of(results(), NO_LABELS).human is None
    assert summary_of(results(), NO_LABELS).to_json()["human_units"] is None


@pytest.mark.parametrize(
    ("kept", "missing"),
    [(12, "18 more labels (of 30)"), (4, "labels in 6 more situations (of 10)"), (35, "responses that were drawn")],
)
def test_what_is_missing_is_said(kept: int, missing: str) -> None:
    found = results()
    labels = labelled(found)
    few = replace(labels, labels=labels.labels[:kept])
    summary = summary_of(found, few)
    assert summary.human is not None and missing in "; ".join(summary.human.lacking)
    decision = with_first_line(decide(summary, ON_PEOPLE), summary)
    assert decision.verdict is None and decision.code == "too_few_labels" and decision.source == "human"
    assert missing in decision.headline and missing in decision.reasons[0]
    assert not gate(decision, summary).passed


@pytest.mark.parametrize(("mean", "verdict"), [(0.75, "deploy"), (0.71, "ab_test"), (0.55, "needs_revision")])
def test_the_lower_end_of_the_corrected_mean_decides_where_the_rubric_says_so(mean: float, verdict: str) -> None:
    found = results(mean, bias=0.15)
    summary = summary_of(found, labelled(found, mean))
    decision = decide(summary, ON_PEOPLE)
    assert (decision.verdict, decision.source) == (verdict, "human")
    assert "in human units" in decision.reasons[0]
    assert decide(summary, suite()).source == "heuristic"  # beside the verdict, unless the rubric says so
    written = decision_document(decision, summary)
    assert summary.human is not None
    overall = summary.human.metrics[OVERALL].found
    assert overall is not None and written["overall"]["mean"] == overall.corrected.mean
    assert gate(decision, summary).passed == (verdict == "deploy")


def test_a_metric_with_too_few_labels_is_held_against_its_floor_by_the_tools_value() -> None:
    found = results()
    decision = decide(summary_of(found, labelled(found)), ON_PEOPLE)
    assert decision.floors["trust"] == "heuristic"
    assert any("too few labels of" in reason and "trust" in reason for reason in decision.reasons)


def test_a_rule_says_tool_or_human() -> None:
    assert DecisionRule(deploy=0.7, ab_test=0.6, floor=0.5).decide == "tool"
    with pytest.raises(ValueError, match="decide"):
        DecisionRule.model_validate({"deploy": 0.7, "ab_test": 0.6, "floor": 0.5, "decide": "judge"})


def test_what_people_gave_stands_beside_what_each_source_gave_the_same_response() -> None:
    found = results()
    at = [3, 8]
    labels = Labels(
        [label(found[place], value) for place, value in zip(at, (0.5, 0.9), strict=True)], [drawn(found)[0]]
    )
    reliability = human(found, labels).reliability
    assert list(reliability) == ["heuristic"]
    given = [found[place].values("heuristic")[OVERALL] for place in at]
    assert [(each.tool, each.people) for each in reliability["heuristic"].scores] == [(given[0], 0.5), (given[1], 0.9)]
    assert sum(each.people.n for each in reliability["heuristic"].bins) == 2
    other = Labels([label(found[3], 0.5, same_rubric=False)], [drawn(found)[0]])
    assert human(found, other).reliability == {}
