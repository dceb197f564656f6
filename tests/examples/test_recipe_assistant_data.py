"""The recipes and ingredients fit together, and are enough for most wishes."""

import ast
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.recipe_assistant.answers import recipe_json
from examples.recipe_assistant.cookbook import FOLDER
from examples.recipe_assistant.diets import FORBIDS, allows, diets_of
from examples.recipe_assistant.larder import read_larder
from examples.recipe_assistant.recipes import CHOICE, EXTRA, Recipe, prepare, read_recipes, scaled
from examples.recipe_assistant.search import options_for
from examples.recipe_assistant.wishes import Wishes
from tests.examples.loopback_assistant import COOKBOOK

BOOK = COOKBOOK
LARDER = BOOK.larder
CONTENTS = {content for forbidden in FORBIDS.values() for content in forbidden}


def everything_allowed(_name: str) -> bool:
    return True


def preferring(names: set[str]) -> Callable[[str], int]:
    return lambda name: 2 * (name in names)


def test_there_are_at_least_60_recipes_each_under_its_own_name() -> None:
    assert len(BOOK.recipes) >= 60
    assert len({recipe.id for recipe in BOOK.recipes}) == len(BOOK.recipes)
    assert len({recipe.title for recipe in BOOK.recipes}) == len(BOOK.recipes)


def test_every_recipe_is_consistent() -> None:
    for recipe in BOOK.recipes:
        check_consistency(recipe)


def check_consistency(recipe: Recipe) -> None:
    assert 5 <= recipe.minutes <= 120 and 1 <= recipe.servings <= 8, recipe.id
    assert 2 <= len(recipe.steps) <= 8 and len(recipe.parts) >= 3, recipe.id
    assert all(re.match(r"\d", part.amount) for part in recipe.parts), recipe.id
    text = " ".join([recipe.title, *recipe.steps])
    firsts = {part.choices[0]: part for part in recipe.parts}
    marked = set(CHOICE.findall(text))
    extras = {found[1] for found in EXTRA.finditer(text)}
    assert marked <= firsts.keys() and extras == {name for name, part in firsts.items() if part.optional}, recipe.id
    assert all(name in marked for name, part in firsts.items() if len(part.choices) > 1), (
        f"{recipe.id}: a choice the steps pass over"
    )
    always = CHOICE.sub("", EXTRA.sub("", text))
    assert not [name for name in extras if re.search(rf"\b{re.escape(name)}\b", always)], (
        f"{recipe.id}: an optional thing is assumed"
    )
    assert not [mark for mark in CHOICE.findall(EXTRA.sub("", text)) if firsts[mark].optional], recipe.id


def test_the_minutes_in_the_steps_fit_into_the_time() -> None:
    too_long = [
        (recipe.id, step)
        for recipe in BOOK.recipes
        for step in recipe.steps
        if any(int(number) > recipe.minutes for number in re.findall(r"(\d+) minutes", step))
    ]
    assert too_long == []


def test_every_variant_reads_as_text_and_names_its_own_ingredients() -> None:
    for recipe, position in itertools.product(BOOK.recipes, range(4)):
        preferred = {part.choices[min(position, len(part.choices) - 1)] for part in recipe.parts}
        dish = prepare(recipe, None, everything_allowed, preferring(preferred))
        assert dish is not None
        written = " ".join([dish.title, *dish.steps])
        assert not set("{}[]|") & set(written), recipe.id
        assert len(set(dish.ingredients)) == len(dish.ingredients), recipe.id


def test_the_ingredient_table_is_consistent() -> None:
    assert len(LARDER.table) >= 100
    for one in LARDER.table.values():
        assert one.contains <= CONTENTS, one.name
        for wider in LARDER.kinds(one.name):
            inherited = LARDER.table[wider].contains - {"gluten"}
            assert inherited <= one.contains, f"{one.name} is a kind of {wider}"
    assert {LARDER.table[name].contains for name in ("pork", "bacon", "ham")} == {frozenset({"meat", "pork"})}


def test_two_ingredients_under_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'courgettes?' names both"):
        read_larder({"zucchini": {"also": ["courgette"]}, "squash": {"also": ["courgettes"]}})
    with pytest.raises(ValueError, match="kind of 'cheese'"):
        read_larder({"feta": {"kind_of": "cheese"}})


def test_an_unknown_ingredient_in_a_recipe_is_refused() -> None:
    entry = {"id": "x", "title": "X", "minutes": 5, "servings": 1, "ingredients": {"moon dust": "1 g"}, "steps": []}
    with pytest.raises(ValueError, match="recipe 'x' uses 'moon dust'"):
        read_recipes([entry], LARDER)


