"""Syllables of English words: from pyphen's hyphenation patterns, and from groups of vowels where these find more.

Hyphenation never parts one letter from a word ("about" has no hyphen), so that patterns alone count too few.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyphen import Pyphen

LONGEST_WORD = 60
"""Characters of a word that are read."""
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouytd]ed$|[^aeiouysxzcgh]es$")


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
