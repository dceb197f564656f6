"""Recipes that break a diet, an allergy or a dislike, and those that only sound as if they did."""

from evaluation.records import Json
from tests.evaluation.chat_flow.made import flow, outcomes, recipe

BREAKS = {
    "vegetarian": ["chicken", "bacon", "anchovies", "prawns", "chicken stock", "gelatin", "lard", "fish sauce"],
    "strict-vegetarian": ["parmesan", "gorgonzola", "ham"],
    "pescatarian": ["chicken", "bacon", "beef stock", "gelatin"],
    "vegan": [
        "milk",
        "butter",
        "eggs",
        "honey",
        "parmesan",
        "salmon",
        "chicken",
        "egg noodles",
        "worcestershire sauce",
    ],
    "gluten-free": [
        "flour",
        "soy sauce",
        "pasta",
        "couscous",
        "beer",
        "barley",
        "seitan",
        "breadcrumbs",
        "flour tortillas",
    ],
    "wheat-free": ["flour", "seitan", "pasta"],
    "dairy-free": ["milk", "butter", "cheese", "cream", "yogurt", "lactose-free milk", "pesto", "milk chocolate"],
    "lactose-free": ["milk", "cream", "yogurt", "ricotta"],
    "nut-free": ["walnuts", "almond milk", "peanuts", "peanut butter", "pesto", "marzipan", "nutella"],
    "peanut-free": ["peanut butter", "satay sauce", "peanut oil"],
    "soy-free": ["tofu", "tamari", "miso", "soy milk"],
    "shellfish-free": ["shrimp", "crab", "mussels", "oyster sauce"],
    "pork-free": ["ham", "bacon", "chorizo", "lard", "sausages"],
    "alcohol-free": ["white wine", "beer", "rum"],
    "halal": ["pork", "bacon", "white wine", "gelatin", "marshmallows", "mirin", "pepperoni"],
    "kosher": ["pork", "shrimp", "eel", "rabbit", "gelatin", "mussels"],
}
KEEPS = {
    "vegetarian": [
        "parmesan",
        "eggs",
        "tofu",
        "vegan sausages",
        "oyster mushrooms",
        "vegetable stock",
        "cream",
        "honey",
    ],
    "strict-vegetarian": ["eggs"],
    "pescatarian": ["salmon", "shrimp", "milk"],
    "vegan": [
        "coconut milk",
        "vegan butter",
        "almond milk",
        "peanut butter",
        "cream of tartar",
        "eggplant",
        "butter beans",
        "tofu",
    ],
    "gluten-free": [
        "gluten-free flour",
        "flour (gluten-free)",
        "tamari",
        "buckwheat",
        "rice noodles",
        "corn tortillas",
        "gluten-free oats",
    ],
    "wheat-free": ["rye bread flour-free crackers (wheat-free)", "barley"],
    "dairy-free": [
        "coconut milk",
        "almond milk",
        "peanut butter",
        "cocoa butter",
        "oat cream",
        "dairy-free cheese",
        "eggs",
    ],
    "lactose-free": ["lactose-free milk", "parmesan", "cheddar", "oat milk"],
    "nut-free": [
        "nutmeg",
        "coconut",
        "butternut squash",
        "water chestnuts",
        "doughnuts",
        "nut-free pesto",
        "sunflower seeds",
    ],
    "peanut-free": ["walnuts", "peas"],
    "soy-free": ["coconut aminos", "chickpeas"],
    "shellfish-free": ["salmon", "oyster mushrooms", "scalloped potatoes"],
    "pork-free": ["turkey bacon", "beef sausages", "vegan sausages", "chicken"],
    "alcohol-free": ["red wine vinegar", "ginger beer", "non-alcoholic beer"],
    "halal": ["chicken", "beef", "halal gelatin", "agar agar", "turkey bacon", "rice vinegar", "grape juice"],
    "kosher": ["salmon", "kosher salt", "beef"],
}


def checked(case: dict[str, Json], **fields: Json) -> str:
    """The ending of the dietary check over one option."""
    return outcomes(flow(case=case, options=(recipe(**fields),)))["dietary"].ending


def test_a_food_against_a_diet() -> None:
    for diet, food in [(diet, food) for diet, foods in BREAKS.items() for food in foods]:
        assert checked({"diet": [diet]}, ingredients=["water", f"200 g {food}"], steps=["Mix.", "Eat."]) == "failed", (
            diet,
            food,
        )


