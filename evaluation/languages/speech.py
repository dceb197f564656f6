"""How a text of a language is counted: its sentences, and what a word is."""

import re
from typing import NamedTuple

from evaluation.languages.script import without_unspaced

_RUN = re.compile(r"[^\W_]+(?:['\-\u2010\u2011][^\W_]+)*")


class Speech(NamedTuple):
    """What a formula must know of a language to count."""

    language: str = "en"
    """Code by which sentencex cuts sentences."""
    characters_per_word: float | None = None
    """Characters that take as long to say as an English word; None where blanks part words."""
    question_ends: tuple[str, ...] = ()
    """Ends of a sentence that ask without a question mark."""

    @property
    def separates_words(self) -> bool:
        """True where blanks part words, so that words can be compared with one another."""
        return self.characters_per_word is None

    def count_words(self, text: str) -> int:
        """Pieces between white space; or characters by the word, with runs of other letters and digits beside them."""
        if self.characters_per_word is None:
            return len(text.split())
        rest, characters = without_unspaced(text)
        others = len(_RUN.findall(rest))
        return max(round(characters / self.characters_per_word + others), int(bool(characters or others)))

    @property
    def repeat_length(self) -> int:
        """Pieces of a phrase that is noticed where it comes again: three words, or as many characters."""
        return 3 if self.characters_per_word is None else round(3 * self.characters_per_word)


USUAL = Speech()
"""As English is counted, and every language with blanks whose sentences nobody knows better."""
