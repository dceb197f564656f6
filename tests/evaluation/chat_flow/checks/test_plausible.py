"""Recipes against themselves: near-duplicates, placeholders, times and ingredients of steps, numbers of options."""

from typing import Any

import pytest

from evaluation.chat_flow.checks.outcome import CheckResult
from evaluation.records import Json, Turn
from tests.evaluation.chat_flow.made import OFFERED, flow, outcomes

STEW: dict[str, Json] = {
    "title": "Lentil stew",
    "ingredients": ["250 g red lentils", "1 onion", "2 carrots", "1 tin of tomatoes", "1 tsp cumin"],
    "time_minutes": 40,
    "steps": ["Fry the onion and the carrots.", "Add lentils, tomatoes and cumin.", "Simmer for 25 minutes."],
}


def found(check: str, *options: dict[str, Json], case: dict[str, Json] | None = None) -> CheckResult:
    return outcomes(flow(options=options, selected=options[0], case=case or {}))[check]


def stew(**changes: Any) -> dict[str, Json]:
    return {**STEW, **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Hearty lentil pot"},
        {
            "title": "Red lentils, stewed",
            "ingredients": ["1 onion", "2 carrots", "300 g red lentils", "tomatoes, tin", "cumin"],
        },
        {"title": "Quick and easy lentil stew", "steps": ["Put all into a pot.", "Wait half an hour."]},
        {
            "title": "Lentil dal",
            "steps": ["Fry onion and carrots", "Add the lentils, cumin, tomatoes", "Simmer 20 min."],
        },
    ],
    ids=lambda changes: changes["title"],
)
def test_the_same_dish_under_another_title_is_a_near_duplicate(changes: dict[str, Json]) -> None:
    outcome = found("near_duplicates", STEW, stew(**changes))
    assert outcome.evidence == f'option 2 "{changes["title"]}" is option 1 "Lentil stew" under another title'


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Lentil soup", "steps": ["Boil everything with plenty of stock.", "Purée it finely.", "Reheat."]},
        {"title": "Carrot stew", "ingredients": ["500 g carrots", "1 onion", "parsley", "butter"]},
        {"title": "LENTIL STEW!"},
        {"title": "Lentil pie", "ingredients": [*STEW["ingredients"], "flour", "butter", "thyme", "egg"]},
    ],
    ids=lambda changes: changes["title"],
)
def test_another_dish_of_the_same_things_is_none(changes: dict[str, Json]) -> None:
    assert found("near_duplicates", STEW, stew(**changes)).ending == "passed"


def test_fifty_options_are_too_many() -> None:
    many = [stew(title=f"Dish {number}") for number in range(50)]
    assert found("option_count", *many).evidence == "50 options; at most 10"
    assert found("option_count", *many[:10]).ending == "passed"
    assert found("option_count", *many[:3], case={"max_options": 2}).ending == "failed"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"steps": ["Fry the onion.", "...", "Serve."]}, 'step 2 is "..."'),
        ({"steps": ["Fry the onion.", "…"]}, 'step 2 is "'),
        ({"steps": ["Step 1", "Step 2"]}, 'step 1 is "Step 1"'),
        ({"steps": ["Fry.", "TODO"]}, 'step 2 is "TODO"'),
        ({"steps": ["Fry.", "etc."]}, 'step 2 is "etc."'),
        ({"ingredients": ["lentils", "ingredient 2"]}, 'ingredient 2 is "ingredient 2"'),
        ({"ingredients": ["lentils", "N/A"]}, 'ingredient 2 is "N/A"'),
        ({"title": "undefined"}, 'the title is "undefined"'),
        ({"steps": ["Fry the {ingredient}.", "Serve."]}, 'option 1 says "{ingredient}"'),
        ({"steps": ["Fry the {{ main }}.", "Serve."]}, 'option 1 says "{{ main }}"'),
        ({"steps": ["Fry the [insert vegetable].", "Serve."]}, 'option 1 says "[insert vegetable]"'),
        ({"summary": "Lorem ipsum dolor."}, 'option 1 says "lorem ipsum"'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_placeholder_is_found(changes: dict[str, Json], named: str) -> None:
    outcome = found("no_placeholders", stew(**changes))
    assert outcome.ending == "failed" and named in outcome.evidence


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": ["Fry ... slowly.", "Wait for it...", "Serve."]},
        {"steps": ["1. Fry the onion.", "Step 2: add the rest."]},
        {"steps": ["切る", "煮る"]},
        {"steps": ["Stir.", "Eat!"]},
        {"ingredients": ["lentils (optional: cumin)", "1 onion [red]"]},
        {"title": "Anna's text-book stew"},
    ],
    ids=str,
)
def test_short_and_dotted_texts_are_none(changes: dict[str, Json]) -> None:
    assert found("no_placeholders", stew(**changes)).ending == "passed"


def test_a_template_that_the_user_wrote_is_repeated_and_no_placeholder() -> None:
    said = (Turn("user", "tomatoes, {{garlic}}"), Turn("assistant", "I do not know {{garlic}}."))
    assert outcomes(flow(messages=said, calls=flow().calls[1:]))["no_placeholders"].ending == "passed"


