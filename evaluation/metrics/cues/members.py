"""Members of a class in the place of one another: the user named one weekday, town or job, the reply says another."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from evaluation.metrics.cues.content_words import Place, content_of, place_of
from evaluation.metrics.cues.cue import Phrases, RuleSettings
from evaluation.metrics.utterance import Text, Utterance, fold_phrase, tokens_of
from evaluation.text.stems import stem_of

REACH = 40
"""Characters before and after a word that are looked at for what shows that it is meant as known."""


class ClassSettings(RuleSettings):
    """A class of words of which usually one is true, and what shows that a reply takes a member as known."""

    members: Phrases = Field(min_length=2)
    before: Phrases = ()
    """Words before the member, with one more word between them at the most: "your old violin", "your aunt's violin"."""
    after: Phrases = ()
    """Words directly after it: "the shellfish allergy"."""


@dataclass(frozen=True)
class Members:
    """The members of all classes, prepared when the first exchange with earlier turns is scored."""

    classes: Mapping[str, ClassSettings]

    @cached_property
    def kinds(self) -> Mapping[str, tuple[str, ...]]:
        """Stem of a member, or the whole of one of several words -> its classes."""
        found: dict[str, tuple[str, ...]] = {}
        for kind, settings in self.classes.items():
            for member in settings.members:
                key = fold_phrase(member) if " " in member else stem_of(fold_phrase(member))
                found[key] = (*found.get(key, ()), kind)
        return found

    @cached_property
    def _phrases(self) -> Mapping[str, tuple[str, ...]]:
        """A word of a member of several words -> those members."""
        found: dict[str, tuple[str, ...]] = {}
        for key in self.kinds:
            if " " in key:
                longest = max(tokens_of(key), key=len)
                found[longest] = (*found.get(longest, ()), key)
        return found

    @cached_property
    def _frames(self) -> Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]:
        return {kind: (_before(settings.before), _after(settings.after)) for kind, settings in self.classes.items()}

    def named_in(self, text: Text) -> set[str]:
        """The members that a text names."""
        found = set(content_of(text).keys() & self.kinds.keys())
        for token in text.tokens & self._phrases.keys():
            found.update(phrase for phrase in self._phrases[token] if phrase in text.line)
        return found

    def mistaken(self, utterance: Utterance, by_user: Sequence[Text], known: AbstractSet[str]) -> list[Place]:
        """Members of the reply that nobody named before, in a class of which the user named others.

        `known` are the stems of all that was said before. A reply that names one of the user's members as well only
        sets another beside it.
        """
        named = self.named_in(utterance.response)
        new = {member for member in named if not known >= {stem_of(word) for word in member.split()}}
        if not new:
            return []
        response = utterance.response
        stated = set[str]().union(*(self.named_in(text) for text in by_user))
        places: list[Place] = []
        for member in new:
            place = self._place(utterance, member)
            for kind in self.kinds[member]:
                users = {other for other in stated if kind in self.kinds[other]}
                if users and not users & named and self._is_known(response, kind, place):
                    places.append(place)
        return places

    def _place(self, utterance: Utterance, member: str) -> Place:
        response = utterance.response
        if " " not in member:
            return place_of(response, content_of(response)[member])
        start = max(0, response.folded.find(member))
        return start, start + len(member)

    def _is_known(self, text: Text, kind: str, place: Place) -> bool:
        start, end = place
        before, after = self._frames[kind]
        return bool(
            before.search(text.folded[max(0, start - REACH) : start]) or after.match(text.folded[end : end + REACH])
        )


def _either(words: Phrases) -> str:
    return "|".join(re.escape(fold_phrase(word)) for word in words) or "(?!)"


def _before(words: Phrases) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{_either(words)}) (?:[^\W_]{{1,15}}(?:'s)? )?\Z")


def _after(words: Phrases) -> re.Pattern[str]:
    return re.compile(rf"(?:'s)?[ -](?:{_either(words)})(?![^\W_])")