@pytest.mark.parametrize(
    ("contains", "kept", "broken"),
    [
        (set(), set(FORBIDS), set()),
        ({"dairy"}, {"vegetarian", "nut-free", "kosher"}, {"vegan", "dairy-free"}),
        ({"meat", "pork"}, {"gluten-free"}, {"vegetarian", "halal", "kosher", "pork-free", "pescatarian"}),
        ({"meat", "dairy"}, {"halal"}, {"kosher", "vegetarian"}),
        ({"peanut"}, {"vegan"}, {"nut-free", "peanut-free"}),
        ({"nut"}, {"peanut-free"}, {"nut-free"}),
        ({"shellfish"}, {"halal", "pescatarian"}, {"kosher", "shellfish-free"}),
        ({"alcohol"}, {"vegan"}, {"halal"}),
        ({"rennet", "dairy"}, {"kosher"}, {"vegetarian"}),
    ],
)
def test_diets_follow_from_what_is_contained(contains: set[str], kept: set[str], broken: set[str]) -> None:
    found = set(diets_of(frozenset(contains)))
    assert kept <= found and not broken & found


def test_the_diet_of_an_option_is_that_of_its_ingredients() -> None:
    found = options_for(Wishes(have=("pasta", "mushrooms"), diets=frozenset({"vegan", "gluten-free"})), BOOK)
    assert found
    for one in found:
        option = recipe_json(one, LARDER)
        assert set(option["diet"]) == set(diets_of(LARDER.contains(option["ingredients"])))
        assert {"vegan", "gluten-free"} <= set(option["diet"])
        assert "gluten-free pasta" in option["ingredients"] or "pasta" not in " ".join(option["ingredients"])


@pytest.mark.parametrize(
    ("amount", "factor", "expected"),
    [
        ("300 g", 2, "600 g"),
        ("150 g", 1.5, "225 g"),
        ("1 tin", 0.5, "0.5 tin"),
        ("3 cloves", 0.5, "1.5 cloves"),
        ("1", 3, "3"),
        ("0.5 tsp", 0.1, "0.5 tsp"),
        ("some", 2, "some"),
    ],
)
def test_amounts_scale(amount: str, factor: float, expected: str) -> None:
    assert scaled(amount, factor) == expected


STAPLES = {
    "": [("chicken", "rice", "garlic"), ("pasta", "tomatoes", "garlic"), ("eggs", "potatoes", "onion")],
    "vegan": [("tofu", "broccoli", "rice"), ("chickpeas", "spinach", "onion"), ("black beans", "rice", "corn")],
    "vegetarian": [("eggs", "cheese", "spinach"), ("mushrooms", "pasta", "cream"), ("lentils", "carrots", "onion")],
    "gluten-free": [("salmon", "potatoes", "lemon"), ("chicken", "rice", "broccoli"), ("eggs", "tomatoes", "onion")],
    "dairy-free": [("minced beef", "spaghetti", "onion"), ("tuna", "pasta", "tomatoes"), ("potatoes", "peas", "onion")],
    "nut-free": [("oats", "banana", "milk"), ("noodles", "carrots", "cabbage"), ("tuna", "white beans", "lemon")],
    "halal": [("lamb", "couscous", "tomatoes"), ("chicken", "potatoes", "lemon"), ("beef", "broccoli", "rice")],
    "kosher": [("chicken", "carrots", "noodles"), ("salmon", "rice", "cucumber"), ("eggs", "tomatoes", "bell pepper")],
}


@pytest.mark.parametrize("diet", STAPLES)
def test_sensible_wishes_get_options_that_hold_to_them(diet: str) -> None:
    for have, minutes in itertools.product(STAPLES[diet], (30, 60)):
        wishes = Wishes(have=have, minutes=minutes, diets=frozenset({diet} - {""}))
        found = options_for(wishes, BOOK)
        assert 1 <= len(found) <= 3, wishes
        for one in found:
            assert one.dish.minutes <= minutes
            assert len(one.used) >= 2
            assert all(allows(each, LARDER.contains(one.dish.ingredients)) for each in wishes.diets)


def test_there_is_something_quick_for_every_diet() -> None:
    wishes = [Wishes(diets=frozenset({diet}), minutes=time, anything=True) for diet in FORBIDS for time in (10, 20, 60)]
    assert [wish for wish in wishes if len(options_for(wish, BOOK)) != 3] == []


def test_the_application_imports_nothing_of_the_tool_that_evaluates_it() -> None:
    modules = {
        name
        for path in Path(FOLDER).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not {name for name in modules if name.split(".")[0] in {"evaluation", "services", "scripts", "tests"}}
