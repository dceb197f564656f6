"""Each defect spoils its own aspect of the answers, on every conversation that has the aspect, and no other."""

import http.client
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from examples.recipe_assistant.diets import allows
from tests.examples.loopback_assistant import COOKBOOK, assistant, call, choose, spoken, turn

LARDER = COOKBOOK.larder


@dataclass(frozen=True)
class Case:
    said: str
    have: tuple[str, ...]
    minutes: int | None = None
    servings: int | None = None
    diets: tuple[str, ...] = ()


CASES = [
    Case(
        "chicken, rice, garlic. 20 min. gluten-free, for four", ("chicken", "rice", "garlic"), 20, 4, ("gluten-free",)
    ),
    Case("tofu, broccoli, rice, 25 minutes, vegan, for 2", ("tofu", "broccoli", "rice"), 25, 2, ("vegan",)),
    Case("eggs, tomatoes, onion, half an hour", ("eggs", "tomatoes", "onion"), 30),
    Case("pasta, mushrooms, cream, 30 min, vegetarian", ("pasta", "mushrooms", "cream"), 30, None, ("vegetarian",)),
    Case("minced beef, potatoes, onion, 1h, halal", ("minced beef", "potatoes", "onion"), 60, None, ("halal",)),
    Case("chickpeas, spinach, onion, 40 min, nut-free", ("chickpeas", "spinach", "onion"), 40, None, ("nut-free",)),
    Case("salmon, rice, cucumber, no shellfish, 45 min", ("salmon", "rice", "cucumber"), 45, None, ("shellfish-free",)),
    Case("oats, banana, milk, peanut-free, 15 min", ("oats", "banana", "milk"), 15, None, ("peanut-free",)),
    Case("chicken, carrots, potatoes, kosher, 90 min", ("chicken", "carrots", "potatoes"), 90, None, ("kosher",)),
    Case(
        "rice, peas, carrots, dairy-free and egg-free, 20 min",
        ("rice", "peas", "carrots"),
        20,
        None,
        ("dairy-free", "egg-free"),
    ),
    Case(
        "bread, tomatoes, avocado, 15 min, vegan, nut-free",
        ("bread", "tomatoes", "avocado"),
        15,
        None,
        ("vegan", "nut-free"),
    ),
    Case("lentils, carrots, onion, 24 hours, vegan", ("lentils", "carrots", "onion"), 1440, None, ("vegan",)),
]
OPTION_TYPES: Mapping[str, type] = {
    "id": str, "title": str, "ingredients": list, "time_minutes": int, "servings": int, "steps": list, "diet": list,
}  # fmt: skip


def used(option: Mapping[str, Any], case: Case) -> int:
    return sum(any(LARDER.closeness(had, name) for name in option["ingredients"]) for had in case.have)


def keeps(option: Mapping[str, Any], diet: str) -> bool:
    return allows(diet, LARDER.contains(option["ingredients"]))


def minutes(option: Mapping[str, Any]) -> int:
    return int(str(option["time_minutes"]).split()[0])


def aspects(answer: Mapping[str, Any], case: Case) -> dict[str, bool]:
    """Aspect -> whether it holds; those that the case says nothing about are left out."""
    options: Sequence[Mapping[str, Any]] = answer["options"]
    found = {
        "offers": bool(options),
        "ingredients": all(used(option, case) >= 2 for option in options),
        "steps": all(len(option["steps"]) >= 2 for option in options),
        "distinct": len({option["id"] for option in options}) == len(options),
        "schema": "reply" in answer
        and all(type(option.get(name)) is kind for option in options for name, kind in OPTION_TYPES.items()),
    }
    if case.minutes is not None:
        found["time"] = all(minutes(option) <= (case.minutes or 0) for option in options)
    if case.servings is not None:
        found["servings"] = all(option["servings"] == case.servings for option in options)
    for diet in case.diets:
        found[f"diet {diet}"] = all(keeps(option, diet) for option in options)
    return found


def failing(url: str, case: Case) -> tuple[set[str], set[str]]:
    """(aspects that the case has, those that fail) of the offer and the choice."""
    answer = turn(url, case.said)
    assert answer["next_action"] == "options"
    found = aspects(answer, case)
    if answer["options"]:
        wanted = answer["options"][-1]
        status, body = choose(url, answer["options"], case.said, selected_id=wanted["id"])
        assert status == 200
        found["offered"] = body["selected"]["id"] in {option["id"] for option in answer["options"]}
        found["unchanged"] = not found["offered"] or body["selected"] == wanted
    return set(found), {name for name, holds in found.items() if not holds}


SPOILS: Mapping[str, Callable[[str], bool]] = {
    "ignores_time": lambda aspect: aspect == "time",
    "forgets_diet": lambda aspect: aspect.startswith("diet "),
    "invents_ingredients": lambda aspect: aspect == "ingredients",
    "wrong_servings": lambda aspect: aspect == "servings",
    "one_step": lambda aspect: aspect == "steps",
    "duplicate_options": lambda aspect: aspect == "distinct",
    "empty_options": lambda aspect: aspect == "offers",
    "chooses_unoffered": lambda aspect: aspect == "offered",
    "changes_selected": lambda aspect: aspect == "unchanged",
    "time_as_text": lambda aspect: aspect == "schema",
    "wrong_schema": lambda aspect: aspect == "schema",
}