def test_a_food_that_a_diet_allows() -> None:
    for diet, food in [(diet, food) for diet, foods in KEEPS.items() for food in foods]:
        assert checked({"diet": [diet]}, ingredients=["water", f"200 g {food}"], steps=["Mix.", "Eat."]) == "passed", (
            diet,
            food,
        )


def test_an_allergy() -> None:
    cases: list[tuple[str, str, str]] = [
        ("peanuts", "peanut butter", "failed"),
        ("peanut", "almonds", "passed"),
        ("tree nuts", "almonds", "failed"),
        ("nuts", "peanuts", "passed"),
        ("nuts", "nutmeg", "passed"),
        ("sesame", "hummus", "failed"),
        ("sesame", "sesame oil", "failed"),
        ("soy", "edamame", "failed"),
        ("egg", "mayonnaise", "failed"),
        ("eggs", "eggplant", "passed"),
        ("fish", "worcestershire sauce", "failed"),
        ("fish", "shrimp", "passed"),
        ("shellfish", "oyster sauce", "failed"),
        ("shellfish", "salmon", "passed"),
        ("shrimp", "crab", "failed"),
        ("mustard", "dijon mustard", "failed"),
        ("mustard", "turmeric", "passed"),
        ("celery", "vegetable stock", "failed"),
        ("celery", "parsley", "passed"),
        ("milk", "butter", "failed"),
        ("milk", "coconut milk", "passed"),
        ("dairy", "ghee", "failed"),
        ("lupin", "lupin flour", "failed"),
        ("wheat", "couscous", "failed"),
        ("kiwi", "2 kiwis", "failed"),
        ("kiwi", "grapes", "passed"),
        ("tomatoes", "cherry tomatoes", "failed"),
        ("dragonfruit", "1 dragonfruit", "failed"),
        ("dragonfruit", "1 dragon bean", "not_known"),
        ("milk", "1 sachet Zelko mix", "not_known"),
        ("milk", "dark chocolate", "not_known"),
        ("celery", "dark chocolate", "passed"),
        ("milk", "2 pieces", "not_known"),
    ]
    for allergy, food, ending in cases:
        assert checked({"allergies": [allergy]}, ingredients=["water", food], steps=["Mix.", "Eat."]) == ending, (
            allergy,
            food,
            ending,
        )


def test_a_dislike() -> None:
    cases: list[tuple[str, str, str]] = [
        ("cilantro", "fresh coriander", "failed"),
        ("cilantro", "ground coriander", "passed"),
        ("cheese", "feta", "failed"),
        ("feta", "cheddar", "passed"),
        ("onions", "scallions", "passed"),
        ("onions", "1 shallot", "failed"),
        ("bacon", "vegan bacon", "passed"),
        ("batteries", "2 batteries", "failed"),
        ("batteries", "2 potatoes", "passed"),
        ("cream", "sour cream", "failed"),
        ("cream", "coconut cream", "passed"),
    ]
    for forbidden, food, ending in cases:
        assert checked({"forbidden": [forbidden]}, ingredients=["water", food], steps=["Mix.", "Eat."]) == ending, (
            forbidden,
            food,
            ending,
        )


