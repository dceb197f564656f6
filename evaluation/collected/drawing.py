"""Which rows of a collection a judge is given, found in two passes over its parts.

The first pass counts: how often each class of the rule score is met in each cell (the values of the columns that have
means of their own, and the week). From that the strata follow as in the second phase of a sample of production: band of
the score, then columns, then week, thin ones joined, and how many of each are drawn. The second pass keeps of each part
what may be among the lowest places of its stratum. Places follow from seed and row alone, so that neither the order of
parts nor who did them matters, and memory goes with what is drawn and never with rows.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from evaluation.collected.tally import Group, bucket_of
from evaluation.production.sampling import LEAST, Stratum, allocate
from evaluation.production.second_phase import band_of, coarse_enough, ends_of, second_place
from evaluation.records import Exchange, Json
from evaluation.statistics.clusters import Scale

CLASSES = 200
"""Equal parts of the scale by which rows are sorted into bands."""
MOST_CELLS = 2_000
"""Cells that are counted apart: beyond, the week is left out of them, then the last column, and so on."""
MOST_STRATA = 40
"""Each has twice its least number at least, so that there is room to draw low scores more often."""
BUCKETS = 128
"""Groups of clusters into which the rows that were not drawn are counted."""
_PLACES = 2**64

Cell: TypeAlias = tuple[str, ...]
"""Values of columns, then the week."""


class Survey:
    """How often each class of scores is met in each cell. The result does not depend on the order of rows."""

    def __init__(self) -> None:
        self.cells: dict[Cell, Counter[int | None]] = {}
        """None is the class of a row without a score."""
        self.kept: int | None = None
        """So many values of a cell are told apart; None: all."""

    def add(self, cell: Cell, score: float | None, scale: Scale) -> None:
        """Counts one row."""
        self._count(cell, {class_of(score, scale): 1})

    def join(self, other: "Survey") -> None:
        """Takes in another part."""
        if other.kept is not None and (self.kept is None or other.kept < self.kept):
            self._cut(other.kept)
        for cell, counts in other.cells.items():
            self._count(cell, counts)

    @property
    def rows(self) -> int:
        return sum(counts.total() for counts in self.cells.values())

    def _count(self, cell: Cell, counts: Mapping[int | None, int]) -> None:
        self.cells.setdefault(cell[: self.kept], Counter()).update(counts)
        while len(self.cells) > MOST_CELLS:
            self._cut((len(cell) if self.kept is None else self.kept) - 1)

    def _cut(self, kept: int) -> None:
        cells, self.cells, self.kept = self.cells, {}, kept
        for cell, counts in cells.items():
            self.cells.setdefault(cell[:kept], Counter()).update(counts)


def class_of(score: float | None, scale: Scale) -> int | None:
    """The part of the scale in which a score lies, from 0; None without one."""
    if score is None:
        return None
    low, high = scale
    return min(CLASSES - 1, max(0, int((score - low) / (high - low) * CLASSES)))


@dataclass(frozen=True, slots=True)
class Design:
    """The strata of a collection, and how many rows of each are drawn."""

    seed: int
    scale: Scale
    kept: int | None
    ends: tuple[float, ...]
    """The highest class of each band but the last."""
    names: Mapping[Stratum, str] = field(repr=False)
    """(band, *cell) -> its stratum."""
    sizes: Mapping[str, int]
    numbers: Mapping[str, int]

    @property
    def rows(self) -> int:
        return sum(self.sizes.values())

    def stratum_of(self, cell: Cell, score: float | None) -> str:
        """The stratum of a row that was counted."""
        return self.names[(band_of(class_of(score, self.scale), self.ends), *cell[: self.kept])]

    def bound(self, stratum: str, slack: float) -> int:
        """Lower places alone may be drawn, but for a chance that vanishes as `slack` grows.

        Of so many rows the number of lower places is that of the draw, and `slack` times four of its deviations more.
        """
        number, size = self.numbers[stratum], self.sizes[stratum]
        wanted = number + slack * (4 * math.sqrt(number) + 8)
        return _PLACES if wanted >= size else int(_PLACES * (wanted / size))


def design(survey: Survey, count: int, seed: int, scale: Scale) -> Design:
    """How to draw at most `count` rows."""
    classes = Counter[float]()
    for counts in survey.cells.values():
        classes.update({each: number for each, number in counts.items() if each is not None})
    ends = ends_of(classes)
    whole = Counter[Stratum]()
    for cell, counts in survey.cells.items():
        for each, number in counts.items():
            whole[band_of(each, ends), *cell] += number
    joined = coarse_enough(whole, min(count // 2, LEAST * MOST_STRATA))
    sizes = Counter[Stratum]()
    for stratum, number in whole.items():
        sizes[joined[stratum]] += number
    numbers = allocate(sizes, count)
    return Design(
        seed=seed,
        scale=scale,
        kept=survey.kept,
        ends=ends,
        names={stratum: _name(into) for stratum, into in joined.items()},
        sizes={_name(stratum): size for stratum, size in sizes.items()},
        numbers={_name(stratum): number for stratum, number in numbers.items()},
    )


def _name(stratum: Stratum) -> str:
    return ", ".join(stratum) or "all"


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row that the judge is given."""

    key: str
    """Its file and its place there."""
    identity: str
    """What names it for people."""
    stratum: str
    cluster: str
    """A digest of whose it is, else of the row."""
    groups: tuple[Group, ...]
    score: float | None
    """Its overall by the rules."""
    at: float
    """Seconds since the epoch; 0 where no time is known."""

    def to_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "DrawnRow":
        """The inverse of `to_json`. Raises LookupError, TypeError or ValueError for anything else."""
        groups = tuple((str(column), str(name)) for column, name in value["groups"])
        return cls(**{**value, "groups": groups})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may be drawn."""

    row: DrawnRow
    exchange: Exchange = field(repr=False)


class Picks:
    """Rows of some parts that may be drawn, and how many there are of each stratum in each group of clusters."""

    def __init__(self, of: Design, slack: float) -> None:
        self._bounds = {stratum: of.bound(stratum, slack) for stratum in of.sizes}
        self._seed = of.seed
        self.counts = Counter[tuple[int, str]]()
        """(group of clusters, stratum) -> rows."""
        self.candidates: list[Candidate] = []

    def see(self, key: str, stratum: str, cluster: str) -> bool:
        """Counts a row; True where it may be drawn."""
        self.counts[bucket_of(cluster) % BUCKETS, stratum] += 1
        return second_place(self._seed, key)[0] < self._bounds[stratum]

    def join(self, other: "Picks") -> None:
        """Takes in another part."""
        self.counts += other.counts
        self.candidates += other.candidates


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn of a collection, and what it was drawn from."""

    sizes: Mapping[str, int]
    """Stratum -> its rows."""
    rows: tuple[DrawnRow, ...]
    """In the order of their places: the first of them are a sample by themselves, as of each stratum its lowest."""
    rest: Mapping[tuple[int, str], int]
    """(group of clusters, stratum) -> rows that were not drawn."""

    @property
    def candidates(self) -> int:
        """The rows that could be drawn."""
        return sum(self.sizes.values())

    @property
    def is_whole(self) -> bool:
        """True where every row was drawn, so that each stands for itself."""
        return len(self.rows) == self.candidates

    def to_json(self) -> dict[str, Json]:
        """For the file of the draw."""
        return {
            "sizes": dict(self.sizes),
            "rows": [row.to_json() for row in self.rows],
            "rest": [[bucket, stratum, number] for (bucket, stratum), number in sorted(self.rest.items())],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Drawn":
        """The inverse of `to_json`. Raises LookupError, TypeError or ValueError for anything else."""
        rest = {(int(bucket), str(stratum)): int(number) for bucket, stratum, number in value["rest"]}
        return cls(value["sizes"], tuple(map(DrawnRow.from_json, value["rows"])), rest)


def draw(of: Design, picks: Picks) -> tuple[Drawn, Sequence[Exchange]] | None:
    """What is drawn, with its texts in the same order; None where too few lay below their bounds."""
    strata = defaultdict[str, list[Candidate]](list)
    for each in picks.candidates:
        strata[each.row.stratum].append(each)
    if any(len(strata[stratum]) < number for stratum, number in of.numbers.items()):
        return None
    chosen = [each for stratum, number in of.numbers.items() for each in _lowest(strata[stratum], number, of.seed)]
    chosen.sort(key=lambda each: second_place(of.seed, each.row.key))
    rest = Counter(picks.counts)
    rest.subtract((bucket_of(each.row.cluster) % BUCKETS, each.row.stratum) for each in chosen)
    left = {place: number for place, number in rest.items() if number}
    return Drawn(of.sizes, tuple(each.row for each in chosen), left), [each.exchange for each in chosen]


def _lowest(candidates: Iterable[Candidate], number: int, seed: int) -> list[Candidate]:
    return sorted(candidates, key=lambda each: second_place(seed, each.row.key))[:number]
