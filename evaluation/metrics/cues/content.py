"""Content: does a reply take up what the message is about, add something to it, and say it in words of its own?"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.content_words import (
    are_in_a_row,
    content_of,
    findings_at,
    names_in,
    place_of,
    places_of_words,
    stems_of,
    stems_when_needed,
)
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, RuleSettings, Same
from evaluation.metrics.utterance import Text, Utterance
from evaluation.text.stems import stem_of
from evaluation.text.word_frequency import word_ranks

Share: TypeAlias = Annotated[float, Field(gt=0, le=1)]
FieldsOf: TypeAlias = Mapping[str, frozenset[str]]
"""Stem -> the subjects to which it belongs."""


_TURNED = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "am": "are",
    "m": "re",
    "was": "were",
    "you": "i",
    "your": "my",
}
"""What becomes of a word when it is said back to whom it came from."""


class TakesUpSettings(RuleSettings):
    """Words that say nothing of a message, the subjects, and how much of a message may be copied."""

    everyday: Phrases = ()
    """Words that are said in every conversation: to share them is to share nothing."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Subject -> its words, with blanks between them: a reply with another word of a subject is on that subject."""
    most_copied: Share = 0.6
    """Share of the message's words, function words included, above which a reply copies it."""
    shortest_copy: int = Field(default=6, ge=3)
    """Different words of a message from which on the share decides; a shorter one is copied where nothing is added."""


def takes_up_content(settings: TakesUpSettings) -> Detect:
    """The words of the reply that the message has too, or that belong to its subject.

    A shared word counts one and a word of the subject a half, two of them at the most; one is 0.6 of the amount and
    two are all of it, so that a word that is spelt in another way costs little. Words in a row take nothing up. The
    same object for the same settings: cues that ask for it look at an exchange once.
    """
    return _taken_up(Same(settings))


@lru_cache(maxsize=4)
def _taken_up(given: Same[TakesUpSettings]) -> Detect:
    settings = given.settings
    everyday = stems_when_needed(settings.everyday)
    fields_of = _fields_when_needed(settings.fields, everyday)

    def detect(utterance: Utterance) -> Findings:
        response, user = utterance.response, utterance.user_input
        said = content_of(response)
        asked, subjects = _matter(user, everyday, fields_of)
        if not asked or not said or are_in_a_row(response) or _copies(response, user, settings):
            return ()
        if _says_back(utterance, settings):
            return ()
        words = [said[stem] for stem in asked if stem in said]
        points: float = len(words)
        if points < 2 and subjects:
            related = _related(asked, subjects, said, fields_of())
            words += related
            points += min(len(related), 2) / 2
        if not points:
            return ()
        strength = 0.6 * points if points <= 1 else min(1.0, 0.2 + 0.4 * points)
        return findings_at("takes_up_content", response, [place_of(response, word) for word in words], strength)

    return detect


class Matter(NamedTuple):
    """What a message is about."""

    stems: frozenset[str]
    """Of its content words, but for everyday ones."""
    subjects: frozenset[str]
    """To which these belong."""


def _matter(user: Text, everyday: Callable[[], frozenset[str]], fields_of: Callable[[], FieldsOf]) -> Matter:
    """What a message is about; worked out once for all replies to it."""
    matter: Matter | None = user.remembered.get(everyday)
    if matter is None:
        stems, fields = frozenset(content_of(user)) - everyday(), fields_of()
        subjects = frozenset[str]().union(*[fields[stem] for stem in stems if stem in fields])
        matter = user.remembered[everyday] = Matter(stems, subjects)
    return matter


def _copies(response: Text, user: Text, settings: TakesUpSettings) -> bool:
    """Whether the reply holds most of the message's words, or holds little else."""
    least = settings.shortest_copy
    if len(user.tokens) < least:
        return False
    shared = len(user.tokens & response.tokens)
    if shared > settings.most_copied * len(user.tokens):
        return True
    return shared >= least and shared > settings.most_copied * len(response.tokens)


def _says_back(utterance: Utterance, settings: TakesUpSettings) -> bool:
    """Whether the reply to a short message holds no content but the user's, and hardly another word."""
    response, user = utterance.response, utterance.user_input
    if len(user.tokens) >= settings.shortest_copy:
        return False
    if content_of(response).keys() - content_of(user).keys():
        return False
    known = user.tokens | {_TURNED[token] for token in user.tokens if token in _TURNED}
    return len(response.tokens & known) > settings.most_copied * len(response.tokens)


