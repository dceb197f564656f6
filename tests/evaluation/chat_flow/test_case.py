"""A case: what its data says, what is refused, and what its user answers."""

import pytest

from evaluation.chat_flow.case import Constraints, FlowCase, first_messages
from evaluation.errors import ParseError
from evaluation.records import Json, Scenario, Turn


def test_defaults() -> None:
    case = FlowCase.read({})
    assert case == FlowCase()
    assert case.constraints == Constraints(min_overlap=2, overlap="each")
    assert (case.checks, case.choose, case.options_may_be_empty) == (None, True, False)


def test_a_whole_case() -> None:
    case = FlowCase.read(
        {
            "fridge_input": {"ingredients": ["rice"]},
            "available": ["rice"],
            "min_overlap": 1,
            "overlap": "any",
            "time_budget_minutes": 20,
            "servings": 2,
            "diet": ["vegan"],
            "allergies": ["nuts"],
            "forbidden": ["kale"],
            "checks": ["time_budget"],
            "choose": False,
            "max_latency_ms": 500,
        }
    )
    assert case.constraints == Constraints(
        available=["rice"],
        min_overlap=1,
        overlap="any",
        time_budget_minutes=20,
        servings=2,
        diet=["vegan"],
        allergies=["nuts"],
        forbidden=["kale"],
    )
    assert (case.fridge_input, case.checks, case.max_latency_ms) == ({"ingredients": ["rice"]}, ["time_budget"], 500)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"time_budget": 3}, "time_budget: unknown key 'time_budget'"),
        ({"servings": "2"}, "servings: '2': input should be a valid number"),
        ({"servings": 0}, "servings: 0: input should be greater than 0"),
        ({"min_overlap": 0}, "min_overlap: 0: input should be greater than or equal to 1"),
        ({"overlap": "all"}, "overlap: 'all': input should be 'each' or 'any'"),
        ({"available": "rice"}, "available: 'rice': is no list: write [one, two]"),
        ({"message": "hello"}, "message: 'hello': string should match pattern"),
        ({"answers": [{"say": "x", "state": {}}]}, "answers.0.state: unknown key 'state'; did you mean 'states'?"),
        (
            {"answers": [{"say": "x", "states": {"diets": []}}]},
            "answers.0.states.diets: unknown key 'diets'; did you mean 'diet'?",
        ),
    ],
)
def test_what_is_refused(data: dict[str, Json], message: str) -> None:
    with pytest.raises(ParseError) as caught:
        FlowCase.read(data)
    assert str(caught.value).startswith(message)


ANSWERS: list[Json] = [
    "Whatever.",
    {"to": ["how long", "minutes"], "say": "20 minutes.", "states": {"time_budget_minutes": 20, "diet": ["vegan"]}},
    {"to": ["people"], "say": "Two."},
    "Really, anything.",
]


def test_an_answer_states_constraints_once_it_was_given() -> None:
    case = FlowCase.read({"diet": ["halal"], "time_budget_minutes": 60, "answers": ANSWERS})
    asked = [Turn("user", "rice"), Turn("assistant", "20 minutes.")]
    assert case.constraints_after(asked) == case.constraints
    known = case.constraints_after([*asked, Turn("user", "20 minutes.")])
    assert (known.time_budget_minutes, known.diet) == (20, ["halal", "vegan"])
    assert case.constraints_after([*asked, Turn("user", "Two. 20 minutes.")]) == known, "beside another answer"
    assert case.constraints_after([*asked, Turn("user", "Not 120 minutes.")]) == case.constraints


def test_the_first_messages() -> None:
    history = (Turn("assistant", "Hi"),)
    scenario = Scenario("a", "constraints", ("rice",), history=history)
    assert first_messages(scenario) == (*history, Turn("user", "rice"))
    blank = Scenario("a", "constraints", ("(a blank message)",), data={"message": " "})
    assert first_messages(blank) == (Turn("user", " "),)
