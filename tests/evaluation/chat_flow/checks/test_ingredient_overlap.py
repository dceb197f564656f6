"""The ingredients of the user that a recipe uses: by other names, in either number, in other languages."""

from evaluation.chat_flow.checks.overlap import distinct, used_ingredients
from tests.evaluation.chat_flow.made import flow, lexicon, outcomes, recipe

SAME = [
    ("scallions", "3 green onions, sliced"),
    ("green onions", "scallions"),
    ("spring onion", "2 scallions"),
    ("chicken", "200 g chicken breast"),
    ("chicken breast", "chicken, diced"),
    ("chicken breast", "4 chicken thighs"),
    ("bell pepper", "1 capsicum"),
    ("capsicum", "2 red bell peppers"),
    ("peppers", "1 red pepper"),
    ("courgettes", "1 zucchini"),
    ("aubergine", "1 eggplant"),
    ("cilantro", "fresh coriander"),
    ("prawns", "shrimp"),
    ("garbanzo beans", "1 can chickpeas"),
    ("tomatoes", "1 tomato"),
    ("potato", "500 g potatoes"),
    ("cherry tomatoes", "canned tomatoes"),
    ("egg", "2 eggs"),
    ("eggs", "1 egg"),
    ("leftover rice", "cooked rice"),
    ("rice", "basmati rice"),
    ("cheese", "50 g cheddar"),
    ("cheddar", "grated cheese"),
    ("beans", "black beans"),
    ("beef", "minced beef"),
    ("fish", "cod"),
    ("lemon", "juice of lemon"),
    ("onion", "1 shallot"),
    ("strawberries", "1 strawberry"),
    ("mushrooms", "shiitake mushrooms"),
    ("strawberries", "200 g mixed berries"),
    ("corn", "sweetcorn"),
    ("Hähnchen", "200 g chicken breast"),
    ("chicken", "Hähnchenbrust"),
    ("Knoblauch", "2 cloves garlic"),
    ("œufs", "4 eggs"),
    ("鶏もも肉", "chicken thighs"),
    ("yuzu kosho", "1 tsp yuzu kosho"),
    ("cardoons", "1 cardoon, trimmed"),
    ("salsify", "2 salsify roots"),
    ("jackfruit", "young green jackfruit"),
]
OTHER = [
    ("butter", "butternut squash"),
    ("butter", "peanut butter"),
    ("butter", "butter beans"),
    ("egg", "eggplant"),
    ("eggs", "egg noodles"),
    ("nuts", "nutmeg"),
    ("nuts", "doughnuts"),
    ("milk", "coconut milk"),
    ("milk", "almond milk"),
    ("rice", "rice vinegar"),
    ("rice", "rice noodles"),
    ("rice", "cauliflower rice"),
    ("chicken", "chicken stock"),
    ("beef", "beef stock"),
    ("fish", "fish sauce"),
    ("corn", "cornstarch"),
    ("corn", "corn tortillas"),
    ("oyster", "oyster mushrooms"),
    ("oyster", "oyster sauce"),
    ("potatoes", "sweet potatoes"),
    ("peppers", "black pepper"),
    ("tomatoes", "tomato paste"),
    ("garlic", "garlic powder"),
    ("onion", "spring onions"),
    ("onion", "onion powder"),
    ("ginger", "gingerbread"),
    ("wine", "red wine vinegar"),
    ("apple", "pineapple"),
    ("grapes", "grapefruit"),
    ("lemon", "lemongrass"),
    ("beans", "green beans"),
    ("beans", "coffee beans"),
    ("olives", "olive oil"),
    ("avocado", "avocado oil"),
    ("squash", "orange squash"),
    ("cheddar", "feta"),
    ("salmon", "tuna"),
    ("strawberries", "raspberries"),
    ("ham", "hamburger buns"),
    ("pea", "peanuts"),
    ("pea", "peach"),
    ("cardoon", "cardamom"),
    ("krum zelko", "krum juice"),
    ("garlic", "soup without garlic"),
]


def test_the_same_food() -> None:
    for have, listed in SAME:
        assert used_ingredients((have,), ("water", listed), lexicon()) == (have,), (have, listed)


def test_another_food() -> None:
    for have, listed in OTHER:
        assert used_ingredients((have,), ("water", listed), lexicon()) == (), (have, listed)


def test_one_food_named_twice_counts_once() -> None:
    assert distinct(("eggs", "egg", "scallions", "green onions", "cardoon", "cardoons", " "), lexicon()) == (
        "eggs",
        "scallions",
        "cardoon",
    )


RICE = recipe(ingredients=["rice", "water"])


def test_the_check() -> None:
    cases: list[tuple[dict[str, object], list[object], str, str | None]] = [
        (
            {"available": ["chicken", "rice"]},
            [recipe()],
            "passed",
            'option 1 "Chicken rice" uses chicken, rice; of chicken, rice, 2 in each option',
        ),
        (
            {"available": ["chicken", "rice"]},
            [recipe(), RICE],
            "failed",
            'option 2 "Chicken rice" uses rice; of chicken, rice, 2 in each option',
        ),
        (
            {"available": ["chicken", "rice"], "overlap": "any"},
            [recipe(), RICE],
            "passed",
            'option 1 "Chicken rice" uses chicken, rice; of chicken, rice, 2 in any option',
        ),
        (
            {"available": ["chicken", "rice"], "overlap": "any", "min_overlap": 1},
            [recipe(ingredients=["kale"])],
            "failed",
            'option 1 "Chicken rice" uses none; of chicken, rice, 1 in any option',
        ),
        (
            {"available": ["rice"]},
            [RICE],
            "passed",
            'option 1 "Chicken rice" uses rice; of rice, 1 in each option',
        ),
        ({"available": ["rice"]}, [recipe(ingredients=[])], "failed", None),
        ({}, [recipe()], "not_applicable", "the messages name no ingredients"),
        ({"available": ["rice"]}, [], "not_applicable", "there are no options"),
        (
            {"available": ["rice"]},
            [recipe(ingredients=None)],
            "not_applicable",
            "no option has a list of ingredients",
        ),
    ]
    for case, options, ending, evidence in cases:
        found = outcomes(flow(case=case, options=tuple(options)))["ingredient_overlap"]
        assert found.ending == ending, (case, options, ending, evidence)
        assert evidence is None or found.evidence == evidence, (case, options, ending, evidence)
