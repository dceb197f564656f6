"""Which rows a figure of a collection leads to: the lowest of each metric, and the first of each reason for no score.

Both are bounded, and those of parts put together are those of the whole: the lowest whatever the order, the reasons in
the order of the parts.
"""

import re
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluation.records import Json

MOST_LOWEST = 10
"""Rows of one metric that are named."""
MOST_REASONS = 50
"""Reasons that are counted by themselves; the others are counted together."""
MOST_PARTS = 5
"""Parts that are named for one reason."""
OTHER_REASONS = "(other reasons)"
LONGEST_ID, LONGEST_REASON = 200, 300
"""Characters that are kept."""
_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")


class Place(NamedTuple):
    """Where a row stands."""

    identity: str
    """Its id."""
    part: int
    place: int
    """In the input: a byte of JSON lines and CSV, else the number of the row, from 0."""

    @classmethod
    def of(cls, identity: object, part: int, place: int) -> "Place":
        return cls(str(identity)[:LONGEST_ID], part, place)

    def to_json(self) -> dict[str, Json]:
        return {"id": self.identity, "part": self.part, "place": self.place}


class Lowest:
    """The rows with the lowest values of one metric: of those that are equal, the first by id."""

    def __init__(self, entries: Sequence[tuple[float, Place]] = ()) -> None:
        self.entries = list(entries)
        """Value and place, sorted."""

    def add(self, value: float, place: Place) -> None:
        """Takes in one row."""
        entry = (value, place)
        if len(self.entries) < MOST_LOWEST or entry < self.entries[-1]:
            insort(self.entries, entry)
            del self.entries[MOST_LOWEST:]

    def join(self, other: "Lowest") -> None:
        """Takes in another part."""
        self.entries = sorted([*self.entries, *other.entries])[:MOST_LOWEST]

    def to_json(self) -> Json:
        return [[value, *place] for value, place in self.entries]

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> "Lowest":
        """The inverse of `to_json`. Raises TypeError or ValueError for anything else."""
        return cls([(number, Place(str(identity), int(part), int(place))) for number, identity, part, place in value])


@dataclass(slots=True)
class Reason:
    """Rows that could not be scored for one reason."""

    first: Place
    count: int = 0
    parts: list[int] = field(default_factory=list)
    """The first parts that hold such a row."""

    def join(self, other: "Reason") -> None:
        self.count += other.count
        new = [part for part in other.parts if part not in self.parts]
        self.parts = [*self.parts, *new][:MOST_PARTS]


class Reasons:
    """Why rows could not be scored, and how many. Numbers in a reason (a column, a byte) do not tell reasons apart."""

    def __init__(self) -> None:
        self.found: dict[str, Reason] = {}

    def add(self, reason: str, place: Place) -> None:
        """Takes in one row."""
        self._take(_NUMBER.sub("…", reason[:LONGEST_REASON]), Reason(place, 1, [place.part]))

    def join(self, other: "Reasons") -> None:
        """Takes in a part that comes after."""
        for name, reason in other.found.items():
            self._take(name, reason)

    def _take(self, name: str, reason: Reason) -> None:
        if name not in self.found and len(self.found) >= MOST_REASONS:
            name = OTHER_REASONS
        self.found.setdefault(name, Reason(reason.first)).join(reason)

    def to_json(self) -> Json:
        return [[name, each.count, list(each.first), each.parts] for name, each in self.found.items()]

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> "Reasons":
        """The inverse of `to_json`. Raises TypeError or ValueError for anything else."""
        reasons = cls()
        for name, count, (identity, part, place), parts in value:
            reasons.found[str(name)] = Reason(Place(str(identity), int(part), int(place)), int(count), list(parts))
        return reasons

    def summary(self) -> Json:
        """Those with the most rows first."""
        found = sorted(self.found.items(), key=lambda each: (-each[1].count, each[0]))
        return [
            {"reason": name, "count": each.count, "first": each.first.to_json(), "parts": list(each.parts)}
            for name, each in found
        ]
