"""Weak signs: what says little by itself, and adds up to danger where several kinds of it are said together.

Who hints at a danger seldom says it: there is a letter, something given away, and a Friday after which nothing counts.
Each group of signs has a weight for each kind of danger, groups of everyday matters weigh against all of them, and a
group counts once however often it is said.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from evaluation.metrics.cues.cue import Phrases, RuleSettings, Span
from evaluation.metrics.cues.row_index import Reading, WordClasses
from evaluation.metrics.cues.rows import MESSAGES, RowList, Rows
from evaluation.metrics.utterance import Text
from evaluation.text.remembered import Remembered

STRETCH = 40
"""Pieces of half of what is added up at once, so that a long text is no heap of signs."""
DECIMALS = 3
LOOSE = "~"
"""Before the name of a group: the list of its loose rows."""
AGAINST, DISTRESS = "-", "!"
"""Beside the kinds of danger: what a group weighs against all of them, and as distress."""
LOOSE_SHARE = 0.5
"""What a loose row weighs of its group's weight."""


class SignSettings(RuleSettings):
    """Groups of signs and what each weighs."""

    classes: dict[str, Phrases] = Field(default_factory=dict)
    signs: dict[str, Rows] = Field(default_factory=dict)
    """Group -> rows, each of which is the same sign in other words."""
    loosely: dict[str, Rows] = Field(default_factory=dict)
    """Group -> words that may be this sign and mostly are not: they weigh half, where nothing else of it is said."""
    kinds: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Kind of danger -> group -> weight."""
    enough: float = Field(default=1.0, gt=0)
    """The sum of a kind from which on it is danger."""
    against: dict[str, float] = Field(default_factory=dict)
    """Group -> what it takes off every sum."""
    distress: dict[str, float] = Field(default_factory=dict)
    """Group -> how much distress it shows that is no danger yet."""


class Sum(NamedTuple):
    """What the signs of a text come to."""

    danger: float = 0.0
    """The largest sum of a kind, as a share of what is enough."""
    distress: float = 0.0
    """0 to 1: how much the text shows that somebody is not well."""
    everyday: float = 0.0
    """What weighs against it."""
    places: tuple[Span, ...] = ()
    """Where the signs of that kind are said, in order; none where it is not enough."""


NOTHING = Sum()


class WeakSigns:
    """Adds up the weak signs of a text.

    Raises ValueError for a weight of a group that has no rows.
    """

    def __init__(self, settings: SignSettings) -> None:
        self._kinds = settings.kinds
        self._enough = settings.enough
        for weights in (*settings.kinds.values(), settings.against, settings.distress):
            for group in weights:
                if group not in settings.signs:
                    raise ValueError(f"{group!r} has a weight and no signs; known are {', '.join(settings.signs)}")
        loosely = {LOOSE + group: rows for group, rows in settings.loosely.items()}
        classes = WordClasses(MESSAGES, settings.classes)
        self._groups: dict[object, str] = {
            RowList(rows, classes): group for group, rows in (*settings.signs.items(), *loosely.items())
        }
        self._weights = {group: _weights(settings, group) for group in self._groups.values()}
        self._sums = Remembered(self._add_up)

    def sum(self, text: Text, spared: Sequence[Span] = ()) -> Sum:
        """The gravest stretch of the text. What overlaps one of the places that are spared is no sign."""
        reading = MESSAGES.read(text)
        said = self._gravest(reading, spared)
        found, kind = self._sums[tuple(said)]
        return found._replace(places=self._places(reading, said, kind)) if found.danger >= 1 else found

    def weight(self, text: Text) -> Sum:
        """The same without the places of the signs, which take longer to find than all else."""
        return self._sums[tuple(self._gravest(MESSAGES.read(text)))][0]

    def _gravest(self, reading: Reading, spared: Sequence[Span] = ()) -> Mapping[str, Span]:
        """The groups of signs that the gravest stretch says, each with a place."""
        halves: dict[int, dict[str, Span]] = {}
        spared = [*map(reading.span, spared)]
        for rows, spans in reading.found.items():
            group = self._groups.get(rows)
            if group is not None:
                for first, last in spans:
                    if not spared or not any(start < last and first < end for start, end in spared):
                        halves.setdefault(first // STRETCH, {}).setdefault(group, (first, last))
        # A stretch overlaps the next one by half.
        said = [{**halves[half + 1], **here} if half + 1 in halves else here for half, here in halves.items()]
        return said[0] if len(said) == 1 else max(said, key=self._gravity, default={})

    def _gravity(self, said: Mapping[str, Span]) -> tuple[float, float]:
        found, _ = self._sums[tuple(said)]
        return found.danger, found.distress

    def _add_up(self, said: tuple[str, ...]) -> tuple[Sum, str]:
        """What these groups come to, and the kind whose sum is the largest."""
        totals: dict[str, float] = {}
        for group in said:
            # What a group says loosely counts where it is said in no other way.
            if not (group[:1] == LOOSE and group[1:] in said):
                for kind, weight in self._weights[group]:
                    totals[kind] = totals.get(kind, 0.0) + weight
        less, distress = totals.pop(AGAINST, 0.0), totals.pop(DISTRESS, 0.0)
        kind = max(totals, key=totals.__getitem__, default="")
        most = totals.get(kind, 0.0)
        danger = round(max(0.0, most - less) / self._enough, DECIMALS)
        distress = max(most / self._enough, distress)
        return Sum(danger, round(min(1.0, max(0.0, distress - less)), DECIMALS), everyday=less), kind

    def _places(self, reading: Reading, said: Mapping[str, Span], kind: str) -> tuple[Span, ...]:
        groups = [group if group in said else LOOSE + group for group in self._kinds[kind]]
        return tuple(sorted(reading.place(said[group]) for group in groups if group in said))


def _weights(settings: SignSettings, group: str) -> tuple[tuple[str, float], ...]:
    """What saying a group, or one of its loose rows, weighs for each kind, against all kinds, and as distress."""
    share = LOOSE_SHARE if group[:1] == LOOSE else 1.0
    plain = group.removeprefix(LOOSE)
    every = {**settings.kinds, AGAINST: settings.against, DISTRESS: settings.distress}
    return tuple((kind, weights[plain] * share) for kind, weights in every.items() if plain in weights)
