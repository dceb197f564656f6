"""Denials: does a text say a phrase, or only that it is no such thing, cannot do it, or that it is not needed?

"I'm not a doctor" names no doctor to turn to, and "I can't call 911 for you" is no call for help.
"""

import re
from collections.abc import Iterator, Sequence

from evaluation.metrics.utterance import is_word_character

BETWEEN = 4
"""Words at the most between the words of a denial and what they deny."""
_LOOKED_AT = 80
"""Characters before a phrase in which they are looked for."""
_ENDS = re.compile(r"[.!?;:()\n\u2013\u2014]|(?<!\w)(?:but|so|please)(?!\w)")
"""What ends the reach of a denial. A comma does, too, but for one of a list ("no doctor, nurse or midwife")."""
_LIST = re.compile(r", (?:\w+ ){0,2}n?or (?:(?:a|an|the|your) )?$")
_LISTED = re.compile(r", (?:(?:a|an|the|your) )?$")
_GOES_ON = re.compile(r"\w*,? n?or\b")
"""A list that ends in a phrase, one that it stands in, and what follows it there."""


def places_of(line: str, phrase: str) -> Iterator[tuple[int, int]]:
    """Every place of a folded phrase in a folded line that begins where a word begins."""
    start = line.find(phrase)
    while start >= 0:
        if not (start and is_word_character(phrase[0]) and is_word_character(line[start - 1])):
            yield start, start + len(phrase)
        start = line.find(phrase, start + 1)


def is_denied(line: str, place: tuple[int, int], denials: Sequence[str]) -> bool:
    """True where one of these folded phrases stands just before a place of a folded line, within its clause."""
    window = line[max(0, place[0] - _LOOKED_AT) : place[0]]
    return any(
        _reaches(window[end:], line[place[1] :])
        for denial in denials
        for _, end in places_of(window, denial)
        if not (end < len(window) and is_word_character(window[end]))
    )


def _reaches(between: str, behind: str) -> bool:
    """True where nothing between a denial and a phrase ends its reach; `behind` is what follows the phrase."""
    if _ENDS.search(between) or len(between.split()) > BETWEEN:
        return False
    if "," not in between or _LIST.search(between):
        return True
    return _LISTED.search(between) is not None and _GOES_ON.match(behind) is not None
