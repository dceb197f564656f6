"""The index of all runs: its rows, its links, its trends, and texts from outside that stay texts."""

import re
from collections.abc import Callable

import pytest

from evaluation.reports.html.figures import Axis
from evaluation.reports.html.index import Index, index_page, page_address, row_of, trends
from evaluation.reports.html.over_time import dates, moment
from tests.evaluation.reports.html.index_pages import (
    DAY,
    FIRST,
    entry,
    hostile_index,
    hostile_night,
    index_assets,
    page_of,
    several,
)

ROW = re.compile(r"<tr data-kind.*?</tr>")


def texts(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_each_line_is_a_row_the_newest_first_with_verdict_figure_and_marks() -> None:
    rows = ROW.findall(page_of())
    assert len(rows) == 6
    assert 'href="' not in rows[0]
    assert texts(rows[0]) == "other v43 r · model-a 2026-11-03 14:13 run – - not finished"
    assert texts(rows[1]) == (
        "penpal v42 n · model-a 2026-11-02 14:13 night alarm -0.020 -0.070 to +0.030 rehearsal judge unfit"
    )
    assert 'href="c/comparison.html"' in rows[2]
    assert "worse v40 is worse +0.100 +0.050 to +0.150" in texts(rows[2])
    assert texts(rows[3]).endswith("run deploy 0.80 [0.75, 0.85] small sample")
    assert texts(rows[4]).endswith("run held back 0.70 [0.65, 0.75] held back")


def test_the_newest_page_is_named_first() -> None:
    hero = page_of().partition("<nav")[0]
    assert 'href="run-42/report.html"' in hero
    assert "4 runs, 1 comparison, 1 night" in hero
    assert "Nothing yet" in index_page(Index([]), index_assets())


@pytest.mark.parametrize(
    ("page", "leads"),
    [
        ("run-1/report.html", True),
        ("nightly/20261128T020000Z/report.html", True),
        ("../secret.html", False),
        ("/etc/passwd", False),
        ("javascript:alert(1)", False),
        ("a//b", False),
        ("run 1/report.html", False),
        ("", False),
    ],
)
def test_only_a_path_below_the_folder_of_runs_becomes_a_link(page: str, leads: bool) -> None:
    assert page_address(page) == (page if leads else "")


@pytest.mark.parametrize("made", [hostile_index, hostile_night])
def test_hostile_texts_stay_texts(made: Callable[[], str]) -> None:
    page = made()
    body = page.partition("</style>")[2].partition('<script type="application/json"')[0]
    assert "&lt;" in body
    assert not re.search(r"<(script|img|iframe|svg on)[ >]", body)
    assert "\u202e" not in body and "\x1b" not in body
    assert 'href="javascript' not in body


def test_a_trend_has_the_runs_of_one_prompt_by_the_day_they_were_made() -> None:
    (found,) = trends([row_of(each) for each in reversed(several())])
    assert [row.entry.name for row in found.rows] == ["run-0", "run-20", "run-40"]
    assert [point.x for point in found.points] == ["3.00%", "50.00%", "97.00%"]
    assert [point.other for point in found.points] == [False, True, False]
    assert found.words == (
        "Overall of penpal: 3 runs from 2026-09-21 14:13 to 2026-10-31 14:13; 2026-09-21 14:13 v0 0.60, "
        "2026-10-11 14:13 v20 0.70 under other conditions, 2026-10-31 14:13 v40 0.80"
    )
    assert [text for _, _, text in found.dates] == ["2026-09-22", "2026-10-08", "2026-10-24"]
    page = page_of()
    assert f'aria-label="{found.words}"' in page
    assert ">2026-10-08</text>" in page


def test_parts_of_runs_and_runs_without_a_mean_are_in_no_trend() -> None:
    lone = [entry(0), entry(1, None), entry(2, marks=("part of a run",)), entry(3, suite="other")]
    assert list(trends([row_of(each) for each in reversed(lone)])) == []
    assert 'id="trends"' not in page_of(*lone)


def test_an_axis_of_a_few_days_has_times() -> None:
    assert list(dates(Axis(FIRST, FIRST + DAY))) == [
        ("3.00%", "start", "2026-09-21 14:13"),
        ("97.00%", "end", "2026-09-22 14:13"),
    ]
    assert len(list(dates(Axis(FIRST, FIRST)))) == 1


@pytest.mark.parametrize("days", [6, 7, 30, 365, 4000])
def test_dates_are_few_and_in_order(days: int) -> None:
    found = list(dates(Axis(FIRST, FIRST + days * DAY)))
    places = [float(place.rstrip("%")) for place, _, _ in found]
    assert 2 <= len(found) <= 3
    assert places == sorted(places) and places[-1] <= 97


def test_a_moment_that_is_none_is_a_dash() -> None:
    assert moment(1e300) == "-"
    assert "run-1" in page_of(entry(0), entry(1, made_at=1e300))


def test_older_lines_without_room_are_counted() -> None:
    assert "1,200 older ones" in page_of(left_out=1200)
    assert "older ones" not in page_of()
