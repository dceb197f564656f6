"""Regular expressions whose search takes a bounded time: every repeat has an end, and all of them a small product.

The parser of `re` itself reads the pattern, so that what is checked is what is searched for.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

codes: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

MOST_STEPS = 2_000
"""Product of the upper ends of all repeats, and of the branches of all choices: ways to try at one place."""
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_REFUSED = {
    codes.GROUPREF: "a back reference",
    codes.GROUPREF_EXISTS: "a back reference",
}


def check_bounded(pattern: str) -> None:
    """Raises ValueError for a pattern that `re` refuses, or whose search may take long."""
    try:
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern {pattern!r} is no regular expression: {error}") from None
    steps = 1
    for ways in _ways(parsed):
        steps *= ways
        if steps > MOST_STEPS:
            raise ValueError(
                f"pattern {pattern!r} may be tried in over {MOST_STEPS:,} ways: use fewer, shorter repeats"
            )


def _ways(parsed: Any) -> Iterator[int]:
    for code, argument in parsed:
        if code in _REFUSED:
            raise ValueError(f"the pattern holds {_REFUSED[code]}, which may take long: write it out")
        if code in _REPEATS:
            _, most, repeated = argument
            if most is codes.MAXREPEAT:
                raise ValueError("the pattern repeats without an end (* or +): write {0,40} instead")
            if most > 1 and _varies(repeated):
                raise ValueError(
                    "the pattern repeats what repeats or branches itself, which may take long: write it out"
                )
            yield most + 1
            yield from _ways(repeated)
        elif code is codes.BRANCH:
            yield len(argument[1])
            for branch in argument[1]:
                yield from _ways(branch)
        elif code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT, codes.ATOMIC_GROUP):
            yield from _ways(argument[-1])


def _varies(parsed: Any) -> bool:
    """True where a part of a pattern can match in several ways: it holds a repeat or a branch."""
    for code, argument in parsed:
        if code in _REPEATS or code is codes.BRANCH:
            return True
        if code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT, codes.ATOMIC_GROUP) and _varies(argument[-1]):
            return True
    return False
