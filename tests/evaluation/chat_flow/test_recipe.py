"""Reading what came as a recipe."""

from evaluation.chat_flow.flow_run import Recipe
from evaluation.records import Json
from tests.evaluation.chat_flow.made import recipe


def test_a_good_recipe() -> None:
    read = Recipe.read(recipe(diet=["gluten-free"]))
    assert read.violations == ()
    assert (read.title, read.time_minutes, read.servings) == ("Chicken rice", 20, 2)
    assert read.ingredients == ("200 g chicken breast", "1 cup rice", "2 cloves of garlic")
    assert read.steps == ("Boil the rice.", "Fry the chicken with the garlic.")
    assert read.diet == ("gluten-free",)


def test_what_may_be_left_out() -> None:
    cases: list[dict[str, Json]] = [{"servings": None}, {"diet": []}, {"title": None, "name": "Chicken rice"}]
    for fields in cases:
        assert Recipe.read(recipe(**fields)).violations == (), fields


def test_violations() -> None:
    cases: list[tuple[Json, tuple[str, ...]]] = [
        (None, ("is null, not a mapping",)),
        ("soup", ("is a text, not a mapping",)),
        ([1], ("is a list, not a mapping",)),
        (
            {},
            ("title is missing", "ingredients is missing", "time_minutes is missing", "steps is missing"),
        ),
        (recipe(title=""), ("title is empty",)),
        (recipe(title="  "), ("title is empty",)),
        ({**recipe(), "title": 7}, ("title is a number, not a text",)),
        (recipe(time_minutes="20 min"), ("time_minutes is a text, not a number",)),
        (recipe(time_minutes="soon"), ("time_minutes is a text, not a number",)),
        (recipe(time_minutes=True), ("time_minutes is true or false, not a number",)),
        (recipe(time_minutes=0), ("time_minutes is 0, not a positive number",)),
        (recipe(time_minutes=-5), ("time_minutes is -5, not a positive number",)),
        (recipe(time_minutes=float("nan")), ("time_minutes is out of range, not a positive number",)),
        (recipe(time_minutes=10**4000), ("time_minutes is out of range, not a positive number",)),
        (recipe(servings=float("inf")), ("servings is out of range, not a positive number",)),
        (recipe(ingredients="rice, egg"), ("ingredients is a text, not a list",)),
        (recipe(ingredients={"rice": 1}), ("ingredients is a mapping, not a list",)),
        (recipe(ingredients=["rice", 3, [], ""]), ("ingredients has 2 entries without a text",)),
        (recipe(steps=[None, "Cook."]), ("steps has 1 entry without a text",)),
        (recipe(diet=3), ("diet is a number, not a list",)),
    ]
    for raw, violations in cases:
        assert Recipe.read(raw).violations == violations, (raw, violations)


def test_what_is_written_otherwise_is_read_all_the_same() -> None:
    read = Recipe.read(
        {
            "title": "Soup",
            "ingredients": [{"name": "leek", "amount": 2}, {"quantity": 1, "item": "potato"}],
            "steps": "Cut.\n\nBoil.",
            "time_minutes": "25 minutes",
        }
    )
    assert read.ingredients == ("2 leek", "1 potato")
    assert read.steps == ("Cut.", "Boil.")
    nested = {"item": "For the sauce", "items": ["salt", {"name": "butter", "note": "vegan", "id": "b1", "soft": True}]}
    assert Recipe.read(recipe(ingredients=["rice", nested])).ingredients == (
        "rice", "For the sauce:", "salt", "butter, vegan, soft",
    )  # fmt: skip
    assert read.time_minutes == 25
    assert Recipe.read(recipe(ingredients="rice, egg")).ingredients == ("rice", "egg")
