"""Counts what the formulas need of a text: its words, sentences, paragraphs, list items and headings.

docs/quality-metrics.md defines each of them for readers.
"""

import re
import unicodedata
from collections.abc import Iterator

from evaluation.metrics.text.sentences import sentences_of
from evaluation.metrics.text.syllables import syllables

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LINE_END = re.compile(r"\r\n|\r|\n")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:['\-][a-z0-9]+)*")
_WORD = re.compile(r"[^\W_]+(?:['\-\u2010\u2011][^\W_]+)*")
_ITEM = re.compile(r"[ \t]*(?:(?:\d+[.)]|[-*])[ \t]+|•[ \t]*)(?=\S)")
_NUMBERING = re.compile(r"^[ \t]*\d+[.)](?=[ \t]+\S)", re.MULTILINE)
_HEADING = re.compile(r"#+[ \t]+(?=\S)|(?=[A-Z][^.!?]*:$)")


def words_of(folded: str) -> list[str]:
    """Words of a text in lower case with straight apostrophes: runs of letters and digits, apostrophes and hyphens
    within them included."""
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    return _WORD.findall(unicodedata.normalize("NFC", folded))


def phrase_form(words: list[str]) -> str:
    """Words in the form in which `Prose.line` holds them; every word has blanks of its own on both sides."""
    return f" {'  '.join(words)} "


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


def _unnumbered(text: str, folded: str) -> str:
    """The folded text, which has the same length, without the numbers of list items."""
    kept: list[str] = []
    start = 0
    for number in _NUMBERING.finditer(text.replace("\r", "\n")):
        kept.append(folded[start : number.start()])
        start = number.end()
    return "".join([*kept, folded[start:]])


class Prose:
    """One text, counted once for all formulas."""

    __slots__ = ("_syllables", "headings", "items", "last", "lengths", "line", "only_code", "paragraphs", "words")

    def __init__(self, original: str, text: str, folded: str) -> None:
        """`text` is the original without code, `folded` the same in lower case with straight apostrophes."""
        self.last = original.rstrip()[-1:]
        """Last character of the text, code included, that is no white space; empty when there is none."""
        self.items: list[str] = []
        """Lines that are list items."""
        self.headings: list[str] = []
        """Lines that are headings."""
        self._syllables: int | None = None
        self.paragraphs = 0
        """Stretches between blank lines."""
        self.lengths: list[int] = []
        """Words of each sentence, as str.split() counts them."""
        for block in self._blocks(text):
            for sentence in sentences_of(block):
                self.lengths.append(len(sentence.split()))
        self.words = words_of(_unnumbered(text, folded) if self.items else folded)
        """In order, in lower case, without the numbers of list items."""
        self.line = phrase_form(self.words)
        """The text in which phrases are looked for."""
        self.only_code = not self.words and len(text) < len(original) and not text.strip()

    @property
    def syllables(self) -> int:
        """Of all words; counted when first asked for."""
        if self._syllables is None:
            self._syllables = sum(map(syllables, self.words))
        return self._syllables

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
        if "\n" not in text and "\r" not in text:
            yield from self._of_line(text)
            self.paragraphs = int(bool(text.strip()))
            return
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

    def _of_line(self, line: str) -> Iterator[str]:
        item, heading = _ITEM.match(line), _HEADING.match(line)
        if item:
            self.items.append(line)
            yield line[item.end() :]
        elif heading:
            self.headings.append(line)
            yield line[heading.end() :]
        else:
            yield line
