"""The selection is compared by what it says: other spellings pass, and what is otherwise is named."""

from typing import Any

import pytest

from evaluation.chat_flow.checks.measures import meaning_of, same_meaning
from evaluation.records import Json
from tests.evaluation.chat_flow.made import flow, outcomes

SOUP: dict[str, Json] = {
    "id": "soup",
    "title": "Leek & potato soup",
    "ingredients": ["200 g leeks", "2 potatoes", "1.5 l vegetable stock"],
    "amounts": {"leeks": "200 g", "stock": "1,5 l"},
    "time_minutes": 30,
    "servings": 2,
    "diet": ["vegan", "gluten-free"],
    "steps": ["Slice the leeks.", "Boil with the potatoes for 1 1/2 hours.", "Blend."],
}
SALAD: dict[str, Json] = {
    "id": "salad",
    "title": "Bean salad",
    "ingredients": ["beans"],
    "time_minutes": 5,
    "steps": ["Open the tin.", "Eat."],
}


def found(case: dict[str, Json] | None = None, **changes: Any) -> Any:
    selected = {key: value for key, value in {**SOUP, **changes}.items() if value is not None}
    return outcomes(flow(options=(SALAD, SOUP), selected=selected, case=case or {}))["consistency"]


@pytest.mark.parametrize(
    "changes",
    [
        {"ingredients": ["leeks, 200 grams", "1500 ml vegetable stock", "two potatoes"]},
        {
            "ingredients": [
                {"name": "leeks", "amount": "0.2 kg"},
                {"item": "potatoes", "quantity": 2},
                "1½ L vegetable stock",
            ]
        },
        {"amounts": {"leeks": "200 Grams", "stock": "1.5 litres"}},
        {"time_minutes": 30.0},
        {"time_minutes": "30 minutes"},
        {"diet": ["gluten-free", "Vegan"]},
        {"title": "Leek & Potato Soup!"},
        {"steps": ["Slice leeks", "Boil with the potatoes for 90 min.", "Blend!"]},
        {"image": "soup.jpg", "rating": 5},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_the_same_in_other_words_is_unchanged(changes: dict[str, Json]) -> None:
    assert (found(**changes).ending, found(**changes).evidence) == (
        "passed",
        'selected is option 2 "Leek & potato soup", unchanged',
    )


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"time_minutes": 20}, "time_minutes 30 became 20"),
        ({"time_minutes": "20 min"}, 'time_minutes 30 became "20 min"'),
        ({"servings": 4}, "servings 2 became 4"),
        ({"title": "Cream of leek"}, 'title "Leek & potato soup" became "Cream of leek"'),
        ({"id": "soup-2"}, 'id "soup" became "soup-2"'),
        ({"amounts": {"leeks": "300 g", "stock": "1.5 l"}}, 'amounts.leeks "200 g" became "300 g"'),
        (
            {"ingredients": ["200 kg leeks", "2 potatoes", "1.5 l vegetable stock"]},
            'ingredients "200 g leeks" became "200 kg leeks"',
        ),
        ({"ingredients": ["200 g leeks", "1.5 l vegetable stock"]}, 'ingredients "2 potatoes" is gone'),
        (
            {"ingredients": ["200 g leeks", "2 potatoes", "1.5 l vegetable stock", "1 onion"]},
            'ingredients "1 onion" is added',
        ),
        (
            {"steps": ["Slice the leeks.", "Fry with the potatoes for 90 min.", "Blend."]},
            'step 2 "Boil with the potatoes for 1 1/2 hours." became "Fry with the potatoes for 90 min."',
        ),
        ({"steps": ["Slice the leeks.", "Boil with the potatoes for 90 min."]}, 'step 3 "Blend." is gone'),
        ({"steps": [*reversed(SOUP["steps"])]}, 'step 1 "Slice the leeks." became "Blend."'),
        ({"diet": ["vegan"]}, "diet "),
        ({"servings": None}, "servings 2 is gone"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_what_changed_is_named(changes: dict[str, Json], named: str) -> None:
    outcome = found(**changes)
    assert outcome.ending == "failed"
    assert outcome.evidence.startswith(f'selected is option 2 "Leek & potato soup", changed: {named}')


def test_an_added_allergen_is_named_as_one_before_all_else() -> None:
    added = [*SOUP["ingredients"], "2 tbsp peanut butter"]
    changes: dict[str, Json] = {"ingredients": added, "servings": 3}
    assert found(**changes).evidence == (
        'selected is option 2 "Leek & potato soup", changed: the allergen peanut is added, "2 tbsp peanut butter"; '
        'ingredients "2 tbsp peanut butter" is added; servings 2 became 3'
    )
    told = found({"allergies": ["peanuts"]}, **changes).evidence
    assert 'the allergen peanut is added, "2 tbsp peanut butter", which the user may not eat;' in told


def test_an_allergen_that_was_in_the_option_is_not_added() -> None:
    nutty = {**SOUP, "ingredients": ["200 g leeks", "walnuts"]}
    selected = {**nutty, "ingredients": ["300 g leeks", "walnuts", "chives"]}
    evidence = outcomes(flow(options=(nutty,), selected=selected, case={}))["consistency"].evidence
    assert "allergen" not in evidence and '"chives" is added' in evidence


def test_a_selection_under_another_title_is_known_by_its_id_or_steps() -> None:
    other: dict[str, Json] = {**SOUP, "title": "Winter soup"}
    assert 'title "Leek & potato soup" became "Winter soup"' in found(**other).evidence
    without_id = {key: value for key, value in other.items() if key != "id"}
    evidence = outcomes(flow(options=(SALAD, SOUP), selected=without_id, case={}))["consistency"].evidence
    assert evidence.startswith('selected is option 2 "Leek & potato soup", changed: id "soup" is gone; title ')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("200 g", "200 grams"),
        ("200g", "0.2 kg"),
        ("1/2 cup of milk", "½ cup milk"),
        ("1 1/2 tsp", "1.5 teaspoons"),
        ("2 eggs", "two eggs"),
        ("250 ml", "2,5 dl"),
        ("1 h", "60 min"),
        ("3 cloves of garlic", "3 cloves garlic"),
        ("Crème fraîche", "creme fraiche"),
        ("3 pcs", "3"),
    ],
)
def test_spellings_of_one_amount(one: str, other: str) -> None:
    assert meaning_of(one) == meaning_of(other) and same_meaning([one, "x"], ["x", other])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("200 g", "200"),
        ("200 g", "20 g"),
        ("1 tsp", "1 tbsp"),
        ("1 cup", "1 clove"),
        ("2 eggs", "2 egg whites"),
        ("half an hour", "an hour"),
        ("1.5 l", "15 l"),
        ("🍅", "🧀"),
        (True, 1),
        (None, ""),
        ({"a": 1}, {"a": 2}),
    ],
)
def test_other_amounts_are_other(one: Json, other: Json) -> None:
    assert not same_meaning(one, other)
