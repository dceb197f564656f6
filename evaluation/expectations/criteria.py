"""Sets of criteria: what a domain asks of a response to somebody who stated something, each with its sources.

A set is a YAML file: {title, stated: {key: what a user may state}, sources: {key: {author, title, year, url}},
criteria: [{id, about: key, ask | never | check, critical?, scope?, sources: [key, ...]}]}. A criterion speaks of what
the user said, never of what people of a group are: its question refers to what the user said, and names no group.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from evaluation.errors import UsageError
from evaluation.expectations.form import ItemFault, find_clash, read_items
from evaluation.records import Expectation, Json
from evaluation.text.forms import Fault, Form, SourceText, did_you_mean

MOST_CRITERIA = 20
"""Of one set."""
OF_CRITERIA = ("about", "sources")
"""Keys of a criterion beside those of an item."""
_KEY = r"^[a-z][a-z0-9-]{0,39}$"
_STATED = re.compile(
    r"\b(?:the user|they|it was) (?:has |have |had |was |were )?(?:not )?(?:said|says|stated|told|named|mentioned|"
    r"described|asked|wrote|set|gave|given|chose|wanted|wants)\b",
    re.IGNORECASE,
)
_GROUPS = re.compile(
    r"\b(?:muslims?|islam|islamic|christians?|christianity|catholics?|protestants?|jews?|jewish|judaism|hindus?|hinduism|"
    r"buddhists?|buddhism|sikhs?|atheists?|believers|women|men|girls|boys|mothers|fathers|old people|older people|"
    r"the elderly|seniors|young people|teenagers|immigrants?|migrants?|refugees?|foreigners?|asians?|africans?|arabs?|"
    r"europeans?|americans?|germans|italians|russians|mexicans|indians|turks|latinos?|latinas?|the poor|the rich|"
    r"the disabled|(?:poor|disabled|autistic|deaf|blind|trans|black|white|gay) people|lesbians?|"
    r"their culture|their religion|their faith|their kind|people like (?:them|the user)|such people|members of)\b",
    re.IGNORECASE,
)


class Source(Form):
    """Published guidance on which a criterion rests."""

    author: Annotated[str, Field(min_length=2)]
    """A person or an organisation."""
    title: Annotated[str, Field(min_length=2)]
    year: Annotated[int, Field(ge=1900, le=2100)]
    url: Annotated[str, Field(pattern=r"^https?://[^\s]+\.[^\s]+$")]


class _SetForm(Form):
    """The file of a set as it is written."""

    title: Annotated[str, Field(min_length=2)]
    stated: Annotated[dict[Annotated[str, Field(pattern=_KEY)], str], Field(min_length=1)]
    sources: Annotated[dict[Annotated[str, Field(pattern=_KEY)], Source], Field(min_length=1)]
    criteria: Annotated[tuple[dict[str, Json], ...], Field(strict=False, min_length=1, max_length=MOST_CRITERIA)]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One of a set: an item, and what the user must have stated for it to mean anything."""

    item: Expectation
    about: str
    """Key of what is stated."""
    sources: tuple[str, ...]
    """Keys of the guidance it rests on."""


@dataclass(frozen=True, slots=True)
class CriteriaSet:
    """A set, checked."""

    title: str
    stated: Mapping[str, str]
    """Key -> what a user may state, in words."""
    sources: Mapping[str, Source]
    criteria: tuple[Criterion, ...]


FindSet: TypeAlias = Callable[[str], CriteriaSet]
"""Name of a set -> the set. Raises UsageError for one that does not exist, and for one that is wrong."""


def no_sets(name: str) -> CriteriaSet:
    """Where no set can be found."""
    raise UsageError(f"there is no set of criteria {name[:80]!r}: sets are found where scenarios are read from files")


