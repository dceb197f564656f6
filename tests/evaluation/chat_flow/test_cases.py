"""Files of cases: the shipped ones, the JSON form as printed, and what is refused."""

import json
from collections import Counter

import pytest

from evaluation.chat_flow.case import Constraints, FlowCase, first_messages
from evaluation.chat_flow.cases import parse_cases
from evaluation.chat_flow.checks.table import CHECKS
from evaluation.chat_flow.flow_run import Fault, FlowRun
from evaluation.errors import ParseError
from evaluation.food.reading import mentions
from evaluation.records import Json, Scenario, Turn
from evaluation.scenarios.parser import merge_scenarios
from evaluation.scenarios.selection import select_scenarios
from services.workspace import read_scenarios
from tests.evaluation.chat_flow.made import flow, lexicon, outcomes, recipe, rubric

PRINTED = """
{
  "messages": [
    { "role": "assistant", "content": "What's in your fridge?" },
    { "role": "user", "content": "chicken, rice, garlic. 20 min. gluten-free." }
  ],
  "fridge_input": null
}
"""


def shipped() -> tuple[Scenario, ...]:
    files = read_scenarios(["chat_flow"])
    return merge_scenarios([(file.place, parse_cases(file.text, file.place, rubric())) for file in files])


def test_the_shipped_set() -> None:
    cases = shipped()
    tags = Counter(tag for case in cases for tag in case.tags)
    assert len(cases) >= 60
    assert [case.id for case in cases if not case.note or not case.tags] == []
    assert 5 <= tags["smoke"] <= 10
    assert {case.category for case in cases} == set(rubric().categories)
    wanted = {"change-of-mind", "injection", "empty", "contradiction", "long-list", "unknown", "typos", "negation"} | {
        "scripted", "hidden", "servings", "halal", "kosher", "fridge-input", "time-in-words", "greedy", "german"
    }  # fmt: skip
    assert wanted <= set(tags)
    assert len(select_scenarios(cases, tags=["smoke"])) == tags["smoke"]


def test_an_empty_list_is_allowed_in_few_cases_and_for_a_reason() -> None:
    allowed = {case.id: case.data["options_may_be_empty"] for case in shipped() if "options_may_be_empty" in case.data}
    assert all(isinstance(reason, str) and reason.endswith(".") for reason in allowed.values())
    assert len(allowed) <= 10
    assert "half-an-hour" not in allowed


def test_every_check_applies_to_some_shipped_case() -> None:
    applied: Counter[str] = Counter()
    for scenario in shipped():
        options = (recipe(servings=2), recipe("Another", servings=2))
        asked = (Turn("assistant", "Do you like it spicy?"), Turn("user", "No."), Turn("assistant", "Look."))
        run = flow(messages=(*first_messages(scenario), *asked), options=options, case=scenario.data)
        applied.update(name for name, found in outcomes(run).items() if found.ending != "not_applicable")
    assert {name for name in CHECKS if not applied[name]} == set()


def test_what_a_case_names_is_in_the_word_lists() -> None:
    for case in shipped():
        read = FlowCase.read(case.data)
        stated = [read, *(answer.states for answer in read.user_answers)]
        available = [name for each in stated for name in each.available]
        unknown = [name for name in available if len(mentions(name, lexicon())) != 1]
        assert unknown == [] or "unknown" in case.tags, case.id
        for name in [name for each in stated for name in each.allergies]:
            assert lexicon().allergen(name) is not None or "uncommon" in case.tags, (case.id, name)


def test_the_example_of_the_guide_ships_with_its_three_checks() -> None:
    (example,) = (case for case in shipped() if case.id == "guide-example")
    printed = json.loads(PRINTED)
    assert [{"role": turn.role, "content": turn.content} for turn in first_messages(example)] == printed["messages"]
    case = FlowCase.read(example.data)
    assert case.fridge_input is None

    def failing(*options: Json) -> list[str]:
        run = FlowRun(first_messages(example), None, options, case=example.data)
        return [name for name, found in outcomes(run).items() if found.ending == "failed"]

    assert failing(recipe(time_minutes=20), recipe("Rice", ingredients=["rice"], time_minutes=5)) == []
    assert failing() == ["options_present"]
    broken = FlowRun(first_messages(example), fault=Fault("http_status", "/api/chat/turn", "500"), case=example.data)
    assert [name for name, found in outcomes(broken).items() if found.ending == "failed"] == ["options_present"]
    assert failing(recipe(), recipe(time_minutes=21)) == ["time_budget"]
    assert failing(recipe(ingredients=["rice", "garlic"])) == ["ingredient_overlap"]


