"""Flow: does a response come to an end, and do its words stand in an order?

Each word becomes a short code: a mark for a capital, the letter of its class, and a mark for what closes it. A table of
classes says which codes never stand side by side. Only function words have classes, and so only texts in which they are
frequent, which is to say English ones, are judged.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from string import ascii_lowercase
from typing import Annotated, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrase, Phrases, RuleSettings, once_a_reply
from evaluation.metrics.utterance import EDGE, Text, Utterance, fold, fold_phrase
from evaluation.records import Finding
from evaluation.text.remembered import Remembered, RememberedWords

STOP, PAUSE, CAPITAL, NAME = ".", ",", "^", "~"
"""Marks of a code: what ends a sentence, what pauses in it, a function word with a capital, another word with one."""
LETTERS = ascii_lowercase[:-3]
EITHER, VOWEL, OTHER = "x", "y", "z"
"""Letters of words without a class: those that begin with neither for certain, with a vowel, with a consonant."""
MARK = EITHER + PAUSE
"""Code of what holds neither letter nor digit: an emoji, a dash."""
_STOPS = re.compile(r"[.!?…]+[\"'”’)\]*]*$")
_PAUSES = re.compile(r"[,;:–—-]+[\"'”’)\]*]*$")
_TRAILING = re.compile(r"(?:…|\.\.+)[\"'”’)\]*]*$")
_BARE = EDGE + "‘’“”…–—"
_OPEN_END = re.compile(r"[,;:(&+–—-]$")
LONGEST_END = 20
"""Characters of what closes a word."""
_LOWER_AFTER_STOP = re.compile(rf"\{STOP}(?!{MARK})(?=[a-z])")
_LOWER = frozenset(ascii_lowercase)
_TITLE = re.compile(rf"[a-z]\{CAPITAL}[a-w](?={NAME})")
"""A function word with a capital before another word with one: "The Beatles"."""
SHORTEST = 2
"""Words of a response that can be out of order."""
FEW = 10
"""Words of a response in which one place out of order is enough, and too few to tell languages apart."""
SENTENCE = 5
"""Words from which on a response without any stop is a sentence that misses one."""
UNSURE = 0.5
"""Strength where the style of a chat may be the reason."""

Words: TypeAlias = Annotated[tuple[Phrase, ...], Field(strict=False)]
Names: TypeAlias = Annotated[tuple[str, ...], Field(strict=False)]


class FlowSettings(RuleSettings):
    """Classes of function words, and which never stand before which."""

    classes: dict[str, Words]
    """Name -> its words, each in one class."""
    never_before: dict[str, Names]
    """Class -> what never follows it: classes, `stop`, `pause`, and `vowel` and `consonant` for other words."""
    never_last: Names
    """Classes that end no text."""
    closings: Phrases = ()
    """Last words after which no full stop is missed: xx, lol."""
    english: float = Field(ge=0, le=1)
    """The share of words with a class from which on a text is judged."""
    english_only: Names
    """Classes whose words no neighbouring language has; a third of that share must be of them, but in few words."""
    misfits: int = Field(ge=1)
    """The number of places out of order that is no slip."""
    full: float = Field(gt=0, le=1)
    """The share of places out of order at which it counts in full."""


class Grammar:
    """The classes as letters, and what never stands side by side.

    Raises ValueError for a class that is not there, a word in two classes, or too many classes.
    """

    def __init__(self, settings: FlowSettings) -> None:
        names = list(settings.classes)
        if len(names) > len(LETTERS):
            raise ValueError(f"{len(names)} classes are more than {len(LETTERS)}")
        letters = dict(zip(names, LETTERS, strict=False))
        followers = {**letters, "stop": STOP, "pause": PAUSE, "vowel": VOWEL, "consonant": OTHER}
        rows = settings.never_before
        unknown = {*rows, *settings.never_last, *settings.english_only} - letters.keys()
        unknown |= {name for row in rows.values() for name in row} - followers.keys()
        if unknown:
            raise ValueError(f"no class {', '.join(sorted(unknown))}; there are {', '.join(followers)}")
        self._classes = {fold_phrase(word): letters[name] for name, row in settings.classes.items() for word in row}
        if len(self._classes) < sum(map(len, settings.classes.values())):
            raise ValueError("a word is in two classes")
        self._never = {letters[name]: frozenset(followers[each] for each in row) for name, row in rows.items()}
        self.never_last = frozenset(letters[name] for name in settings.never_last)
        self._english = settings.english
        self._english_only = "".join(letters[name] for name in settings.english_only)
        self.codes = RememberedWords(self._code)
        """Word as it is written -> its code."""
        self.misfits = Remembered(self._misfit)
        """The codes of two words, one after the other -> whether they never stand so."""

    def _code(self, word: str) -> str:
        bare = fold(word).strip(_BARE)
        letter = EITHER if word == "A" else self._classes.get(bare) or _other(bare)  # "A" may be a grade or a note
        capital = ""
        if word.lstrip(_BARE)[:1].isupper():
            capital = CAPITAL if letter in LETTERS and bare[:2] not in ("i", "i'") else NAME
        end = word[-LONGEST_END:]
        if _STOPS.search(end) and not _TRAILING.search(end) and (letter in LETTERS or "." not in bare):
            return capital + letter + STOP
        return capital + letter + (PAUSE if _PAUSES.search(end) or _TRAILING.search(end) or _is_mark(bare) else "")

    def _misfit(self, codes: tuple[str, str]) -> bool:
        code, following = codes
        end = code[-1]
        if end in (STOP, PAUSE):
            return end in self._never.get(code[-2], ()) or (
                end == STOP and following[:1] in _LOWER and following != MARK
            )
        return following[:1] == CAPITAL or following.lstrip(CAPITAL + NAME)[:1] in self._never.get(end, ())

    def reads(self, line: str, words: int) -> bool:
        """True where the codes of a text are those of English: a word without a class has one of the other letters."""
        if sum(map(line.count, LETTERS)) < self._english * words:
            return False
        return words <= FEW or sum(map(line.count, self._english_only)) >= self._english * words / 3


def _is_mark(bare: str) -> bool:
    return not any(map(str.isalnum, bare))


def _other(bare: str) -> str:
    """The letter of a word without a class; h, u, "one" and "eu" are spoken either way, and so are letters read out."""
    if len(bare) < 3 or not bare.isalpha() or bare[0] in "hu" or bare.startswith(("one", "once", "eu", "ew", "ou")):
        return EITHER
    return VOWEL if bare[0] in "aeio" else OTHER


def breaks_off(settings: FlowSettings) -> Detect:
    """Where the response stops before an end, or else how many of its words stand in no order; graded."""
    grammar = Grammar(settings)
    closings = frozenset(map(fold_phrase, settings.closings))

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        words = text.written_parts
        if len(words) < SHORTEST:
            return ()
        codes = list(map(grammar.codes.__getitem__, words))
        last = words[-1]
        misfits = sum(map(grammar.misfits.__getitem__, pairwise([*codes, ""])))
        if not misfits and last[-1] in ".!?" and not last.endswith(".."):
            return ()
        line = "".join(codes)
        misfits = _out_of_order(misfits, line)
        if misfits < settings.misfits and len(words) > FEW:
            misfits = 0
        disorder = round(min(1.0, misfits / len(words) / settings.full), 3)
        cut = _cut(last, codes, line, grammar, closings)
        if not (cut or disorder) or not grammar.reads(line, len(words)):
            return ()
        if cut >= disorder:
            return (_last_word(text, cut),)
        return (text.measurement("breaks_off", f"{misfits} of {len(words)} words out of order", disorder),)

    return detect


def _out_of_order(misfits: int, line: str) -> int:
    """The misfits, titles left out; in a text without capitals a full stop says nothing of the word after it."""
    if CAPITAL in line:
        return misfits - len(_TITLE.findall(line)) + (line[0] in _LOWER)
    return misfits - len(_LOWER_AFTER_STOP.findall(line))


def _cut(last: str, codes: Sequence[str], line: str, grammar: Grammar, closings: frozenset[str]) -> float:
    """How surely the response stops before its end: 0 where it ends, 1 where it does not."""
    dangles = line.rstrip(STOP + PAUSE)[-1:] in grammar.never_last
    if not last[-1].isalnum():
        if _TRAILING.search(last[-LONGEST_END:]):
            return UNSURE if dangles else 0.0
        return 1.0 if _OPEN_END.search(last) else 0.0
    bare = fold(last).strip(_BARE)
    if bare in closings or "/" in bare or "." in bare or not set(bare) - {"x", "o"}:
        return 0.0
    in_lower_case = CAPITAL not in line and not line.startswith(NAME)
    if dangles:
        return UNSURE if in_lower_case else 1.0
    if in_lower_case or (len(codes) < SENTENCE and STOP not in line):
        return 0.0
    return 1.0 if STOP in line else UNSURE


def _last_word(text: Text, strength: float) -> Finding:
    end = len(text.line.rstrip())
    return text.finding("breaks_off", text.line.rindex(" ", 0, end) + 1, end, strength)


FLOW_CUES = (Cue("breaks_off", "the response has no end, or its words have no order", FlowSettings, breaks_off),)
