"""Quoted words: is it somebody else who speaks at a place of a line?"""

import re

QUOTED = 200
"""Characters before a match in which an open quotation mark shows that somebody else is speaking."""
_OPENING = re.compile(r"(?<![^\s:(])'(?=\w)")
"""A single quotation mark before a word; the apostrophe of a contraction stands within one."""
_CLOSING = re.compile(r"(?<=[\w.,!?])'(?!\w)")


def is_quoted(line: str, place: int) -> bool:
    """True behind a quotation mark that is still open."""
    before = line[max(0, place - QUOTED) : place]
    if before.count('"') % 2 == 1 or before.count("\u201c") > before.count("\u201d"):
        return True
    if "'" not in before:  # a plain search says so soonest
        return False
    return _OPENING.search(before) is not None and _CLOSING.search(_OPENING.split(before)[-1]) is None
