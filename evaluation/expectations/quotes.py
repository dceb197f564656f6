"""Quotes: do these words stand in what the assistant said? And which of its sentences comes nearest to a question?"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judging.material import visible
from evaluation.metrics.utterance import fold, is_word_character, tokens_of
from evaluation.records import ToolCall
from evaluation.text.function_words import FUNCTION_WORDS

FEWEST_WORDS = 3
"""Words of a quote; fewer count only where they are the whole response."""
LONGEST_SENTENCE = 300
"""Characters of a sentence that is shown."""
_UNIFORM = str.maketrans({
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u2026": "...",
})  # fmt: skip
_UNSEEN = frozenset("\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")
"""Characters of no width, which change nothing that a reader sees; marks that turn the order of a text are none."""
_OTHER_SHAPES = ("<wide>", "<narrow>", "<compat>", "<font>")
"""Kinds of characters that are another shape of letters; a raised 2 or a circled one is no such thing."""
EMPHASIS = frozenset("*_`")
"""Marks that a judge leaves out of what it quotes."""
_BLANKS = re.compile(r" {2,}")
_ELLIPSIS = re.compile(r" *\.\.\. *")
_EDGES = "\"'*_`.- "
_SENTENCE = re.compile(r"[^.!?\u2026\n]+[.!?\u2026]*[\"'\u201d\u2019)]*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of scripts that put no blanks between words: each counts as a word of its own."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One response of the assistant, and the turn that it answers."""

    turn: int
    text: str
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a response as they stand there."""

    turn: int
    text: str


def find_quote(quoted: str, responses: Sequence[Spoken]) -> Quote | None:
    """The place of a quote in the responses, the latest first; None where it stands in none of them.

    Case, white space, marks of emphasis, characters of no width, the width of letters, whether a letter and its accent
    are one character or two, and the kind of quotation marks, dashes and ellipses do not count; every word and every
    accent does, in its order, and the quote begins and ends where words do. A quote of fewer than `FEWEST_WORDS` words
    must be a whole response.
    """
    wanted = _folded(quoted).strip(_EDGES)
    if not any(map(str.isalnum, wanted)):
        return None
    whole_only = _count_words(wanted) < FEWEST_WORDS
    for spoken in reversed(responses):
        for text in dict.fromkeys((spoken.text, visible(spoken.text))):
            if whole_only:
                if _folded(text).strip(_EDGES) == wanted:
                    return Quote(spoken.turn, text.strip())
            elif (found := _place(wanted, text)) is not None:
                return Quote(spoken.turn, text[slice(*found)])
    return None


def nearest_sentence(question: str, responses: Sequence[Spoken]) -> str:
    """The sentence of the responses that shares the most words with a question, the latest of equals; "" without."""
    wanted = {token for token in tokens_of(fold(question)) if token not in FUNCTION_WORDS}

    def shared(sentence: str) -> float:
        tokens = set(tokens_of(fold(sentence)))
        return len(tokens & wanted) / (1 + 0.05 * len(tokens))

    sentences = [sentence for spoken in responses for sentence in sentences_of(spoken.text)]
    best = max(reversed(sentences), key=shared, default="")
    return best if shared(best) > 0 and len(best) <= LONGEST_SENTENCE else ""


def sentences_around(quote: Quote, responses: Sequence[Spoken]) -> str:
    """The quote with the rest of the sentences in which it begins and ends."""
    for spoken in responses:
        for text in (spoken.text, visible(spoken.text)) if spoken.turn == quote.turn else ():
            start = text.find(quote.text)
            if start >= 0:
                spans = [match.span() for match in _SENTENCE.finditer(text)]
                end = start + len(quote.text)
                touched = [span for span in spans if span[0] < end and start < span[1]]
                return text[min([start, *(first for first, _ in touched)]) : max([end, *(last for _, last in touched)])]
    return quote.text


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text that hold a word, without the white space around them."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        if any(map(str.isalnum, sentence)):
            yield sentence


def _folded(text: str) -> str:
    return _folded_with_places(text)[0].strip()


def _count_words(text: str) -> int:
    whole = unicodedata.normalize("NFC", text)  # a letter and its accent by itself would be the end of a word
    return len(tokens_of(_UNSPACED.sub(r" \g<0> ", whole)))


def _place(wanted: str, text: str) -> tuple[int, int] | None:
    """Start and end, in the text as it is written, of words as they are folded."""
    line, places = _folded_with_places(text)
    start = line.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_in_word(line, start) or _in_word(line, end)):
            return places[start], max(places[start:end]) + 1
        start = line.find(wanted, start + 1)
    return None


def _in_word(line: str, at: int) -> bool:
    """True between a letter and its accent, and between two letters or digits of a script whose words stand apart."""
    around = line[at - 1 : at + 1] if at else ""
    if len(around) < 2 or not all(map(is_word_character, around)):
        return False
    return unicodedata.combining(around[1]) > 0 or not _UNSPACED.search(around)


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The text in which quotes are looked for, with the place of each of its characters in the text as written."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for each in _plain(character):
            characters.append(each)
            places.append(place)
    line, places = _with_marks_in_order("".join(characters), places)
    # One blank for a run of them, none around an ellipsis.
    gone = {at for run in _BLANKS.finditer(line) for at in range(run.start() + 1, run.end())}
    gone |= {at for run in _ELLIPSIS.finditer(line) for at in range(run.start(), run.end()) if line[at] == " "}
    kept = [at for at in range(len(line)) if at not in gone]
    return "".join(line[at] for at in kept), [places[at] for at in kept]


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """What a character of a text is compared as: nothing, itself, or several with its accents apart."""
    if character in EMPHASIS or character in _UNSEEN:
        return ""
    if character.isspace():
        return " "
    shape = unicodedata.decomposition(character).partition(" ")[0]
    apart = unicodedata.normalize("NFKD" if shape in _OTHER_SHAPES else "NFD", character)
    apart = character if " " in apart else apart  # an accent that stands by itself is no blank with an accent
    return fold(apart.casefold()).translate(_UNIFORM)


def _with_marks_in_order(line: str, places: list[int]) -> tuple[str, list[int]]:
    """The same with several accents of one letter in the order of Unicode, whatever order they were written in."""
    if line.isascii():
        return line, places
    ranks: list[tuple[int, int]] = []
    letter = 0
    for at, character in enumerate(line):
        rank = unicodedata.combining(character)
        letter = letter if rank else at
        ranks.append((letter, rank))
    order = sorted(range(len(line)), key=ranks.__getitem__)
    return "".join(line[at] for at in order), [places[at] for at in order]