@pytest.mark.parametrize(
    ("minutes", "steps", "problem"),
    [
        (20, ["Chop.", "Simmer for 45 minutes."], 'the step "Simmer for 45 minutes." takes 45'),
        (30, ["Roast for 1 hour.", "Eat."], 'the step "Roast for 1 hour." takes 60'),
        (60, ["Braise for 1.5 hours.", "Eat."], "takes 90"),
        (30, ["Soak the beans overnight.", "Boil for 20 min."], 'the step "Soak the beans overnight." takes 360'),
        (20, ["Fry for 8 minutes.", "Boil 10-12 minutes.", "Rest 10 min."], "its steps take 28 together"),
        (15, ["Bake for half an hour.", "Cool."], "takes 30"),
        (10, ["Knead 5 minutes and let it rise for 40 minutes.", "Bake."], "takes 45"),
    ],
)
def test_steps_that_take_longer_than_stated_are_found(minutes: int, steps: list[str], problem: str) -> None:
    outcome = found("step_times", stew(time_minutes=minutes, steps=steps))
    assert outcome.ending == "failed"
    assert outcome.evidence.startswith(f'option 1 "Lentil stew" states {minutes} minutes, and ')
    assert problem in outcome.evidence


@pytest.mark.parametrize(
    ("minutes", "steps"),
    [
        (30, ["Boil the rice for 20 minutes.", "Meanwhile fry the onion for 15 minutes.", "Mix."]),
        (20, ["Fry for 10 minutes, stirring every 30 seconds.", "Simmer for 10 minutes."]),
        (20, ["Simmer for 18 minutes, adding the peas for the last 5 minutes.", "Serve."]),
        (25, ["Roast for 20 minutes; after 10 minutes turn them.", "Serve within 30 minutes."]),
        (12, ["Cook for 10 to 20 minutes.", "Eat."]),
        (15, ["Microwave for 5 minutes or bake for 25 minutes.", "Eat."]),
        (20, ["Cook for 11 minutes.", "Rest for 11 minutes."]),
        (10, ["Cook the 10-minute rice.", "Mix with 5-minute eggs."]),
        (30, ["Chop.", "Cook until soft."]),
        (20, ["Heat the oven to 200 degrees.", "Bake 500 g for 15 minutes."]),
    ],
)
def test_steps_within_the_time_pass(minutes: int, steps: list[str]) -> None:
    outcome = found("step_times", stew(time_minutes=minutes, steps=steps))
    assert outcome.ending == "passed", outcome.evidence


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        (["Fry the onion.", "Add the salmon."], '"salmon" in the step "Add the salmon." is no ingredient'),
        (["Melt the cheddar over the carrots.", "Stir in the lentils."], '"cheddar"'),
        (["Mix flour and lentils.", "Fry."], '"flour"'),
        (["Beat the eggs.", "Fry them with sugar."], '"eggs"'),
        (["Chop 5 carrots.", "Fry with the lentils."], 'the step "Chop 5 carrots." uses 5 carrot, 2 listed'),
        (["Boil the spaghetti.", "Fold in the basil."], "no step uses an ingredient of the list"),
    ],
)
def test_steps_that_contradict_the_ingredients_are_found(steps: list[str], problem: str) -> None:
    outcome = found("steps_use_ingredients", stew(steps=steps))
    assert outcome.ending == "failed" and problem in outcome.evidence


@pytest.mark.parametrize(
    "steps",
    [
        ["Boil the lentils in salted water.", "Season with salt, pepper and a little oil."],
        ["Fry the vegetables.", "Serve with rice or bread."],
        ["Fry the carrots.", "Ladle into bowls with rice, sour cream or tortilla chips on the side."],
        ["Fry the carrots.", "Top with vegan parmesan if you like."],
        ["Cook the lentils like rice, to the consistency of yogurt.", "Add carrots."],
        ["Fry the onion until the butter colour appears.", "Add carrots, for example with bacon."],
        ["Chop both carrots and 1 onion.", "Stir the sauce.", "Garnish with parsley."],
        ["Put everything into a pot.", "Simmer and stir."],
        ["Cut 2 carrots.", "Simmer for 20 minutes with the pulses."],
    ],
)
def test_steps_of_what_is_listed_and_in_every_kitchen_pass(steps: list[str]) -> None:
    outcome = found("steps_use_ingredients", stew(steps=steps))
    assert outcome.ending == "passed", outcome.evidence


@pytest.mark.parametrize(
    ("ingredients", "step"),
    [
        (["200 g spaghetti", "4 tomatoes"], "Boil the pasta and add the tomatoes."),
        (["oat milk", "oats"], "Pour the milk over the oats."),
        (["vegan butter", "leeks"], "Melt the butter and fry the leeks."),
        (["chicken thighs", "rice"], "Brown the chicken, then add the rice."),
        (["scallions", "eggs"], "Slice the spring onions and beat the eggs."),
        (["gluten-free flour", "eggs"], "Sift the flour and beat in the eggs."),
    ],
)
def test_other_names_of_what_is_listed_pass(ingredients: list[str], step: str) -> None:
    outcome = found("steps_use_ingredients", stew(ingredients=ingredients, steps=[step, "Eat."]))
    assert outcome.ending == "passed", outcome.evidence


def test_what_the_user_may_not_eat_is_reported_once() -> None:
    whole = outcomes(flow(options=(stew(steps=["Fry in butter.", "Eat."]), OFFERED[1]), case={"diet": ["vegan"]}))
    assert (whole["steps_use_ingredients"].ending, whole["dietary"].ending) == ("passed", "failed")
