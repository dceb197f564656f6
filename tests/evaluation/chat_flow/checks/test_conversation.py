"""Asking for what was said is found, and making sure is not."""

import pytest

from evaluation.chat_flow.flow_run import Fault, FlowCall, FlowRun
from evaluation.records import Json, Turn
from tests.evaluation.chat_flow.made import flow, outcomes

TURN = "/api/chat/turn"
STATED: dict[str, Json] = {
    "time_budget_minutes": 25,
    "servings": 3,
    "diet": ["vegetarian"],
    "allergies": ["sesame"],
}


def asking(*questions: str, case: dict[str, Json] = STATED, history: tuple[Turn, ...] = ()) -> FlowRun:
    said = [*history, Turn("user", "Tofu and rice, vegetarian, 25 min, three of us, no sesame: allergy.")]
    for question in questions:
        said += [Turn("assistant", question), Turn("user", "Well.")]
    said.append(Turn("assistant", "Here you are. How much time do you have, by the way?"))
    calls = tuple(FlowCall(TURN, 200, 10.0) for _ in range(len(questions) + 1))
    return flow(messages=tuple(said), calls=calls, case=case)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much time do you have?", "25 minutes"),
        ("Lovely. And how long may the cooking take?", "25 minutes"),
        ("How many people will be eating?", "for 3"),
        ("Do you have any dietary restrictions?", "vegetarian"),
        ("Are you allergic to something?", "allergic to sesame"),
        ("Is there a diet or an allergy that I should know of?", "vegetarian, allergic to sesame"),
    ],
)
def test_an_open_question_about_what_was_said_is_found(question: str, said: str) -> None:
    found = outcomes(asking(question))["asks_nothing_twice"]
    asked = question.lower().rpartition(". ")[2]
    assert (found.ending, found.evidence) == ("failed", f'asked "{asked}" although the user had said {said}')


@pytest.mark.parametrize(
    "question",
    [
        "So no sesame, right?",
        "Is 25 minutes with washing up?",
        "Any other allergies?",
        "Do you like it spicy?",
        "What do you have at home?",
        "Is tofu fine?",
    ],
)
def test_making_sure_and_asking_for_more_are_no_fault(question: str) -> None:
    assert outcomes(asking(question))["asks_nothing_twice"].ending == "passed"


def test_what_was_not_said_may_be_asked_for() -> None:
    asked = asking("How much time do you have?", "Any allergies?", case={"diet": ["vegan"], "servings": 2})
    assert outcomes(asked)["asks_nothing_twice"].ending == "passed"


def test_what_an_answer_said_counts_from_then_on() -> None:
    case: dict[str, Json] = {"answers": [{"to": ["x"], "say": "Well.", "states": {"time_budget_minutes": 9}}]}
    found = outcomes(asking("How long?", "Is there a time limit?", case=case))["asks_nothing_twice"]
    assert found.evidence == 'asked "is there a time limit?" although the user had said 9 minutes'


def test_the_case_s_own_earlier_messages_are_nobody_s_fault() -> None:
    history = (Turn("user", "Hi"), Turn("assistant", "How much time do you have?"))
    found = outcomes(asking("Is tofu fine?", history=history))["asks_nothing_twice"]
    assert (found.ending, found.evidence) == ("passed", "1 question, none about what had been said")


def test_a_flow_without_a_question_and_one_that_loops_are_not_held_to_it() -> None:
    assert outcomes(asking())["asks_nothing_twice"].ending == "not_applicable"
    looping = flow(
        messages=(
            Turn("user", "20 min"),
            Turn("assistant", "How long?"),
            Turn("user", "20."),
            Turn("assistant", "How long?"),
        ),
        calls=(FlowCall(TURN, 200, 1.0), FlowCall(TURN, 200, 1.0)),
        fault=Fault("loop", TURN, "again"),
        options=None,
        selected=None,
    )
    found = outcomes(looping)
    assert (found["asks_nothing_twice"].ending, found["no_fault"].ending) == ("not_applicable", "failed")


def test_a_question_for_which_the_case_has_an_answer_is_expected() -> None:
    case: dict[str, Json] = {"time_budget_minutes": 30, "answers": [{"to": ["long"], "say": "Half an hour."}]}
    found = outcomes(asking("How long may it take?", case=case))["asks_nothing_twice"]
    assert found.ending == "passed"
