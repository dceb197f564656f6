"""The check of whether the options use what the user has."""

from collections.abc import Iterable

from evaluation.chat_flow.checks.outcome import (
    CheckResult,
    CheckSubject,
    fail_with,
    list_findings,
    no_options,
    not_applicable,
    option,
    pass_with,
)
from evaluation.food.lexicon import Lexicon
from evaluation.food.reading import mentions
from evaluation.food.rules import foods_called, holds_words
from evaluation.food.tokens import singulars, words
from evaluation.metrics.explained import excerpt


def ingredient_overlap(subject: CheckSubject) -> CheckResult:
    asked = subject.asked
    wanted = distinct(asked.available, subject.lexicon)
    if not wanted:
        return not_applicable("the messages name no ingredients")
    if not subject.options:
        return no_options(subject)
    need = min(asked.min_overlap, len(wanted))
    enough: list[str] = []
    short: list[str] = []
    for number, recipe in enumerate(subject.options, start=1):
        if recipe.ingredients is None:
            continue
        used = used_ingredients(wanted, recipe.ingredients, subject.lexicon)
        text = f"{option(number, recipe)} uses {', '.join(map(excerpt, used)) or 'none'}"
        (enough if len(used) >= need else short).append(text)
    if not enough and not short:
        return not_applicable("no option has a list of ingredients")
    rule = f"of {', '.join(map(excerpt, wanted))}, {need} in {'each' if asked.overlap == 'each' else 'any'} option"
    good = bool(enough) if asked.overlap == "any" else not short
    return pass_with(f"{list_findings(enough)}; {rule}") if good else fail_with(f"{list_findings(short)}; {rule}")


def used_ingredients(wanted: tuple[str, ...], ingredients: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """Those of the wanted ingredients that the recipe's list holds."""
    text = "\n".join(ingredients)
    foods = {mention.food for mention in mentions(text, lexicon)}
    found: list[str] = []
    entries = [[singulars(word) for word in words(entry)] for entry in ingredients]
    for name in wanted:
        known = foods_called(name, lexicon)
        if known:
            if any(lexicon.are_related(one, other) for one in known for other in foods):
                found.append(name)
            continue
        if any(holds_words(entry, words(name)) for entry in entries):
            found.append(name)
    return tuple(found)


def distinct(names: Iterable[str], lexicon: Lexicon) -> tuple[str, ...]:
    """The names without those that mean the same foods, or the same words, as one before."""
    seen: dict[object, str] = {}
    for name in names:
        foods = foods_called(name, lexicon)
        key = foods or tuple(min(singulars(word), key=len) for word in words(name))
        if key:
            seen.setdefault(key, name)
    return tuple(seen.values())
