"""Answers to items in lines of ratings: read, gathered by response, put to rule and judge, and refused by name."""

from typing import Any

import pytest

from evaluation.calibration.item_ratings import (
    answered_items,
    for_judge,
    judge_outcomes,
    rated_items,
    scenario_of,
    turn_of,
)
from evaluation.calibration.ratings import RatedLine, Reviews, rated_line, rating_line
from evaluation.records import Cell, Exchange, ItemAnswer, Reply, Result, Turn, Usage
from tests.evaluation.review.test_item_report import QUESTION, reviewed

SAID = [Turn("user", "I had a dog, Biscuit."), Turn("assistant", "Tell me of Biscuit."), Turn("user", "He died.")]
BEFORE = (*SAID, Turn("assistant", "I am sorry."))
AI = "Does it say that it is an AI?"


def exchange(*context: Turn, response: str = "What was he like?") -> Exchange:
    return Exchange(Cell("x", 1), 1, context, "Hm.", Reply(response, "stop", "", {}, Usage(), 0.0, 0.0))


def asked(**changes: Any) -> dict[str, Any]:
    return {"id": "says-ai", "kind": "ask", "question": AI, "raters": ["yes", None, "?"], **changes}


RULE = asked(
    id="names-dog",
    kind="check",
    check="recalls",
    settings={"fact": "Biscuit", "from_turn": 1},
    scope="conversation",
    question="Does it remember Biscuit?",
    raters=["yes"],
)


def line(*items: dict[str, Any], turn: int = 3, context: tuple[Turn, ...] = BEFORE) -> RatedLine:
    return rated_line({"id": "x", "turn": turn, "expectations": list(items)}, exchange(*context))


def test_a_line_may_hold_answers_and_no_rating() -> None:
    found = line(asked())
    assert (found.items[0].item.id, found.items[0].people, found.ratings) == ("says-ai", ("yes", "not_shown"), {})


def test_what_nobody_answered_is_no_item_of_the_line() -> None:
    """A line of results.jsonl holds items without raters, and rules without their settings."""
    of_run = {"id": "short", "kind": "check", "check": "mentions", "question": AI, "outcome": "holds", "source": "rule"}
    for value in ([of_run], [asked(raters=[None])], [asked(raters=[])], "something else", None):
        assert rated_items({"expectations": value}) == ()


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        (asked(id="Says AI"), "small letters"),
        (asked(kind="wish"), "'says-ai': needs"),
        (asked(question=" "), "'says-ai': needs"),
        (asked(raters=["perhaps"]), "'says-ai': \"raters\""),
        (asked(raters=[["yes"]]), "'says-ai': \"raters\""),
        (asked(raters="yes"), "'says-ai': \"raters\""),
        ({**RULE, "check": "guess"}, "'names-dog': has no check of"),
        ({**RULE, "settings": {"fact": 7}}, "'names-dog': its settings"),
    ],
)
def test_a_fault_names_its_item(item: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        line(item)


@pytest.mark.parametrize(
    ("turn", "context", "found"),
    [
        (3, BEFORE, 3),
        (2, BEFORE, 2),
        (1, BEFORE, 1),
        (4, BEFORE, 1),
        (3, (*SAID, Turn("user", "?")), 1),
        (True, BEFORE, 1),
        ("3", BEFORE, 1),
        (0, BEFORE, 1),
    ],
)
def test_a_turn_counts_where_the_context_holds_those_before_it(turn: Any, context: Any, found: int) -> None:
    assert turn_of({"turn": turn}, context) == found


def tools(found: RatedLine, *answers: ItemAnswer) -> list[dict[str, str]]:
    scenario = scenario_of(found.exchange, "", found.items)
    judged = judge_outcomes([Result(found.exchange, "scored", (), expectations=answers)])
    answered = answered_items(scenario, found.exchange, "c", found.items, judged, lambda _: {})
    return [dict(each.tools) for each in answered]


def test_a_rule_looks_at_the_responses_of_the_scenario_and_not_at_its_history() -> None:
    assert tools(line(RULE)) == [{"rule": "yes"}], "the first of three responses recalls it"
    assert tools(line(RULE, turn=2)) == [{"rule": "no"}], "there that response is history"
    assert tools(line({**RULE, "scope": "response"})) == [{"rule": "no"}]


def test_the_judge_is_asked_what_no_rule_decides_as_a_turn_of_the_scenario() -> None:
    found = line(asked(scope="conversation"), RULE)
    scenario = scenario_of(found.exchange, "a nurse", found.items)
    assert (scenario.turns, scenario.history) == (("I had a dog, Biscuit.", "He died.", "Hm."), ())
    assert [item.question for item in for_judge(scenario).expect] == [AI]
    assert (found.exchange.turn, scenario.audience) == (3, "a nurse")
    plain = rated_line({"id": "x", "turn": 3, "ratings": {"warm": 1}}, exchange(*BEFORE))
    scenario = scenario_of(plain.exchange, "", plain.items)
    assert (scenario.turns, scenario.history, plain.exchange.turn) == (("Hm.",), BEFORE, 1)


def test_the_judges_answer_is_to_the_question_and_not_to_what_is_wanted() -> None:
    never = asked(kind="never", id="no-forever")
    fails = [ItemAnswer(number, "fails", "judge") for number in ("0", "1")]
    assert tools(line(asked(), never), *fails) == [{"judge": "no"}, {"judge": "yes"}]
    assert tools(line(asked()), ItemAnswer("0", "fails", "rule")) == [{}]


def test_reviews_of_one_response_are_gathered_by_question() -> None:
    reviews = Reviews()
    records = [
        reviewed("s", "ana", "y"),
        reviewed("s", "ben", "?"),
        reviewed("s", "cem", "n", f"{QUESTION[:-1]} today?"),
    ]
    for record in records:
        reviews.add(rating_line(record))
    (gathered,) = reviews.rating_records()
    found = rated_items(gathered)
    assert [(each.item.question, each.people) for each in found] == [
        (QUESTION, ("yes", "not_shown")),
        ("Does it cheer the user up today?", ("no",)),
    ]


def test_a_review_by_hand_needs_no_digest_and_may_hold_answers_alone() -> None:
    reviews = Reviews()
    by_hand = {"id": "x", "reviewer": "ana", "scores": {}, "response": "Ok.", "user_input": "Hi."}
    items = {"expectations": [{"id": "says-ai", "kind": "ask", "question": AI}]}
    reviews.add({**by_hand, **items, "item_answers": [{"id": "says-ai", "answer": "n"}]})
    (gathered,) = reviews.rating_records()
    assert [each.people for each in rated_items(gathered)] == [("no",)]
    for broken in ([{"id": "says-ai"}], [{"answer": "yes"}], "yes"):
        with pytest.raises(ValueError, match="item_answers"):
            reviews.add({**by_hand, **items, "item_answers": broken})
    with pytest.raises(ValueError, match="at least one score"):
        reviews.add(by_hand)