def test_what_only_the_steps_name() -> None:
    cases: list[tuple[str, list[str], str, str]] = [
        ("vegan", ["rice", "tofu"], "Stir in the butter.", "failed"),
        ("vegan", ["rice", "tofu"], "Serve with grated parmesan.", "failed"),
        ("vegan", ["rice", "vegan butter"], "Stir in the butter.", "passed"),
        ("vegan", ["rice", "oat milk"], "Add the milk slowly.", "passed"),
        ("vegan", ["rice", "coconut cream"], "Pour the cream over it.", "passed"),
        ("vegan", ["rice", "vegan feta"], "Crumble the cheese on top.", "passed"),
        ("vegan", ["rice", "tofu"], "Fry in oil instead of butter.", "passed"),
        ("vegan", ["rice", "tofu"], "There is no need for eggs here.", "passed"),
        ("vegan", ["rice", "tofu"], "Roll into egg-sized balls.", "passed"),
        ("vegan", ["rice", "tofu"], "Cream the sugar with the margarine.", "passed"),
        ("vegetarian", ["rice", "tofu"], "Mince the garlic.", "passed"),
        ("vegetarian", ["soy mince"], "Brown the meat.", "passed"),
        ("vegetarian", ["rice"], "Fry the bacon first.", "failed"),
        ("gluten-free", ["rice flour", "water"], "Dust with flour.", "passed"),
        ("gluten-free", ["rice", "tamari"], "Season with soy sauce.", "failed"),
        ("gluten-free", ["chicken"], "Heat a frying pan and toast the spices.", "passed"),
        ("gluten-free", ["buckwheat flour"], "Knead the dough and bake the bread.", "passed"),
        ("gluten-free", ["chicken", "cornstarch"], "Thicken with a spoon of flour.", "failed"),
        ("nut-free", ["pasta", "basil"], "Shape into walnut-sized balls.", "passed"),
        ("dairy-free", ["rice"], "Grate it on a cheese grater.", "passed"),
    ]
    for diet, ingredients, step, ending in cases:
        assert checked({"diet": [diet]}, ingredients=ingredients, steps=["Begin.", step]) == ending, (
            diet,
            ingredients,
            step,
            ending,
        )


def test_a_step_and_the_list_of_ingredients() -> None:
    """Another food that ends in the same word hides nothing; a comparison and an omission bring nothing in."""
    cases: list[tuple[dict[str, Json], list[Json], str, str]] = [
        ({"allergies": ["peanut"]}, ["rice", "vegan butter"], "Add peanut butter.", "failed"),
        ({"diet": ["gluten-free"]}, ["rice", "cornstarch"], "Use it as you would flour.", "passed"),
        ({"allergies": ["egg"]}, ["rice"], "Form balls the size of an egg.", "passed"),
        ({"diet": ["vegan"]}, ["rice", "sugar"], "Leave out the honey.", "passed"),
        ({"diet": ["vegan"]}, ["rice", "lait d'avoine"], "Ajouter le lait.", "passed"),
        ({"diet": ["vegan"]}, ["rice", "Hafermilch"], "Die Milch erhitzen.", "passed"),
        ({"diet": ["vegan"]}, ["oat milk"], "Add the warm milk.", "passed"),
        ({"diet": ["vegan"]}, ["oat milk"], "Add the cow's milk.", "failed"),
        ({"diet": ["gluten-free"]}, ["rice flour"], "Dust with wheat flour.", "failed"),
        ({"diet": ["vegan"]}, ["vegane Butter"], "Die geschmolzene Butter zugeben.", "passed"),
        ({"diet": ["vegan"]}, ["oats"], "You don't need any milk.", "passed"),
        ({"diet": ["vegan"]}, ["oats"], "No need to add eggs.", "passed"),
        ({"diet": ["vegan"]}, ["pasta"], "Replace the parmesan with nutritional yeast.", "passed"),
    ]
    for case, ingredients, step, ending in cases:
        assert checked(case, ingredients=ingredients, steps=["Begin.", step]) == ending, (case, ingredients, step)


def test_every_text_of_a_recipe_is_read_but_its_names_and_claims() -> None:
    case: dict[str, Json] = {"allergies": ["peanut"]}
    rice: dict[str, Json] = {"ingredients": ["rice"], "steps": ["Boil.", "Eat."]}
    assert checked(case, **rice, tip="Sprinkle with peanuts.") == "failed"
    assert checked(case, **rice, serving={"with": ["satay sauce"]}) == "failed"
    assert checked(case, **rice, allergens=["peanut"], image="https://a.example/peanut.png") == "passed"


def test_a_selection_that_is_none_of_the_options_is_read_like_them() -> None:
    tofu, nuts = recipe(ingredients=["tofu"]), recipe(ingredients=["peanuts"])
    case: dict[str, Json] = {"allergies": ["peanut"]}
    found = outcomes(flow(case=case, options=(tofu,), selected=nuts))["dietary"]
    assert found.ending == "failed" and found.evidence.startswith('the selection: "peanuts" (peanut: peanut allergy')
    assert outcomes(flow(case=case, options=(tofu,), selected="1"))["dietary"].ending == "passed"


