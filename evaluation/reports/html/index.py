"""index.html of a folder of runs: every run, comparison, night and sweep in one table, and the trend of each prompt."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evaluation.decision.gate import StoredMean
from evaluation.reports.entries import NO_VERDICT, PART, Entry
from evaluation.reports.html.figures import Axis, axis_of, is_small
from evaluation.reports.html.over_time import Spot, dates, moment, place
from evaluation.reports.html.page import Assets, folder, render
from evaluation.text import numbers
from evaluation.text.safe_text import clip

MOST_TRENDS = 12
MOST_POINTS = 60
"""Runs in a trend, the newest."""
MOST_SAID = 20
"""Runs that the words in the place of a trend name."""
LONGEST = 240
"""Columns of a first line."""
TAGS = {"gate passed": "up", "incomplete": "warn", "rehearsal": "warn", "judge not checked": "warn"}
"""Mark -> its colour; red unless it is here or below."""
PLAIN_MARKS = (PART, "production")
GOOD = ("deploy", "better", "ok", "checks pass", "a best setting")
BAD = ("needs revision", "held back", "worse", "alarm", "checks fail", "failed", "refused")
KINDS = ("run", "comparison", "night", "sweep", "production sample")


@dataclass(frozen=True, slots=True)
class Index:
    """All that the page shows."""

    entries: Sequence[Entry]
    """In any order."""
    left_out: int = 0
    """Older ones, for which the page has no room."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    entry: Entry
    day: str
    """When it was made: 2026-11-20 14:02."""
    page: str
    """Where its page lies; empty where there is none."""

    @property
    def tone(self) -> str:
        """The colour of the verdict: up, bad or none."""
        return "up" if self.entry.verdict in GOOD else "bad" if self.entry.verdict in BAD else ""

    @property
    def said(self) -> str:
        """What its first line says more than the verdict."""
        headline = self.entry.headline
        return "" if headline.lower() in (self.entry.verdict.lower(), NO_VERDICT) else clip(headline, LONGEST)

    @property
    def figure(self) -> str:
        found = self.entry.figure
        if self.entry.is_difference:
            return numbers.with_sign(found)
        return numbers.score(found)

    @property
    def interval(self) -> str:
        """With "no interval" where there should be one."""
        if self.entry.figure is None:
            return ""
        ends = self.entry.ci95
        if ends is None:
            return "no interval"
        return numbers.span(ends) if self.entry.is_difference else numbers.interval(ends)

    @property
    def small(self) -> bool:
        return self.entry.situations is not None and is_small(self.entry.situations)

    @property
    def tags(self) -> list[tuple[str, str]]:
        """Each mark with its colour."""
        return [(mark, "" if mark in PLAIN_MARKS else TAGS.get(mark, "bad")) for mark in self.entry.marks]


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs of one prompt over time."""

    subject: str
    suite: str
    rows: Sequence[Row]
    """The oldest first."""
    points: Sequence[Spot]
    """Of the rows; hollow where it was measured in another way than the newest."""
    axis: Axis
    dates: Sequence[tuple[str, str, str]]
    """Place, side (start, mid, end) and text of each date of the axis."""

    @property
    def words(self) -> str:
        """What the picture shows, for whoever does not see it."""
        first, last = self.rows[0].day, self.rows[-1].day
        newest = list(zip(self.rows, self.points, strict=True))[-MOST_SAID:]
        said = [
            f"{row.day} {row.entry.version} {row.figure}{' under other conditions' * point.other}"
            for row, point in newest
        ]
        more = len(self.points) - len(said)
        of = f"Overall of {self.subject}: {numbers.times(len(self.points), 'run')} from {first} to {last}"
        return f"{of}; {f'the newest {len(said)}: ' if more else ''}{', '.join(said)}"


def index_page(index: Index, assets: Assets) -> str:
    """The whole page; the script of the assets is that of this page."""
    rows = [row_of(entry) for entry in sorted(index.entries, key=lambda each: (each.made_at, each.name), reverse=True)]
    found = list(trends(rows))
    counts = Counter[str](row.entry.kind for row in rows)
    values = {
        "title": "all runs",
        "answer": ", ".join(numbers.times(counts[kind], kind) for kind in KINDS if counts[kind]) or "Nothing yet",
        "rows": rows,
        "newest": next((row for row in rows if row.page), None),
        "left_out": index.left_out,
        "trends": found[:MOST_TRENDS],
        "more_trends": len(found) - MOST_TRENDS,
        "kinds": [kind for kind in KINDS if counts[kind]],
        "subjects": sorted({row.entry.subject for row in rows}),
        "verdicts": sorted({row.entry.verdict for row in rows} - {""}),
        "marks": sorted({mark for row in rows for mark in row.entry.marks}),
        "banners": [],
    }
    return render(assets, "index.html.j2", values, None)


def row_of(entry: Entry) -> Row:
    return Row(entry, moment(entry.made_at), page_address(entry.page))


def page_address(page: str) -> str:
    """A path below the folder of the runs as a relative address; nothing for what is none."""
    parts = page.split("/")
    return page if page and all(map(folder, parts)) else ""


def trends(rows: Sequence[Row]) -> Iterator[Trend]:
    """Of each prompt with at least two runs that have a mean, that of the newest run first; `rows` likewise."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        entry = row.entry
        if entry.kind == "run" and entry.figure is not None and PART not in entry.marks and row.day != numbers.NONE:
            groups.setdefault((entry.suite, entry.subject), []).append(row)
    for (suite, subject), found in groups.items():
        shown = found[:MOST_POINTS][::-1]
        if len(shown) > 1:
            yield _trend(subject, suite, shown)


def _trend(subject: str, suite: str, rows: Sequence[Row]) -> Trend:
    time, terms = Axis(rows[0].entry.made_at, rows[-1].entry.made_at), rows[-1].entry.terms
    points = [
        Spot(
            place(time, row.entry.made_at),
            f"{row.day} {row.entry.version}: {row.figure} {row.interval}",
            StoredMean(mean=row.entry.figure, ci95=row.entry.ci95),
            row.entry.terms != terms,
        )
        for row in rows
    ]
    scale = next((row.entry.scale for row in reversed(rows) if row.entry.scale), (0.0, 1.0))
    return Trend(subject, suite, rows, points, axis_of((point.mean for point in points), scale), list(dates(time)))


def with_script(assets: Assets, css: str, js: str) -> Assets:
    """The assets of this page: its own script in the place of that of the reports, and its styles behind theirs."""
    return replace(assets, css=assets.css + css, js=js)
