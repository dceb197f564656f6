"""Names and numbers in the place of others: the user's dog is Biscuit and the reply says Rex, seven became eight."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from evaluation.metrics.cues.content_words import Place, names_in
from evaluation.metrics.utterance import Text
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.stems import stem_of
from evaluation.text.word_frequency import word_ranks

_FIRST = re.compile(r"(?:\A|[.!?…\n:\"“])\s{0,3}([^\W\d_a-z][^\W\d_]+)")
"""A word with a capital at the start of a sentence."""
_PLACE_BEFORE = re.compile(r"\b(?:in|at|on|to|from|near|around) \Z")
_IN_PLACE = re.compile(r"\b(?:in|from|near|to) (?:[a-z]{3,12} )?\Z")
_OTHER_THING = re.compile(
    r"\b(?:in|at|on|to|from|near|around|the|see|seen|saw|watch|watched|watching|read|reading|film|movie|book|series|song"
    r"|album|band|game|show|app|called|by|via|using|use) \Z"
)
"""Words before a word with a capital that make it a place, a title or a brand."""
_YOURS = re.compile(r"\byour [^\W\d_]{2,15},? \Z")
"""Whose name it must be: "your dog", "your friend"."""
REACH = 24
"""Characters before a word that are looked at for these."""
COMMON = 5000
"""Rank in the list of frequencies up to which a word with a capital is no name, unless it is known as one."""
MOST = 50
"""Numbers of a reply that are held against those of the user."""
_TOKEN = re.compile(r"[^\W_]+")
_CLOCK = re.compile(r"(\d{1,2})(?:am|pm)")
_CLOCK_BEFORE = frozenset({"at", "around", "until", "till", "by", "past", "before", "after"})
_CLOCK_AFTER = frozenset({"o", "oclock", "am", "pm", "sharp", "thirty", "fifteen", "a", "p"})
_DIGIT = re.compile(r"[0-9]")
_TENS = range(20, 100, 10)
_YEARS = frozenset({"year", "years"})
_AGE_BEFORE = frozenset({"s", "is", "m", "am", "re", "are", "be", "was", "turned", "turns", "turning", "aged", "age"})
AROUND = 6
"""Words before and after a time of day that say of what it is the time."""
Kind: TypeAlias = Literal["", "clock", "age"]


@dataclass(frozen=True)
class Names:
    """Which words with a capital are names of people and animals."""

    first_names: frozenset[str]
    other_capitals: frozenset[str]
    """Words with a capital that name nobody: weekdays, languages, towns, brands."""

    no_places: frozenset[str] = frozenset()
    """Words with a capital that are no place: months, languages, brands."""

    def stated_in(self, texts: Iterable[Text]) -> set[str]:
        """The names that texts of the user hold, but for what is a place by its preposition."""
        found: set[str] = set()
        for text in texts:
            for start, end in names_in(text):
                if not _PLACE_BEFORE.search(text.folded[max(0, start - 8) : start]):
                    found.add(text.folded[start:end])
            found.update(text.folded[slice(*place)] for place in self._first_words(text))
        return found - self.other_capitals

    def others_in(self, text: Text, before: Sequence[Text]) -> list[Place]:
        """The names of a text that no text before it holds."""
        places = [place for place in names_in(text) if self._is_name(text, place)]
        places += self._first_words(text)
        words = {place: text.folded[slice(*place)] for place in places}
        return [
            place
            for place, word in words.items()
            if word not in self.other_capitals and not any(word in each.tokens for each in before)
        ]

    def other_places_in(self, text: Text, by_user: Sequence[Text], before: Sequence[Text]) -> list[Place]:
        """Where a text says that something is, when no text before it does and the user named another place."""
        new = [
            place
            for place in self._places_in(text)
            if not any(text.folded[slice(*place)] in each.tokens for each in before)
        ]
        if not new:
            return []
        stated = {each.folded[slice(*place)] for each in by_user for place in self._places_in(each)}
        return new if stated and stated.isdisjoint(text.tokens) else []

    def _places_in(self, text: Text) -> list[Place]:
        return [
            (start, end)
            for start, end in names_in(text)
            if _IN_PLACE.search(text.folded[max(0, start - REACH) : start])
            and text.folded[start:end] not in self.no_places
        ]

    def _is_name(self, text: Text, place: Place) -> bool:
        """Whether a word with a capital within a sentence names somebody rather than a place, a title or a brand."""
        start, end = place
        word, before = text.folded[start:end], text.folded[max(0, start - REACH) : start]
        if word in self.first_names or _YOURS.search(before):
            return True
        return word_ranks().get(word, COMMON) >= COMMON and not _OTHER_THING.search(before)

    def _first_words(self, text: Text) -> list[Place]:
        """Names at the start of a sentence: those of the list, and what no list of words knows before a comma."""
        ranks = word_ranks()
        places: list[Place] = []
        for match in _FIRST.finditer(text.original):
            start, end = match.span(1)
            word = text.folded[start:end]
            unknown = text.folded[end : end + 1] == "," and word not in ranks and word not in FUNCTION_WORDS
            if (unknown or word in self.first_names) and match[1][0].isupper():
                places.append((start, end))
        return places


class Number(NamedTuple):
    """A number of a text and what it counts."""

    value: int
    place: Place
    kind: Kind
    before: str
    after: frozenset[str]
    """Stems of the next two words, function words left out."""
    around: frozenset[str]
    """Stems of the words around it, function words left out: a time of day is the time of something."""


def numbers_in(text: Text, values: Mapping[str, int]) -> list[Number]:
    """The numbers of a text, in words or digits; tens and units that follow one another are one number."""
    if text.tokens.isdisjoint(values) and not _DIGIT.search(text.folded):
        return []
    matches = list(_TOKEN.finditer(text.folded))
    words = [match[0] for match in matches]
    found: list[Number] = []
    last = -1
    for index, word in enumerate(words):
        clock = _CLOCK.fullmatch(word)
        value = int(clock[1]) if clock else _value(word, values)
        if value is None or index == last:
            continue
        unit = _value(words[index + 1], values) if index + 1 < len(words) else None
        last = index
        if value in _TENS and unit is not None and 0 < unit < _TENS[0] // 2:
            value, last = value + unit, index + 1
        place = matches[index].start(), matches[last].end()
        open_end = text.folded[place[1] : place[1] + 1] != " "
        found.append(_number(value, place, words, (index, last), open_end, clock is not None))
    return found


def _value(token: str, values: Mapping[str, int]) -> int | None:
    if token.isascii() and token.isdigit() and len(token) <= 9:
        return int(token)
    return values.get(token)


def _number(
    value: int, place: Place, words: Sequence[str], span: tuple[int, int], open_end: bool, clock: bool
) -> Number:
    first, last = span
    before, following = words[first - 1] if first else "", words[last + 1 : last + 3]
    bare = open_end or not following or following[0] in FUNCTION_WORDS
    kind: Kind = ""
    if clock or (bare and before in _CLOCK_BEFORE) or (following and following[0] in _CLOCK_AFTER):
        kind = "clock"
    elif (bare and before in _AGE_BEFORE) or (len(following) > 1 and following[0] in _YEARS and following[1] == "old"):
        kind = "age"
    return Number(
        value, place, kind, before, _content(following), _content(words[max(0, first - AROUND) : last + AROUND])
    )


def _content(words: Sequence[str]) -> frozenset[str]:
    return frozenset(stem_of(word) for word in words if word not in FUNCTION_WORDS)


def other_numbers(said: Sequence[Number], stated: Sequence[Number], known: AbstractSet[int]) -> list[Place]:
    """The numbers that count what another number counted when the user said it.

    `known` are all values that were said before. A reply that says the user's number as well only sets one beside it.
    """
    values = {number.value for number in said}
    return [
        number.place
        for number in said[:MOST]
        if number.value not in known
        and any(other.value not in values and _count_the_same(number, other) for other in stated[:MOST])
    ]


def _count_the_same(one: Number, other: Number) -> bool:
    if one.kind and one.kind == other.kind:
        return one.kind == "age" or bool(one.around & other.around)
    if one.after & other.after:
        return True
    return one.before == other.before and one.before not in FUNCTION_WORDS and bool(one.before)
