"""report.html of a collection: its means, their spread, groups and weeks, and the rows that figures lead to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import ceil
from typing import Any, TypeAlias

from evaluation.decision.gate import StoredMean
from evaluation.reports.collected import STORED, banners, head_of, notes_of, others_of, sentences_of_judge
from evaluation.reports.document import NAME
from evaluation.reports.html.figures import Axis, axis_of
from evaluation.reports.html.over_time import NEAR_AN_END, Spot, place
from evaluation.reports.html.page import Assets, render
from evaluation.reports.intervals import mean_text
from evaluation.statistics.clusters import Scale
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip

WEEK = "week"
LONGEST = 160
"""Columns of an address, and of a reason; its whole text stands in the parts."""
LABELS = 3
"""About so many between the weeks that an axis names: on a telephone more would touch."""
SHOWN = 10
"""Groups of one column that are not folded."""
FEW, MANY = 12, 40
"""Weeks up to which pictures stand abreast, and from which on their points are small."""
MOST_SAID = 15
"""Weeks that the words in the place of a picture name."""
_WEEK = re.compile(r"(\d{4})-W(\d{2})")


Group: TypeAlias = tuple[str, Mapping[str, StoredMean]]
"""A value of a column, and the means of its rows by metric."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """The means by the values of one column."""

    column: str
    shown: Sequence[Group]
    rest: Sequence[Group]
    """Folded below them."""
    others: str
    """What the group of all others is; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Course:
    """One metric by week."""

    metric: str
    axis: Axis
    spots: Sequence[Spot]
    words: str
    """For whoever does not see it."""


def collection_page(summary: Mapping[str, Any], metrics: Sequence[str], assets: Assets, *, folder: str) -> str:
    """The whole page; `summary` is that of the file beside it, and `folder` is where both lie."""
    scale: Scale = tuple(summary["scale"])
    found = {metric: summary["metrics"].get(metric, {}) for metric in metrics}
    overall, means = metrics[-1], STORED.validate_python(found)
    weeks = {name: STORED.validate_python(each) for name, each in sorted(summary["by"].get(WEEK, {}).items())}
    values = {
        "title": f"collection of {numbers.times(summary['rows'], 'response')}",
        "answer": _answer(means[overall], overall),
        "head": head_of(summary),
        "notes": [*sentences_of_judge(summary, overall), *notes_of(summary)],
        "summary": summary,
        "folder_of_all": folder,
        "metrics": metrics,
        "overall": overall,
        "means": means,
        "missing": {metric: each.get("missing", 0) for metric, each in found.items()},
        "counts": {metric: each.get("histogram", ()) for metric, each in found.items()},
        "axis": Axis(*scale),
        "scale": scale,
        "groupings": [_grouping(column, groups, overall) for column, groups in summary["by"].items()],
        "courses": list(_courses(weeks, metrics, scale)),
        "dates": list(_dates(weeks)),
        "size": "" if len(weeks) <= FEW else "long" if len(weeks) <= MANY else "longest",
        "part_file": lambda number: part_file(number, summary["form"]),
        "named": lambda text: clip(text, NAME),
        "placed": lambda text: clip(text, LONGEST),
        "banners": banners(summary),
    }
    return render(replace(assets, js=""), "collection.html.j2", values, None)


def part_file(number: int, form: str) -> str:
    """The output of a part, beside the page."""
    return f"part-{number:05d}.{form}"


def _answer(found: StoredMean, overall: str) -> str:
    if found.mean is None:
        return "Nothing could be scored"
    interval = f", 95% interval {numbers.interval(found.ci95)}" if found.ci95 else ", without an interval"
    return f"{in_words(overall).capitalize()} {numbers.score(found.mean)}{interval}"


def _grouping(column: str, groups: Mapping[str, Any], overall: str) -> Grouping:
    found = [(name, STORED.validate_python(each)) for name, each in groups.items()]
    found.sort(key=lambda each: each[0] if column == WEEK else (-each[1][overall].n, each[0]))
    return Grouping(column, found[:SHOWN], found[SHOWN:], others_of(groups, overall))


def _courses(weeks: Mapping[str, Mapping[str, StoredMean]], metrics: Sequence[str], scale: Scale) -> Iterator[Course]:
    """Of each metric that has a mean in a week with a date."""
    days = _days(weeks)
    for metric in metrics:
        found = {week: weeks[week][metric] for week in days if weeks[week][metric].mean is not None}
        if found:
            spots = [Spot(place(_span(days), days[week]), _said(week, mean), mean) for week, mean in found.items()]
            newest = list(found.items())[-MOST_SAID:]
            said = ", ".join(f"{week} {numbers.score(mean.mean)}" for week, mean in newest)
            words = f"{in_words(metric)}, the newest {numbers.times(len(newest), 'week')}: {said}"
            yield Course(metric, axis_of(found.values(), scale), spots, words)


def _said(week: str, mean: StoredMean) -> str:
    return f"{week}: {mean_text(mean)}, n {numbers.count(mean.n)}"


def _days(weeks: Mapping[str, object]) -> dict[str, int]:
    """Week -> its Monday, as a number of days; without what is no week."""
    found: dict[str, int] = {}
    for week in weeks:
        if named := _WEEK.fullmatch(week):
            try:
                found[week] = date.fromisocalendar(int(named[1]), int(named[2]), 1).toordinal()
            except ValueError:
                continue
    return found


def _span(days: Mapping[str, int]) -> Axis:
    return Axis(min(days.values()), max(days.values()))


def _dates(weeks: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Place, side (start, mid, end) and name of the weeks that the axis names."""
    days = _days(weeks)
    if not days:
        return
    span = _span(days)
    step = max(1, ceil((span.high - span.low) / 7 / LABELS))
    for day in range(int(span.low), int(span.high) + 1, 7 * step):
        year, week, _ = date.fromordinal(day).isocalendar()
        share = span.share(day)
        side = (
            "mid"
            if span.high == span.low or NEAR_AN_END <= share <= 1 - NEAR_AN_END
            else "start"
            if share < 0.5
            else "end"
        )
        yield place(span, day), side, f"{year}-W{week:02d}"
