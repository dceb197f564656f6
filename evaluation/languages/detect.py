"""Which language a text is in, by its script and by the frequent words of the languages that are known.

English is recognised by its own words before any other list is read, so that it costs next to nothing. A short text in
Latin letters that says nothing of its language is in none: the caller reads it as the rubric's own.
"""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from evaluation.languages.known_by import UNKNOWN, english_words, signs
from evaluation.languages.packs import ENGLISH, pack_of
from evaluation.languages.script import LATIN, OTHER, letters_of, script_of
from evaluation.text.remembered import Remembered
from evaluation.text.word_frequency import word_ranks

LONGEST = 1_000
"""Characters of a text of which the words are looked at."""
BEGINNING = 300
"""Of these, characters of which the script is looked at."""
PLAIN_WORDS, PLAIN_SHARE = 3, 5
"""Words of English alone, at least one in so many, from which on a text in Latin letters is English without more."""
OWN_SHARE = 8
"""The same for words that one other language alone has: it shares many with its neighbours."""
HEAVY = 3
"""Latin letters that one character of a script stands for that writes a syllable or a word with it."""
LETTER = 0.4
"""What a letter that few languages have says, beside a word, for each of these its share."""
LEAST = 0.5
"""Of words and letters together, from which on they say anything."""
SURE = 1.5
"""From which on they say it without doubt."""
MIXED = 3
"""Times as much as for English must be said for another language, where anything is said for English."""
LONG = 10
"""Different words from which on a text should hold some that are frequent in its language."""
LEAST_SHARE = 0.15
"""Of its words at least so many."""
DIGITS = 6
"""Of what words and letters say."""
SHORTEST_KNOWN = 3
"""Letters of a word that is looked up among the words of English."""

_SYLLABIC = frozenset(("Han", "Hiragana", "Katakana", "Hangul"))
_KANA = ("Hiragana", "Katakana")
_KANA_SHARE = 20
"""Characters of Han for one of Kana up to which a text is Japanese: Chinese borrows a character at most."""
_SHORT_HAN = 4
"""Characters of Han alone up to which a text may be Japanese too: "大丈夫" is a whole answer in both."""
_CHINESE = frozenset("我你您妳她们們咱这這很吗嗎呢吧么麼什谢谁说让讓啊")
"""Characters that such a text has in Chinese alone, or nearly so."""
_SCRIPTS: Remembered[str, str] = Remembered(script_of)


class Seen(NamedTuple):
    """What a text says of its language."""

    language: str
    """Its code, UNKNOWN, or nothing where the text says nothing."""
    sure: bool
    """False where a word or two say it, which may be a name or borrowed."""


NOTHING = Seen("", sure=False)
_ENGLISH = Seen(ENGLISH, sure=True)


def detect_language(folded: str, tokens: AbstractSet[str]) -> Seen:
    """The language of a text in lower case with its different runs of letters and digits."""
    letters: frozenset[str] = frozenset()
    if not folded.isascii():
        beginning = folded[:BEGINNING]
        letters = frozenset(letter for letter in set(beginning) if letter > "\x7f" and _SCRIPTS[letter])
        others = {_SCRIPTS[letter] for letter in letters} - {LATIN}
        if others and (seen := _by_script(beginning, others, tokens, letters)):
            return seen
    telling = len(tokens & english_words())
    if telling >= PLAIN_WORDS and telling * PLAIN_SHARE >= len(tokens):
        return _ENGLISH
    for language, words in signs().own:
        of_it = len(tokens & words)
        if of_it >= PLAIN_WORDS and of_it * OWN_SHARE >= len(tokens) and of_it >= MIXED * telling:
            return Seen(language, sure=True)
    return _by_words(tokens, letters)


def _by_script(text: str, others: AbstractSet[str], tokens: AbstractSet[str], letters: AbstractSet[str]) -> Seen | None:
    """By the other scripts than Latin that a text has; None where it is mostly in Latin."""
    counts = {name: len(letters_of(name).findall(text)) for name in sorted(others) if name != OTHER}
    if OTHER in others:
        counts[OTHER] = sum(_SCRIPTS[character] == OTHER for character in text)
    weight = sum(count * (HEAVY if name in _SYLLABIC else 1) for name, count in counts.items())
    if weight <= len(letters_of(LATIN).findall(text)):
        return None
    kana = sum(counts.get(name, 0) for name in _KANA)
    if kana and counts.get("Han", 0) < _KANA_SHARE * kana:
        return Seen("ja", sure=True)
    script = max(counts, key=lambda name: counts[name])
    candidates = () if script == OTHER else signs().scripts.get(script, ())
    if len(candidates) < 2:
        open_to_both = script == "Han" and counts[script] <= _SHORT_HAN and not letters & _CHINESE
        return Seen(candidates[0] if candidates else UNKNOWN, sure=not open_to_both)
    points, _ = _points(tokens, letters)
    return Seen(max(candidates, key=lambda language: points.get(language, 0.0)), sure=True)


def _points(tokens: AbstractSet[str], letters: AbstractSet[str]) -> tuple[dict[str, float], dict[str, int]]:
    """Language -> what words and letters say for it, each shared by those that have it too; and how many words do."""
    known = signs()
    points: dict[str, float] = {}
    words: dict[str, int] = {}
    for token in tokens & known.words.keys():
        owners = known.words[token]
        share = 1 / len(owners)
        for language in owners:
            points[language] = points.get(language, 0.0) + share
            words[language] = words.get(language, 0) + 1
    for letter in letters & known.letters.keys():
        owners = known.letters[letter]
        for language in owners:
            points[language] = points.get(language, 0.0) + LETTER / len(owners)
    # A set has no order: a sum in another one differs in its last digits, and may lie on the other side of SURE.
    return {language: round(points[language], DIGITS) for language in sorted(points)}, words


def _by_words(tokens: AbstractSet[str], letters: AbstractSet[str]) -> Seen:
    points, words = _points(tokens, letters)
    best = max(points, key=lambda language: (points[language], pack_of(language) is not None), default="")
    few = len(tokens) >= LONG and words.get(best, 0) < LEAST_SHARE * len(tokens)
    if few and words.get(best, 0) < LEAST_SHARE * _spoken(tokens) >= LEAST_SHARE * LONG:
        # A list of things or names has no frequent words either, in whatever language.
        return _ENGLISH if _is_english(tokens) else Seen(UNKNOWN, sure=True)
    if not best or points[best] < LEAST:
        return NOTHING
    english = points.get(ENGLISH, 0.0)
    if english >= points[best]:
        best = ENGLISH
    # Who says half of it in English speaks English, with words of another language in between.
    mixed = best != ENGLISH and english >= 1 and english * MIXED >= points[best]
    return Seen(best, sure=points[best] >= SURE and not mixed)


def _spoken(tokens: AbstractSet[str]) -> int:
    """How many of the tokens are words and no numbers."""
    return sum(not token.isdigit() for token in tokens)


def _is_english(tokens: AbstractSet[str]) -> bool:
    """Whether half of the words that are no abbreviations are words of English."""
    words = [token for token in tokens if len(token) >= SHORTEST_KNOWN and not token.isdigit()]
    ranks = word_ranks()
    return sum(word in ranks for word in words) * 2 >= len(words)
