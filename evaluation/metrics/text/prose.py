"""Counts what the formulas need of a text: its words, sentences, paragraphs, list items and headings.

docs/quality-metrics.md defines each of them for readers. Sentences end where sentencex for the language says so, which
knows abbreviations, decimal numbers and quotations. Where no blank parts words, each character of such a script is a
word of its own, and lengths are in as many of them as take as long to say as a word of English. Syllables come from
pyphen's hyphenation patterns, and from groups of vowels where these find more: hyphenation never parts one letter from
a word ("about" has no hyphen).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from sentencex import segment

from evaluation.languages.script import apart, is_unspaced
from evaluation.languages.speech import USUAL, Speech
from evaluation.metrics.utterance import Once, Text, fold

if TYPE_CHECKING:
    from pyphen import Pyphen

LONGEST_PIECE = 2_000
"""Characters that are segmented at once: within one stretch sentencex takes quadratic time on some scripts."""
MOST_CLOSING = 4
"""Characters at the end of a text that are read: what is closed there, and the mark before."""
LONGEST_WORD = 60
"""Characters of a word that are read."""
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LINE_END = re.compile(r"\r\n|\r|\n")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['\-][a-z0-9]+)*")
_WORD = re.compile(r"[^\W_]+(?:['\-\u2010\u2011][^\W_]+)*")
_ITEM = re.compile(r"[ \t]*(?:(?:\d+[.)]|[-*])[ \t]+|•[ \t]*)(?=\S)")
_NUMBERING = re.compile(r"^[ \t]*\d+[.)](?=[ \t]+\S)", re.MULTILINE)
_HEADING = re.compile(r"#+[ \t]+(?=\S)|(?=[A-Z][^.!?]*:$)")
_NUMBER = re.compile(r"\d+[.)]\s*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouytd]ed$|[^aeiouysxzcgh]es$")


def words_of(folded: str, speech: Speech = USUAL) -> list[str]:
    """Words of a text in lower case with straight apostrophes: runs of letters and digits, apostrophes and hyphens
    within them included. Where no blank parts words each character of such a script is one."""
    if not speech.separates_words:
        folded = apart(folded)
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    return _WORD.findall(unicodedata.normalize("NFC", folded))


def phrase_form(words: list[str]) -> str:
    """Words in the form in which `Prose.line` holds them; every word has blanks of its own on both sides."""
    return f" {'  '.join(words)} "


def phrase_forms(phrases: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(phrase, how `Prose.line` would hold it), each once. Raises ValueError for one without a letter or digit."""
    forms = []
    for phrase in dict.fromkeys(phrases):
        words = words_of(apart(fold(phrase)) if is_unspaced(phrase) else fold(phrase))
        if not words:
            raise ValueError(f"phrase {phrase!r} has no letter or digit")
        forms.append((phrase, phrase_form(words)))
    return tuple(forms)


