"""Knowledge of food, from the word lists: foods with their tags, diets, allergens, and small words.

It finds the foods that a text names, and the tags that it takes back: "flour (gluten-free)", "pasta without egg".
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import ConfigDict, Field, ValidationError

from evaluation.chat_flow.checks.tokens import BREAKS, PAUSES, plurals, singulars, tokens, words
from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.forms import Form, complaint

Tags: TypeAlias = frozenset[str]
Role: TypeAlias = Literal["food", "modifier", "negator", "comparison", "separator"]


class _FoodForm(Form):
    is_: str = ""
    has: list[str] = Field(default_factory=list)
    names: list[str] = Field(default_factory=list)
    each: list[str | list[str]] = Field(default_factory=list)

    model_config = ConfigDict(alias_generator=lambda name: name.rstrip("_"))


class _DietForm(Form):
    forbids: list[str]
    not_together: list[list[str]] = Field(default_factory=list)
    names: list[str] = Field(default_factory=list)


class _AllergenForm(Form):
    tags: list[str]
    names: list[str] = Field(default_factory=list)


class _ModifierForm(Form):
    removes: list[str]
    names: list[str] = Field(default_factory=list)


class _LexiconForm(Form):
    diets: dict[str, _DietForm]
    allergens: dict[str, _AllergenForm]
    modifiers: dict[str, _ModifierForm]
    negators: list[str]
    comparisons: list[str]
    separators: list[str]
    not_in_steps: list[str]
    foods: dict[str, _FoodForm]


@dataclass(frozen=True, slots=True)
class Food:
    """One food: the wider foods that it is, nearest first, and the tags of them all."""

    kinds: tuple[str, ...]
    tags: Tags


@dataclass(frozen=True, slots=True)
class Diet:
    """Tags that a recipe may not hold, and tags that it may not hold together."""

    name: str
    forbids: Tags
    not_together: tuple[Tags, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """The meaning of a phrase of the lists."""

    role: Role
    food: str = ""
    removes: Tags = frozenset()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The word lists, ready to be looked things up in."""

    foods: Mapping[str, Food]
    diets: Mapping[tuple[str, ...], Diet]
    """By the words of each of their names."""
    allergens: Mapping[tuple[str, ...], Tags]
    phrases: Mapping[str, list[tuple[tuple[str, ...], Entry]]]
    """All phrases by their first word, the longest first."""
    not_in_steps: frozenset[str]
    tags: Tags
    """Of all foods."""

    def longest_phrase(self, sequence: list[str], start: int) -> tuple[int, Entry] | None:
        """The longest phrase that begins at a position, as (words, entry)."""
        for phrase, entry in self.phrases.get(sequence[start], ()):
            if len(phrase) == 1 or tuple(sequence[start : start + len(phrase)]) == phrase:
                return len(phrase), entry
        return None

    def is_kind_of(self, food: str, wider: str) -> bool:
        return food == wider or wider in self.foods[food].kinds

    def are_related(self, one: str, other: str) -> bool:
        """True where one is the other, or a kind of it: cheddar and cheese, and not cheddar and feta."""
        return self.is_kind_of(one, other) or self.is_kind_of(other, one)

    def diet(self, name: str) -> Diet | None:
        return self.diets.get(words(name))

    @property
    def allergy_names(self) -> tuple[str, ...]:
        """The names of allergies, and of the foods that stand for one."""
        return tuple(dict.fromkeys((*map(" ".join, self.allergens), *self.foods)))

    def group(self, name: str) -> Tags | None:
        """The tags of a group of foods, and of all that is made of them; None for a name of no group.

        A group is a tag by its own name, in every language: dairy, pork, peanut, "Erdnüsse".
        """
        food = self._food(name)
        sought = {*singulars(" ".join(words(name))), *((food,) if food else ())}
        return frozenset(sought & self.tags) or None

    def allergen(self, name: str) -> Tags | None:
        """The tags that an allergy forbids; None for one that is not listed, and stands for a food if for anything."""
        listed = self.allergens.get(words(name))
        return listed or self.group(name) or self.allergens.get(words(self._food(name)))

    def _food(self, name: str) -> str:
        """The food that a name is, all of it; empty where it is none."""
        named = mentions(name, self)
        return named[0].food if len(named) == 1 and words(named[0].phrase) == words(name) else ""


