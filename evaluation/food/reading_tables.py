"""The tables of food, read: each key of a table's form, and the lexicon that they make together.

The tables lie in `evaluation/food/tables`; a rubric may add foods and words of a team's own.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TypeVar, get_args

from pydantic import ConfigDict, Field, ValidationError

from evaluation.errors import ParseError
from evaluation.food.lexicon import PLAIN, Diet, Entry, Food, Lexicon, Role, Tags
from evaluation.food.tokens import plurals, words
from evaluation.records import Json
from evaluation.text.forms import Form, complaint
from evaluation.text.yaml_text import load_yaml

TABLES = ("groups", "words", "look_alikes", "animal", "plants", "made")
"""The shipped tables, each a file."""


class _FoodForm(Form):
    is_: str = ""
    has: list[str] = Field(default_factory=list)
    may: list[str] = Field(default_factory=list)
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
    source: str = ""


class _ModifierForm(Form):
    removes: list[str]
    may: dict[str, list[str]] = Field(default_factory=dict)
    names: list[str] = Field(default_factory=list)
    after: list[str] = Field(default_factory=list)


class _LexiconForm(Form):
    diets: dict[str, _DietForm]
    allergens: dict[str, _AllergenForm]
    modifiers: dict[str, _ModifierForm]
    negators: list[str]
    omissions: list[str]
    free: list[str]
    likened: list[str]
    examples: list[str]
    shapes: list[str]
    flavours: list[str]
    substitutes: list[str]
    separators: list[str]
    alternatives: list[str]
    headings: list[str]
    dish_parts: list[str]
    plain: list[str]
    between: list[str]
    purposes: list[str]
    conditions: list[str]
    not_in_steps: list[str]
    foods: dict[str, _FoodForm]


class _OwnForm(Form):
    """What a rubric may add. Texts of `plain` are words with spaces between; hyphens join them to a phrase."""

    foods: dict[str, _FoodForm] = Field(default_factory=dict)
    plain: list[str] = Field(default_factory=list)


AnyForm = TypeVar("AnyForm", bound=Form)


def read_lexicon(own: Mapping[str, Json], place: str) -> Lexicon:
    """The shipped tables with the foods and plain words that a rubric adds; a food of the same name is replaced.

    Raises ParseError for unknown and mistyped keys, a food that is a kind of an unknown one or of itself, a tag that
    no food has, and a name that two entries claim.
    """
    if not own:
        return shipped_lexicon()
    added = _valid(_OwnForm, dict(own), place)
    tables = shipped_tables()
    foods = {**tables["foods"], **{name: food.model_dump(by_alias=True) for name, food in added.foods.items()}}
    return parse_lexicon({**tables, "foods": foods, "plain": [*tables["plain"], *added.plain]}, place)


@cache
def shipped_lexicon() -> Lexicon:
    """The tables that lie in the package."""
    return parse_lexicon(shipped_tables(), "evaluation/food/tables")


@cache
def shipped_tables() -> dict[str, Json]:
    """The tables as they are written, joined: their keys, with the foods of every file under `foods`."""
    joined: dict[str, Json] = {"foods": {}}
    for name in TABLES:
        text = (files("evaluation.food.tables") / f"{name}.yaml").read_text(encoding="utf-8")
        table = load_yaml(text, f"evaluation/food/tables/{name}.yaml")
        for key, value in table.items():
            if key == "foods":
                twice = joined["foods"].keys() & value.keys()
                if twice:
                    raise ParseError(f"evaluation/food/tables/{name}.yaml", f"{min(twice)!r} is listed in two tables")
                joined["foods"].update(value)
            else:
                joined[key] = value
    return joined


def parse_lexicon(value: Json, place: str) -> Lexicon:
    """Tables -> lexicon. Raises ParseError as `read_lexicon` does."""
    form = _valid(_LexiconForm, value, place)
    foods = dict(_foods(form, place))
    tags = frozenset[str]().union(*(food.tags for food in foods.values()))
    _check_tags(form, tags, place)
    phrases = _phrases(form, place)
    return Lexicon(
        foods=foods,
        diets={name: diet for key, each in form.diets.items() for name, diet in _diet_names(key, each)},
        allergens={
            name: frozenset(each.tags)
            for key, each in form.allergens.items()
            for listed in (key, *each.names)
            for name in _with_plurals(words(listed))
        },
        phrases=phrases,
        lengths=_lengths(phrases),
        headings=frozenset(first for name in form.headings for first in words(name)[:1]),
        dish_parts=frozenset(each for name in form.dish_parts for each in words(name)),
        between=frozenset(form.between),
        purposes=frozenset(form.purposes),
        conditions=frozenset(form.conditions),
        not_in_steps=frozenset(
            name for listed in form.not_in_steps for name in map(" ".join, _with_plurals(words(listed)))
        ),
        tags=tags,
    )


def _valid(kind: type[AnyForm], value: Json, place: str) -> AnyForm:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        path, problem = complaint(error)
        raise ParseError(place, f"{'.'.join(map(str, path))}: {problem}") from None


def _foods(form: _LexiconForm, place: str) -> Iterator[tuple[str, Food]]:
    for name, food in form.foods.items():
        kinds: list[str] = []
        tags, may = set(food.has), set(food.may)
        wider = food.is_
        while wider:
            if wider not in form.foods or wider in (*kinds, name):
                raise ParseError(place, f"foods.{name}: is {wider!r}, which is no other food: write one of the list")
            kinds.append(wider)
            tags.update(form.foods[wider].has)
            may.update(form.foods[wider].may)
            wider = form.foods[wider].is_
        for one in _separate(name, food):
            yield one[0], Food(tuple(kinds), frozenset(tags), frozenset(may - tags))


def _separate(name: str, food: _FoodForm) -> list[list[str]]:
    """The names of each food of an entry, its own name first."""
    if not food.each:
        return [[name, *food.names]]
    return [[one] if isinstance(one, str) else one for one in food.each]


def _check_tags(form: _LexiconForm, known: Tags, place: str) -> None:
    named: dict[str, Iterable[str]] = {
        **{f"foods.{name}.may": food.may for name, food in form.foods.items()},
        **{f"diets.{name}.forbids": diet.forbids for name, diet in form.diets.items()},
        **{f"diets.{name}.not_together": pair for name, diet in form.diets.items() for pair in diet.not_together},
        **{f"allergens.{name}": allergen.tags for name, allergen in form.allergens.items()},
        **{
            f"modifiers.{name}": [*each.removes, *each.may, *chain.from_iterable(each.may.values())]
            for name, each in form.modifiers.items()
        },
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
    listed = [(words(phrase), entry) for phrase, entry in _listed(form)]
    for phrase, entry in listed:
        if found.setdefault(phrase, entry) != entry:
            raise ParseError(place, f"{' '.join(phrase)!r} is listed as two things: remove one")
    for word in chain(form.between, form.purposes, form.conditions, *(text.split() for text in form.plain)):
        found.setdefault(words(word), PLAIN)
    for phrase, entry in listed:
        if entry.role == "food":
            for plural in _with_plurals(phrase):
                found.setdefault(plural, entry)
    return found


def _listed(form: _LexiconForm) -> Iterator[tuple[str, Entry]]:
    for name, food in form.foods.items():
        for names in _separate(name, food):
            yield from ((each, Entry("food", names[0])) for each in names)
    for modifier, form_ in form.modifiers.items():
        removes, may = frozenset(form_.removes), tuple((tag, frozenset(each)) for tag, each in form_.may.items())
        yield from ((each, Entry("modifier", "", removes, may)) for each in (modifier, *form_.names))
        yield from ((each, Entry("following", "", removes, may)) for each in form_.after)
    roles: Mapping[Role, list[str]] = {
        "negator": form.negators,
        "omission": form.omissions,
        "free": form.free,
        "likened": form.likened,
        "example": form.examples,
        "shape": form.shapes,
        "flavour": form.flavours,
        "substitute": form.substitutes,
        "separator": form.separators,
        "alternative": form.alternatives,
    }
    assert roles.keys() | {"food", "modifier", "following", "plain"} == set(get_args(Role))
    yield from chain.from_iterable(((each, Entry(role)) for each in names) for role, names in roles.items())


def _lengths(phrases: Iterable[tuple[str, ...]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for phrase in filter(None, phrases):
        found.setdefault(phrase[0], set()).add(len(phrase))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}


def _with_plurals(name: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [name, *((*name[:-1], plural) for plural in plurals(name[-1]))]
