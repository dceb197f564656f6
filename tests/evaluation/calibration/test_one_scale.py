"""The overall of people, rules and judge on one scale, with an earlier conversation and without."""

import json
from dataclasses import replace

import pytest

from evaluation.calibration.people import on_scale_of_tool, overall_of_people
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.judge import Judge, with_judgement
from evaluation.metrics.lookup import build_scorer
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Reply, Turn, Usage
from evaluation.rubrics.rubric import Rubric
from evaluation.runspec import JudgePin
from tests.evaluation.metrics.shipped import companion_rubric, v3_rubric

CONTINUITY = "personalization_continuity"
COMPANION, V3 = companion_rubric(), v3_rubric()
EARLIER = (Turn("user", "My dog is called Biscuit."), Turn("assistant", "Lovely."))


def said(text: str) -> Reply:
    return Reply(text, "stop", "made", {}, Usage(), 0.0, 0.0)


def exchange(*, in_context: bool) -> Exchange:
    context = EARLIER if in_context else ()
    return Exchange(Cell("a", 1), 1, context, "I am tired.", said("That sounds hard. What happened today?"))


def overall_of_judge(rubric: Rubric, values: dict[str, float], *, in_context: bool) -> float:
    of_judge = JudgeRubric.of(rubric)
    assert of_judge is not None
    judge = Judge(JudgePin("j", "e", "schema"), of_judge, 0)
    answer = said(json.dumps({"reasoning": "because", **values, rubric.overall: 0.5}))
    return judge.read([answer], exchange(in_context=in_context)).scores[rubric.overall]


def asked_of_people(rubric: Rubric, *, in_context: bool) -> dict[str, float | None]:
    return {name: None if name == CONTINUITY and not in_context else 1.0 for name in rubric.weights}


@pytest.mark.parametrize("rubric", [COMPANION, V3], ids=["companion", "companion-v3"])
def test_a_reply_scored_best_by_all_is_as_good_in_everybodys_overall(rubric: Rubric) -> None:
    best = dict.fromkeys(rubric.weights, 1.0)
    base = rubric.metrics[CONTINUITY].base
    rules = {CONTINUITY: base}
    left_out = rubric is V3
    expected = 1.0 if left_out else 1 - 0.10 * (1 - base)
    people = overall_of_people(asked_of_people(rubric, in_context=False), rubric, in_context=False)
    assert people == pytest.approx(expected)
    assert overall_of_judge(rubric, {**best, **rules}, in_context=False) == pytest.approx(expected)


@pytest.mark.parametrize("rubric", [COMPANION, V3], ids=["companion", "companion-v3"])
def test_people_who_say_what_the_rules_say_have_their_overall(rubric: Rubric) -> None:
    score = build_scorer(rubric)
    for in_context in (True, False):
        rules = {each.metric: each.value for each in score(exchange(in_context=in_context))}
        asked = {name: rules[name] for name in rubric.weights}
        if not in_context:
            asked[CONTINUITY] = None
        assert overall_of_people(asked, rubric, in_context=in_context) == pytest.approx(rules[rubric.overall])


def test_rules_say_that_continuity_is_left_out_without_an_earlier_conversation() -> None:
    rules = rubric_rules(V3)
    alone = rules.explain(Utterance("I am tired.", "That sounds hard. What happened today?", ()))[V3.overall]
    assert "re-weighted over 0.9 of 1: no value for personalization_continuity" in alone.explanation
    later = rules.explain(Utterance("I am tired.", "That sounds hard. What happened today?", EARLIER))[V3.overall]
    assert CONTINUITY in later.explanation and "re-weighted" not in later.explanation


def test_a_judges_opinion_of_continuity_does_not_move_the_overall_without_an_earlier_conversation() -> None:
    values = dict.fromkeys(V3.weights, 0.8)
    for worst in (0.0, 1.0):
        assert overall_of_judge(V3, {**values, CONTINUITY: worst}, in_context=False) == pytest.approx(0.8)
    assert overall_of_judge(V3, {**values, CONTINUITY: 0.0}, in_context=True) == pytest.approx(0.72)
    assert overall_of_judge(COMPANION, {**values, CONTINUITY: 0.0}, in_context=False) == pytest.approx(0.72)


def test_the_combined_overall_is_the_mean_of_two_on_one_scale() -> None:
    of_judge = JudgeRubric.of(V3)
    assert of_judge is not None
    judge = Judge(JudgePin("j", "e", "schema"), of_judge, 0)
    alone = exchange(in_context=False)
    answer = said(json.dumps({"reasoning": "b", **dict.fromkeys(V3.weights, 1.0), V3.overall: 1.0}))
    verdict = judge.read([answer], alone)
    scores = with_judgement(build_scorer(V3)(alone), verdict, judge.judged_metrics)
    found = {(each.source, each.metric): each.value for each in scores}
    rules, combined = found["heuristic", V3.overall], found["combined", V3.overall]
    assert rules is not None and combined == pytest.approx((rules + 1.0) / 2)


def test_the_overall_of_a_stored_review_is_put_on_the_scale_of_the_tool() -> None:
    stored = {**asked_of_people(COMPANION, in_context=False), COMPANION.overall: 1.0}
    assert on_scale_of_tool(stored, COMPANION, in_context=False)[COMPANION.overall] == pytest.approx(0.94)
    assert on_scale_of_tool(stored, V3, in_context=False)[V3.overall] == 1.0
    still_open = {**stored, COMPANION.overall: None}
    assert on_scale_of_tool(still_open, COMPANION, in_context=False) == still_open
    given = {COMPANION.overall: 0.7}
    assert on_scale_of_tool(given, COMPANION, in_context=False) == given


def test_what_a_person_says_does_not_apply_leaves_the_overall_also_in_a_conversation() -> None:
    asked = {**asked_of_people(COMPANION, in_context=True), CONTINUITY: None}
    assert overall_of_people(asked, COMPANION, in_context=True) == 1.0
    assert overall_of_people(replace_value(asked, "helpfulness"), COMPANION, in_context=True) == 1.0


def replace_value(scores: dict[str, float | None], name: str) -> dict[str, float | None]:
    return {**scores, name: None}


def test_an_exchange_keeps_its_other_scores() -> None:
    alone, later = (
        {each.metric: each.value for each in build_scorer(V3)(replace(exchange(in_context=True), context=context))}
        for context in ((), EARLIER)
    )
    assert {name for name in alone if alone[name] != later[name]} <= {V3.overall, CONTINUITY}
