"""Standard indices of readability and of lexical diversity, each on its own scale, as numbers and as formulas.

Sources: R. Flesch, "A new readability yardstick", Journal of Applied Psychology 32 (1948); J. P. Kincaid and others,
Research Branch Report 8-75, Naval Technical Training Command (1975); P. M. McCarthy and S. Jarvis, "vocd: A theoretical
and empirical evaluation", Language Testing 24 (2007), for HD-D, and "MTLD, vocd-D, and HD-D", Behavior Research Methods
42 (2010), for MTLD; M. A. Covington and J. D. McFall, "Cutting the Gordian knot: the moving-average type-token ratio",
Journal of Quantitative Linguistics 17 (2010), for MATTR.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from pydantic import Field

from evaluation.metrics.cues.cue import Rule, RuleSettings
from evaluation.metrics.explained import DECIMALS, Explained
from evaluation.metrics.text.points import absent, quantity, short
from evaluation.metrics.text.prose import Prose, prose_of
from evaluation.metrics.utterance import Utterance


def flesch_reading_ease(words: int, sentences: int, syllable_count: int) -> float:
    """206.835 - 1.015 words/sentences - 84.6 syllables/words: about 0 (hard) to 100 (easy), without bounds.

    A sentence of 13 words and 24 syllables has 37.5 (the platypus sentence of Wikipedia's article on the Flesch tests).
    """
    return 206.835 - 1.015 * words / sentences - 84.6 * syllable_count / words


def flesch_kincaid_grade(words: int, sentences: int, syllable_count: int) -> float:
    """0.39 words/sentences + 11.8 syllables/words - 15.59: years of school in the United States, from -3.4 up.

    The same sentence has 11.3.
    """
    return 0.39 * words / sentences + 11.8 * syllable_count / words - 15.59


def mattr(words: Sequence[str], window: int) -> float | None:
    """Mean share of different words over all windows of so many words; None for a shorter text. Above 0, up to 1.

    On the example of the LexicalRichness README (57 words) it is 0.8352 with windows of 25.
    """
    last_start = len(words) - window
    if last_start < 0:
        return None
    # A word adds one kind to every window in which it stands for the first time: these begin after its last
    # occurrence and at most a window before it.
    total = 0
    seen: dict[str, int] = {}
    for place, word in enumerate(words):
        first = place - window
        before = seen.get(word, -1)
        if before > first:
            first = before
        if first < -1:
            first = -1
        total += (place if place < last_start else last_start) - first if first < last_start else 0
        seen[word] = place
    return total / (window * (last_start + 1))


def mtld(words: Sequence[str], threshold: float = 0.72) -> float | None:
    """Mean length of stretches over which the share of different words stays above the threshold, read both ways.

    From 1 up. None where the share never falls, so that there is no stretch to measure: no word comes twice.
    On the example of the LexicalRichness README it is 46.79.
    """
    forwards, backwards = _factors(words, threshold), _factors(words[::-1], threshold)
    if not forwards or not backwards:
        return None
    return (len(words) / forwards + len(words) / backwards) / 2


def _factors(words: Sequence[str], threshold: float) -> float:
    """Complete stretches, and the share of the last one that is complete."""
    factors = 0
    count = 0
    seen: set[str] = set()
    for word in words:
        count += 1
        if word not in seen:
            seen.add(word)
        # The share falls only where a word comes again.
        elif len(seen) <= threshold * count:
            factors += 1
            count = 0
            seen.clear()
    if not count:
        return float(factors)
    return factors + (1 - len(seen) / count) / (1 - threshold)


def hdd(words: Sequence[str], draws: int = 42) -> float | None:
    """Mean share of different words that `draws` words drawn at random from the text would have. Above 0, up to 1.

    Exact, by the hypergeometric distribution. None for a text of fewer words. On the example of the LexicalRichness
    README it is 0.7469 with 42 draws.
    """
    total = len(words)
    if total < draws:
        return None
    of_counts = Counter(Counter(words).values())
    return sum(kinds * (1 - _miss_chance(total, count, draws)) for count, kinds in of_counts.items()) / draws


@lru_cache(maxsize=65_536)
def _miss_chance(total: int, count: int, draws: int) -> float:
    """Chance that none of `count` among `total` words is drawn: C(total - count, draws) / C(total, draws)."""
    chance = 1.0
    for drawn in range(draws):
        left = total - count - drawn
        if left <= 0:
            return 0.0
        chance *= left / (total - drawn)
    return chance


class Window(RuleSettings):
    """Words of a window."""

    window: int = Field(ge=2, le=10_000)


class Draws(RuleSettings):
    """Words that are drawn."""

    draws: int = Field(ge=2, le=1_000)


class Threshold(RuleSettings):
    """The end of a stretch, and the shortest text that is measured."""

    threshold: float = Field(gt=0, lt=1)
    at_least_words: int = Field(ge=1)


def mattr_index(constants: Window) -> Rule:
    window = constants.window

    def measure(prose: Prose) -> Explained:
        value = mattr(prose.words, window)
        if value is None:
            return _too_short(prose, window)
        return _measurement(value, f"mean over windows of {window} of its {len(prose.words)} words")

    return _of_prose(measure)


def mtld_index(constants: Threshold) -> Rule:
    def measure(prose: Prose) -> Explained:
        if len(prose.words) < constants.at_least_words:
            return _too_short(prose, constants.at_least_words)
        value = mtld(prose.words, constants.threshold)
        if value is None:
            return absent("no word comes twice, so that no stretch ends")
        return _measurement(value, f"words until the share of different ones falls to {short(constants.threshold)}")

    return _of_prose(measure)


def hdd_index(constants: Draws) -> Rule:
    def measure(prose: Prose) -> Explained:
        value = hdd(prose.words, constants.draws)
        if value is None:
            return _too_short(prose, constants.draws)
        return _measurement(value, f"share of different words in {constants.draws} drawn of its {len(prose.words)}")

    return _of_prose(measure)


def of_syllables(formula: Callable[[int, int, int], float]) -> Rule:
    """An index of words, sentences and syllables."""

    def measure(prose: Prose) -> Explained:
        words, sentences = len(prose.words), len(prose.lengths)
        total = prose.syllables
        found = f"{quantity(words, 'word')}, {quantity(sentences, 'sentence')}, {quantity(total, 'syllable')}"
        return _measurement(formula(words, sentences, total), found)

    return _of_prose(measure)


def _of_prose(measure: Callable[[Prose], Explained]) -> Rule:
    def rule(utterance: Utterance) -> Explained:
        prose = prose_of(utterance.response)
        return measure(prose) if prose.words else absent(prose.missing)

    return rule


def _measurement(value: float, found: str) -> Explained:
    return Explained(round(value, DECIMALS), (), found)


def _too_short(prose: Prose, needed: int) -> Explained:
    return absent(f"{quantity(len(prose.words), 'word')}: needs at least {needed}")
