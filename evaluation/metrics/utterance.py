"""The texts that cues read, folded once and shared by all metrics.

Folding is one character to one character, so that an offset into a folded text is an offset into the original.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from evaluation.languages.speech import USUAL, Speech
from evaluation.records import Finding, Meaning, Turn, Where, finding_of
from evaluation.text.remembered import RememberedWords

Value = TypeVar("Value")

WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every character at which str.split() splits."""
APOSTROPHES = "\u2018\u2019\u201b\u02bc\u2032\uff07"
"""Characters that people and models write for a straight apostrophe."""
EDGE = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
"""ASCII punctuation and symbols: what is taken off both ends of a word before it is compared."""
KEPT_TEXTS = 500
"""Messages and earlier turns that are remembered."""
LONGEST_KEPT_TEXT = 1000
"""Characters of one that is."""
LONGEST_CLAUSE = 200
"""Characters before a question mark that are read as its clause."""

_FOLDED = str.maketrans({**dict.fromkeys(WHITE_SPACE, " "), **dict.fromkeys(APOSTROPHES, "'")})
_TO_FOLD = re.compile(f"[{re.escape(WHITE_SPACE.replace(' ', ''))}{APOSTROPHES}]")
_BLANKS = re.compile(r" {2,}")
_TOKEN = re.compile(r"[^\W_]+")
_PIECE = re.compile(
    r"[^\W_]+(?:'[^\W_]+)*"
    r"|[.!?\u2026\u3002\uff01\uff1f](?=[\s\"'\u201d)*.!?\u2026]|$)"
    r"|[,;:\u2013\u2014()\"\u201c\u201d]|(?<= )-(?= )|(?<![^\W_])'(?=[^\W_])"
)
"""A word with its inner apostrophes, a mark that ends a sentence, or one that parts clauses or opens a quotation."""
_UNUSUAL = re.compile(r"[^a-zA-Z ,.!?'\"-]")
_PROSE_MARKS = frozenset("0123456789 ,.!?'\"-¿¡…’“”„«»。，、！？；「」『』")
_MARKS = re.compile(r"[?？؟]+")
_CLAUSE_ENDS = (". ", "! ", "\n", "… ", ': "', "。", "！")


def fold(text: str) -> str:
    """The text in lower case with straight apostrophes and each white-space character as a blank; same length.

    The capital dotted I is the only character whose lower case is longer than itself; it becomes a plain i.
    """
    if text.isascii():
        # Printable ASCII has no white space but the blank and no apostrophe but the straight one.
        return text.lower() if text.isprintable() else text.lower().translate(_FOLDED)
    folded = text.replace("İ", "i").lower()
    for each in set(
        _TO_FOLD.findall(folded)
    ):  # few texts hold more than one, and str.translate takes ten times as long
        folded = folded.replace(each, _FOLDED[ord(each)])
    return folded


def fold_phrase(phrase: str) -> str:
    """A phrase of a list in the form in which `Text.line` would hold it."""
    return " ".join(fold(phrase).split())


def bare_word(word: str) -> str:
    """A word without the punctuation around it; empty when it is nothing else."""
    word = word.strip(EDGE)
    if word.isascii() or word.isalnum():
        return word
    start, end = 0, len(word)
    while start < end and not is_word_character(word[start]):
        start += 1
    while end > start and not is_word_character(word[end - 1]):
        end -= 1
    return word[start:end]


def is_word_character(character: str) -> bool:
    """True for letters, digits and the marks that combine with them."""
    return character.isalnum() or (character > "\x7f" and unicodedata.category(character)[0] == "M")


def tokens_of(line: str) -> list[str]:
    """The runs of letters and digits in a folded text, in order ("don't" gives "don", "t")."""
    return _TOKEN.findall(line)


def pieces_of(line: str) -> list[str]:
    """The words and punctuation marks of a folded text, in order ("Don't, please" gives "don't", "," and "please")."""
    return _PIECE.findall(line)


class Part(NamedTuple):
    """The pieces of what stands between two blanks, which depend on nothing beyond it."""

    pieces: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    """Start and end of each piece within the part."""


def _part(written: str) -> Part:
    places = tuple([match.span() for match in _PIECE.finditer(written)]) if written != "-" else ((0, 1),)
    return Part(tuple([written[start:end] for start, end in places]), places)


_PARTS = RememberedWords(_part)
_TOKENS = RememberedWords(tokens_of)
_NO_PIECES = (Part((), ()),)
_PIECES_OF = attrgetter("pieces")


