"""What generations add up to, unit by unit and day by day, while they go by: no row is kept.

A unit (a user, or a session) belongs to the arm in which it was seen first, and all that it does counts there: who
leaves his arm may do so because of it, and a user who was counted once is never taken away again. A value weighs as
many generations as it stands for: those of its version in its week over those of them that have a value. Where all have
one, each weighs 1; where a sample was scored, these are the weights of the sample.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.ab.plan import DAY_S
from evaluation.statistics.two_arms import UserSum

BASE, CANDIDATE = 0, 1
_DAYS = 1 << 20
_THURSDAY = 3
"""Day 0 of the calendar that counts seconds, from Monday."""


class Generation(NamedTuple):
    """What is counted of one."""

    unit: str
    cluster: str
    """Of the user, or what stands for him."""
    arm: int
    """By its version: BASE or CANDIDATE."""
    at: float
    """Seconds since the epoch."""
    failed: bool
    value: float | None
    """None where it has none, or where another one of its trace bears it."""
    counts: bool = True
    """False for a generation whose trace has a value that another one bears: it is none without a value."""
    cost: float | None = None


class Cell(NamedTuple):
    """One unit on one day under one version."""

    unit: int
    day: int
    arm: int
    early: bool
    """True of what an earlier look saw."""
    generations: float
    """Those that did not fail."""
    failed: float
    frame: float
    """Of the generations, those that could have a value."""
    scored: float
    total: float
    """Of the values."""
    costed: float
    cost: float


SumsOfArms = tuple[dict[int, UserSum], dict[int, UserSum]]
"""Cluster -> sums, of base and candidate."""


@dataclass(frozen=True, slots=True)
class Totals:
    """One arm, by the units that belong to it."""

    units: int
    crossed: int
    """Units that were seen under the other version as well."""
    scored_units: int
    generations: int
    failed: int
    frame: int
    scored: int


class Tally:
    """Takes generations in any order, each once. `cut` is the end of an earlier look, in seconds since the epoch."""

    def __init__(self, cut: float = -math.inf) -> None:
        self._cut = cut
        self._units: dict[str, int] = {}
        self._clusters: dict[str, int] = {}
        self._cluster_of = array("l")
        self._first_at = array("d")
        self._first_arm = bytearray()
        self._seen_in = bytearray()
        """Bit by bit: in base, in candidate."""
        self._rows: dict[int, int] = {}
        self._columns = [array("d") for _ in Cell._fields[4:]]

    def take(self, each: Generation) -> None:
        unit = self._unit(each)
        key = ((unit * 2 + each.arm) * 2 + (each.at < self._cut)) * _DAYS + int(each.at // DAY_S)
        row = self._rows.setdefault(key, len(self._rows))
        if row == len(self._columns[0]):
            for column in self._columns:
                column.append(0.0)
        added = (
            not each.failed,
            each.failed,
            not each.failed and each.counts,
            each.value is not None,
            each.value or 0.0,
            each.cost is not None,
            each.cost or 0.0,
        )
        for column, amount in zip(self._columns, added, strict=True):
            column[row] += amount

    def arms(self) -> tuple[Totals, Totals]:
        found = [Totals(0, 0, 0, 0, 0, 0, 0)] * 2
        sums = [defaultdict[str, float](float) for _ in found]
        scored = set[int]()
        for cell in self._cells():
            own = sums[self._first_arm[cell.unit]]
            for name in ("generations", "failed", "frame", "scored"):
                own[name] += getattr(cell, name)
            if cell.scored:
                scored.add(cell.unit)
        for arm, own in enumerate(sums):
            mine = [unit for unit, first in enumerate(self._first_arm) if first == arm]
            found[arm] = Totals(
                units=len(mine),
                crossed=sum(self._seen_in[unit] == 3 for unit in mine),
                scored_units=sum(unit in scored for unit in mine),
                generations=round(own["generations"]),
                failed=round(own["failed"]),
                frame=round(own["frame"]),
                scored=round(own["scored"]),
            )
        return found[BASE], found[CANDIDATE]

    def splits(self) -> list[tuple[int, int]]:
        """Units of base and candidate by the week in which they were seen first."""
        found = defaultdict[int, list[int]](lambda: [0, 0])
        for at, arm in zip(self._first_at, self._first_arm, strict=True):
            found[_week(int(at // DAY_S))][arm] += 1
        return [(base, candidate) for _, (base, candidate) in sorted(found.items())]

    def by_response(self, *, before_cut: bool = False) -> SumsOfArms:
        """What the values of each cluster add up to, each weighing the generations that it stands for.

        With `before_cut` all of it as it was at the earlier look.
        """
        weights = self._weights(before_cut=before_cut)
        found = _empty()
        for cell in self._cells():
            if cell.scored and (cell.early or not before_cut):
                weight = weights[cell.arm, _week(cell.day)]
                self._add(found, cell, cell.scored * weight, cell.total * weight)
        return _sums(found)

    def by_user(self, window: int, until: float) -> tuple[SumsOfArms, int]:
        """The mean of each unit over its first `window` days, once these have passed; units whose have not.

        A day is one of UTC; the first is that on which the unit was seen first. Every unit weighs 1.
        """
        today = int(until // DAY_S)
        first = [int(at // DAY_S) for at in self._first_at]
        found = _empty()
        for cell in self._cells():
            begun = first[cell.unit]
            if cell.scored and begun + window <= today and cell.day < begun + window:
                self._add(found, cell, cell.scored, cell.total)
        waiting = sum(begun + window > today for begun in first)
        return _sums(found, alike=True), waiting

    def failures(self) -> SumsOfArms:
        found = _empty()
        for cell in self._cells():
            self._add(found, cell, cell.generations + cell.failed, cell.failed)
        return _sums(found)

    def costs(self) -> SumsOfArms:
        """Of generations whose cost is known."""
        found = _empty()
        for cell in self._cells():
            if cell.costed:
                self._add(found, cell, cell.costed, cell.cost)
        return _sums(found)

    def evenness(self) -> float:
        """As many values of equal weight would say as much, as a share of all values (Kish 1965); 1 without any."""
        weights = self._weights()
        numbers, sums, squares = 0.0, 0.0, 0.0
        for cell in self._cells():
            if cell.scored:
                weight = weights[cell.arm, _week(cell.day)]
                numbers += cell.scored
                sums += cell.scored * weight
                squares += cell.scored * weight**2
        return sums**2 / squares / numbers if numbers else 1.0

    def _unit(self, each: Generation) -> int:
        unit = self._units.setdefault(each.unit, len(self._units))
        if unit == len(self._first_at):
            self._first_at.append(each.at)
            self._first_arm.append(each.arm)
            self._seen_in.append(0)
            self._cluster_of.append(self._clusters.setdefault(each.cluster, len(self._clusters)))
        elif each.at < self._first_at[unit]:
            self._first_at[unit], self._first_arm[unit] = each.at, each.arm
        self._seen_in[unit] |= 1 << each.arm
        return unit

    def _cells(self) -> Iterator[Cell]:
        for key, row in self._rows.items():
            place, day = divmod(key, _DAYS)
            of_unit, early = divmod(place, 2)
            unit, arm = divmod(of_unit, 2)
            yield Cell(unit, day, arm, early == 1, *(column[row] for column in self._columns))

    def _weights(self, *, before_cut: bool = False) -> dict[tuple[int, int], float]:
        """Version and week -> generations of it over those that have a value."""
        frame, scored = defaultdict[tuple[int, int], float](float), defaultdict[tuple[int, int], float](float)
        for cell in self._cells():
            if before_cut and not cell.early:
                continue
            frame[cell.arm, _week(cell.day)] += cell.frame
            scored[cell.arm, _week(cell.day)] += cell.scored
        return {stratum: frame[stratum] / number for stratum, number in scored.items() if number}

    def _add(self, found: tuple["_Sums", "_Sums"], cell: Cell, weight: float, total: float) -> None:
        own = found[self._first_arm[cell.unit]][self._cluster_of[cell.unit]]
        own[0] += weight
        own[1] += total


_Sums = defaultdict[int, list[float]]


def _empty() -> tuple[_Sums, _Sums]:
    return defaultdict(lambda: [0.0, 0.0]), defaultdict(lambda: [0.0, 0.0])


def _sums(found: tuple[_Sums, _Sums], *, alike: bool = False) -> SumsOfArms:
    base, candidate = (
        {
            each: UserSum(1.0, total / weight) if alike else UserSum(weight, total)
            for each, (weight, total) in arm.items()
        }
        for arm in found
    )
    return base, candidate


def _week(day: int) -> int:
    return (day + _THURSDAY) // 7