def test_what_a_mapping_says_of_an_ingredient_is_read_whole() -> None:
    cases: list[tuple[dict[str, Json], Json, str]] = [
        ({"diet": ["vegan"]}, {"item": "butter", "variant": "vegan", "amount": "50 g"}, "passed"),
        ({"diet": ["vegan"]}, {"item": "butter", "amount": "50 g"}, "failed"),
        ({"diet": ["gluten-free"]}, {"name": "flour", "note": "gluten-free"}, "passed"),
        ({"diet": ["vegan"]}, {"item": "For the sauce", "items": ["cream", "salt"]}, "failed"),
        ({"diet": ["vegan"]}, {"item": "For the sauce", "items": [{"name": "oat cream"}, "salt"]}, "passed"),
        ({"diet": ["vegan"]}, {"name": "cheese", "vegan": True}, "passed"),
    ]
    for case, ingredient, ending in cases:
        assert checked(case, ingredients=[ingredient], steps=["Mix.", "Eat."]) == ending, (case, ingredient)


def test_kosher_keeps_meat_and_milk_apart() -> None:
    cases: list[tuple[list[str], str]] = [
        (["beef", "potatoes", "butter"], "failed"),
        (["chicken", "cream"], "failed"),
        (["beef", "vegan butter"], "passed"),
        (["pasta", "cream"], "passed"),
        (["salmon", "cream cheese"], "passed"),
        (["beef", "coconut milk"], "passed"),
    ]
    for ingredients, ending in cases:
        assert checked({"diet": ["kosher"]}, ingredients=ingredients, steps=["Mix.", "Cook."]) == ending, (
            ingredients,
            ending,
        )


def test_a_title_is_no_evidence() -> None:
    assert checked({"diet": ["vegan"]}, title="No-chicken chicken curry", ingredients=["tofu"]) == "failed", "step"
    assert (
        checked({"diet": ["vegan"]}, title="Butter chicken", ingredients=["tofu"], steps=["Fry.", "Eat."]) == "passed"
    )


def test_the_evidence() -> None:
    cases: list[tuple[dict[str, Json], tuple[Json, ...], str, str]] = [
        (
            {"diet": ["vegan"]},
            (recipe(), recipe("Stew", ingredients=["beans"], steps=["Cook.", "Eat."])),
            "failed",
            'option 1 "Chicken rice": "200 g chicken breast" (meat: vegan); asked for: vegan',
        ),
        (
            {"diet": ["gluten-free"], "allergies": ["egg"], "forbidden": ["kale"]},
            (recipe(ingredients=["egg noodles", "kale"]),),
            "failed",
            'option 1 "Chicken rice": "egg noodles" (egg: egg allergy, gluten: gluten-free); "kale" (no kale); '
            "asked for: gluten-free, egg allergy, no kale",
        ),
        (
            {"diet": ["vegan"]},
            (recipe(ingredients=["tofu"], steps=["Stir in the butter.", "Eat."]),),
            "failed",
            'option 1 "Chicken rice": "butter" in "Stir in the butter." (dairy: vegan); asked for: vegan',
        ),
        (
            {"diet": ["gluten-free"]},
            (recipe(),),
            "passed",
            "nothing against gluten-free in 1 option; 3 of 3 ingredients recognised",
        ),
        (
            {"diet": ["gluten-free"]},
            (recipe(ingredients=["rice", "grandma's Zelko mix"]),),
            "not_known",
            'option 1 "Chicken rice": "grandma\'s Zelko mix" (grandma, zelko, mix); 1 of 2 ingredients recognised; '
            "asked for: gluten-free",
        ),
        ({}, (recipe(),), "not_applicable", "the messages state no diet or allergy"),
        ({"diet": ["breatharian"]}, (recipe(),), "not_applicable", "no word list for breatharian"),
        ({"diet": ["vegan"]}, (), "not_applicable", "there are no options"),
        (
            {"diet": ["vegan"]},
            (
                recipe(),
                recipe(ingredients=None, steps=["Mix.", "Eat."]),
                recipe(ingredients=[], steps=["Mix.", "Eat."]),
            ),
            "failed",
            'option 1 "Chicken rice": "200 g chicken breast" (meat: vegan); option 2 "Chicken rice" lists no '
            'ingredients, so that nobody can tell; option 3 "Chicken rice" lists no ingredients, so that nobody can '
            "tell; asked for: vegan",
        ),
    ]
    for case, options, ending, evidence in cases:
        found = outcomes(flow(case=case, options=options))["dietary"]
        assert (found.ending, found.evidence) == (ending, evidence), (case, options, ending, evidence)
