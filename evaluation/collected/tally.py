"""What the rows of a part add up to, in a form that parts can be put together in any order of work.

Of each group (all rows, a value of a column, a week) and metric the values are kept as sums in 512 buckets, and counted
in 20 classes. A cluster (a user, or the row itself) is always in one bucket, so that buckets are independent of each
other, and the standard error of a mean follows from them as from clusters (random groups: Wolter 2007, chapter 2).
Memory depends on groups and metrics and never on rows.
"""

import hashlib
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.collected.places import Lowest, Place, Reasons
from evaluation.records import Json
from evaluation.statistics.clusters import Scale, WeightedEstimate, WeightedValue, weighted_estimate

BUCKETS = 512
CLASSES = 20
MOST_GROUPS = 200
"""Values of one column that have means of their own, the first by name; the others are counted together.

By name, and not as they come: a value that is among the first of the whole is so in every part, so that its mean is
that of all its rows.
"""
OTHERS = "(others)"

Group = tuple[str, str]
"""Column and value; ("", "") stands for all rows."""
ALL: Group = ("", "")


@dataclass(slots=True)
class Column:
    """The values of one metric in one group."""

    numbers: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    """Bucket -> how many."""
    sums: list[float] = field(default_factory=lambda: [0.0] * BUCKETS)
    classes: list[int] = field(default_factory=lambda: [0] * CLASSES)
    """Equal parts of the scale, from below."""
    missing: int = 0
    """Rows for which the metric has no value."""

    def add(self, bucket: int, value: float | None, scale: Scale) -> None:
        """Takes in one value, or that there is none."""
        if value is None:
            self.missing += 1
            return
        self.numbers[bucket] += 1
        self.sums[bucket] += value
        low, high = scale
        self.classes[min(CLASSES - 1, max(0, int((value - low) / (high - low) * CLASSES)))] += 1

    def join(self, other: "Column") -> None:
        """Takes in another part."""
        self.numbers = [one + two for one, two in zip(self.numbers, other.numbers, strict=True)]
        self.sums = [one + two for one, two in zip(self.sums, other.sums, strict=True)]
        self.classes = [one + two for one, two in zip(self.classes, other.classes, strict=True)]
        self.missing += other.missing

    def estimate(self, scale: Scale) -> WeightedEstimate:
        """Mean and interval; `clusters` counts the buckets that have values."""
        buckets = [
            WeightedValue("", str(place), float(number), total / number)
            for place, (number, total) in enumerate(zip(self.numbers, self.sums, strict=True))
            if number
        ]
        return weighted_estimate(buckets, scale)

    def to_json(self) -> Json:
        """Buckets without a value are left out: most are empty in a group of few rows."""
        buckets = [
            [place, number, total]
            for place, (number, total) in enumerate(zip(self.numbers, self.sums, strict=True))
            if number
        ]
        return [buckets, self.classes, self.missing]

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> "Column":
        """The inverse of `to_json`. Raises IndexError, TypeError or ValueError for anything else."""
        buckets, classes, missing = value
        column = cls(classes=list(classes), missing=int(missing))
        for place, number, total in buckets:
            column.numbers[place], column.sums[place] = number, total
        return column

    @property
    def n(self) -> int:
        return sum(self.numbers)


