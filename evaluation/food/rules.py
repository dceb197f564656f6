"""What a person may not eat, and what a recipe says of it: violated, clear, or not known.

Clear is said of a line only where every word of it is known. What nobody can tell from the words is not known: words
that no table lists, and foods that often hold what is forbidden, such as chocolate for those who avoid milk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from evaluation.food.lexicon import Lexicon, Tags
from evaluation.food.reading import Mention, Reading, mentions, read_line
from evaluation.food.tokens import singulars, words
from evaluation.metrics.explained import excerpt

OF = frozenset({"de", "d", "di", "del", "della", "al", "alla", "a", "aux"})
"""Between the name of a food and what it is made of, in languages that say it in this order."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Things that a recipe may not hold, each with the reason that evidence gives."""

    tags: dict[str, str]
    """Tag -> reason."""
    foods: dict[str, str]
    """Food, with all its kinds -> reason."""
    phrases: dict[str, str]
    """Words that the tables do not know -> reason."""
    apart: tuple[tuple[Tags, str], ...]
    """Tags that may not come together, and the reason."""
    unknown: tuple[str, ...]
    """Diets that the tables do not know."""

    @property
    def names(self) -> list[str]:
        reasons = [*self.tags.values(), *self.foods.values(), *self.phrases.values(), *(why for _, why in self.apart)]
        return list(dict.fromkeys(reasons))

    def forbids(self, name: str, lexicon: Lexicon) -> bool:
        """True where a food, or a group of foods, may not be eaten."""
        found = read_line(name, lexicon).mentions
        spoken = [singulars(word) for word in words(name)]
        return (
            not self.tags.keys().isdisjoint((lexicon.group(name) or frozenset()).union(*(each.tags for each in found)))
            or any(lexicon.is_kind_of(each.food, food) for each in found for food in self.foods)
            or any(holds_words(spoken, words(phrase)) for phrase in self.phrases)
        )


@dataclass(frozen=True, slots=True)
class Inspection:
    """A recipe held against rules."""

    violated: tuple[str, ...]
    """What is against a rule, quoted, with what it holds and the rule."""
    not_known: tuple[str, ...]
    """Lines that nobody can tell from, quoted, with the words that are not known or what they may hold."""
    recognised: int
    """Lines of the list of ingredients whose every word is known."""
    lines: int
    in_doubt: tuple[str, ...] = ()
    """The words of those lines, and the foods that may hold what is forbidden."""


def rules_of(diet: Sequence[str], allergies: Sequence[str], forbidden: Sequence[str], lexicon: Lexicon) -> Rules:
    """The rules that demands come to: a group is its tags, so that what is made of it counts; else a food."""
    diets = [found for name in diet if (found := lexicon.diet(name)) is not None]
    unknown = tuple(name for name in diet if lexicon.diet(name) is None)
    tags: dict[str, str] = {tag: each.name for each in diets for tag in sorted(each.forbids)}
    foods: dict[str, str] = {}
    phrases: dict[str, str] = {}
    named = [(name, f"{name} allergy", lexicon.allergen(name)) for name in allergies]
    named += [(name, f"no {name}", lexicon.group(name)) for name in forbidden]
    for name, reason, group in named:
        for tag in sorted(group or ()):
            tags.setdefault(tag, reason)
        known = foods_called(name, lexicon)
        foods.update(dict.fromkeys(sorted(known), reason))
        if not known and not group:
            phrases[name] = reason
    apart = tuple((pair, each.name) for each in diets for pair in each.not_together)
    return Rules(tags, foods, phrases, apart, unknown)


def inspect_recipe(ingredients: Sequence[str], texts: Sequence[str], rules: Rules, lexicon: Lexicon) -> Inspection:
    """The list of ingredients against the rules; of other texts, such as steps, what the list does not name."""
    read = [(line, read_line(line, lexicon)) for line in ingredients]
    violated: list[str] = []
    not_known: list[str] = []
    in_doubt: list[str] = []
    for line, reading in read:
        if against := list(dict.fromkeys((*_against(reading.mentions, rules, lexicon), *_phrases(line, rules)))):
            violated.append(f'"{excerpt(line)}" ({", ".join(against)})')
        elif doubts := list(dict.fromkeys(_doubts(reading, rules))):
            not_known.append(f'"{excerpt(line)}" ({", ".join(doubts)})')
            in_doubt += reading.unknown
            in_doubt += (mention.phrase for mention in reading.mentions if mention.may & rules.tags.keys())
    for text in texts:
        for mention in _only_here(text, read, lexicon):
            where = f'"{excerpt(mention.phrase)}" in "{excerpt(text)}"'
            violated += (f"{where} ({reason})" for reason in dict.fromkeys(_against((mention,), rules, lexicon)))
    present = frozenset[str]().union(*(mention.tags for _, reading in read for mention in reading.mentions))
    violated += (f"{' and '.join(sorted(pair))} together ({reason})" for pair, reason in rules.apart if pair <= present)
    recognised = sum(reading.is_recognised for _, reading in read)
    return Inspection(tuple(violated), tuple(not_known), recognised, len(read), tuple(dict.fromkeys(in_doubt)))


