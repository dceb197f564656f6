"""Texts of a set that are near-copies of each other, by the words that they share."""

import re
from collections.abc import Iterable
from itertools import combinations

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def words(text: str) -> frozenset[str]:
    """The different words, in small letters."""
    return frozenset(WORD.findall(text.lower().replace("’", "'")))


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Words of both, as a share of the words of either (Jaccard), 0 to 1."""
    return len(one & other) / len(one | other) if one | other else 0.0


def contained(one: frozenset[str], other: frozenset[str]) -> float:
    """Words of both, as a share of the words of the one with fewer, 0 to 1: finds a text that was only lengthened."""
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer else 0.0


def near_copies(
    texts: Iterable[tuple[str, str]], *, share: float, containment: float = 1.1, fewest: int = 1
) -> list[tuple[str, str]]:
    """Pairs of owners whose (owner, text) share at least `share` of their words, or contain `containment`.

    Texts of one owner, and texts of fewer than `fewest` different words, are not compared.
    """
    known = [(owner, words(text)) for owner, text in texts]
    known = [(owner, found) for owner, found in known if len(found) >= fewest]
    return [
        (one, other)
        for (one, first), (other, second) in combinations(known, 2)
        if one != other and (shared(first, second) >= share or contained(first, second) >= containment)
    ]
