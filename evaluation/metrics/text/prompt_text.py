"""What of a prompt is the asker's own request, sentence by sentence: without quotations, code and attached texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.metrics.utterance import fold

LONGEST = 20_000
"""Characters of a prompt that are read: its first and its last half of these."""
LONGEST_QUOTE = 2_000
"""Characters between two quotation marks that still are one quotation."""
LONGEST_SENTENCE = 1_000
"""Characters of a sentence that are read: its first and its last half of these."""
_FENCED = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTED = re.compile(
    rf'"[^"\n]{{1,{LONGEST_QUOTE}}}"|“[^“”\n]{{1,{LONGEST_QUOTE}}}”|„[^„“”\n]{{1,{LONGEST_QUOTE}}}[“”]'
    rf"|«[^«»\n]{{1,{LONGEST_QUOTE}}}»|`[^`\n]{{1,{LONGEST_QUOTE}}}`"
    rf"|(?:(?<=\s)|\A)['‘][^'’\n]{{2,200}}['’](?=[\s.,!?;:]|\Z)"
)
_PLACE = " … "
"""Stands where a quotation was, so that the words around it are no neighbours."""
_END = re.compile(r"(?<![\W_]\w)[.]+(?=\s|\Z)|[!?…;][.!?…;]*(?=\s|\Z)|[\n\r]+")
"""Where a sentence ends: not behind the point of a single letter, as in "the U.S. policy"."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a prompt."""

    text: str
    """In lower case with straight apostrophes and single blanks, without its end mark."""
    written: str
    """The same as it was written, of the same length."""
    is_question: bool
    first: bool
    """True for the first of the prompt."""


def sentences_of_prompt(prompt: str, abbreviations: re.Pattern[str], below: re.Pattern[str]) -> Iterator[Sentence]:
    """The sentences in order. Linear in the length of the prompt.

    `abbreviations` finds the point of those that end no sentence. Where the first paragraph says by `below` that a
    text follows, that text is left out: it is material, and not the request, which may go on in a last paragraph.
    """
    if len(prompt) > LONGEST:
        prompt = f"{prompt[: LONGEST // 2]}\n{prompt[-LONGEST // 2 :]}"
    prompt = _FENCED.sub(_PLACE, prompt)
    prompt = _QUOTED_LINE.sub(_PLACE, prompt)
    prompt = _QUOTED.sub(_PLACE, prompt)
    head, blank, rest = prompt.partition("\n\n")
    if blank and below.search(fold(head)):
        _, further, last = rest.rpartition("\n\n")
        prompt = f"{head}\n{last}" if further else head
    prompt = abbreviations.sub(r"\1 ", prompt)
    start, first = 0, True
    for end in (*_END.finditer(prompt), None):
        piece = " ".join(prompt[start : end.start() if end else len(prompt)].split())
        mark = end[0] if end else ""
        start = end.end() if end else len(prompt)
        if not piece:
            continue
        if len(piece) > LONGEST_SENTENCE:
            piece = f"{piece[: LONGEST_SENTENCE // 2]} {piece[-LONGEST_SENTENCE // 2 :]}"
        yield Sentence(fold(piece), piece, "?" in mark, first)
        first = False
