"""Phrases: does a text say one of a list?

A phrase is looked for without regard to case, to the kind of apostrophe and to the amount of white space. It must
begin where a word begins and may end within one: "stress" is in "stressed", "valid" is not in "invalid". In a script
without blanks between words a phrase counts wherever it stands.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from pydantic import Field

from evaluation.languages.script import is_unspaced
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Needs, Phrase, RuleSettings
from evaluation.metrics.utterance import Text, Utterance, fold_phrase, is_word_character, tokens_of
from evaluation.text.function_words import telling

FEW = 8
"""Phrases that are looked for one by one."""
SIGN = 3
"""Letters of a word's beginning by which phrases are filed."""


class PhraseSettings(RuleSettings):
    """The list, given by the name under the metric's `lists` or written out."""

    list: str = ""
    phrases: tuple[Phrase, ...] = Field(min_length=1, strict=False)
    matches: Literal["word_start", "whole_word", "anywhere"] = "word_start"
    """Where a phrase counts; the pack of a language says so for its lists."""


def response_says(settings: PhraseSettings) -> Detect:
    """The first phrase of the list that the response holds."""
    return _finder("response_says", settings, attrgetter("response"))


def user_says(settings: PhraseSettings) -> Detect:
    """The first phrase of the list that the user's message holds."""
    return _finder("user_says", settings, attrgetter("user_input"))


def _finder(cue: str, settings: PhraseSettings, text_of: Callable[[Utterance], Text]) -> Detect:
    """Finds the first of the phrases, in list order, that begins at the start of a word."""
    phrases = tuple(map(fold_phrase, settings.phrases))
    find = {"word_start": find_phrase, "whole_word": _whole, "anywhere": _anywhere}[settings.matches]
    likely = _likely(phrases) if len(phrases) > FEW else None

    def detect(utterance: Utterance) -> Findings:
        text = text_of(utterance)
        line = text.line
        for phrase in phrases if likely is None else likely(text):
            # Most phrases are absent, and a plain search says so at once.
            if phrase in line and (span := find(line, phrase)):
                return (text.finding(cue, *span),)
        return ()

    return detect


def _likely(phrases: tuple[str, ...]) -> Callable[[Text], Sequence[str]]:
    """From a text to those of many phrases that it may hold, in their order: it has a sign of each.

    The sign of a phrase is the beginning of its first word, or a character of a script without blanks between words.
    """
    places: dict[str, list[int]] = {}
    for place, phrase in enumerate(phrases):
        places.setdefault(_sign_of(phrase), []).append(place)
    always = tuple(places.pop("", ()))
    known = frozenset(places)

    def likely(text: Text) -> Sequence[str]:
        signs: frozenset[str] | None = text.remembered.get(_likely)
        if signs is None:
            signs = text.remembered[_likely] = _signs_in(text)
        met = known & signs
        if not met:
            return [phrases[place] for place in always]
        return [phrases[place] for place in sorted([*always, *[place for sign in met for place in places[sign]]])]

    return likely


def _sign_of(phrase: str) -> str:
    """Empty for a phrase that has none: it begins with a mark, or is a piece of a word that is shorter than a sign."""
    if is_unspaced(phrase):
        return next((each for each in reversed(phrase) if is_unspaced(each)), "")
    first = tokens_of(phrase)[:1]
    is_whole = len(phrase.split()) > 1 or len(phrase) >= SIGN
    return first[0][:SIGN] if first and phrase.startswith(first[0]) and is_whole else ""


def _signs_in(text: Text) -> frozenset[str]:
    starts = {token[:SIGN] for token in text.tokens}
    return frozenset(starts if text.line.isascii() else starts.union(text.line))


def find_phrase(line: str, phrase: str) -> tuple[int, int] | None:
    """Where a folded phrase first stands in a folded line, beginning where a word begins; None where it does not."""
    start = line.find(phrase)
    if is_word_character(phrase[0]) and not is_unspaced(phrase[0]):
        while start > 0 and is_word_character(line[start - 1]):
            start = line.find(phrase, start + 1)
    return None if start < 0 else (start, start + len(phrase))


def _anywhere(line: str, phrase: str) -> tuple[int, int] | None:
    start = line.find(phrase)
    return None if start < 0 else (start, start + len(phrase))


@dataclass(frozen=True, slots=True)
class WholePhrases:
    """A list of phrases that must begin and end at word boundaries, found by way of one token of each."""

    by_token: dict[str, tuple[str, ...]]
    """A token that a phrase cannot be without -> all phrases filed under it."""
    tokens: frozenset[str]
    unspaced: tuple[str, ...] = ()
    """Phrases of a script without blanks between words, which no token parts from what stands beside them."""

    def spans(self, line: str, tokens: frozenset[str]) -> list[tuple[int, int]]:
        """Places in a folded line with these tokens, one per phrase that occurs, in order."""
        if tokens.isdisjoint(self.tokens) and not self.unspaced:
            return []
        return sorted([span for phrase in self._held(line, tokens) if (span := _whole(line, phrase))])

    def occur(self, line: str, tokens: frozenset[str]) -> bool:
        """Whether one of the phrases occurs."""
        for token in tokens & self.tokens:
            for phrase in self.by_token[token]:
                if phrase in line and _as_word(line, phrase):
                    return True
        return any(phrase in line for phrase in self.unspaced)

    def _held(self, line: str, tokens: frozenset[str]) -> list[str]:
        """The phrases whose characters stand in the line, within words too."""
        phrases = [phrase for token in tokens & self.tokens for phrase in self.by_token[token] if phrase in line]
        return phrases + [phrase for phrase in self.unspaced if phrase in line]


def whole_phrases(phrases: Iterable[str]) -> WholePhrases:
    """Prepares a list for whole-word matching. A phrase without a letter or digit cannot be filed and is refused."""
    filed: dict[str, list[str]] = {}
    unspaced: list[str] = []
    for phrase in map(fold_phrase, dict.fromkeys(phrases)):
        if is_unspaced(phrase):
            unspaced.append(phrase)
            continue
        tokens = tokens_of(phrase)
        if not tokens:
            raise ValueError(f"phrase {phrase!r} has no letter or digit")
        filed.setdefault(max(tokens, key=telling), []).append(phrase)
    return WholePhrases({token: tuple(listed) for token, listed in filed.items()}, frozenset(filed), tuple(unspaced))


def _whole(line: str, phrase: str) -> tuple[int, int] | None:
    """The first place of a phrase with no letter or digit on either side, as `whole_word_pattern` finds it.

    A plain search needs no preparation: to compile the lists would take longer than all else of a rubric.
    """
    return _anywhere(line, phrase) if is_unspaced(phrase) else _as_word(line, phrase)


def _as_word(line: str, phrase: str) -> tuple[int, int] | None:
    start = line.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (line[max(0, start - 1) : start].isalnum() or line[end : end + 1].isalnum()):
            return start, end
        start = line.find(phrase, start + 1)
    return None


def whole_word_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern between word boundaries; an underscore is punctuation."""
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")


_NEEDS = Needs(lists=("phrases",))
PHRASE_CUES = (
    Cue("response_says", "the response holds a phrase of a list", PhraseSettings, response_says, _NEEDS),
    Cue("user_says", "the user's message holds a phrase of a list", PhraseSettings, user_says, _NEEDS),
)
