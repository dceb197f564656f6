"""Places on an axis of time, and its dates: in percent of a picture's width, all in UTC."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from evaluation.decision.gate import StoredMean
from evaluation.reports.html.figures import Axis
from evaluation.text import numbers

MARGIN = 3.0
"""Percent of a picture's width at either end, so that a point there is whole."""
INTERVALS = 2.5
"""About so many between the dates of an axis: on a telephone more would touch."""
SIX_DAYS = 6 * 86_400
"""Seconds; an axis of less has the times of its ends."""
NEAR_AN_END = 0.12
"""Share of the width within which a date is set away from the end."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One moment of a picture over time."""

    x: str
    """Its place in the picture: "74.50%"."""
    title: str
    mean: StoredMean
    other: bool = False
    """True where its mean does not compare with the newest: hollow."""


def place(time: Axis, when: float) -> str:
    """The place of a moment: "74.50%"."""
    return f"{MARGIN + time.share(when) * (100 - 2 * MARGIN):.2f}%"


def moment(when: float) -> str:
    """Seconds since the epoch as people read them, 2026-11-20 14:02; a dash for what is no time."""
    try:
        return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return numbers.NONE


def dates(time: Axis) -> Iterator[tuple[str, str, str]]:
    """Place, side (start, mid, end) and text of the dates of an axis: midnights; of less than six days both ends."""
    first, last = time.low, time.high
    if last - first < SIX_DAYS:
        yield place(time, first), "start", moment(first)
        if last - first >= 60:
            yield place(time, last), "end", moment(last)
        return
    begin = datetime.fromtimestamp(first, UTC)
    day = datetime(begin.year, begin.month, begin.day, tzinfo=UTC) + timedelta(days=1)
    step = timedelta(days=ceil((last - first) / 86_400 / INTERVALS))
    while day.timestamp() <= last:
        share = time.share(day.timestamp())
        side = "start" if share < NEAR_AN_END else "end" if share > 1 - NEAR_AN_END else "mid"
        yield place(time, day.timestamp()), side, f"{day:%Y-%m-%d}"
        day += step
