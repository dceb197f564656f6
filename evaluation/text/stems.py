"""Forms of one word under one stem, by Snowball's English stemmer: cooking, cooks and cooked are "cook"."""

from collections.abc import Callable
from functools import lru_cache

from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.remembered import Remembered

KEPT = 20_000
"""Stems that are remembered, so that a word that comes back costs one look-up."""


@lru_cache(maxsize=1)
def _stemming() -> Callable[[str], str]:
    import Stemmer  # loads a library in C, which is needed only where something is scored

    stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
    return stem


@lru_cache(maxsize=KEPT)
def stem_of(word: str) -> str:
    """The stem of a word in lower case; of what is no English word, mostly the word itself."""
    return _stemming()(word)


CONTENT_STEMS: Remembered[str, str] = Remembered(lambda token: "" if token in FUNCTION_WORDS else stem_of(token), KEPT)
"""Token -> its stem, or nothing for a function word."""