def _fields_when_needed(fields: Mapping[str, str], everyday: Callable[[], frozenset[str]]) -> Callable[[], FieldsOf]:
    """The subjects of each stem, prepared when the first exchange is scored."""

    @lru_cache(maxsize=1)
    def prepared() -> FieldsOf:
        found: dict[str, frozenset[str]] = {}
        for name, words in fields.items():
            for stem in stems_of(words.split()) - everyday():
                found[stem] = found.get(stem, frozenset()) | {name}
        return found

    return prepared


def _related(
    asked: AbstractSet[str], subjects: AbstractSet[str], said: Mapping[str, str], fields_of: FieldsOf
) -> list[str]:
    """The words of the reply, but for those of the message, that belong to a subject of the message."""
    return [
        word
        for stem, word in said.items()
        if stem in fields_of and stem not in asked and not subjects.isdisjoint(fields_of[stem])
    ]


class AddsSettings(RuleSettings):
    """Words that add nothing, and how many others are enough."""

    stock: Phrases = ()
    """Words of stock phrases and of small talk."""
    enough: int = Field(default=8, ge=1)
    """Different new words that earn the whole amount."""


def adds_content(settings: AddsSettings) -> Detect:
    """How many content words the reply has that the message has not; words in a row add nothing."""
    stock = stems_when_needed(settings.stock)

    def detect(utterance: Utterance) -> Findings:
        said, asked = content_of(utterance.response), content_of(utterance.user_input)
        known = stock()
        new = len([stem for stem in said if stem not in asked and stem not in known])
        if not new or are_in_a_row(utterance.response):
            return ()
        words = f"{new} new content word{'s' if new > 1 else ''}"
        return (utterance.response.measurement("adds_content", words, min(1.0, new / settings.enough)),)

    return detect


class SpecificSettings(RuleSettings):
    """From which rank on a word is rare, and how many rare words are enough or too many."""

    rare_from: int = Field(default=3000, ge=1)
    """Rank in the list of frequencies beyond which a word is rare."""
    enough: int = Field(default=3, ge=1)
    """Rare words that earn the whole amount."""
    most: Share = 0.3
    """Share of the reply's words above which rare words are jargon and earn half."""
    numbers: Phrases = ()
    """Number words that say how many, how old or when."""
    common: Phrases = ()
    """Words of every conversation that are rare in writing alone."""


def is_specific(settings: SpecificSettings) -> Detect:
    """The rare words, numbers and names of the reply that the user did not say; words in a row are not specific.

    Any word with a capital within a sentence is a name, and one with a capital elsewhere is nothing: so a name that the
    list of frequencies happens to know earns no more than another.
    """

    @lru_cache(maxsize=1)
    def rare() -> frozenset[str]:
        words = (word for word, rank in word_ranks().items() if rank > settings.rare_from)
        return frozenset(words) - frozenset(settings.common) | frozenset(settings.numbers)

    def detect(utterance: Utterance) -> Findings:
        response, user = utterance.response, utterance.user_input
        words = (response.tokens & rare()) - user.tokens
        places = names_in(response)
        if places:
            places = [(start, end) for start, end in places if response.folded[start:end] not in user.tokens]
        if words:
            asked, original = content_of(user), response.original
            rarities = places_of_words(response, [word for word in words if stem_of(word) not in asked])
            places += [place for place in rarities if not original[place[0]].isupper()]
        if not places or are_in_a_row(response):
            return ()
        strength = min(1.0, len(places) / settings.enough)
        jargon = len(places) > max(2.0, settings.most * response.word_count)
        return findings_at("is_specific", response, places, strength / 2 if jargon else strength)

    return detect


CONTENT_CUES = (
    Cue(
        "takes_up_content",
        "the response takes up content words or the subject of the user's message",
        TakesUpSettings,
        takes_up_content,
    ),
    Cue("adds_content", "the response adds content words to those of the user", AddsSettings, adds_content),
    Cue("is_specific", "the response uses rare words, numbers or names of its own", SpecificSettings, is_specific),
)