def read_lexicon(value: Json, place: str) -> Lexicon:
    """The word lists of a rubric, from its `words`.

    Raises ParseError for unknown, missing and mistyped keys, a food that is a kind of an unknown one or of itself, a
    tag that no food has, and a name that two entries claim.
    """
    try:
        form = _LexiconForm.model_validate(value)
    except ValidationError as error:
        path, problem = complaint(error)
        raise ParseError(place, f"{'.'.join(map(str, path))}: {problem}") from None
    foods = dict(_foods(form, place))
    _check_tags(form, foods, place)
    return Lexicon(
        foods=foods,
        diets={name: diet for key, each in form.diets.items() for name, diet in _diet_names(key, each)},
        allergens={
            name: frozenset(each.tags)
            for key, each in form.allergens.items()
            for listed in (key, *each.names)
            for name in _with_plurals(listed)
        },
        phrases=_by_first_word(_phrases(form, place)),
        tags=frozenset[str]().union(*(food.tags for food in foods.values())),
        not_in_steps=frozenset(name for listed in form.not_in_steps for name in map(" ".join, _with_plurals(listed))),
    )


def _foods(form: _LexiconForm, place: str) -> Iterator[tuple[str, Food]]:
    for name, food in form.foods.items():
        kinds: list[str] = []
        tags = set(food.has)
        wider = food.is_
        while wider:
            if wider not in form.foods or wider in (*kinds, name):
                raise ParseError(place, f"foods.{name}: is {wider!r}, which is no other food: write one of the list")
            kinds.append(wider)
            tags.update(form.foods[wider].has)
            wider = form.foods[wider].is_
        for one in _separate(name, food):
            yield one[0], Food(tuple(kinds), frozenset(tags))


def _separate(name: str, food: _FoodForm) -> list[list[str]]:
    """The names of each food of an entry, its own name first."""
    if not food.each:
        return [[name, *food.names]]
    return [[one] if isinstance(one, str) else one for one in food.each]


def _check_tags(form: _LexiconForm, foods: Mapping[str, Food], place: str) -> None:
    known = frozenset[str]().union(*(food.tags for food in foods.values()))
    named = {
        **{f"diets.{name}.forbids": diet.forbids for name, diet in form.diets.items()},
        **{f"diets.{name}.not_together": pair for name, diet in form.diets.items() for pair in diet.not_together},
        **{f"allergens.{name}": allergen.tags for name, allergen in form.allergens.items()},
        **{f"modifiers.{name}": modifier.removes for name, modifier in form.modifiers.items()},
    }
    for where, tags in named.items():
        for tag in tags:
            if tag not in known:
                raise ParseError(place, f"{where}: no food has the tag {tag!r}: there are {', '.join(sorted(known))}")


def _diet_names(name: str, form: _DietForm) -> Iterator[tuple[tuple[str, ...], Diet]]:
    diet = Diet(name, frozenset(form.forbids), tuple(map(frozenset, form.not_together)))
    for listed in (name, *form.names):
        yield words(listed), diet