def test_without_a_defect_nothing_fails() -> None:
    with assistant() as url:
        assert [failing(url, case)[1] for case in CASES] == [set()] * len(CASES)


@pytest.mark.parametrize("defect", SPOILS)
def test_a_defect_spoils_its_own_aspect_alone(defect: str) -> None:
    with assistant(defect) as url:
        for case in CASES:
            has, fails = failing(url, case)
            assert fails == {aspect for aspect in has if SPOILS[defect](aspect)}, case.said


def test_invented_ingredients_share_nothing_with_what_the_user_has() -> None:
    with assistant("invents_ingredients") as url:
        for case in CASES:
            assert [used(option, case) for option in turn(url, case.said)["options"]].count(0) >= 1
            assert all(used(option, case) == 0 for option in turn(url, case.said)["options"])


def test_what_was_not_asked_for_is_not_spoiled() -> None:
    plain = "A: How much time do you have, in minutes?", "no rush, no allergies"
    with assistant() as good, assistant("ignores_time", "forgets_diet", "wrong_servings") as faulty:
        said = ("eggs, tomatoes, onion", *plain)
        assert turn(faulty, *said)["options"] == turn(good, *said)["options"]


def test_an_allergy_to_one_ingredient_is_forgotten_too() -> None:
    with assistant("forgets_diet") as url:
        answer = turn(url, "oats, milk, 15 min, I'm allergic to bananas")
        assert answer["options"] and all("banana" in option["ingredients"] for option in answer["options"])


def test_several_defects_at_once_spoil_all_their_aspects() -> None:
    with assistant("ignores_time", "forgets_diet", "invents_ingredients", "one_step", "wrong_servings") as url:
        has, fails = failing(url, CASES[0])
    assert fails == {"time", "diet gluten-free", "ingredients", "steps", "servings"} <= has


def test_what_cannot_be_served_is_said_with_every_defect_of_the_search() -> None:
    with assistant("ignores_time", "forgets_diet", "invents_ingredients", "empty_options") as url:
        answer = turn(url, "beef, carrots and potatoes, 3 minutes")
        assert (answer["next_action"], answer["reason"]) == ("end", "nothing_fits")


def questions(url: str, count: int) -> list[str]:
    said = ["chicken, rice, 20 min"]
    for _ in range(count):
        answer = turn(url, *said)
        assert (answer["next_action"], answer["options"]) == ("ask", None)
        said += [f"A: {answer['reply']}", "I don't mind"]
    return said[1::2]


def test_endless_questions_differ_and_a_repeated_one_does_not() -> None:
    with assistant("endless_questions") as url:
        assert len(set(questions(url, 30))) == 30
    with assistant("repeats_question") as url:
        assert len(set(questions(url, 5))) == 1


def posted(url: str, case: Case, path: str = "/api/chat/turn") -> tuple[int, dict[str, str], bytes]:
    body = {"messages": spoken(case.said), "options": [{"id": "x"}]}
    return call(url, "POST", path, json.dumps(body).encode(), {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})


@pytest.mark.parametrize("path", ["/api/chat/turn", "/api/recipes/choose"])
def test_invalid_json(path: str) -> None:
    with assistant("invalid_json") as url:
        status, headers, body = posted(url, CASES[0], path)
    assert status == 200 and headers["content-type"].startswith("application/json")
    with pytest.raises(ValueError):
        json.loads(body)


def test_server_errors_hit_the_same_share_each_time() -> None:
    cases = [Case(f"eggs, rice, {number} min", ()) for number in range(10, 110)]
    with assistant("server_errors") as url:
        first, second = ([posted(url, case)[0] for case in cases] for _ in range(2))
        hit = next(case for case in cases if posted(url, case)[0] == 500)
        assert posted(url, hit, "/api/recipes/choose")[0] == 500
        assert json.loads(posted(url, hit)[2])["error"]["message"]
        assert call(url, "GET", "/health")[0] == 200
    assert first == second and 15 <= first.count(500) <= 45 and set(first) == {200, 500}


@pytest.mark.parametrize(("share", "status"), [("1", 500), ("0", 200)])
def test_server_errors_hit_all_or_none(share: str, status: int) -> None:
    with assistant(f"server_errors={share}") as url:
        assert {posted(url, case)[0] for case in CASES} == {status}


def test_disconnects() -> None:
    with assistant("disconnects") as url, pytest.raises((http.client.HTTPException, ConnectionError)):
        posted(url, CASES[0])


def test_slow_answers_wait() -> None:
    with assistant("slow=0.3") as url:
        begun = time.monotonic()
        assert posted(url, CASES[0])[0] == 200
        assert time.monotonic() - begun >= 0.3


def test_a_lost_trace() -> None:
    with assistant("loses_trace") as url:
        _, headers, body = posted(url, CASES[0])
        assert json.loads(body)["trace_id"] == headers["x-trace-id"] != "a" * 32
