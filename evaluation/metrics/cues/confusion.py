"""Confusion: does a reply say another fact than was stated, or remember what was never said?"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from pydantic import Field

from evaluation.metrics.cues.claimed_memory import ClaimedMemory
from evaluation.metrics.cues.content_words import Place, content_of, findings_at, stems_when_needed
from evaluation.metrics.cues.cue import Cue, Detect, Findings, Phrases, RuleSettings
from evaluation.metrics.cues.guards import Guards, GuardSettings
from evaluation.metrics.cues.members import ClassSettings, Members
from evaluation.metrics.cues.rows import REPLIES
from evaluation.metrics.cues.stated import Names, numbers_in, other_numbers
from evaluation.metrics.utterance import Text, Utterance

FindOthers: TypeAlias = Callable[[Utterance, Sequence[Text], AbstractSet[str]], list[Place]]
"""From an exchange, all that was said before its reply, and the stems of that, to places in the reply."""


class ConfuseSettings(RuleSettings):
    """The classes of facts, the phrases that claim a memory, and what makes another value a suggestion."""

    classes: dict[str, ClassSettings] = Field(default_factory=dict)
    places: str = ""
    """The class that holds towns and countries: its members are places, those of the others are none."""
    first_names: str = ""
    """Names at the start of a sentence, with blanks between; within one, unknown words with a capital are names."""
    other_capitals: Phrases = ()
    """Words with a capital that are nobody's name, beside those of the classes."""
    numbers: dict[str, int] = Field(default_factory=dict)
    suggests: Phrases = ()
    """Words before a value, in its clause, that make it a suggestion or a comparison."""
    talked: Phrases = ()
    """Rows of words that claim that the two have talked before."""
    told: Phrases = ()
    """Rows of words that claim that the user has said something."""
    rows: dict[str, Phrases] = Field(default_factory=dict)
    """Classes of words for these rows."""
    unclaimed: Phrases = ()
    """Words before such a row, in its clause, that make it no claim."""
    own_words: Phrases = ()
    """Words that make it a claim after all."""
    vague: Phrases = ()
    """Words of what is remembered that need no support."""


def confuses(settings: ConfuseSettings) -> Detect:
    """What the reply says otherwise than it was stated, and the memories for which nothing was said.

    Without earlier turns only a talk that never was can be seen.
    """
    unclaimed = GuardSettings(unless_before=settings.unclaimed, own_words=settings.own_words)
    talked = ClaimedMemory(settings.talked, settings.rows, unclaimed)
    told = ClaimedMemory((*settings.talked, *settings.told), settings.rows, unclaimed)
    vague = stems_when_needed(settings.vague)
    find_others = _others(settings)

    def detect(utterance: Utterance) -> Findings:
        response = utterance.response
        if not utterance.earlier:
            return _claimed(response, talked.claims(response))
        texts = [*(text for _, text in utterance.earlier), utterance.user_input]
        known = frozenset[str]().union(*(content_of(text).keys() for text in texts))
        claimed = _claimed(response, told.unsupported(response, known, vague()))
        return claimed + findings_at("confuses", response, find_others(utterance, texts, known), 1.0)

    return detect


def _claimed(response: Text, claims: Sequence[Place]) -> Findings:
    """The first of the memories that are claimed."""
    return (response.finding("confuses", *claims[0]),) if claims else ()


def _others(settings: ConfuseSettings) -> FindOthers:
    """Finds the values of a reply in whose place the user stated others, but for what is a suggestion."""
    members = Members(settings.classes)
    guards = Guards(REPLIES, GuardSettings(unless_before=settings.suggests))
    classed = {kind: frozenset(each.members) for kind, each in settings.classes.items()}
    other_capitals = frozenset(settings.other_capitals)
    names = Names(
        frozenset(settings.first_names.split()),
        other_capitals.union(*classed.values()),
        other_capitals.union(*(classed[kind] for kind in classed.keys() - {settings.places})),
    )
    values = settings.numbers

    def find(utterance: Utterance, texts: Sequence[Text], known: AbstractSet[str]) -> list[Place]:
        response = utterance.response
        by_user = [text for role, text in utterance.earlier if role == "user"] + [utterance.user_input]
        places = members.mistaken(utterance, by_user, known)
        places += names.other_places_in(response, by_user, texts)
        called = names.others_in(response, texts)
        if called:
            names_of_user = names.stated_in(by_user)
            if names_of_user and names_of_user.isdisjoint(response.tokens):
                places += called
        said = numbers_in(response, values)
        if said:
            before = [(text, numbers_in(text, values)) for text in texts]
            stated = [number for text, numbers in before if text in by_user for number in numbers]
            places += other_numbers(said, stated, {number.value for _, numbers in before for number in numbers})
        coded = REPLIES.read(response)
        return [place for place in places if not guards.take_back(coded, *coded.span(place))]

    return find


CONFUSION_CUES = (
    Cue("confuses", "the response says another fact than was stated, or claims a memory", ConfuseSettings, confuses),
)
