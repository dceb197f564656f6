"""Filler: many words that say nothing of their own.

A word says something when it is neither a function word nor one of the words that stock phrases and filler are made of.
The stretch of the response with the fewest such words for its length is looked for: each word without content adds to
it, each with content takes away several, and a pause inside it adds, since piled phrases are short.
"""

from collections.abc import Callable, Sequence
from functools import partial

from pydantic import Field

from evaluation.metrics.cues.content_words import stems_when_needed
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, RuleSettings, once_a_reply
from evaluation.metrics.utterance import EDGE, Utterance, fold_phrase, tokens_of
from evaluation.text.function_words import FUNCTION_WORDS
from evaluation.text.remembered import RememberedWords
from evaluation.text.stems import stem_of

ROUNDING = 1e-9
"""By which sums of the same numbers may differ."""
SPARSE, DENSE = 0.5, 1.0
"""What a word of a stretch adds on average that says enough, and that says nothing."""
_ENDS = (".", "!", "?", "…")
_PAUSES = (",", ".", "!", "?", ";", ":", "…", "–", "—")


class FillerSettings(RuleSettings):
    """What the words of stock phrases are, and how many of them are nothing."""

    stock: Phrases
    """Words that stock phrases, filler and referrals are made of, in any form of theirs."""
    content: float = Field(gt=0)
    """What a word with content takes away from its stretch."""
    pause: float = Field(ge=0)
    """What a pause adds to its stretch."""
    least: float = Field(gt=0)
    """The sum of a stretch from which on it says nothing."""
    full: float = Field(gt=0)
    """The sum at which it counts in full."""
    scraps: int = Field(default=4, ge=2)
    """Sentences of a single word, numbers aside, from which on a reply says nothing if they are half of it."""
    counted: Phrases = ()
    """Numbers, which one says alone when one counts: to breathe, to fall asleep."""


def says_nothing(settings: FillerSettings) -> Detect:
    """How many of the words stand in a stretch without content of their own; graded by its length."""
    if settings.full <= settings.least:
        raise ValueError(f"full ({settings.full:g}) is not above least ({settings.least:g})")
    stock = stems_when_needed(settings.stock)
    worth = RememberedWords(partial(_worth, stock, settings))
    at_most = RememberedWords(lambda part: _at_most(worth[part], settings))
    fewest, least = settings.least / (1 + settings.pause), settings.least - ROUNDING
    counted = frozenset(map(fold_phrase, settings.counted))

    @once_a_reply
    def detect(utterance: Utterance) -> Findings:
        text = utterance.response
        if sum(map(text.line.count, _ENDS)) >= settings.scraps:
            scraps, sentences = _scraps(text.parts, counted)
            if scraps >= settings.scraps and 2 * scraps >= sentences:
                return (text.measurement("says_nothing", f"{scraps} of {sentences} sentences are a single word"),)
        parts = text.parts
        if len(parts) < fewest:
            return ()
        # Most responses say something, and their words by themselves say so at once.
        if sum(map(at_most.__getitem__, parts)) < least:
            return ()
        words, total = _emptiest(_listed(list(map(worth.__getitem__, parts)), settings))
        if total < settings.least:
            return ()
        strength = round(min(1.0, total / settings.full) * _density(total / words), 3)
        return (text.measurement("says_nothing", f"{words} of {len(parts)} words without content", strength),)

    return detect


def _density(share: float) -> float:
    """0 to 1, by what a word of a stretch adds to it: plain sentences of some length are not piled up."""
    return min(1.0, max(0.0, (share - SPARSE) / (DENSE - SPARSE)))


def _scraps(parts: Sequence[str], counted: frozenset[str]) -> tuple[int, int]:
    """How many sentences are a single word that is no number, and how many sentences there are."""
    scraps = sentences = words = 0
    for part in parts:
        words += 1
        if part.endswith(_ENDS):
            sentences += 1
            scraps += words == 1 and part.strip(EDGE) not in counted and not part.strip(EDGE).isdigit()
            words = 0
    return scraps, sentences + (words > 0)


def _worth(stock: Callable[[], frozenset[str]], settings: FillerSettings, part: str) -> float:
    """What a word adds to its stretch; below zero for one with content."""
    pause = settings.pause if part.endswith(_PAUSES) else 0.0
    bare = part.strip(EDGE + "…–—“”")
    if not bare:
        return pause
    empty = all(token in FUNCTION_WORDS or stem_of(token) in stock() for token in tokens_of(bare))
    return (1.0 if empty else -settings.content) + pause


def _at_most(worth: float, settings: FillerSettings) -> float:
    """A bound for what such a word adds to any stretch, whatever stands beside it."""
    return max(worth, settings.pause if worth == settings.pause - settings.content else 0.0)


def _listed(worths: Sequence[float], settings: FillerSettings) -> list[float]:
    """The same, but that a word with content which stands alone between two pauses takes away a single one.

    Among piled words, a feeling or two are no sentence about it.
    """
    alone = settings.pause - settings.content
    pauses = (alone, 1 + settings.pause)
    befores = [alone, *worths]
    return [
        settings.pause - 1 if worth == alone and before in pauses else worth
        for before, worth in zip(befores, worths, strict=False)
    ]


def _emptiest(worths: Sequence[float]) -> tuple[int, float]:
    """How many words the stretch with the greatest sum has, and the sum."""
    words = start = 0
    most = total = 0.0
    for place, worth in enumerate(worths):
        total += worth
        if total <= 0:
            start, total = place + 1, 0.0
        elif total > most:
            words, most = place + 1 - start, total
    return words, most


FILLER_CUES = (Cue("says_nothing", "the response has many words without content", FillerSettings, says_nothing),)
