"""The word lists: what is refused of them, and what the shipped ones promise."""

import copy
from typing import Any

import pytest

from evaluation.errors import ParseError
from evaluation.food.reading import read_line
from evaluation.food.reading_tables import parse_lexicon, read_lexicon, shipped_lexicon, shipped_tables
from evaluation.food.tokens import plurals, singulars, words
from tests.evaluation.chat_flow.made import lexicon

SMALL: dict[str, Any] = {
    "diets": {"vegan": {"forbids": ["dairy"]}},
    "allergens": {"milk": {"tags": ["dairy"]}},
    "modifiers": {"dairy-free": {"removes": ["dairy"]}},
    "negators": ["without"],
    "omissions": ["leave out"],
    "free": ["free"],
    "likened": ["looks like"],
    "examples": ["like"],
    "shapes": ["sized"],
    "flavours": ["flavoured"],
    "substitutes": ["substitute"],
    "separators": ["and"],
    "alternatives": ["or"],
    "headings": ["for"],
    "dish_parts": ["sauce"],
    "between": ["the"],
    "purposes": ["for"],
    "conditions": ["if"],
    "plain": ["g chopped"],
    "not_in_steps": [],
    "foods": {"cheese": {"has": ["dairy"], "names": ["fromage"]}, "brie": {"is": "cheese"}},
}


def test_a_small_lexicon() -> None:
    small = parse_lexicon(SMALL, "words")
    assert small.foods["brie"].tags == {"dairy"}
    assert small.are_related("brie", "cheese") and small.are_related("cheese", "brie")
    assert small.allergen("Milk") == frozenset({"dairy"}) and small.allergen("kiwi") is None
    assert small.diet("VEGAN") is not None and small.diet("keto") is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("foods", {"brie": {"is": "cheese"}}, "words: foods.brie: is 'cheese', which is no other food"),
        ("foods", {"brie": {"is": "brie", "has": ["dairy"]}}, "words: foods.brie: is 'brie', which is no other food"),
        ("foods", {"brie": {"hass": ["dairy"]}}, "words: foods.brie.hass: unknown key 'hass'"),
        ("diets", {"vegan": {"forbids": ["diary"]}}, "words: diets.vegan.forbids: no food has the tag 'diary'"),
        (
            "diets",
            {"kosher": {"forbids": [], "not_together": [["dairy", "meet"]]}},
            "words: diets.kosher.not_together: no food has the tag 'meet'",
        ),
        ("negators", ["without", "cheese"], "words: 'cheese' is listed as two things"),
        ("negators", None, "words: negators"),
    ],
)
def test_what_is_refused(path: str, value: Any, message: str) -> None:
    wrong = copy.deepcopy(SMALL) | {path: value}
    with pytest.raises(ParseError) as caught:
        parse_lexicon(wrong, "words")
    assert str(caught.value).startswith(message)


def test_a_missing_list_is_refused() -> None:
    with pytest.raises(ParseError, match=r"^words: foods: is missing$"):
        parse_lexicon({key: value for key, value in SMALL.items() if key != "foods"}, "words")


def test_the_diets_of_the_source_are_there() -> None:
    cases: list[str] = [
        "vegetarian",
        "vegan",
        "gluten-free",
        "dairy-free",
        "nut-free",
        "shellfish-free",
        "pork-free",
        "halal",
        "kosher",
    ]
    for diet in cases:
        assert lexicon().diet(diet) is not None, diet


def test_the_usual_allergies_are_there() -> None:
    cases: list[str] = [
        "peanuts",
        "sesame",
        "soy",
        "egg",
        "fish",
        "mustard",
        "celery",
        "shellfish",
        "nuts",
        "milk",
        "wheat",
    ]
    for allergy in cases:
        assert lexicon().allergen(allergy), allergy


def test_words() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("Crème-Fraîche, 200g", ("creme", "fraiche", "200g")),
        ("goats' cheese", ("goats", "cheese")),
        ("d'ail", ("d", "ail")),
        ("Süßkartoffeln", ("susskartoffeln",)),
        ("鶏むね肉", ("鶏", "む", "ね", "肉")),
        ("ＣＨＥＥＳＥ", ("cheese",)),
        ("İstanbul", ("istanbul",)),
        ("", ()),
    ]
    for text, expected in cases:
        assert words(text) == expected, (text, expected)


def test_plurals() -> None:
    cases: list[tuple[str, str]] = [
        ("onion", "onions"),
        ("tomato", "tomatoes"),
        ("berry", "berries"),
        ("leaf", "leaves"),
        ("radish", "radishes"),
    ]
    for one, many in cases:
        assert many in plurals(one), (one, many)
        assert plurals("glass") == ("glasses",), (one, many)


def test_singulars() -> None:
    assert "berry" in singulars("berries") and "tomato" in singulars("tomatoes")
    assert singulars("swiss") == {"swiss"}


@pytest.mark.slow
def test_a_rubric_adds_foods_and_plain_words_of_its_own() -> None:
    own = read_lexicon(
        {"foods": {"zelko mix": {"has": ["soy"]}}, "plain": ["krumsel aunt-mae"]}, "rubric 'mine': words"
    )
    assert own.food_called("Zelko mix") == "zelko mix" and shipped_lexicon().food_called("Zelko mix") == ""
    assert read_line("200 g krumsel zelko mix, Aunt Mae", own).is_recognised


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"fods": {}}, "rubric 'mine': words: fods: unknown key 'fods'"),
        (
            {"foods": {"zelko": {"is": "zilko"}}},
            "rubric 'mine': words: foods.zelko: is 'zilko', which is no other food",
        ),
        ({"foods": {"zelko": {"may": ["zilk"]}}}, "rubric 'mine': words: foods.zelko.may: no food has the tag 'zilk'"),
    ],
)
def test_what_a_rubric_may_not_add(value: Any, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_lexicon(value, "rubric 'mine': words")
    assert str(caught.value).startswith(message)


def test_every_allergen_of_the_regulation_has_its_point() -> None:
    """Annex II of Regulation (EU) No 1169/2011 has fourteen of them."""
    points = [each["source"] for each in shipped_tables()["allergens"].values() if "source" in each]
    assert sorted(map(int, points)) == list(range(1, 15))


def test_a_trade_mark_is_no_part_of_a_word() -> None:
    assert words("Peanuts™ and Rice®") == ("peanuts", "and", "rice")
