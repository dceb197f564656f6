"""Forms of one word under one stem, by Snowball's English stemmer: cooking, cooks and cooked are "cook"."""

from functools import lru_cache
from typing import Protocol, cast

KEPT = 20_000
"""Stems that are remembered, so that a word that comes back costs one look-up."""


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 (the name is PyStemmer's)


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    import Stemmer  # loads a library in C, which is needed only where something is scored

    return cast(_Stemmer, Stemmer.Stemmer("english", 0))


@lru_cache(maxsize=KEPT)
def stem_of(word: str) -> str:
    """The stem of a word in lower case; of what is no English word, mostly the word itself."""
    return _stemmer().stemWord(word)
