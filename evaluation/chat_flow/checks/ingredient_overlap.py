"""A check that the options use what the user has."""

from evaluation.chat_flow.checks.lexicon import Lexicon
from evaluation.chat_flow.checks.mentions import mentions
from evaluation.chat_flow.checks.outcome import (
    Check,
    CheckResult,
    Subject,
    failed,
    listed,
    no_options,
    not_applicable,
    option,
    passed,
)
from evaluation.chat_flow.checks.tokens import singulars, words
from evaluation.metrics.quoting import shown


def ingredient_overlap(subject: Subject) -> CheckResult:
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
        used = used_of(wanted, recipe.ingredients, subject.lexicon)
        text = f"{option(number, recipe)} uses {', '.join(map(shown, used)) or 'none'}"
        (enough if len(used) >= need else short).append(text)
    if not enough and not short:
        return not_applicable("no option has a list of ingredients")
    rule = f"of {', '.join(map(shown, wanted))}, {need} in {'each' if asked.overlap == 'each' else 'any'} option"
    good = bool(enough) if asked.overlap == "any" else not short
    return passed(f"{listed(enough)}; {rule}") if good else failed(f"{listed(short)}; {rule}")


def used_of(wanted: tuple[str, ...], ingredients: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """Those of the wanted ingredients that the recipe's list holds."""
    text = "\n".join(ingredients)
    foods = {mention.food for mention in mentions(text, lexicon)}
    found: list[str] = []
    entries: list[list[frozenset[str]]] | None = None
    for name in wanted:
        known = {mention.food for mention in mentions(name, lexicon)}
        if known:
            if any(lexicon.related(one, other) for one in known for other in foods):
                found.append(name)
            continue
        if entries is None:
            entries = [[singulars(word) for word in words(entry)] for entry in ingredients]
        if any(holds_words(entry, words(name)) for entry in entries):
            found.append(name)
    return tuple(found)


def distinct(names: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """The names without those that mean the same foods, or the same words, as one before."""
    seen: dict[object, str] = {}
    for name in names:
        foods = frozenset(mention.food for mention in mentions(name, lexicon))
        key = foods or tuple(min(singulars(word), key=len) for word in words(name))
        if key:
            seen.setdefault(key, name)
    return tuple(seen.values())


def holds_words(entry: list[frozenset[str]], name: tuple[str, ...]) -> bool:
    """True where the words of a name stand one after another in an entry, in either number."""
    sought = [singulars(word) for word in name]
    return bool(sought) and any(
        all(one & other for one, other in zip(sought, entry[at : at + len(sought)], strict=True))
        for at in range(len(entry) - len(sought) + 1)
    )


INGREDIENT_OVERLAP = Check(
    "ingredient_overlap",
    "Ingredient overlap",
    "Each option (or any, where the case says so) uses at least N of the ingredients that the user named; N is 2 "
    "unless the case says otherwise, and never more than the user named.",
    "The messages name ingredients, and an option lists some.",
    ingredient_overlap,
)