def parse_criteria(source: SourceText) -> CriteriaSet:
    """The set in a file.

    Raises ParseError for what the form refuses, for a criterion that is no item, that is about nothing stated, rests on
    no source, does not refer to what the user said, or names a group of people, and for a source or a key of what is
    stated that no criterion uses.
    """
    form = source.read(_SetForm, "'title:', 'stated:', 'sources:', 'criteria:'")
    bare = [{key: value for key, value in given.items() if key not in OF_CRITERIA} for given in form.criteria]
    try:
        items = read_items(bare, "criteria")
    except ItemFault as fault:
        raise source.error(("criteria", *fault.path), fault.problem) from None
    if faults := tuple(_faults(form, items)):
        raise source.first_of(faults)
    criteria = tuple(
        Criterion(item, str(given["about"]), tuple(given["sources"]))
        for item, given in zip(items, form.criteria, strict=True)
    )
    return CriteriaSet(form.title, form.stated, form.sources, criteria)


def _faults(form: _SetForm, items: Sequence[Expectation]) -> Iterator[Fault]:
    for number, (item, given) in enumerate(zip(items, form.criteria, strict=True)):
        for key, problem in (*_faults_of_references(item, given, form), *_faults_of_words(item)):
            yield ("criteria", number, *([key] if key in given else [])), f"item {item.id!r} {problem}"
    used = {each for given in form.criteria for each in _listed(given.get("sources"))}
    for key in form.sources:
        if key not in used:
            yield ("sources", key), f"source {key!r} is behind no criterion: name it at one, or remove it"
    about = [given.get("about") for given in form.criteria]
    for key in form.stated:
        if key not in about:
            yield ("stated", key), f"{key!r} is what no criterion is about: write one, or remove it"


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _faults_of_references(item: Expectation, given: Mapping[str, Json], form: _SetForm) -> Iterator[tuple[str, str]]:
    """Key and problem of what a criterion names that is not there."""
    about = given.get("about")
    if about not in tuple(form.stated):
        yield "about", f"is about {str(about)[:60]!r}, which is nothing under stated{_near(about, form.stated)}"
    sources = _listed(given.get("sources"))
    if not sources:
        yield "sources", f"rests on no source: name one of {', '.join(form.sources)}"
    for each in sources:
        if each not in tuple(form.sources):
            yield "sources", f"names the source {str(each)[:60]!r}, which is not listed{_near(each, form.sources)}"
    if item.turn:
        yield "turn", f"is about turn {item.turn}, and a set is for many scenarios: leave the turn out"


def _near(name: Json, known: Mapping[str, object]) -> str:
    return did_you_mean(str(name), tuple(known))


def _faults_of_words(item: Expectation) -> Iterator[tuple[str, str]]:
    """What is wrong with the words of a question."""
    group = _GROUPS.search(item.question)
    if group is not None:
        yield item.kind, f"speaks of {group[0]!r}, a group of people: say what the user stated, not what people are"
    if not _STATED.search(item.question):
        yield item.kind, 'does not refer to what the user stated: speak of what "the user said", named, told or asked'


def criteria_items(
    sets: Sequence[CriteriaSet], stated: Mapping[str, str], said: Sequence[str]
) -> tuple[Expectation, ...]:
    """The items of the sets that are about what a user stated.

    `stated` gives for a key the words in which the user says it, which stand in one of the texts of `said`. Raises
    ItemFault for words that nobody says, for a key that no set has, and for one id of two questions.
    """
    known = tuple(dict.fromkeys(key for each in sets for key in each.stated))
    told = [_plain(text) for text in said]
    for key, words in stated.items():
        if key not in known:
            raise ItemFault(
                ("stated", key), f"states {key[:60]!r}, which no named set of criteria has{did_you_mean(key, known)}"
            )
        if not _plain(words) or not any(_plain(words) in text for text in told):
            step = "quote the words of a turn, of the history or of a fact"
            raise ItemFault(("stated", key), f"states {words[:80]!r}, which the user does not say: {step}")
    items = [item.item for each in sets for item in each.criteria if item.about in stated]
    clash = find_clash([[item] for item in items])
    if clash is not None:
        problem = f"names sets of criteria of which two ask different questions as {clash.id!r}: leave one out"
        raise ItemFault(("criteria_sets",), problem)
    return tuple({item.id: item for item in items}.values())


def _plain(text: str) -> str:
    """A text as quotes are compared: caseless, one blank for a run of white space, straight quotation marks."""
    marks = {ord(mark): "'" for mark in '\u2018\u2019\u201c\u201d"'}
    return " ".join(text.casefold().translate(marks).split())
