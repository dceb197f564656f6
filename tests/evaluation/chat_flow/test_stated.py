"""Constraints read from plain words."""

from evaluation.chat_flow.stated import constraints_in
from evaluation.records import Json, Turn
from tests.evaluation.chat_flow.made import lexicon


def test_stated() -> None:
    cases: list[tuple[str, dict[str, Json]]] = [
        (
            "chicken, rice, garlic. 20 min. gluten-free.",
            {"available": ["chicken", "rice", "garlic"], "time_budget_minutes": 20, "diet": ["gluten-free"]},
        ),
        ("at most 45 minutes", {"time_budget_minutes": 45}),
        ("a 30-minute dinner", {"time_budget_minutes": 30}),
        ("half an hour", {"time_budget_minutes": 30}),
        ("an hour", {"time_budget_minutes": 60}),
        ("1 hour 30 minutes", {"time_budget_minutes": 90}),
        ("1.5 hours", {"time_budget_minutes": 90}),
        ("30 Minuten", {"time_budget_minutes": 30}),
        ("dinner for 4", {"servings": 4}),
        ("for 2 people", {"servings": 2}),
        ("for 20 minutes", {"time_budget_minutes": 20}),
        ("we are vegan and nut-free", {"diet": ["vegan", "nut-free"]}),
        ("Halal, please", {"diet": ["halal"]}),
        ("I'm not vegan", {}),
        ("no egg", {"forbidden": ["egg"]}),
        ("rice, but no egg", {"available": ["rice"], "forbidden": ["egg"]}),
        ("I'm allergic to shrimp", {"allergies": ["shrimp"]}),
        ("chicken, peanut allergy", {"available": ["chicken"], "allergies": ["peanut"]}),
        (
            "Chicken and rice. My son has a nut and sesame allergy.",
            {"available": ["chicken", "rice"], "allergies": ["nut", "sesame"]},
        ),
        (
            "allergic to milk, eggs and soy; rice, peas",
            {"available": ["rice", "peas"], "allergies": ["milk", "eggs", "soy"]},
        ),
        ("Eggs make me ill, potatoes", {"available": ["potatoes"], "allergies": ["eggs"]}),
        ("bananas, yogurt, but kiwi makes my tongue itch", {"available": ["bananas", "yogurt"], "allergies": ["kiwi"]}),
        ("The EpiPen is for peanuts, so nothing with those. Peas.", {"available": ["peas"], "allergies": ["peanuts"]}),
        ("no nuts no dairy", {"forbidden": ["nuts", "dairy"]}),
        ("avoid cow's milk protein", {"forbidden": ["cow s milk protein"]}),
        ("not a fan of olives; pasta", {"available": ["pasta"], "forbidden": ["olives"]}),
        ("I hate mushrooms, but I have rice", {"available": ["rice"], "forbidden": ["mushrooms"]}),
        ("no onions, chicken", {"available": ["chicken"], "forbidden": ["onions"]}),
        ("no meat, fish or dairy", {"forbidden": ["meat", "fish", "dairy"]}),
        ("I don't eat pork", {"forbidden": ["pork"]}),
        ("We don’t eat pork or beef. Potatoes.", {"available": ["potatoes"], "forbidden": ["pork", "beef"]}),
        ("I can't have gluten, rice is fine", {"forbidden": ["gluten", "rice"]}),
        ("lactose intolerant", {"allergies": ["lactose"]}),
        ("dinner for 2 vegetarians", {"servings": 2, "diet": ["vegetarian"]}),
        ("two vegans are coming", {"diet": ["vegan"]}),
        ("without cilantro", {"forbidden": ["cilantro"]}),
        ("I hate okra", {"forbidden": ["okra"]}),
        ("hello", {}),
        ("minutes", {}),
        ("", {}),
    ]
    for text, stated in cases:
        assert constraints_in([Turn("user", text)], lexicon()) == stated, (text, stated)


def test_what_is_said_in_other_words() -> None:
    cases: dict[str, dict[str, Json]] = {
        "anything but mushrooms": {"forbidden": ["mushrooms"]},
        "fish is fine, but not shrimp": {"available": ["fish"], "forbidden": ["shrimp"]},
        "peanuts are off limits": {"forbidden": ["peanuts"]},
        "peanuts would kill me": {"allergies": ["peanuts"]},
        "ran out of eggs": {"forbidden": ["eggs"]},
        "my daughter is lactose intolerant": {"allergies": ["lactose"]},
        "keine Nüsse": {"forbidden": ["nusse"]},
        "ich bin allergisch gegen Erdnüsse": {"allergies": ["erdnusse"]},
        "je suis allergique aux noix": {"allergies": ["noix"]},
        "soy alérgico al marisco": {"allergies": ["marisco"]},
        "sono allergico al latte": {"allergies": ["latte"]},
        "an hour and a half": {"time_budget_minutes": 90},
        "for four people": {"servings": 4},
        "three quarters of an hour": {"time_budget_minutes": 45},
        "1h30": {"time_budget_minutes": 90},
        "chicken thighs, no bones": {"available": ["chicken thighs"]},
        "a family of 5": {"servings": 5},
        "just me tonight": {"servings": 1},
    }
    for text, stated in cases.items():
        assert constraints_in([Turn("user", text)], lexicon()) == stated, text


def test_nothing_is_invented() -> None:
    for text in (
        "no allergies",
        "no dietary restrictions",
        "I have no time",
        "no idea what to cook",
        "no oven",
        "it must be quick",
        "I live in Turkey",
        "a date night",
        "my date is vague",
        "game night snacks",
        "I'm not allergic to peanuts",
        "no problem with dairy",
        "I have a wok",
    ):
        assert constraints_in([Turn("user", text)], lexicon()) == {}, text


def test_only_the_user_is_read_and_the_later_time_counts() -> None:
    turns = [Turn("user", "rice, 60 min"), Turn("assistant", "vegan, 5 min, egg?"), Turn("user", "20 min, peas")]
    assert constraints_in(turns, lexicon()) == {"available": ["rice", "peas"], "time_budget_minutes": 20}


def test_what_lies_in_the_fridge_is_available() -> None:
    fridge = {"items": ["400 g tofu", {"name": "rice"}], "note": "no onions"}
    found = constraints_in([Turn("user", "vegan, use my list")], lexicon(), fridge)
    assert found == {"diet": ["vegan"], "available": ["tofu", "rice"]}