def without_code(text: str) -> str:
    """The text with each fenced block of code as a blank line; one that is not closed reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    fence = ""
    for line in _LINE_END.split(text):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


def _without_numbers(text: str, folded: str) -> str:
    """The folded text, which has the same length, without the numbers of list items."""
    kept: list[str] = []
    start = 0
    for number in _NUMBERING.finditer(text.replace("\r", "\n")):
        kept.append(folded[start : number.start()])
        start = number.end()
    return "".join([*kept, folded[start:]])


def sentences_of(block: str, language: str = USUAL.language) -> list[str]:
    """The sentences of a stretch without blank lines, in order, each with the white space behind it.

    Only what holds a letter or digit is a sentence. A number that stands alone ("1.") belongs to what follows it, the
    last one to what precedes. Linear in the length of the stretch.
    """
    found: list[str] = []
    held = ""
    for part in _segments(block, language):
        if _NUMBER.fullmatch(part):
            held += part
        elif any(map(str.isalnum, part)):
            found.append(held + part)
            held = ""
    if held:
        found[-1:] = [found[-1] + held] if found else [held]
    return found


def _segments(block: str, language: str) -> Iterator[str]:
    if not block.isascii():
        block = _SURROGATE.sub("\ufffd", block)
    if len(block) <= LONGEST_PIECE:
        yield from segment(language, block)
        return
    start = 0
    open_sentence: list[str] = []
    while start < len(block):
        piece = block[start : start + LONGEST_PIECE]
        parts = list(segment(language, piece))
        complete = parts if start + LONGEST_PIECE >= len(block) else parts[:-1]
        if not complete:
            open_sentence.append(piece)
            start += len(piece)
            continue
        yield "".join([*open_sentence, complete[0]])
        yield from complete[1:]
        open_sentence = []
        start += sum(map(len, complete))
    if open_sentence:
        yield "".join(open_sentence)


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """At least 1. The word is in lower case; figures and other scripts count as one syllable per word."""
    word = word[:LONGEST_WORD].replace("'", "")
    vowels = len(_VOWELS.findall(word))
    if vowels > 1 and _SILENT.search(word):
        vowels -= 1
    return max(len(_patterns().positions(word)) + 1, vowels)


@cache
def _patterns() -> "Pyphen":
    from pyphen import Pyphen  # 0.1 s, for those who ask for an index that needs it

    return Pyphen(lang="en_US")


class Prose:
    """One text, counted once for all formulas."""

    def __init__(self, original: str, text: str, folded: str, speech: Speech = USUAL) -> None:
        """`text` is the original without code, `folded` the same in lower case with straight apostrophes."""
        self.speech = speech
        self.end = original.rstrip()[-MOST_CLOSING:]
        """The last characters of the text, code included, without white space behind them."""
        self.last = self.end[-1:]
        """The last of them; empty when there is none."""
        self.items: list[str] = []
        """Lines that are list items."""
        self.headings: list[str] = []
        """Lines that are headings."""
        self.paragraphs = 0
        """Stretches between blank lines."""
        self.sentences: list[str] = []
        """In order, without list marks."""
        self.lengths: list[int] = []
        """Words of each sentence, as str.split() counts them where blanks part them."""
        for block in self._blocks(text):
            for sentence in sentences_of(block, speech.language):
                self.sentences.append(sentence)
                self.lengths.append(len(sentence.split()) if speech is USUAL else speech.count_words(sentence))
        self.words = words_of(_without_numbers(text, folded) if self.items else folded, speech)
        """In order, in lower case, without the numbers of list items."""
        self.line = phrase_form(self.words)
        """The text in which phrases are looked for."""
        self.only_code = not self.words and len(text) < len(original) and not text.strip()

    @property
    def word_count(self) -> int:
        """How many words it has; where no blank parts them, how many would take as long to say."""
        return len(self.words) if self.speech.separates_words else self.speech.count_words(" ".join(self.words))

    @Once
    def syllables(self) -> int:
        """Of all words; counted when first asked for."""
        return sum(map(syllables, self.words))

    @property
    def missing(self) -> str:
        """The reason why nothing can be measured; empty when there is a word."""
        if self.words:
            return ""
        return "nothing but code" if self.only_code else "no word to measure"

    def _blocks(self, text: str) -> Iterator[str]:
        """Stretches of running text, without list marks: a heading ends with its line, an item where the next begins.

        Counts paragraphs, items and headings on its way.
        """
        block: list[str] = []
        blank = True
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            if not line or line.isspace():
                if block:
                    yield "\n".join(block)
                    block = []
                blank = True
                continue
            self.paragraphs += blank
            blank = False
            item, heading = _ITEM.match(line), _HEADING.match(line)
            if item or heading:
                if block:
                    yield "\n".join(block)
                block = []
            if item:
                self.items.append(line)
                block = [line[item.end() :]]
            elif heading:
                self.headings.append(line)
                yield line[heading.end() :]
            else:
                block.append(line)
        if block:
            yield "\n".join(block)


def prose_of(text: Text) -> Prose:
    """The prose of a text, counted once for all formulas."""
    found: Prose | None = text.remembered.get(prose_of)
    if found is None:
        original = text.original
        plain = without_code(original)
        folded = text.folded if plain is original else fold(plain)
        found = text.remembered[prose_of] = Prose(original, plain, folded, text.speech)
    return found
