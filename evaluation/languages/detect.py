"""Which language a text is in, by its script and by the frequent words of the languages that are known.

English is told by its own words before any other list is read, so that it costs next to nothing. A short text in Latin
letters that says nothing of its language is in none: the caller reads it as the rubric's own.
"""

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from evaluation.languages.known_by import UNKNOWN, english_words, signs
from evaluation.languages.packs import ENGLISH, pack_of
from evaluation.languages.script import SCRIPTS, letters_of
from evaluation.text.word_frequency import word_ranks

LONGEST = 2_000
"""Characters of a text that are looked at."""
PLAIN_WORDS, PLAIN_SHARE = 3, 5
"""Words of English alone, at least one in so many, from which on a text in Latin letters is English without more."""
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
SHORTEST_KNOWN = 3
"""Letters of a word that is looked up among the words of English."""

_OTHER_LETTER = re.compile(r"[^\W\d_A-Za-zªºÀ-ÖØ-öø-ʸḀ-ỿＡ-Ｚａ-ｚ]")
_LATIN_LETTER = re.compile(r"[A-Za-zªºÀ-ÖØ-öø-ʸḀ-ỿＡ-Ｚａ-ｚ]")
_SYLLABIC = frozenset(("Han", "Hiragana", "Katakana", "Hangul"))
_KANA = ("Hiragana", "Katakana")


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
    beginning = folded[:LONGEST]
    other = [] if folded.isascii() else _OTHER_LETTER.findall(beginning)
    if not other:
        telling = len(tokens & english_words())
        if telling >= PLAIN_WORDS and telling * PLAIN_SHARE >= len(tokens):
            return _ENGLISH
    else:
        scripts = _scripts(other)
        weight = sum(count * (HEAVY if name in _SYLLABIC else 1) for name, count in scripts.items())
        if weight > len(_LATIN_LETTER.findall(beginning)):
            return _by_script(scripts, tokens, other)
    return _by_words(beginning, frozenset(token for token in tokens if not token.isdigit()))


def _scripts(letters: list[str]) -> Counter[str]:
    """Script -> how many of the letters are of it; those of an unknown script under no name."""
    found: Counter[str] = Counter()
    text = "".join(letters)
    for name in SCRIPTS:
        if count := len(letters_of(name).findall(text)):
            found[name] = count
    if rest := len(text) - found.total():
        found[""] = rest
    return found


def _by_script(scripts: Counter[str], tokens: AbstractSet[str], letters: list[str]) -> Seen:
    if any(scripts[name] for name in _KANA) and scripts["Han"] < 20 * sum(scripts[name] for name in _KANA):
        return Seen("ja", sure=True)
    script = scripts.most_common(1)[0][0]
    candidates = signs().scripts.get(script, ())
    if len(candidates) < 2:
        return Seen(candidates[0] if candidates else UNKNOWN, sure=True)
    points = _points(tokens, letters)
    best = max(candidates, key=lambda language: points.get(language, 0.0))
    return Seen(best, sure=True)


def _points(tokens: AbstractSet[str], letters: list[str]) -> dict[str, float]:
    """Language -> what words and letters say for it: each one, shared by those that have it too."""
    known, points = signs(), dict[str, float]()
    for sign, owners in (
        *((1.0, known.words.get(token, ())) for token in tokens),
        *((LETTER, known.letters.get(letter, ())) for letter in set(letters)),
    ):
        for language in owners:
            points[language] = points.get(language, 0.0) + sign / len(owners)
    return points


def _by_words(folded: str, tokens: AbstractSet[str]) -> Seen:
    points = _points(tokens, [] if folded.isascii() else [letter for letter in folded if letter > "\x7f"])
    best = max(points, key=lambda language: (points[language], pack_of(language) is not None), default="")
    if len(tokens) >= LONG and _share(tokens, best) < LEAST_SHARE:
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


def _share(tokens: AbstractSet[str], language: str) -> float:
    """Which share of the words is frequent in a language."""
    known = signs().words
    return sum(language in known.get(token, ()) for token in tokens) / len(tokens)


def _is_english(tokens: AbstractSet[str]) -> bool:
    """Whether half of the words that are no abbreviations are words of English."""
    words = [token for token in tokens if len(token) >= SHORTEST_KNOWN]
    ranks = word_ranks()
    return sum(word in ranks for word in words) * 2 >= len(words)
