"""The bodies that go over the wire: recipes and answers as JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from examples.recipe_assistant.diets import diets_of
from examples.recipe_assistant.larder import Larder
from examples.recipe_assistant.search import Found
from examples.recipe_assistant.wishes import Wishes

NextAction = Literal["ask", "options", "end"]
Json = dict[str, Any]


def recipe_json(found: Found, larder: Larder) -> Json:
    """One option: what the dish is, what it needs, and how it relates to what the user has."""
    dish = found.dish
    return {
        "id": dish.id,
        "title": dish.title,
        "ingredients": list(dish.ingredients),
        "amounts": dict(dish.amounts),
        "missing": list(found.missing),
        "time_minutes": dish.minutes,
        "servings": dish.servings,
        "steps": list(dish.steps),
        "diet": list(diets_of(larder.contains(dish.ingredients))),
    }


def understood_json(wishes: Wishes) -> Json:
    """The result that the assistant made of the conversation."""
    return {
        "ingredients": list(wishes.have),
        "unknown": list(wishes.unknown),
        "without": sorted(wishes.without | wishes.allergies),
        "diet": sorted(wishes.diets),
        "time_budget_minutes": wishes.minutes,
        "servings": wishes.servings,
    }


def turn_json(
    reply: str,
    action: NextAction,
    options: Sequence[Mapping[str, Any]] | None,
    wishes: Wishes,
    reason: str | None = None,
) -> Json:
    """The body of an answer to POST /api/chat/turn, the trace id left out."""
    answer: Json = {
        "reply": reply,
        "next_action": action,
        "options": None if options is None else [dict(option) for option in options],
        "understood": understood_json(wishes),
    }
    return answer if reason is None else {**answer, "reason": reason}
