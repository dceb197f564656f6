"""Pages of collections, made by hand."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from evaluation.collected.places import Place
from evaluation.collected.tally import Tally
from evaluation.reports.html.collection import collection_page
from tests.evaluation.reports.hostile import EVIL
from tests.evaluation.reports.html.pages import assets

METRICS = ("warmth", "overall_quality")


def week(number: int) -> str:
    """The name of so many weeks after 2026-W30."""
    year, found, _ = (date.fromisocalendar(2026, 30, 1) + timedelta(weeks=number)).isocalendar()
    return f"{year}-W{found:02d}"


def tally(rows: int = 60, weeks: int = 5, *, outside: str = "") -> Tally:
    """Rows with two values of a column, and those of weeks; `outside` is added to every text from outside."""
    found = Tally(METRICS, (0.0, 1.0))
    for number in range(rows):
        place = Place.of(f"r{number}{outside}", number % 3, 100 * number)
        if number % 20 == 7:
            found.add_error(f"has no response{outside}", place)
            continue
        value = (number % 10) / 10
        groups = [
            (f"model{outside}", f"m{number % 2}{outside}"),
            ("week", week(number % weeks) if number else "(none)"),
        ]
        found.add(f"u{number}", groups, {"warmth": value, "overall_quality": value if number % 4 else None}, place)
    return found


def summary(found: Tally, *, outside: str = "", **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "suite": f"companion{outside}",
        "parts": 3,
        "digest": "ab" * 32,
        "form": "jsonl",
        "files": [{"file": f"logs/a.jsonl{outside}", "name": f"a.jsonl{outside}", "first": 0, "parts": 3}],
        "file_count": 1,
        "uncut": {"irregular quotes": 1},
        **found.summary(),
        **changes,
    }
    for rows in made["lowest"].values():
        for row in rows:
            row.update(file=f"logs/a.jsonl{outside}", unit="byte")
    return made


def page(found: dict[str, Any] | None = None, metrics: Sequence[str] = METRICS) -> str:
    return collection_page(found or summary(tally()), metrics, assets(), folder="/scored")


def long_page() -> str:
    """More weeks than fit abreast."""
    return page(summary(tally(600, weeks=60)))


def hostile() -> str:
    return page(summary(tally(outside=EVIL), outside=EVIL))


def empty() -> str:
    """Nothing could be scored."""
    found = Tally(METRICS, (0.0, 1.0))
    found.add_error("has no response", Place.of("a", 0, 0))
    return page(summary(found, uncut={}))


PAGES = {"long": long_page, "hostile": hostile}
