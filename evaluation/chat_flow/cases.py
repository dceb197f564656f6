"""Files of cases -> scenarios: the YAML form of all suites, or the JSON form {messages, fridge_input}.

A JSON file holds one case or a list of them. Beside messages and fridge_input, a case may have id, category, tags,
note, and all that `FlowCase` reads; where it states no constraint, those that its messages state in plain words hold,
such as "chicken, rice, garlic. 20 min. gluten-free.": the printed JSON form has nothing else. A case's own messages are
read, never what an application made of them.
"""

import json
import re
from collections.abc import Mapping

from evaluation.chat_flow.case import Constraints, FlowCase
from evaluation.chat_flow.checks.table import CHECKS
from evaluation.chat_flow.stated import constraints_in
from evaluation.errors import ParseError
from evaluation.expectations.criteria import FindSet, no_sets
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading_tables import read_lexicon
from evaluation.food.rules import foods_called
from evaluation.records import Json, Scenario, Turn
from evaluation.rubrics.rubric import Rubric
from evaluation.scenarios.parser import parse_scenarios
from evaluation.text.forms import did_you_mean

ROLES = ("user", "assistant")
SCENARIO_KEYS = ("id", "category", "tags", "note", "situation", "audience")
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
BLANK_TURN = "(a blank message)"
"""Stands for a message without words, which a scenario cannot hold."""


def parse_cases(text: str, place: str, rubric: Rubric, find_set: FindSet = no_sets) -> tuple[Scenario, ...]:
    """The cases of one file, each a scenario with one turn.

    Raises ParseError, naming the file and the case, for what the scenario parser refuses, more than one turn, an
    unknown check or diet, and data that is no case.
    """
    lexicon = read_lexicon(rubric.words, f"rubric {rubric.name!r}: words")
    if text.lstrip()[:1] in ("{", "["):
        scenarios = _json_cases(text, place, rubric, lexicon)
    else:
        scenarios = parse_scenarios(text, place, rubric.categories, find_set)
    for scenario in scenarios:
        _check(scenario, f"{place}: case {scenario.id!r}", lexicon)
    return scenarios


def _check(scenario: Scenario, where: str, lexicon: Lexicon) -> None:
    if len(scenario.turns) != 1:
        problem = f"has {len(scenario.turns)} turns: write the last message as its turn, earlier ones under history, "
        raise ParseError(where, f"{problem}and later ones under data.answers")
    try:
        case = FlowCase.read(scenario.data)
    except ParseError as error:
        raise ParseError(where, str(error)) from None
    for name in case.checks or ():
        if name not in CHECKS:
            raise ParseError(where, f"checks names {name[:60]!r}: there are {', '.join(CHECKS)}")
    for constraints in (case, *(answer.states for answer in case.user_answers)):
        for name in constraints.allergies:
            if lexicon.allergen(name) is None and not foods_called(name, lexicon):
                hint = did_you_mean(name, lexicon.allergy_names)
                raise ParseError(where, f"allergies names {name[:60]!r}, which no list knows{hint}")
        for diet in constraints.diet:
            if lexicon.diet(diet) is None:
                names = tuple(dict.fromkeys(each.name for each in lexicon.diets.values()))
                known = did_you_mean(diet, names)
                raise ParseError(where, f"diet names {diet[:60]!r}{known}; or name foods under forbidden")


def _json_cases(text: str, place: str, rubric: Rubric, lexicon: Lexicon) -> tuple[Scenario, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "nested too deep"
        raise ParseError(place, f"is not JSON ({reason}): mend it there") from None
    cases = value if isinstance(value, list) else [value]
    if not cases:
        raise ParseError(place, "is an empty list: give at least one case")
    scenarios = tuple(
        _json_case(case, number, f"{place}: case {number}", rubric, lexicon)
        for number, case in enumerate(cases, start=1)
    )
    ids = [scenario.id for scenario in scenarios]
    for number, name in enumerate(ids, start=1):
        if name in ids[: number - 1]:
            raise ParseError(f"{place}: case {number}", f"id {name!r} is already used: rename one of the two")
    return scenarios


def _json_case(case: Json, number: int, where: str, rubric: Rubric, lexicon: Lexicon) -> Scenario:
    if not isinstance(case, dict):
        raise ParseError(where, "is no mapping: give it messages and fridge_input")
    messages = _messages(case.get("messages"), where)
    data = {key: value for key, value in case.items() if key not in (*SCENARIO_KEYS, "messages")}
    if not data.keys() & Constraints.model_fields.keys():
        data |= constraints_in(messages, lexicon, case.get("fridge_input"))
    last = messages[-1].content
    if not last.strip():
        data["message"] = last
    described = _scenario_fields(case, number, where, rubric)
    return Scenario(turns=(last if last.strip() else BLANK_TURN,), history=messages[:-1], data=data, **described)


def _messages(value: Json, where: str) -> tuple[Turn, ...]:
    if not isinstance(value, list) or not value:
        raise ParseError(where, "messages is missing or empty: give a list of {role, content} that ends with the user")
    turns: list[Turn] = []
    for number, message in enumerate(value, start=1):
        role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (None, None)
        if role not in ROLES or not isinstance(content, str):
            raise ParseError(where, f"messages {number} is no {{role, content}}: give user or assistant, and a text")
        turns.append(Turn(role, content))
    if turns[-1].role != "user":
        raise ParseError(where, "messages end with the assistant: end them with what the user says")
    return tuple(turns)


def _scenario_fields(case: Mapping[str, Json], number: int, where: str, rubric: Rubric) -> dict[str, Json]:
    """The scenario's own fields; a case without a category is one of the first."""
    fields = {key: case[key] for key in SCENARIO_KEYS if case.get(key) is not None}
    tags = fields.pop("tags", [])
    if not isinstance(tags, list) or not all(isinstance(value, str) for value in [*fields.values(), *tags]):
        raise ParseError(where, f"{', '.join(SCENARIO_KEYS)} are texts, and tags is a list of them")
    described = {"id": f"case-{number}", "category": next(iter(rubric.categories), "cases"), **fields}
    if not _ID.fullmatch(described["id"]):
        raise ParseError(where, f"id is {described['id'][:60]!r}: use small letters, digits and hyphens, at most 80")
    if rubric.categories and described["category"] not in rubric.categories:
        known = ", ".join(rubric.categories)
        raise ParseError(where, f"category is {described['category'][:60]!r}: choose one of {known}")
    return {**described, "tags": tuple(tags)}