def question_spans(text: str, without_mark: tuple[str, ...] = ()) -> tuple[tuple[int, int], ...]:
    """Start and end of each question, its mark included: a clause with a letter or digit, closed by a question mark.

    `without_mark` are ends of a sentence that ask without one. A mark within a web address closes nothing. Each clause
    is read back over a bounded stretch, so the time is linear.
    """
    if "?" not in text and (text.isascii() or not (without_mark or _MARKS.search(text))):
        return ()
    marks = _marks_or(without_mark) if without_mark else _MARKS
    spans: list[tuple[int, int]] = []
    previous = 0
    for mark in marks.finditer(text):
        end = mark.end()
        if text[end - 1] == "?" and end < len(text) and (text[end].isalnum() or text[end] in "=&/%"):
            continue
        start = _clause_start(text, max(previous, mark.start() - LONGEST_CLAUSE), mark.start())
        previous = end
        if any(map(str.isalnum, text[start : mark.start()])):
            spans.append((start, end))
    return tuple(spans)


@lru_cache(maxsize=16)
def _marks_or(ends: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join([_MARKS.pattern, *map(re.escape, ends)]))


def _clause_start(text: str, floor: int, end: int) -> int:
    clause = text[floor:end]
    cut = 0
    for close in _CLAUSE_ENDS:
        if close in clause:
            cut = max(cut, clause.rfind(close) + len(close))
    return end - len(clause[cut:].lstrip())


def _whole_places(line: str, token: str) -> list[int]:
    places = []
    start = line.find(token)
    while start >= 0:
        end = start + len(token)
        if not ((start and line[start - 1].isalnum()) or line[end : end + 1].isalnum()):
            places.append(start)
        start = line.find(token, end)
    return places


class Once(Generic[Value]):
    """A property that is worked out when first asked for and then kept as a plain attribute.

    As functools.cached_property, whose lock in Python 3.11 takes longer than most of what is kept here.
    """

    def __init__(self, work: Callable[[Any], Value]) -> None:
        self._work, self._name = work, work.__name__

    def __get__(self, owner: object, _kind: object = None) -> Value:
        value = self._work(owner)
        setattr(owner, self._name, value)  # without its __dict__, which would make all attributes of the owner slower
        return value


class Text:
    """One text and its folded forms; what few cues need is worked out when first asked for and then kept."""

    def __init__(self, original: str, where: Where, speech: Speech = USUAL) -> None:
        self.original = original
        self.where: Where = where
        self.speech = speech
        """How the language is counted in which it is read; settled before anything is counted."""
        self.folded = fold(original)
        """Same length as the original."""
        self.line = _BLANKS.sub(" ", self.folded) if "  " in self.folded else self.folded
        """The folded text with every run of white space as one blank: what phrases are looked for in."""
        self.parts = self.folded.split()
        """The pieces between white space, folded, in order."""
        self.remembered: dict[Hashable, Any] = {}
        """What cues worked out of this text alone, under the key of whoever did."""

    @Once
    def is_plain(self) -> bool:
        """True where it holds nothing but letters of English, blanks and the marks of everyday prose."""
        return _UNUSUAL.search(self.original) is None

    @Once
    def is_unmarked(self) -> bool:
        """The same for any language: nothing but letters, digits, blanks and the marks of everyday prose."""
        if self.is_plain or self.original.isascii():
            return self.is_plain
        return all(each.isalpha() or each in _PROSE_MARKS for each in set(self.original))

    @Once
    def written_parts(self) -> list[str]:
        """The pieces between white space as they are written."""
        return self.original.split()

    @Once
    def words(self) -> frozenset[str]:
        """Words at white space, folded, without surrounding punctuation."""
        ascii_only = self.folded.isascii()
        words = {word.strip(EDGE) for word in self.parts} if ascii_only else set(map(bare_word, self.parts))
        words.discard("")
        return frozenset(words)

    @Once
    def tokens_in_order(self) -> list[str]:
        """Runs of letters and digits, folded."""
        return list(chain.from_iterable(map(_TOKENS.__getitem__, self.parts)))

    @Once
    def tokens(self) -> frozenset[str]:
        """The different ones of these."""
        return frozenset(self.tokens_in_order)

    @Once
    def _places(self) -> dict[str, list[int]]:
        return {}

    def places_of(self, token: str) -> list[int]:
        """Where a token stands in `line` as a word of its own, in order; looked for once, whoever asks."""
        found = self._places.get(token)
        if found is None:
            found = self._places[token] = _whole_places(self.line, token)
        return found

    @Once
    def pieces(self) -> list[str]:
        """The words and punctuation marks of `line`, in order."""
        return list(chain.from_iterable(map(_PIECES_OF, self._pieced_parts)))

    def piece_place(self, number: int) -> tuple[int, int]:
        """Start and end in `line` of one of the pieces. Few are asked for."""
        at = bisect_right(self._piece_counts, number)
        start, end = self._pieced_parts[at].places[number - self._piece_counts[at]]
        behind = self._part_starts[at] + at
        return behind + start, behind + end

    def pieces_before(self, place: int) -> int:
        """How many pieces begin before a place in `line`."""
        return bisect_left(range(len(self.pieces)), place, key=lambda number: self.piece_place(number)[0])

    @Once
    def _pieced_parts(self) -> list[Part]:
        """The parts, of which a dash at either end of the text is no piece: it is a mark between blanks alone."""
        line, parts = self.line, list(map(_PARTS.__getitem__, self.parts))
        first, last = line == "-" or line.startswith("- "), line.endswith(" -")
        if not (first or last):
            return parts
        return [*_NO_PIECES[:first], *parts[first : len(parts) - last], *_NO_PIECES[:last]]

    @Once
    def _piece_counts(self) -> list[int]:
        """How many pieces there are up to the end of each part."""
        return list(accumulate(map(len, map(_PIECES_OF, self._pieced_parts))))

    @Once
    def _part_starts(self) -> list[int]:
        """Where in `line` each part starts, the blanks between parts not counted."""
        return list(accumulate(map(len, self.parts), initial=int(self.line.startswith(" "))))

    @property
    def word_count(self) -> int:
        """Words as str.split() counts them; of a language without blanks as long as such words take to say."""
        return len(self.parts) if self.speech.separates_words else self._equivalent_words

    @Once
    def _equivalent_words(self) -> int:
        return self.speech.count_words(self.folded)

    @Once
    def questions(self) -> tuple[tuple[int, int], ...]:
        """Places of the questions in the original."""
        return question_spans(self.original, self.speech.question_ends)

    def origin(self, offset: int) -> int:
        """The place in the original of a place in `line`."""
        gone = 0
        for run in _BLANKS.finditer(self.folded):
            if run.start() - gone >= offset:
                break
            gone += run.end() - run.start() - 1
        return offset + gone

    def finding(self, cue: str, start: int, end: int, strength: float = 1.0) -> Finding:
        """A finding of the original text at these places in `line`."""
        if len(self.line) != len(self.folded):
            start, end = self.origin(start), self.origin(end - 1) + 1
        return finding_of((cue, self.where, start, end, self.original[start:end], strength))

    def measurement(self, cue: str, statement: str, strength: float = 1.0) -> Finding:
        """A finding about the whole text: a short statement of what was measured."""
        return finding_of((cue, self.where, 0, 0, statement, strength))