def foods_called(name: str, lexicon: Lexicon) -> frozenset[str]:
    """The foods that a name is made of; none where a word of it is not known: it is looked for by its words then."""
    reading = read_line(name, lexicon)
    return frozenset(mention.food for mention in reading.mentions) if reading.is_recognised else frozenset()


def holds_words(line: Sequence[frozenset[str]], name: Sequence[str]) -> bool:
    """True where the words of a name stand one after another in a line, in either number."""
    sought = [singulars(word) for word in name]
    return bool(sought) and any(
        all(one & other for one, other in zip(sought, line[at : at + len(sought)], strict=True))
        for at in range(len(line) - len(sought) + 1)
    )


def _against(named: Sequence[Mention], rules: Rules, lexicon: Lexicon) -> Iterator[str]:
    for mention in named:
        for tag in sorted(mention.tags & rules.tags.keys()):
            yield f"{tag}: {rules.tags[tag]}"
        taken_back = lexicon.foods[mention.food].tags - mention.tags
        for food, reason in rules.foods.items():
            if lexicon.is_kind_of(mention.food, food) and not taken_back:
                yield reason


def _phrases(line: str, rules: Rules) -> Iterator[str]:
    if rules.phrases:
        spoken = [singulars(word) for word in words(line)]
        for phrase, reason in rules.phrases.items():
            if holds_words(spoken, words(phrase)):
                yield reason


def _doubts(reading: Reading, rules: Rules) -> Iterator[str]:
    """Why nobody can tell whether a line keeps to the rules."""
    for mention in reading.mentions:
        yield from _may_hold(mention, rules)
    if reading.is_heading:
        return
    yield from reading.unknown
    if not reading.names_food and not reading.unknown:
        yield "names no food"


def _may_hold(mention: Mention, rules: Rules) -> Iterator[str]:
    for tag in sorted(mention.may & rules.tags.keys()):
        yield f"may hold {tag}: {rules.tags[tag]}"


def _only_here(text: str, listed: Sequence[tuple[str, Reading]], lexicon: Lexicon) -> Iterator[Mention]:
    """The foods that a text names and the list of ingredients does not.

    "The milk" means the oat milk of the list, "the cheese" the vegan feta: a food is not counted whose name is how a
    listed one ends, nor one that is a kind of what a listed one is, or the other way round. So it is for what a listed
    one is called after, but for a name that says more: "the milk" is the oat milk of the list, "cow's milk" is not.
    """
    foods = {mention.food for _, reading in listed for mention in reading.mentions}
    called = {food for _, reading in listed for mention in reading.mentions for food in _called(mention, lexicon)}
    spoken = [[singulars(word) for word in words(line)] for line, _ in listed]
    written = frozenset[str]().union(*(each for line in spoken for each in line))

    @cache
    def is_listed(phrase: str, food: str) -> bool:
        name = phrase.split()
        if phrase in lexicon.not_in_steps or any(lexicon.are_related(food, other) for other in foods):
            return True
        says_more = any(not (singulars(word) & written or lexicon.says_nothing(word)) for word in name[:-1])
        if not says_more and any(lexicon.are_related(food, other) for other in called):
            return True
        if len(name) == 1:
            return any(word.endswith(single) for word in written for single in singulars(phrase))
        return all(singulars(word) & written for word in name) and any(holds_words(line, name) for line in spoken)

    yield from (mention for mention in mentions(text, lexicon) if not is_listed(mention.phrase, mention.food))


def _called(mention: Mention, lexicon: Lexicon) -> Iterator[str]:
    """The foods by whose name one of the list is called: of "vegan feta" feta, of "lait d'avoine" lait."""
    name = mention.phrase.split()
    for at in range(1, len(name)):
        yield from filter(None, (lexicon.food_called(" ".join(name[at:])),))
        if name[at] in OF or lexicon.role_of(name[at]) == "following":
            yield from filter(None, (lexicon.food_called(" ".join(name[:at])),))
