"""The index and the page of a night, made by hand."""

from dataclasses import replace
from typing import Any

from evaluation.reports.entries import Entry
from evaluation.reports.html.index import Index, index_page, with_script
from evaluation.reports.html.night import night_page
from evaluation.reports.html.page import Assets
from services.workspace import read_index_assets
from tests.evaluation.nightly.test_night import hostile_report
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import assets

DAY = 86_400.0
FIRST = 1_790_000_000.0
"""2026-09-21 14:13:20 UTC."""


def index_assets() -> Assets:
    return with_script(assets(), *read_index_assets())


def entry(day: int, figure: float | None = 0.7, **changes: Any) -> Entry:
    """A run of so many days after the first."""
    usual = Entry(
        kind="run",
        name=f"run-{day}",
        made_at=FIRST + day * DAY,
        subject="penpal",
        version=f"v{day}",
        suite="companion",
        model="model-a",
        verdict="deploy",
        page=f"run-{day}/report.html",
        figure=figure,
        ci95=None if figure is None else (figure - 0.05, figure + 0.05),
        situations=24,
        scale=(0.0, 1.0),
        terms="a",
    )
    return replace(usual, **changes)


def several() -> list[Entry]:
    return [
        entry(0, 0.6),
        entry(20, 0.7, verdict="held back", marks=("held back",), terms="b"),
        entry(40, 0.8, situations=8),
        entry(41, 0.1, name="c", kind="comparison", verdict="worse", headline="v40 is worse", page="c/comparison.html"),
        entry(42, -0.02, name="n", kind="night", verdict="alarm", marks=("rehearsal", "judge unfit")),
        entry(43, None, name="r", subject="other", verdict="", marks=("not finished",), page=""),
    ]  # fmt: skip


def page_of(*entries: Entry, left_out: int = 0) -> str:
    return index_page(Index(entries or several(), left_out), index_assets())


def hostile_index() -> str:
    """Every text that may come from outside is hostile, in each kind of line."""
    texts: dict[str, Any] = {
        "subject": EVIL,
        "version": EVIL,
        "suite": EVIL,
        "model": EVIL,
        "verdict": EVIL,
        "headline": EVIL,
    }
    kinds = ("run", "run", "comparison", "night", "sweep")
    return page_of(*(entry(day, kind=kind, name=EVIL, page=EVIL, **texts) for day, kind in enumerate(kinds)))


def hostile_night() -> str:
    report = hostile_report()
    return night_page(replace(report, notes=report.notes[:3]), assets(), paged=[EVIL])