def test_the_json_form_as_printed() -> None:
    (case,) = parse_cases(PRINTED, "case.json", rubric())
    assert case.turns == ("chicken, rice, garlic. 20 min. gluten-free.",)
    assert case.history == (Turn("assistant", "What's in your fridge?"),)
    assert (case.id, case.category) == ("case-1", "constraints")
    asked = FlowCase.read(case.data).constraints
    assert asked == Constraints(available=["chicken", "rice", "garlic"], time_budget_minutes=20, diet=["gluten-free"])


def test_a_json_list_with_more() -> None:
    text = json.dumps(
        [
            {"messages": [{"role": "user", "content": "rice"}], "id": "a", "category": "languages", "tags": ["x"]},
            {
                "messages": [{"role": "user", "content": "egg, 5 min"}, {"role": "user", "content": ""}],
                "time_budget_minutes": 9,
            },
        ]
    )
    first, second = parse_cases(text, "cases.json", rubric())
    assert (first.id, first.category, first.tags) == ("a", "languages", ("x",))
    assert second.id == "case-2"
    assert first_messages(second) == (Turn("user", "egg, 5 min"), Turn("user", ""))
    assert FlowCase.read(second.data).constraints == Constraints(time_budget_minutes=9), (
        "its own, and none of its words"
    )


def message(content: str, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([], "f.json: is an empty list"),
        ([3], "f.json: case 1: is no mapping"),
        ({}, "f.json: case 1: messages is missing or empty"),
        ({"messages": []}, "f.json: case 1: messages is missing or empty"),
        ({"messages": [message("x", "system")]}, "f.json: case 1: messages 1 is no {role, content}"),
        ({"messages": [message("x", "assistant")]}, "f.json: case 1: messages end with the assistant"),
        ({"messages": [message("x")], "id": "A b"}, "f.json: case 1: id is 'A b'"),
        ({"messages": [message("x")], "category": "sport"}, "f.json: case 1: category is 'sport': choose one of"),
        ({"messages": [message("x")], "tags": "x"}, "f.json: case 1: id, category, tags, note"),
        ({"messages": [message("x")], "checks": ["time"]}, "f.json: case 'case-1': checks names 'time': there are opt"),
        ({"messages": [message("x")], "diet": ["keto"]}, "f.json: case 'case-1': diet names 'keto'; known are veg"),
        ({"messages": [message("x")], "budget": 3}, "f.json: case 'case-1': budget: unknown key 'budget'"),
        ([{"messages": [message("x")], "id": "a"}] * 2, "f.json: case 2: id 'a' is already used"),
    ],
)
def test_json_that_is_refused(value: Json, complaint: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_cases(json.dumps(value), "f.json", rubric())
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"messages": [}'])
def test_text_that_is_no_json(text: str) -> None:
    with pytest.raises(ParseError, match=r"^f\.json: is not JSON"):
        parse_cases(text, "f.json", rubric())


@pytest.mark.parametrize(
    ("turns", "data", "complaint"),
    [
        ("[a, b]", "{}", "f.yaml: case 'x': has 2 turns: write the last message as its turn"),
        ("[a]", "{min_overlap: none}", "f.yaml: case 'x': min_overlap: 'none': input should be a valid integer"),
        ("[a]", "{answers: [{say: hi, states: {diet: [keto]}}]}", "f.yaml: case 'x': diet names 'keto'"),
    ],
)
def test_yaml_that_is_refused(turns: str, data: str, complaint: str) -> None:
    text = f"category: robustness\nscenarios:\n  - id: x\n    turns: {turns}\n    data: {data}\n"
    with pytest.raises(ParseError) as caught:
        parse_cases(text, "f.yaml", rubric())
    assert str(caught.value).startswith(complaint)
