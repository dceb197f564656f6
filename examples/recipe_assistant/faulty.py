"""Each defect as it changes a search, to an answer and to a choice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from examples.recipe_assistant.answers import Json, recipe_json
from examples.recipe_assistant.cookbook import Cookbook
from examples.recipe_assistant.defects import Defects
from examples.recipe_assistant.diets import FORBIDS, allows
from examples.recipe_assistant.miscooked import mischosen, miscooked
from examples.recipe_assistant.misspoken import misspoken
from examples.recipe_assistant.recipes import Dish
from examples.recipe_assistant.search import (
    MOST_OPTIONS,
    Found,
    dishes,
    fitting_best,
    is_allowed,
    main_ingredients,
    options_for,
)
from examples.recipe_assistant.wishes import Message, Wishes

OFFENDERS = {
    "meat": "chicken", "pork": "bacon", "fish": "salmon", "shellfish": "prawns", "dairy": "butter", "egg": "eggs",
    "gluten": "breadcrumbs", "nut": "walnuts", "peanut": "peanuts", "soy": "soy sauce", "sesame": "tahini",
    "alcohol": "wine", "honey": "honey", "rennet": "parmesan cheese", "gelatine": "gelatine",
}  # fmt: skip
"""An ingredient to add to a dish so that it contains this."""


HURRIED = 3
"""Minutes that no dish is made in."""


def found_options(wishes: Wishes, book: Cookbook, defects: Defects) -> tuple[Found, ...]:
    """The options for a wish, as the defects of the search leave them."""
    found = options_for(wishes, book)
    if not found:
        return found
    if "invents_ingredients" in defects:
        found = _of_something_else(found, wishes, book)
    if "forgets_diet" in defects:
        found = _against_diet(found, wishes, book, invents="invents_ingredients" in defects)
    if "ignores_time" in defects and wishes.minutes is not None:
        found = _too_slow(found, wishes, book, alone=not {"invents_ingredients", "forgets_diet"} & set(defects.on))
    if "hurries" in defects:
        found = tuple(replace(one, dish=replace(one.dish, minutes=HURRIED)) for one in found)
    return found


def _too_slow(found: Sequence[Found], wishes: Wishes, book: Cookbook, alone: bool) -> tuple[Found, ...]:
    """Dishes beyond the time; where none is, or another defect chose the dishes, the same dishes done slowly."""
    budget = wishes.minutes or 0
    slow = [
        one for one in dishes(wishes, book) if one.dish.minutes > budget and len(one.used) >= len(found[0].used[:2])
    ]
    if slow and alone:
        return tuple(slow[:MOST_OPTIONS])
    return tuple(
        replace(one, dish=replace(one.dish, minutes=budget + 10 + 5 * place)) for place, one in enumerate(found)
    )


def _against_diet(found: Sequence[Found], wishes: Wishes, book: Cookbook, invents: bool) -> tuple[Found, ...]:
    """Dishes that break the diets while all else holds; what no dish breaks is added to each."""
    if not wishes.diets and not wishes.allergies:
        return tuple(found)
    if not invents:
        free = replace(wishes, diets=frozenset(), allergies=frozenset())
        in_time = [one for one in dishes(free, book) if wishes.minutes is None or one.dish.minutes <= wishes.minutes]
        enough = len(found[0].used[:2])
        fitting = [one for one in in_time if _allowed_uses(one, wishes, book) >= enough]
        broken = sorted(fitting, key=lambda one: -_broken(one.dish, wishes, book))
        if broken and _broken(broken[0].dish, wishes, book):
            found = broken[:MOST_OPTIONS]
    return tuple(replace(one, dish=_spoiled(one.dish, wishes, book)) for one in found)


def _allowed_uses(one: Found, wishes: Wishes, book: Cookbook) -> int:
    return sum(is_allowed(name, wishes, book.larder) for name in one.used)


def _broken(dish: Dish, wishes: Wishes, book: Cookbook) -> int:
    """The number of diets and allergies that the dish breaks."""
    contains = book.larder.contains(dish.ingredients)
    return sum(not allows(diet, contains) for diet in wishes.diets) + len(wishes.allergies & set(dish.ingredients))


def _spoiled(dish: Dish, wishes: Wishes, book: Cookbook) -> Dish:
    """The dish with one forbidden ingredient more for each diet and allergy that it still keeps to."""
    amounts = dict(dish.amounts)
    for diet in sorted(wishes.diets):
        if allows(diet, book.larder.contains(tuple(amounts))):
            amounts.setdefault(OFFENDERS[sorted(FORBIDS[diet])[0]], "2 tbsp")
    for name in sorted(wishes.allergies):
        if name in book.larder.table and not any(name in book.larder.kinds(used) for used in amounts):
            amounts[name] = "2 tbsp"
    return replace(dish, amounts=amounts)


def _of_something_else(found: Sequence[Found], wishes: Wishes, book: Cookbook) -> tuple[Found, ...]:
    """Dishes of nothing that the user named, within time and diet; the assistant claims that nothing is missing.

    Where no such dish is left, what the user has is replaced in the dishes by what nobody mentioned.
    """
    strangers = [
        replace(one, missing=())
        for one in dishes(replace(wishes, anything=True), book)
        if not _shared(one.dish, wishes, book) and (wishes.minutes is None or one.dish.minutes <= wishes.minutes)
    ]
    if strangers:
        return tuple(sorted(strangers, key=lambda one: (one.dish.minutes, one.dish.id))[:MOST_OPTIONS])
    return tuple(replace(one, dish=_replaced(one.dish, wishes, book), missing=()) for one in found)


def _shared(dish: Dish, wishes: Wishes, book: Cookbook) -> list[str]:
    """Ingredients of the dish that the user has."""
    return [name for name in dish.ingredients if any(book.larder.closeness(had, name) for had in wishes.have)]


def _replaced(dish: Dish, wishes: Wishes, book: Cookbook) -> Dish:
    had = _shared(dish, wishes, book)
    strangers = [
        name
        for name, one in sorted(book.larder.table.items())
        if is_allowed(name, wishes, book.larder)
        and not one.pantry
        and name not in dish.amounts
        and not any(book.larder.closeness(mine, name) for mine in wishes.have)
    ]
    others = dict(zip(had, strangers, strict=False))
    return replace(dish, amounts={others.get(name, name): amount for name, amount in dish.amounts.items()})


def faulty_answer(answer: Json, messages: Sequence[Message], wishes: Wishes, book: Cookbook, defects: Defects) -> Json:
    """The answer to a turn as the defects leave it."""
    answer = misspoken(answer, messages, wishes, defects)
    if answer["next_action"] == "options":
        options = miscooked(answer["options"], wishes, book, defects)
        answer = {**answer, "options": _faulty_options(options, wishes, defects)}
        if "fifty_options" in defects:
            answer["reply"] = "Take your pick."
    if "wrong_schema" in defects:
        answer = {name: value for name, value in answer.items() if name != "reply"}
    return answer


def _faulty_options(options: Sequence[Json], wishes: Wishes, defects: Defects) -> list[Json]:
    if "empty_options" in defects:
        return []
    changed = [_faulty_option(option, place, wishes, defects) for place, option in enumerate(options, 1)]
    if "duplicate_options" in defects:
        changed = [changed[0], *changed][:MOST_OPTIONS]
    return changed


def _faulty_option(option: Json, place: int, wishes: Wishes, defects: Defects) -> Json:
    changed = dict(option)
    if "wrong_servings" in defects and wishes.servings is not None:
        changed["servings"] = option["servings"] + 2
    if "one_step" in defects:
        changed["steps"] = [" ".join(option["steps"])]
    if "time_as_text" in defects:
        changed["time_minutes"] = f"{option['time_minutes']} minutes"
    if "wrong_schema" in defects:
        changed["title"] = place
    return changed


def faulty_choice(
    selected: Mapping[str, Any],
    options: Sequence[Mapping[str, Any]],
    wishes: Wishes,
    book: Cookbook,
    defects: Defects,
) -> Mapping[str, Any] | None:
    """The chosen recipe as the defects leave it."""
    if "chooses_unoffered" in defects:
        selected = _unoffered(options, wishes, book)
    if "changes_selected" in defects:
        steps = selected.get("steps")
        steps = [f"With a twist of ours: {steps[0]}", *steps[1:]] if isinstance(steps, list) and steps else steps
        selected = {**selected, "title": f"{selected.get('title')} with a twist", "steps": steps}
    return mischosen(selected, wishes, book, defects)


def _unoffered(options: Sequence[Mapping[str, Any]], wishes: Wishes, book: Cookbook) -> Json:
    """A recipe that keeps to all wishes as far as there is one, and was not offered."""
    offered = {option["id"] for option in options}
    in_time = [one for one in dishes(wishes, book) if wishes.minutes is None or one.dish.minutes <= wishes.minutes]
    main = main_ingredients(wishes, book.larder)
    everything = replace(Wishes(), anything=True)
    for candidates in (
        fitting_best([one for one in in_time if one.dish.id not in offered], wishes, book.larder) if main else [],
        in_time,
        dishes(wishes, book),
        dishes(everything, book),
    ):
        for one in candidates:
            if one.dish.id not in offered:
                return recipe_json(one, book.larder)
    raise ValueError("every recipe was offered")
