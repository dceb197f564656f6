"""Weak signs: what says little by itself, and adds up to danger where several of it are said together.

Who hints at a danger seldom says it: there is a letter, something given away, and a Friday after which nothing counts.
Each word, each pair of words and each group of signs has a weight that was fitted to messages which people in danger
might write and to others, and counts once however often it is said.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from pydantic import Field

from evaluation.metrics.cues.cue import Phrases, RuleSettings, Span
from evaluation.metrics.cues.learnt import Said as Placed
from evaluation.metrics.cues.learnt import Weights, choose_heaviest, shipped_weights, weigh_telling, words_said
from evaluation.metrics.cues.row_index import Reading, WordClasses
from evaluation.metrics.cues.rows import MESSAGES, RowList, Rows
from evaluation.metrics.utterance import Text

STRETCH = 40
"""Pieces of half of what is added up at once, so that a long text is no heap of signs."""
DECIMALS = 3
ENOUGH_ALONE = 0.75
"""The probability from which on one sentence of several is danger, whatever stands beside it.

Of danger to which one and two harmless messages were joined, weights that did not know the author find 58% and 47% by
the whole alone, and 66% and 63% with this; of harmless messages that were joined they take 9% and 10%, and 10% and 13%.
"""
_ENDS = frozenset(".!?\u2026;")
LOOSE = "~"
"""Before the name of a group: the list of its loose rows."""
LOOSE_SHARE = 0.5
"""What a loose row weighs of its group's weight against danger and as distress."""
SHOWN = 3
"""Places that are named as evidence: those that weigh most."""
DANGER = "danger"
"""The table of weights."""
OUTRIGHT, DOUBTFUL = "outright", "doubtful"
"""The signs that a row shows danger by itself, and that one does which other people say as well."""
Known: TypeAlias = tuple[str, Span] | None
"""One of these signs and where its row stands."""


class SignSettings(RuleSettings):
    """Groups of signs, and what some of them weigh beside the fitted weights."""

    classes: dict[str, Phrases] = Field(default_factory=dict)
    signs: dict[str, Rows] = Field(default_factory=dict)
    """Group -> rows, each of which is the same sign in other words."""
    loosely: dict[str, Rows] = Field(default_factory=dict)
    """Group -> words that may be this sign and mostly are not."""
    against: dict[str, float] = Field(default_factory=dict)
    """Group -> how much it shows that the message is about everyday matters."""
    distress: dict[str, float] = Field(default_factory=dict)
    """Group -> how much distress it shows that is no danger yet."""


class Sum(NamedTuple):
    """What the signs of a text come to."""

    danger: float = 0.0
    """How likely the text is one of danger, as a share of what is enough."""
    distress: float = 0.0
    """0 to 1: how much the text shows that somebody is not well."""
    everyday: float = 0.0
    """How much it is about everyday matters."""
    places: tuple[Span, ...] = ()
    """Where the signs are said that weigh most, in order; none where it is not enough."""


NOTHING = Sum()