class Tally:
    """The columns of all groups and metrics. `scale` is that of every metric."""

    def __init__(self, metrics: Sequence[str], scale: Scale) -> None:
        self.metrics, self.scale = tuple(metrics), scale
        self.rows = self.errors = 0
        self.groups: dict[Group, dict[str, Column]] = {}
        self._values: dict[str, list[str]] = defaultdict(list)
        """Column -> its values that have means of their own, sorted."""
        self.lowest = {metric: Lowest() for metric in self.metrics}
        self.reasons = Reasons()
        self.languages = Counter[str]()
        """Language by whose pack rows were scored -> how many."""

    def add(
        self,
        cluster: str,
        groups: Iterable[Group],
        scores: Mapping[str, float | None],
        place: Place | None = None,
        language: str = "",
    ) -> None:
        """Takes in the scores of one row, which belongs to these groups and to all rows; `place` is where it stands.

        `language` is that by whose pack it was scored; empty where rules read no words.
        """
        self.rows += 1
        if language:
            self.languages[language] += 1
        if place is not None:
            for metric in self.metrics:
                if (value := scores.get(metric)) is not None:
                    self.lowest[metric].add(value, place)
        bucket = bucket_of(cluster)
        for group in (ALL, *groups):
            columns = self._columns(group)
            for metric in self.metrics:
                columns[metric].add(bucket, scores.get(metric), self.scale)

    def add_error(self, reason: str = "", place: Place | None = None) -> None:
        """Takes in a row that could not be scored."""
        self.rows += 1
        self.errors += 1
        if place is not None:
            self.reasons.add(reason, place)

    def join(self, other: "Tally") -> None:
        """Takes in a part. The result depends on the order of parts alone, by rounding and by which groups are kept."""
        self.rows += other.rows
        self.errors += other.errors
        self.reasons.join(other.reasons)
        self.languages += other.languages
        for metric in self.metrics:
            self.lowest[metric].join(other.lowest[metric])
        for group, columns in other.groups.items():
            mine = self._columns(group)
            for metric, column in columns.items():
                mine[metric].join(column)

    def _columns(self, group: Group) -> dict[str, Column]:
        found = self.groups.get(group)
        if found is None:
            column, value = group
            own = self._values[column]
            if value != OTHERS and len(own) >= MOST_GROUPS:
                if value > own[-1]:
                    return self._columns((column, OTHERS))
                self._join_others(column, own.pop())
            found = self._new(group, {metric: Column() for metric in self.metrics})
        return found

    def _new(self, group: Group, columns: dict[str, Column]) -> dict[str, Column]:
        self.groups[group] = columns
        if group[1] != OTHERS:
            insort(self._values[group[0]], group[1])
        return columns

    def _join_others(self, column: str, value: str) -> None:
        """A value that is among the first no more counts with the others."""
        others = self._columns((column, OTHERS))
        for metric, each in self.groups.pop((column, value)).items():
            others[metric].join(each)

    def to_json(self) -> Json:
        """All of it, for the record of a part."""
        return {
            "rows": self.rows,
            "errors": self.errors,
            "reasons": self.reasons.to_json(),
            "languages": dict(self.languages),
            "lowest": {metric: each.to_json() for metric, each in self.lowest.items()},
            "groups": [
                [
                    *group,
                    {name: each.to_json() for name, each in columns.items()},
                ]
                for group, columns in self.groups.items()
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], metrics: Sequence[str], scale: Scale) -> "Tally":
        """The inverse of `to_json`. Raises LookupError, TypeError or ValueError for anything else."""
        tally = cls(metrics, scale)
        tally.rows, tally.errors = int(value["rows"]), int(value["errors"])
        tally.reasons = Reasons.from_json(value["reasons"])
        tally.languages = Counter({str(name): int(count) for name, count in value["languages"].items()})
        tally.lowest = {metric: Lowest.from_json(value["lowest"][metric]) for metric in metrics}
        for column, name, columns in value["groups"]:
            tally._new((column, name), {metric: Column.from_json(columns[metric]) for metric in metrics})
        return tally

    def summary(self) -> dict[str, Json]:
        """Means with intervals and histograms, of all rows and of each group by column; reasons, and lowest rows."""
        found: dict[str, Any] = {
            "rows": self.rows,
            "errors": self.errors,
            "reasons": self.reasons.summary(),
            "languages": dict(sorted(self.languages.items(), key=lambda each: (-each[1], each[0]))),
            "scale": list(self.scale),
            "metrics": {},
            "by": {},
            "lowest": {
                metric: [{"value": value, **place.to_json()} for value, place in each.entries]
                for metric, each in self.lowest.items()
            },
        }
        for (column, value), columns in sorted(self.groups.items()):
            described = {metric: _described(each, self.scale) for metric, each in columns.items()}
            if column:
                found["by"].setdefault(column, {})[value] = described
            else:
                found["metrics"] = described
        return found


def bucket_of(cluster: str) -> int:
    """The same for the same text, on every machine."""
    return int.from_bytes(hashlib.blake2b(cluster.encode("utf-8", "surrogatepass"), digest_size=4).digest()) % BUCKETS


def _described(column: Column, scale: Scale) -> Json:
    found = column.estimate(scale)
    return {
        "n": column.n,
        "clusters": found.clusters,
        "missing": column.missing,
        "mean": found.mean,
        "se": found.se,
        "ci95": found.ci95,
        "histogram": column.classes,
    }
