"""Phrases of a list as they are looked for: whole words, whatever white space or punctuation lies between them."""

from collections.abc import Iterable

from evaluation.metrics.text.prose import phrase_form, words_of
from evaluation.metrics.utterance import fold


def phrase_forms(phrases: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(phrase, how `Prose.line` would hold it), each once. Raises ValueError for one without a letter or digit."""
    forms = []
    for phrase in dict.fromkeys(phrases):
        words = words_of(fold(phrase))
        if not words:
            raise ValueError(f"phrase {phrase!r} has no letter or digit")
        forms.append((phrase, phrase_form(words)))
    return tuple(forms)