class WeakSigns:
    """Adds up the weak signs of a text.

    Raises ValueError for a weight of a group that has no rows.
    """

    def __init__(self, settings: SignSettings, weights: Weights | None = None) -> None:
        self._settings, self._given = settings, weights
        for weighed in (settings.against, settings.distress):
            for group in weighed:
                if group not in settings.signs:
                    raise ValueError(f"{group!r} has a weight and no signs; known are {', '.join(settings.signs)}")
        loosely = {LOOSE + group: rows for group, rows in settings.loosely.items()}
        classes = WordClasses(MESSAGES, settings.classes)
        self._groups: dict[object, str] = {
            RowList(rows, classes): group for group, rows in (*settings.signs.items(), *loosely.items())
        }

    @cached_property
    def _weights(self) -> Weights:
        return shipped_weights(DANGER) if self._given is None else self._given

    def said(self, text: Text, spared: Sequence[Span] = (), known: Known = None) -> list["Said"]:
        """What each stretch of the text says. What overlaps one of the places that are spared is no sign.

        `known` is where a row shows danger, which is a sign too.
        """
        return _stretches(*self._said(text, spared, known), len(text.pieces))

    def _said(self, text: Text, spared: Sequence[Span], known: Known) -> tuple[list[Placed], list[Placed]]:
        """Words and pairs of words, and groups of signs, each time that they are said."""
        reading = MESSAGES.read(text)
        signs = [
            (group, *span)
            for rows, spans in reading.found.items()
            if (group := self._groups.get(rows)) is not None
            for span in spans
        ]
        if known is not None:
            signs.append((known[0], *reading.span(known[1])))
        words = list(words_said(text.pieces))
        if spared:
            places = [*map(reading.span, spared)]
            words, signs = ([each for each in said if not _overlaps(*each[1:], places)] for said in (words, signs))
        return words, signs

    def sum(self, text: Text, spared: Sequence[Span] = (), known: Known = None) -> Sum:
        """The gravest stretch of the text, of what `said` finds."""
        if spared or known is not None:
            return self._gravest(text, spared, known)
        found: Sum | None = text.remembered.get(self)
        if found is None:
            found = text.remembered[self] = self._gravest(text)
        return found

    def _gravest(self, text: Text, spared: Sequence[Span] = (), known: Known = None) -> Sum:
        words, signs = self._said(text, spared, known)
        added = [
            (self._add_up(said, self._weights.enough), said) for said in _stretches(words, signs, len(text.pieces))
        ]
        numbers = sentence_numbers(text.pieces)
        if numbers and numbers[-1]:
            sentences = parted(words, signs, numbers).values()
            added += [(self._add_up(said, ENOUGH_ALONE), said) for said in sentences]
        found, said = max(added, key=lambda each: each[0][:2], default=(NOTHING, None))
        if said is None or found.danger < 1:
            return found
        return found._replace(places=self._places(MESSAGES.read(text), said))

    def _add_up(self, said: "Said", enough: float) -> Sum:
        danger = self._weights.probability(said.words, said.signs) / enough
        everyday, distress = (self._by_hand(each, said) for each in (self._settings.against, self._settings.distress))
        shown = max(danger, distress) - everyday
        return Sum(round(danger, DECIMALS), round(min(1.0, max(0.0, shown)), DECIMALS), everyday=everyday)

    def _by_hand(self, amounts: Mapping[str, float], said: "Said") -> float:
        """What the groups of some amounts come to; a loose row counts where its group is said in no other way."""
        total = 0.0
        for sign in said.signs:
            group = sign.removeprefix(LOOSE)
            if group == sign:
                total += amounts.get(group, 0.0)
            elif group not in said.signs:
                total += LOOSE_SHARE * amounts.get(group, 0.0)
        return total

    def _places(self, reading: Reading, said: "Said") -> tuple[Span, ...]:
        weights = self._weights
        words = ((word, *span) for word, span in said.words.items())
        weighed = weigh_telling(weights.words, words, reading.text.pieces)
        weighed += [(weights.signs.get(sign, 0.0), *span) for sign, span in said.signs.items()]
        places = choose_heaviest(weighed, SHOWN)
        return tuple(map(reading.place, places or list(said.words.values())[:1]))


class Said(NamedTuple):
    """What a stretch of a text says, each with the pieces where it is said first."""

    words: dict[str, Span]
    """Words and pairs of words, as stems."""
    signs: dict[str, Span]
    """Groups of signs."""

    def joined(self, after: "Said") -> "Said":
        """This stretch and the one after it."""
        return Said({**after.words, **self.words}, {**after.signs, **self.signs})


def _stretches(words: Iterable[Placed], signs: Iterable[Placed], pieces: int) -> list[Said]:
    """What each stretch of so many pieces says; one overlaps the next by half."""
    halves = parted(words, signs, [place // STRETCH for place in range(pieces)])
    return [here.joined(halves[half + 1]) if half + 1 in halves else here for half, here in halves.items()]


def parted(words: Iterable[Placed], signs: Iterable[Placed], numbers: Sequence[int]) -> dict[int, Said]:
    """Part of a text -> what is said there, in order; `numbers` are those of the parts of its pieces."""
    parts: dict[int, Said] = {}
    for kind, said in enumerate((words, signs)):
        for name, first, last in said:
            here = parts.get(numbers[first])
            if here is None:
                here = parts[numbers[first]] = Said({}, {})
            if name not in here[kind]:
                here[kind][name] = first, last
    return dict(sorted(parts.items()))


def sentence_numbers(pieces: Sequence[str]) -> list[int]:
    """The number of the sentence of each piece; what comes behind its mark is the next."""
    return list(accumulate([piece in _ENDS for piece in pieces[:-1]], initial=0)) if pieces else []


def _overlaps(first: int, last: int, spans: Sequence[Span]) -> bool:
    return any(start < last and first < end for start, end in spans)
