"""Constraints read from plain words."""

from evaluation.chat_flow.cases import constraints_in
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
        ("no egg", {}),
        ("rice, but no egg", {"available": ["rice"]}),
        ("hello", {}),
        ("minutes", {}),
        ("", {}),
    ]
    for text, stated in cases:
        assert constraints_in([Turn("user", text)], lexicon()) == stated, (text, stated)


def test_only_the_user_is_read_and_the_later_time_counts() -> None:
    turns = [Turn("user", "rice, 60 min"), Turn("assistant", "vegan, 5 min, egg?"), Turn("user", "20 min, peas")]
    assert constraints_in(turns, lexicon()) == {"available": ["rice", "peas"], "time_budget_minutes": 20}
