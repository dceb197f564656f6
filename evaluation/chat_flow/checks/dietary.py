"""The check of what the user may not eat: violated, clear, or not known."""

from collections.abc import Iterator

from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    fail_with,
    list_findings,
    no_options,
    not_applicable,
    not_known,
    option,
    pass_with,
)
from evaluation.chat_flow.flow_run import Recipe
from evaluation.food.rules import inspect_recipe
from evaluation.metrics.explained import excerpt
from evaluation.records import Json

NOT_READ = frozenset(
    {"title", "name", "ingredients", "steps", "diet", "diets", "dietary", "tags", "labels", "allergens", "suitable_for"}
    | {"free_from", "id", "url", "link", "image", "source", "author", "cuisine", "category", "language"}
)  # fmt: skip
"""Fields of a recipe that say nothing of what is in it: names, addresses, and claims."""
DEEPEST = 5


def dietary(subject: CheckSubject) -> CheckResult:
    rules = subject.asked.rules(subject.lexicon)
    if not rules.names:
        unknown = ", ".join(map(excerpt, rules.unknown))
        return not_applicable(f"no word list for {unknown}" if unknown else "the messages state no diet or allergy")
    if not subject.options:
        return no_options(subject)
    bad: list[str] = []
    open_: list[str] = []
    recognised = lines = 0
    for name, recipe in recipes(subject):
        if not recipe.ingredients:
            bad.append(f"{name} lists no ingredients, so that nobody can tell")
            continue
        found = inspect_recipe(recipe.ingredients, tuple(texts_of(recipe)), rules, subject.lexicon)
        if found.violated:
            bad.append(f"{name}: {list_findings(found.violated)}")
        if found.not_known:
            open_.append(f"{name}: {list_findings(found.not_known)}")
        recognised, lines = recognised + found.recognised, lines + found.lines
    asked_for = ", ".join(map(excerpt, rules.names))
    if bad:
        return fail_with(f"{list_findings(bad)}; asked for: {asked_for}")
    read = f"{recognised} of {lines} ingredients recognised"
    if open_:
        return not_known(f"{list_findings(open_)}; {read}; asked for: {asked_for}")
    count = len(subject.options)
    return pass_with(f"nothing against {asked_for} in {count} option{'' if count == 1 else 's'}; {read}")


def doubtful_words(subject: CheckSubject) -> tuple[list[str], list[str]]:
    """(words of ingredients of which nobody can tell, what the user may not eat)."""
    rules = subject.asked.rules(subject.lexicon)
    found = (
        inspect_recipe(recipe.ingredients or (), (), rules, subject.lexicon).in_doubt for _, recipe in recipes(subject)
    )
    return list(dict.fromkeys(word for words in found for word in words)), rules.names


def recipes(subject: CheckSubject) -> Iterator[tuple[str, Recipe]]:
    """The options, and the selection where it is none of them, each as evidence names it."""
    for number, recipe in enumerate(subject.options, start=1):
        yield option(number, recipe), recipe
    selected = subject.run.selected
    if isinstance(selected, dict) and selected not in [recipe.raw for recipe in subject.options]:
        recipe = Recipe.read(selected)
        if recipe.ingredients:
            yield "the selection", recipe


def texts_of(recipe: Recipe) -> Iterator[str]:
    """The steps, and every other text that may bring something into the dish."""
    yield from recipe.steps or ()
    if isinstance(recipe.raw, dict):
        for key, value in recipe.raw.items():
            if key.lower() not in NOT_READ:
                yield from _texts(value)


def _texts(value: Json, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth < DEEPEST:
        for key, each in value.items():
            if key.lower() not in NOT_READ:
                yield from _texts(each, depth + 1)
    elif isinstance(value, list) and depth < DEEPEST:
        for each in value:
            yield from _texts(each, depth + 1)