def _phrases(form: _LexiconForm, place: str) -> dict[tuple[str, ...], Entry]:
    """Every phrase as listed, then the plurals of foods where they mean nothing else."""
    found: dict[tuple[str, ...], Entry] = {}
    listed: list[tuple[str, Entry]] = []
    for name, food in form.foods.items():
        for names in _separate(name, food):
            listed.extend((each, Entry("food", names[0])) for each in names)
    for modifier, form_ in form.modifiers.items():
        entry = Entry("modifier", removes=frozenset(form_.removes))
        listed.extend((each, entry) for each in (modifier, *form_.names))
    roles: Mapping[Role, Collection[str]] = {
        "negator": form.negators,
        "comparison": form.comparisons,
        "separator": form.separators,
    }
    listed.extend((each, Entry(role)) for role, names in roles.items() for each in names)
    for phrase, entry in listed:
        if found.setdefault(words(phrase), entry) != entry:
            raise ParseError(place, f"{phrase!r} is listed as two things: remove one")
    for phrase, entry in listed:
        if entry.role == "food":
            for plural in _with_plurals(phrase):
                found.setdefault(plural, entry)
    return found


def _by_first_word(phrases: Mapping[tuple[str, ...], Entry]) -> dict[str, list[tuple[tuple[str, ...], Entry]]]:
    found: dict[str, list[tuple[tuple[str, ...], Entry]]] = {}
    for phrase in sorted(filter(None, phrases), key=len, reverse=True):
        found.setdefault(phrase[0], []).append((phrase, phrases[phrase]))
    return found


def _with_plurals(phrase: str) -> list[tuple[str, ...]]:
    name = words(phrase)
    return [name, *((*name[:-1], plural) for plural in plurals(name[-1]))]


@dataclass(frozen=True, slots=True)
class Mention:
    """One food in a text."""

    food: str
    phrase: str
    """The words that name it, caseless and without accents."""
    tags: Tags
    """The tags that it brings into the dish, after those that the text takes back."""


@dataclass(slots=True)
class _Part:
    """A stretch without comma, bracket or separator."""

    foods: list[tuple[str, str]] = field(default_factory=list)
    """(food, phrase)"""
    named_last: bool = False
    """True where the last word read belongs to a food."""
    removed: set[str] = field(default_factory=set)
    negated: bool = False

    @property
    def says_something(self) -> bool:
        return bool(self.foods or self.removed or self.negated)


def mentions(text: str, lexicon: Lexicon) -> tuple[Mention, ...]:
    """The foods that the text says are there, in order. Linear in the length of the text.

    The longest phrase wins. A modifier reaches the foods of its part; in a part of its own, as in brackets or after a
    comma, those of the whole stretch up to the next separator. What follows a negator is left out.
    """
    found: list[Mention] = []
    for parts in _stretches(text, lexicon):
        everywhere: set[str] = set()
        for part in parts:
            if not part.foods:
                everywhere |= part.removed
        for part in parts:
            gone = part.removed | everywhere
            for food, phrase in part.foods:
                tags = lexicon.foods[food].tags
                found.append(Mention(food, phrase, tags - gone if gone else tags))
    return tuple(found)


def _stretches(text: str, lexicon: Lexicon) -> Iterator[list[_Part]]:
    """The parts between separators."""
    sequence = tokens(text)
    parts = [_Part()]
    at = 0
    while at < len(sequence):
        token = sequence[at]
        phrase = None if token in PAUSES or token in BREAKS else lexicon.longest_phrase(sequence, at)
        if token in BREAKS or (phrase is not None and phrase[1].role == "separator"):
            yield parts
            parts = [_Part()]
        elif token in PAUSES:
            if parts[-1].says_something:
                parts.append(_Part())
        elif phrase is None:
            parts[-1].named_last = False
        else:
            _take(parts[-1], phrase[1], " ".join(sequence[at : at + phrase[0]]))
        at += 1 if phrase is None else phrase[0]
    yield parts


def _take(part: _Part, entry: Entry, phrase: str) -> None:
    if entry.role == "comparison" and part.named_last:
        part.foods.pop()
    part.named_last = entry.role == "food" and not part.negated
    if part.named_last:
        part.foods.append((entry.food, phrase))
    elif entry.role == "modifier":
        part.removed |= entry.removes
    elif entry.role == "negator":
        part.negated = True
