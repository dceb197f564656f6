"""Names of people in a conversation: found by what stands around them, by a list of given names, or by their form.

A name is looked for word by word. "My name is", titles and signatures take also a word in small letters; "I'm", "this
is" and greetings take one with a capital, or one of the list; and within an English sentence a capitalised word that no
dictionary has is a name until a person says otherwise.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.harvest.cues import (
    ADJECTIVE,
    CHINESE,
    DIRECT,
    DRAWN_OUT,
    INTRODUCED,
    PLACE_BEFORE,
    SIGNED,
    SPOKE,
    STRONG,
    WEAK,
)
from evaluation.harvest.given_names import ALSO_WORDS, GIVEN_NAMES
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.not_names import ACTIONS, NEVER_AFTER_A_CUE, NOT_NAMES, PARTICLES
from evaluation.text.word_frequency import word_ranks

_WORD = re.compile(r"[^\W\d_]+(?:[-'’](?!s\b)[^\W\d_]+)*")
_SPELLINGS = (("or", "our"), ("z", "s"), ("er", "re"), ("a", "ae"), ("lo", "llo"), ("math", "maths"))
"""American and British, as the dictionary has the latter."""
_LONGEST = 5
"""Words of one name at most."""
_SENTENCE_END = re.compile(r"(?:^|[.!?…:;\n\"“”()\[\]*•–—>]|[-] )\s*[\"'“‘(*_]*$")
_CUE_CHARACTERS = 60
"""Characters before a word in which a cue may stand."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    starts: bool
    """True for the first word of a sentence, which is capitalised whatever it is."""

    @property
    def low(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def inner_capitals(self) -> bool:
        """TikTok and YouTube, but not McDonald or O'Neil."""
        rest = re.sub(r"^(?:Mc|Mac|De|Di|Le|La|Van|Fitz|O['’]|D['’])(?=[A-Z])|(?<=[-'’])[A-Z]", "", self.text)
        return any(sign.isupper() for sign in rest[1:]) and not self.text.isupper()

    @property
    def shouted(self) -> bool:
        return len(self.text) > 1 and self.text.isupper()


@dataclass
class People:
    """The names of one conversation, gathered text by text."""

    given: dict[str, None] = field(default_factory=dict)
    """First words of names, in small letters, in the order in which they came."""
    family: dict[str, None] = field(default_factory=dict)
    """Further words of names."""
    capital_only: dict[str, None] = field(default_factory=dict)
    """Names that are words too, or are names by their form alone: in small letters they stay."""
    doubtful: dict[str, None] = field(default_factory=dict)
    """Words that may be names or not: capitalised ones within a sentence, and others that are in no dictionary."""

    @property
    def all(self) -> frozenset[str]:
        return frozenset({**self.given, **self.family})

    def read(self, text: str) -> None:
        """Adds the names of a text."""
        words = list(_words(text))
        english = _is_english(words)
        for found in CHINESE.finditer(text):
            self.given[found[1]] = None
        taken = -1
        for place, word in enumerate(words):
            if place <= taken:
                continue
            reach, sure = _length_of_name(text, words, place, english)
            if reach:
                self._add(words[place : place + reach], sure)
                taken = place + reach - 1
            elif _is_doubtful(word) if word.capital else english and _unknown(word):
                self.doubtful[word.text] = None

    def add_parts(self, parts: Collection[str]) -> None:
        """Adds words that a mail's address consists of, but for those that are words of the language."""
        for part in parts:
            low = part.lower()
            if len(low) > 2 and low.isalpha() and (low in GIVEN_NAMES - ALSO_WORDS or low not in word_ranks()):
                self.given.setdefault(low)

    def _add(self, words: Sequence[_Word], sure: bool) -> None:
        kind = self.given
        for word in words:
            parts = [part for part in word.low.split("-") if len(part) > 1]
            if word.low in PARTICLES or not parts:
                continue
            for part in (word.low, *parts) if len(parts) > 1 else parts:
                known = part in self.given or part in self.family
                if not known:
                    kind[part] = None
                anywhere = not word.capital or (_is_no_word(part) if not sure else part not in ALSO_WORDS)
                if anywhere and part not in FUNCTION_WORDS:
                    self.capital_only.pop(part, None)
                elif not known:
                    self.capital_only[part] = None
            kind = self.family


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        starts = match.start() == 0 or bool(_SENTENCE_END.search(before))
        yield _Word(match[0], match.start(), match.end(), starts)


def _is_english(words: Sequence[_Word]) -> bool:
    """True where one word in five or more holds English sentences together, and for a text of few words."""
    known = sum(part in FUNCTION_WORDS for word in words for part in re.split("['’]", word.low)[:1])
    return len(words) < 4 or known >= len(words) / 5


def _length_of_name(text: str, words: Sequence[_Word], place: int, english: bool) -> tuple[int, bool]:
    """How many words from `place` on are a name, 0 for none; and True where more than their form says so."""
    word = words[place]
    before = text[max(0, word.start - _CUE_CHARACTERS) : word.start]
    low = word.low
    said_as_name = word.capital and not word.starts and low in GIVEN_NAMES
    if (low in FUNCTION_WORDS and not said_as_name) or (low in PARTICLES and not word.capital):
        return 0, False
    if STRONG.search(before) and _may_follow_a_strong_cue(word, before):
        return _reach(text, words, place, lower=not word.capital), True
    if low in NOT_NAMES or DRAWN_OUT.search(low):
        return 0, False
    listed = low in GIVEN_NAMES
    if SIGNED.search(before) and (word.capital or listed) and _ends_soon(text, words, place):
        return _reach(text, words, place), True
    in_place = bool(PLACE_BEFORE.search(before))
    if listed and low not in ALSO_WORDS and not in_place:
        return _reach(text, words, place, lower=not word.capital), True
    if not word.capital or word.inner_capitals or (word.shouted and (not listed or low in ALSO_WORDS)):
        related = DIRECT.search(before) is not None
        named = listed and low not in ACTIONS and related
        strange = english and not word.capital and (related or INTRODUCED.search(before)) and _is_strange(word)
        return (_reach(text, words, place, lower=True) if named or strange else 0), True
    if WEAK.search(before) or DIRECT.search(before):
        return (_reach(text, words, place) if _is_likely(word, before, listed, english, in_place) else 0), True
    return _by_form(text, words, place, listed, english, in_place), False


def _by_form(text: str, words: Sequence[_Word], place: int, listed: bool, english: bool, in_place: bool) -> int:
    """The same for a capitalised word before which nothing says that it is a name."""
    word = words[place]
    after = text[word.end : word.end + 24]
    if listed and not in_place and (not word.starts or SPOKE.match(after) or after[:2] == ", "):
        return _reach(text, words, place)
    if not english or not _unknown(word):
        return 0
    behind = words[place + 1] if place + 1 < len(words) and after[:1] == " " else None
    full = behind is not None and behind.start == word.end + 1 and behind.capital and behind.low not in NOT_NAMES
    if not word.starts or full or SPOKE.match(after) or re.match(r",|:|$|[!.]|'s |’s | [a-z]+ed\b", after):
        return _reach(text, words, place)
    return 0


def _may_follow_a_strong_cue(word: _Word, before: str) -> bool:
    """False for "call me back" and "my name is not important"."""
    if word.low in NEVER_AFTER_A_CUE or word.low in FUNCTION_WORDS:
        return False
    if re.search(r"\bcall (?:me|him|her)[ \"'“‘(*_]*$", before, re.IGNORECASE):
        return word.capital or word.low in GIVEN_NAMES or word.low not in word_ranks()
    if re.search(
        r"(?:from|to|cc|contact|called|named|name of|known as|go(?:es)? by)[: ]*[\"'“‘(*_]*$", before, re.IGNORECASE
    ):
        return word.capital or word.low in GIVEN_NAMES
    return word.low not in NOT_NAMES or word.low in GIVEN_NAMES


def _is_likely(word: _Word, before: str, listed: bool, english: bool, in_place: bool) -> bool:
    """Whether a capitalised word after a weak cue is a name."""
    if in_place and not listed:
        return english and _unknown(word)
    if re.search(r"\b(?:and|or|with|to|from|by|for|about|of)[ \t]*[\"'“‘(*_]*$", before, re.IGNORECASE):
        return (listed and not in_place) or (english and _unknown(word))
    return True


def _reach(text: str, words: Sequence[_Word], place: int, *, lower: bool = False) -> int:
    """How many words the name has that begins at `place`. With `lower` it is written in small letters."""
    reach = 1
    for step in range(1, _LONGEST + 1):
        if place + step >= len(words):
            break
        last, word = words[place + step - 1], words[place + step]
        between = text[last.end : word.start]
        initial = len(last.text) == 1 and between in (". ", ".")
        if not (re.fullmatch(r"[ \t]{1,2}", between) or initial):
            break
        if word.low in PARTICLES and any(each.capital for each in words[place + step + 1 : place + step + 3]):
            continue
        if not _goes_on(word, lower):
            break
        reach = step + 1
    return reach


def _goes_on(word: _Word, lower: bool) -> bool:
    if word.low in FUNCTION_WORDS or word.low in NOT_NAMES:
        return False
    if word.capital:
        return True
    return lower and (word.low in GIVEN_NAMES - ALSO_WORDS or _unknown(word))


def _ends_soon(text: str, words: Sequence[_Word], place: int) -> bool:
    """True where at most two words follow in the line."""
    line_end = text.find("\n", words[place].start)
    stop = len(text) if line_end < 0 else line_end
    return sum(words[place].start < word.start < stop for word in words[place : place + 5]) <= 2


def _unknown(word: _Word) -> bool:
    """True for a word that is in no dictionary, and no contraction or compound of such words."""
    ranks, low = word_ranks(), word.low
    if len(low) < 3 or low in NOT_NAMES or low in ranks or low in FUNCTION_WORDS or word.inner_capitals:
        return False
    parts = re.split(r"[-']", low)
    if len(parts) > 1 and all(part in ranks or part in FUNCTION_WORDS or len(part) < 3 for part in parts):
        return False
    if any(low.replace(*pair) in ranks for pair in _SPELLINGS) or DRAWN_OUT.search(low):
        return False
    stems = [low[: -len(end)] for end in ("s", "es", "ed", "d", "ing", "ly", "er", "y") if low.endswith(end)]
    return not any(len(stem) > 3 and (stem in ranks or f"{stem}e" in ranks) for stem in stems)


def _is_strange(word: _Word) -> bool:
    """True for a word in small letters that is in no dictionary, and that no slip of the keyboard makes of one."""
    low, ranks = word.low, word_ranks()
    if not _unknown(word) or len(low) < 4 or ADJECTIVE.search(low):
        return False
    letters = "abcdefghijklmnopqrstuvwxyz"
    halves = [(low[:place], low[place:]) for place in range(len(low) + 1)]
    left_out = (one + sign + other for one, other in halves for sign in letters)
    typed_beside = (one + sign + other[1:] for one, other in halves if other for sign in letters)
    doubled = (one + other[1:] for one, other in halves if other)
    swapped = (one + other[1] + other[0] + other[2:] for one, other in halves if len(other) > 1)
    return not any(each in ranks for slips in (left_out, typed_beside, doubled, swapped) for each in slips)


def _is_no_word(low: str) -> bool:
    """True for a name that means nothing in small letters."""
    return low in GIVEN_NAMES - ALSO_WORDS or low not in word_ranks()


def _is_doubtful(word: _Word) -> bool:
    low = word.low
    if word.starts:
        return _unknown(word) and not word.shouted
    if low in NOT_NAMES or re.split("'", low)[0] in FUNCTION_WORDS or len(low) < 2:
        return False
    return not (word.shouted and low in word_ranks())
