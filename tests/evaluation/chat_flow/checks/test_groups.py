"""Groups of foods: an allergy or a forbidden group is what is made of it, too."""

import pytest

from evaluation.chat_flow.cases import parse_cases
from evaluation.chat_flow.checks.outcome import Ending
from evaluation.errors import ParseError
from evaluation.records import Json
from tests.evaluation.chat_flow.made import flow, lexicon, outcomes, recipe, rubric


def ending(case: dict[str, Json], *ingredients: str) -> Ending:
    options = (recipe(ingredients=list(ingredients), steps=["Mix.", "Eat."]),)
    return outcomes(flow(case=case, options=options))["dietary"].ending


@pytest.mark.parametrize(
    ("group", "food"),
    [
        ("dairy", "grated cheese"),
        ("shellfish", "king prawns"),
        ("gluten", "sourdough bread"),
        ("alcohol", "100 ml red wine"),
        ("peanut", "peanut butter"),
        ("peanuts", "peanut butter"),
        ("pork", "1 tbsp lard"),
        ("meat", "chicken stock"),
        ("egg", "custard"),
        ("dairy", "brioche buns"),
        ("fish", "surimi"),
        ("peanut", "mixed nuts"),
        ("celery", "1 stock cube"),
        ("huevos", "mayonnaise"),
    ],
)
def test_a_forbidden_group_forbids_what_is_made_of_it(group: str, food: str) -> None:
    assert ending({"forbidden": [group]}, food) == "failed"
    assert ending({"forbidden": [group]}, "500 g potatoes", "salt") == "passed"


@pytest.mark.parametrize(
    ("food", "other"), [("crab", "shrimp"), ("cheddar", "feta"), ("wine", "vodka"), ("milk", "butter")]
)
def test_a_forbidden_food_forbids_its_kinds_alone(food: str, other: str) -> None:
    assert ending({"forbidden": [food]}, food) == "failed"
    assert ending({"forbidden": [food]}, other) == "passed"


@pytest.mark.parametrize(
    ("allergy", "food"),
    [
        ("Erdnüsse", "peanut butter"),
        ("milk protein", "butter"),
        ("crustacean", "prawns"),
        ("shrimp", "crab meat"),
        ("huevo", "mayonnaise"),
        ("kiwi", "2 kiwis"),
    ],
)
def test_an_allergy_is_known_by_many_names(allergy: str, food: str) -> None:
    assert ending({"allergies": [allergy]}, food) == "failed"


@pytest.mark.parametrize(
    ("key", "name", "said"),
    [
        ("allergies", "penuts", "allergies names 'penuts', which no list knows; did you mean 'peanut"),
        ("diet", "vegitarian", "diet names 'vegitarian'; did you mean 'vegetarian'?"),
    ],
)
def test_a_name_that_no_list_knows_is_refused_with_the_nearest(key: str, name: str, said: str) -> None:
    text = f"category: allergies\nscenarios:\n  - {{id: one, turns: [hi], data: {{{key}: [{name}]}}}}\n"
    with pytest.raises(ParseError) as caught:
        parse_cases(text, "cases.yaml", rubric())
    assert said in str(caught.value)
    assert lexicon().allergen("kiwi") is None
