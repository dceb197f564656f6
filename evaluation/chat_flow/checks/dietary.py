"""A check that the options keep to the diets, allergies and dislikes that the user stated."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.chat_flow.checks.ingredient_overlap import holds_words
from evaluation.chat_flow.checks.lexicon import Diet, Lexicon, Tags
from evaluation.chat_flow.checks.mentions import Mention, mentions
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
from evaluation.chat_flow.constraints import Constraints
from evaluation.chat_flow.recipe import Recipe
from evaluation.metrics.quoting import shown


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


def dietary(subject: Subject) -> CheckResult:
    rules = rules_of(subject.asked, subject.lexicon)
    if not rules.names:
        unknown = ", ".join(map(shown, rules.unknown))
        return not_applicable(f"no word list for {unknown}" if unknown else "the messages state no diet or allergy")
    if not subject.options:
        return no_options(subject)
    read = [
        (number, recipe) for number, recipe in enumerate(subject.options, start=1) if recipe.ingredients is not None
    ]
    if not read:
        return not_applicable("no option has a list of ingredients")
    bad = [
        f"{option(number, recipe)}: {listed(found)}"
        for number, recipe in read
        if (found := list(breaches(recipe, rules, subject.lexicon)))
    ]
    asked = ", ".join(map(shown, rules.names))
    if bad:
        return failed(f"{listed(bad)}; asked for: {asked}")
    return passed(f"nothing against {asked} in {len(read)} option{'' if len(read) == 1 else 's'}")


def rules_of(asked: Constraints, lexicon: Lexicon) -> Rules:
    """The rules that the constraints come to. An allergy that has no tags is a food to be avoided."""
    diets: list[Diet] = []
    unknown: list[str] = []
    for name in asked.diet:
        diet = lexicon.diet(name)
        if diet is None:
            unknown.append(name)
        else:
            diets.append(diet)
    tags: dict[str, str] = {tag: diet.name for diet in diets for tag in sorted(diet.forbids)}
    avoided: list[tuple[str, str]] = [(name, f"no {name}") for name in asked.forbidden]
    for name in asked.allergies:
        found = lexicon.allergen(name)
        if found is None:
            avoided.append((name, f"{name} allergy"))
        for tag in sorted(found or ()):
            tags.setdefault(tag, f"{name} allergy")
    foods: dict[str, str] = {}
    phrases: dict[str, str] = {}
    for name, reason in avoided:
        known = {mention.food for mention in mentions(name, lexicon)}
        foods.update(dict.fromkeys(sorted(known), reason))
        if not known:
            phrases[name] = reason
    apart = tuple((pair, diet.name) for diet in diets for pair in diet.not_together)
    return Rules(tags, foods, phrases, apart, tuple(unknown))


def breaches(recipe: Recipe, rules: Rules, lexicon: Lexicon) -> Iterator[str]:
    """Things in the recipe that are against the rules: its ingredients, then what only its steps name."""
    entries = recipe.ingredients or ()
    listed_foods: list[Mention] = []
    for entry in entries:
        named = mentions(entry, lexicon)
        listed_foods += named
        against = [*_against(named, rules, lexicon), *_unknown_words(entry, rules)]
        if against:
            yield f'"{shown(entry)}" ({", ".join(dict.fromkeys(against))})'
    heads = {single for entry in entries for word in words(entry) for single in singulars(word)}
    foods = {mention.food for mention in listed_foods}
    for step in recipe.steps or ():
        for mention in _only_in_step(step, heads, foods, lexicon):
            for reason in dict.fromkeys(_against((mention,), rules, lexicon)):
                yield f'"{shown(mention.phrase)}" in the step "{shown(step)}" ({reason})'
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
        if not any(lexicon.related(mention.food, food) for food in foods):
            yield mention


DIETARY = Check(
    "dietary",
    "Dietary constraints",
    "No ingredient of any option is against a diet, an allergy or a dislike that the user stated, and no step brings "
    "in one that the list of ingredients does not name.",
    "The messages state a diet, an allergy or an ingredient to avoid, and an option lists its ingredients.",
    dietary,
)
