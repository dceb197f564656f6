"""Checks that need to know food: whether the options use what the user has, and keep to what the user may eat."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evaluation.chat_flow.case import Constraints
from evaluation.chat_flow.checks.lexicon import Lexicon, Mention, Tags, mentions
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
from evaluation.chat_flow.checks.tokens import singulars, words
from evaluation.chat_flow.flow_run import Recipe
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
        known = {mention.food for mention in mentions(name, lexicon)}
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


@dataclass(frozen=True, slots=True)
class Rules:
    """Things that a recipe may not hold, each with the reason that evidence gives."""

    tags: dict[str, str]
    """Tag -> reason."""
    foods: dict[str, str]
    """Food, with all its kinds -> reason."""
    phrases: dict[str, str]
    """Words that the lists do not know -> reason."""
    apart: tuple[tuple[Tags, str], ...]
    """Tags that may not come together, and the reason."""
    unknown: tuple[str, ...]
    """Diets that the lists do not know."""

    @property
    def names(self) -> list[str]:
        reasons = [*self.tags.values(), *self.foods.values(), *self.phrases.values(), *(why for _, why in self.apart)]
        return list(dict.fromkeys(reasons))


def dietary(subject: CheckSubject) -> CheckResult:
    rules = rules_of(subject.asked, subject.lexicon)
    if not rules.names:
        unknown = ", ".join(map(excerpt, rules.unknown))
        return not_applicable(f"no word list for {unknown}" if unknown else "the messages state no diet or allergy")
    if not subject.options:
        return no_options(subject)
    read = [
        (number, recipe) for number, recipe in enumerate(subject.options, start=1) if recipe.ingredients is not None
    ]
    silent = [
        f"{option(number, recipe)} lists no ingredients, so that nobody can tell"
        for number, recipe in enumerate(subject.options, start=1)
        if not recipe.ingredients
    ]
    bad = [
        f"{option(number, recipe)}: {list_findings(found)}"
        for number, recipe in read
        if (found := list(breaches(recipe, rules, subject.lexicon)))
    ]
    asked = ", ".join(map(excerpt, rules.names))
    if bad := [*bad, *silent]:
        return fail_with(f"{list_findings(bad)}; asked for: {asked}")
    return pass_with(f"nothing against {asked} in {len(read)} option{'' if len(read) == 1 else 's'}")


def rules_of(asked: Constraints, lexicon: Lexicon) -> Rules:
    """The rules that the constraints come to: a group is its tags, so that what is made of it counts; else a food."""
    diets = [diet for name in asked.diet if (diet := lexicon.diet(name)) is not None]
    unknown = tuple(name for name in asked.diet if lexicon.diet(name) is None)
    tags: dict[str, str] = {tag: diet.name for diet in diets for tag in sorted(diet.forbids)}
    foods: dict[str, str] = {}
    phrases: dict[str, str] = {}
    named = [(name, f"{name} allergy", lexicon.allergen(name)) for name in asked.allergies]
    named += [(name, f"no {name}", lexicon.group(name)) for name in asked.forbidden]
    for name, reason, group in named:
        for tag in sorted(group or ()):
            tags.setdefault(tag, reason)
        known = {mention.food for mention in mentions(name, lexicon)}
        foods.update(dict.fromkeys(sorted(known), reason))
        if not known and not group:
            phrases[name] = reason
    apart = tuple((pair, diet.name) for diet in diets for pair in diet.not_together)
    return Rules(tags, foods, phrases, apart, unknown)


def breaches(recipe: Recipe, rules: Rules, lexicon: Lexicon) -> Iterator[str]:
    """Things in the recipe that are against the rules: its ingredients, then what only its steps name."""
    entries = recipe.ingredients or ()
    listed_foods: list[Mention] = []
    for entry in entries:
        named = mentions(entry, lexicon)
        listed_foods += named
        against = [*_against(named, rules, lexicon), *_unknown_words(entry, rules)]
        if against:
            yield f'"{excerpt(entry)}" ({", ".join(dict.fromkeys(against))})'
    heads = {single for entry in entries for word in words(entry) for single in singulars(word)}
    foods = {mention.food for mention in listed_foods}
    for step in recipe.steps or ():
        for mention in _only_in_step(step, heads, foods, lexicon):
            for reason in dict.fromkeys(_against((mention,), rules, lexicon)):
                yield f'"{excerpt(mention.phrase)}" in the step "{excerpt(step)}" ({reason})'
    present = frozenset[str]().union(*(mention.tags for mention in listed_foods))
    for pair, reason in rules.apart:
        if pair <= present:
            yield f"{' and '.join(sorted(pair))} together ({reason})"


def _against(named: tuple[Mention, ...], rules: Rules, lexicon: Lexicon) -> Iterator[str]:
    for mention in named:
        for tag in sorted(mention.tags & rules.tags.keys()):
            yield f"{tag}: {rules.tags[tag]}"
        taken_back = lexicon.foods[mention.food].tags - mention.tags
        for food, reason in rules.foods.items():
            if lexicon.is_kind_of(mention.food, food) and not taken_back:
                yield reason


def _unknown_words(entry: str, rules: Rules) -> Iterator[str]:
    if rules.phrases:
        spoken = [singulars(word) for word in words(entry)]
        for phrase, reason in rules.phrases.items():
            if holds_words(spoken, words(phrase)):
                yield reason


def _only_in_step(step: str, heads: set[str], foods: set[str], lexicon: Lexicon) -> Iterator[Mention]:
    """The foods that a step names and the list of ingredients, of which words and foods are given, does not.

    "Stir in the milk" means the oat milk of the list, so a food is not counted whose last word stands there, nor one
    that is a kind of what stands there, or the other way round.
    """
    for mention in mentions(step, lexicon):
        if mention.phrase in lexicon.not_in_steps or singulars(mention.phrase.split()[-1]) & heads:
            continue
        if not any(lexicon.are_related(mention.food, food) for food in foods):
            yield mention