@lru_cache(maxsize=KEPT_TEXTS)
def _kept_text(original: str, where: Where) -> Text:
    return Text(original, where)


def text_before_reply(original: str, where: Where, speech: Speech = USUAL) -> Text:
    """The text of a message of the user or an earlier turn; the same object while it is remembered.

    The versions of a prompt and the repeats of a scenario answer the same messages, and each turn of a conversation
    comes after the same ones, so that what was read of them is read once.
    """
    if speech is not USUAL or len(original) > LONGEST_KEPT_TEXT:
        return Text(original, where, speech)
    return _kept_text(original, where)


def compose(text: str) -> str:
    """The text with each accent and its letter as one character, where Unicode has one (NFC)."""
    return text if _is_composed(text) else unicodedata.normalize("NFC", text)


def _is_composed(text: str) -> bool:
    return text.isascii() or unicodedata.is_normalized("NFC", text)


class Utterance:
    """One exchange as the cues see it: what the user said, what came back, what came before, what was flagged."""

    __slots__ = ("_earlier", "context", "meaning", "moderation", "remembered", "response", "user_input")

    def __init__(
        self,
        user_input: str,
        response: str | Text,
        context: Sequence[Turn] = (),
        moderation: Sequence[str] = (),
        meaning: Meaning | None = None,
        speech: Speech = USUAL,
    ) -> None:
        self.user_input = text_before_reply(user_input, "user_input", speech)
        self.response = response if isinstance(response, Text) else Text(response, "response", speech)
        """A reply that is held against many messages is given as a text, so that it is read once."""
        self.context = context
        self.moderation = moderation
        """Categories for which a moderation endpoint flagged the response."""
        self.meaning = meaning
        """Vectors of the exchange; None where no model of embeddings was asked."""
        self.remembered: dict[Hashable, Any] = {}
        """What several cues need of one exchange, under the key of whoever works it out."""
        self._earlier: tuple[tuple[str, Text], ...] | None = None if context else ()

    def composed(self) -> "Utterance":
        """The same with each accent and its letter as one character (NFC), as packs write them; itself where it is so.

        Places of findings are then those in the composed text. Nothing may have been counted of it before.
        """
        texts = (self.user_input.original, self.response.original, *(turn.content for turn in self.context))
        if all(map(_is_composed, texts)):
            return self
        context = [replace(turn, content=compose(turn.content)) for turn in self.context]
        return Utterance(compose(texts[0]), compose(texts[1]), context, self.moderation, self.meaning)

    @property
    def earlier(self) -> tuple[tuple[str, Text], ...]:
        """The turns before the user's message, oldest first, each with its role: user or assistant."""
        if self._earlier is None:
            spoken = [turn for turn in self.context if turn.role in ("user", "assistant")]
            self._earlier = tuple((turn.role, text_before_reply(turn.content, "context")) for turn in spoken)
        return self._earlier
