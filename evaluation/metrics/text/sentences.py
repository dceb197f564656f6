"""Sentences: where a stretch of running text ends one and begins the next.

The boundaries are those of sentencex for English, which knows abbreviations, decimal numbers and quotations.
"""

import re
from collections.abc import Iterator

from sentencex import segment

LONGEST_PIECE = 2_000
"""Characters that are segmented at once: within one stretch sentencex takes quadratic time on some scripts."""
_NUMBER = re.compile(r"\d+[.)]\s*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def sentences_of(block: str) -> list[str]:
    """The sentences of a stretch without blank lines, in order, each with the white space behind it.

    Only what holds a letter or digit is a sentence. A number that stands alone ("1.") belongs to what follows it, the
    last one to what precedes. Linear in the length of the stretch.
    """
    found: list[str] = []
    held = ""
    for part in _segments(block):
        if _NUMBER.fullmatch(part):
            held += part
        elif any(map(str.isalnum, part)):
            found.append(held + part)
            held = ""
    if held:
        found[-1:] = [found[-1] + held] if found else [held]
    return found


def _segments(block: str) -> Iterator[str]:
    if not block.isascii():
        block = _SURROGATE.sub("\ufffd", block)
    if len(block) <= LONGEST_PIECE:
        yield from segment("en", block)
        return
    start = 0
    open_sentence: list[str] = []
    while start < len(block):
        piece = block[start : start + LONGEST_PIECE]
        parts = list(segment("en", piece))
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
