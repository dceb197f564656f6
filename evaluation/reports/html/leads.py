"""Links from a figure to the responses that it counts.

The address is what the page's script reads (`assets/address.js`): "#show?category=trust&metric=judge/helpfulness".
The counts are those of the page's own rows, so that a link names as many responses as it leads to.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.records import Json
from evaluation.reports.html.figures import Axis, Histogram, bin_of
from evaluation.text import numbers

SORTED = {"metric": "lowest first", "loss": "biggest loss first"}
"""The orders that a figure asks for, in words."""
NOT_PLAIN = re.compile(rb"[^A-Za-z0-9_.~/-]")
DIGITS = ".10g"
"""Of a border in an address."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Where a figure leads."""

    address: str
    words: str
    """What is shown there: "Show the 12 responses of emotional support, helpfulness (judge)"."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One row of the page that has a value of a metric."""

    category: str
    value: float
    """Of the last of the sides that were asked for."""


class Leads:
    """Makes the links of one page from its data, as `Book.to_json` writes them."""

    def __init__(self, data: Mapping[str, Json]) -> None:
        self._scenarios: Sequence[Mapping[str, Json]] = data["scenarios"]
        self._rows: Sequence[Sequence[Json]] = data["rows"]
        self._places = {
            (source, metric): place
            for source, metrics in data["columns"].items()
            for place, metric in enumerate(metrics)
        }
        self._names = [side["name"] for side in data["sides"]]
        self._known: dict[tuple[str, str, tuple[int, ...]], list[Counted]] = {}
        self._shown = {
            (self._scenarios[row[0]]["id"], row[1], row[2]): f"#r={row[0]}/{row[1]}/{row[2]}" for row in self._rows
        }
        self._tags = Counter(tag for row in self._rows for tag in self._scenarios[row[0]]["tags"])

    def to_metric(
        self, source: str, metric: str, n: int, *, category: str = "", sides: Sequence[int] = (), sort: str = ""
    ) -> Lead | None:
        """To the responses with a value of a metric, under one category or all; None where the page holds none.

        `n` is what the figure counts. `sides` are the runs that must have a value, from 0, and all of them when it
        is empty; of two, the first is subtracted. `sort` is "metric" or "loss".
        """
        chosen = tuple(sides) or tuple(range(len(self._names)))
        known = self._values(source, metric, chosen)
        count = sum(1 for each in known if not category or each.category == category)
        given = {"category": category, "metric": f"{source}/{metric}", **self._between(chosen), "sort": sort}
        of = [_words(category), f"{_words(metric)} ({source})", *self._named(chosen)]
        return _lead(given, count, n, of, sort)

    def to_bars(self, histogram: Histogram) -> list[Lead | None]:
        """To the responses in each bar of a histogram, from the low end; None for an empty one."""
        source, metric, axis, bins = histogram.source, histogram.metric, histogram.axis, len(histogram.counts)
        counts = Counter(bin_of(each.value, axis) for each in self._values(source, metric, (0,)))
        return [
            self._to_bar(source, metric, (_border(axis, place, bins), _border(axis, place + 1, bins)), counts[place], n)
            for place, n in enumerate(histogram.counts)
        ]

    def to_tag(self, name: str) -> Lead | None:
        """To the responses to the scenarios with a tag; None where the page holds none."""
        return _lead({"tag": name}, self._tags[name], self._tags[name], [_words(name)])

    def to_response(self, scenario_id: str, repeat: int, turn: int) -> str:
        """The address of one response; empty where the page does not hold it."""
        return self._shown.get((scenario_id, repeat, turn), "")

    def _to_bar(
        self, source: str, metric: str, ends: tuple[float | None, float | None], count: int, n: int
    ) -> Lead | None:
        low, below = ends
        given = {
            "metric": f"{source}/{metric}",
            "low": "" if low is None else format(low, DIGITS),
            "below": "" if below is None else format(below, DIGITS),
            "sort": "metric",
        }
        said = [f"from {numbers.score(low)}"] if low is not None else []
        said += [f"below {numbers.score(below)}"] if below is not None else []
        return _lead(given, count, n, [f"{_words(metric)} ({source}) {' to '.join(said)}".rstrip()])

    def _values(self, source: str, metric: str, sides: tuple[int, ...]) -> list[Counted]:
        key = (source, metric, sides)
        if key not in self._known:
            self._known[key] = list(self._read(source, metric, sides))
        return self._known[key]

    def _read(self, source: str, metric: str, sides: tuple[int, ...]) -> Iterable[Counted]:
        for place, _, _, entries in self._rows:
            values = [self._value(entries[side], source, metric) for side in sides]
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                yield Counted(self._scenarios[place]["category"], known[-1])

    def _value(self, entry: Mapping[str, Json] | None, source: str, metric: str) -> float | None:
        """What the means count of an entry: the value shown, unless the entry says otherwise."""
        if entry is None:
            return None
        otherwise = entry.get("u", {}).get(source, {})
        values = entry.get("v", {}).get(source)
        place = self._places.get((source, metric))
        shown = None if values is None or place is None or metric in entry.get("n", ()) else values[place]
        counted: float | None = otherwise.get(metric, shown)
        return counted

    def _between(self, sides: Sequence[int]) -> dict[str, str]:
        """The runs in an address: needed where there are more than are meant."""
        if len(self._names) < 3 or len(sides) > 2:
            return {}
        return {"base": str(sides[0] + 1) if len(sides) == 2 else "", "side": str(sides[-1] + 1)}

    def _named(self, sides: Sequence[int]) -> list[str]:
        if len(self._names) < 3 or len(sides) > 2:
            return []
        return [" minus ".join(self._names[side] for side in reversed(sides))]


def _border(axis: Axis, place: int, bins: int) -> float | None:
    """The border below one of the bars; None at either end, where everything beyond counts too."""
    return axis.low + (axis.high - axis.low) * place / bins if 0 < place < bins else None


def _lead(given: Mapping[str, str], count: int, n: int, of: Sequence[str], sort: str = "") -> Lead | None:
    """None without responses, and for a name that no address can hold."""
    if not count:
        return None
    try:
        address = "#show?" + "&".join(f"{name}={_percent(value)}" for name, value in given.items() if value)
    except UnicodeEncodeError:
        return None
    many = numbers.times(max(count, n), "response")
    what = many if count >= n else f"{numbers.count(count)} of {many}"
    order = f", {SORTED[sort]}" if sort else ""
    return Lead(address, f"Show the {what} of {', '.join(filter(None, of))}{order}")


def _percent(value: str) -> str:
    """A value as an address holds it. Raises UnicodeEncodeError for half a surrogate pair, which none can hold."""
    return NOT_PLAIN.sub(lambda found: b"%%%02X" % found[0][0], value.encode()).decode()


def _words(name: str) -> str:
    return name.replace("_", " ")
