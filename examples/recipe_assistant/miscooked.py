"""Defects of single recipes: of their steps, times and numbers, and of what is returned as chosen."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from examples.recipe_assistant.answers import Json
from examples.recipe_assistant.cookbook import Cookbook
from examples.recipe_assistant.defects import Defects
from examples.recipe_assistant.misspoken import SYSTEM_PROMPT
from examples.recipe_assistant.search import is_allowed
from examples.recipe_assistant.wishes import Wishes

MANY = 50
VAGUE = ("Prepare everything as usual.", "Cook it until it is done, then serve.")
ALLERGENS = ("peanuts", "walnuts", "prawns", "tahini", "mustard", "eggs", "milk", "soy sauce", "salmon")


def miscooked(options: Sequence[Json], wishes: Wishes, book: Cookbook, defects: Defects) -> list[Json]:
    """The options as these defects leave them."""
    changed = [_option(option, wishes, book, defects) for option in options]
    if "renamed_duplicate" in defects:
        twin = {**changed[0], "id": f"{changed[0]['id']}-2", "title": f"{changed[0]['title']}, our way"}
        changed = [*changed[:2], twin]
    if "fifty_options" in defects:
        changed = _many(changed, wishes, book)
    return changed


def _option(option: Json, wishes: Wishes, book: Cookbook, defects: Defects) -> Json:
    steps = list(option["steps"])
    if "dots_for_step" in defects:
        steps[-1:] = ["..."]
    if "template_left" in defects:
        steps.append("Serve with love, {{user_name}}!")
    if "leaks_in_step" in defects:
        steps.append(SYSTEM_PROMPT)
    if "long_step" in defects:
        steps.append("Let it rest for 9 hours.")
    if "unlisted_ingredient" in defects:
        steps.append(f"Stir in the {_strangers(option, wishes, book)[0]}.")
    if "vague_steps" in defects:
        steps = list(VAGUE)
    changed: Json = {**option, "steps": steps}
    if "negative_time" in defects:
        changed["time_minutes"] = -option["time_minutes"]
    if "steps_as_text" in defects:
        changed["steps"] = "\n".join(steps)
    return changed


def _strangers(option: Mapping[str, Any], wishes: Wishes, book: Cookbook) -> list[str]:
    """What the user may eat and neither has nor finds in the option; of no kind that a diet could forbid."""
    larder = book.larder
    taken = {kind for name in (*option["ingredients"], *wishes.have) for kind in larder.kinds(name)}
    return [
        name
        for name, one in sorted(larder.table.items())
        if not one.contains
        and not one.pantry
        and is_allowed(name, wishes, larder)
        and not taken & {*larder.kinds(name)}
        if " " not in name
    ]


def _many(options: Sequence[Json], wishes: Wishes, book: Cookbook) -> list[Json]:
    """So many sound recipes, each of what the first option uses and three things more."""
    first = options[0]
    mine = [each for each in first["ingredients"] if any(book.larder.closeness(had, each) for had in wishes.have)][:2]
    found = [*options]
    for number, more in enumerate(combinations(_strangers(first, wishes, book), 3), start=1):
        if len(found) == MANY:
            break
        names = [*mine, *more]
        steps = [f"Chop the {', the '.join(more)}.", f"Fry them with the {', the '.join(mine)} and serve."]
        found.append(
            {
                **first,
                "id": f"bowl-{number}",
                "title": f"Bowl {number} of {more[0]}",
                "ingredients": names,
                "steps": steps,
            }
            | {"amounts": dict.fromkeys(names, "100 g"), "missing": list(more)}
        )
    return found


def mischosen(
    selected: Mapping[str, Any], wishes: Wishes, book: Cookbook, defects: Defects
) -> Mapping[str, Any] | None:
    """The chosen recipe as these defects return it."""
    if "chooses_nothing" in defects:
        return None
    if "changes_amounts" in defects:
        name, amount = next(iter(selected["amounts"].items()))
        selected = {**selected, "amounts": {**selected["amounts"], name: f"3{amount}"}}
    if "drops_step" in defects:
        selected = {**selected, "steps": selected["steps"][:-1]}
    if "adds_allergen" in defects:
        allowed = [name for name in ALLERGENS if is_allowed(name, wishes, book.larder)]
        added = next(name for name in allowed if name not in selected["ingredients"])
        selected = {**selected, "ingredients": [*selected["ingredients"], added]}
    return selected
