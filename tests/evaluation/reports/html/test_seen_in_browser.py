"""Every page as people see it: at three widths, in the light and in the dark, by keyboard, and read by axe-core."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluation.reports.html.review import review_page
from evaluation.review.weekly import weekly_report
from scripts.run.load import load_rubric
from tests.browser import Browser, browser_path
from tests.evaluation.reports.html import collection_pages, counted, test_in_browser, test_index_in_browser
from tests.evaluation.reports.html.pages import assets
from tests.evaluation.review.made_records import human
from tests.page_faults import find_faults

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
MANY = 2000
CLOSELY = ("run", "comparison")
"""Whose contrasts axe-core measures too."""


FAULTY = """<!doctype html><html><title>x</title><body style="background: #fff"><main><h1>x</h1><img src="data:,">
<p style="color: #999; width: 2000px">pale and wide</p>
<button style="outline: none; padding: 0; width: 8px; height: 8px">x</button><input></main></html>"""


def reviewed() -> str:
    weeks = (("2026-11-04", 5, 1.0), ("2026-11-11", 3, 2.0), ("2026-11-18", 1, 3.0))
    made = [
        human(f"{scenario}@{day}", "ana", day, {"clarity": clarity, "reliability": reliability}, notes=counted.HEBREW)
        for day, clarity, reliability in weeks
        for scenario in "ab"
    ]
    return review_page(weekly_report(made, load_rubric("chat_flow"), "chat_flow"), assets())


PAGES: dict[str, Callable[[], str]] = {
    **test_in_browser.PAGES,
    **{f"index, {name}": made for name, made in test_index_in_browser.PAGES.items()},
    **{f"collection, {name}": made for name, made in collection_pages.PAGES.items()},
    "review": reviewed,
    "two responses": lambda: counted.page(2),
    "many responses": lambda: counted.page(MANY),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    opened = Browser(PROGRAM)
    yield opened
    opened.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_fault(name: str, browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGES[name](), encoding="utf-8")
    assert browser.do(find_faults(browser.page, page, closely=name in CLOSELY)) == []


def test_what_is_written_from_right_to_left_is_read_so(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(counted.page(3), encoding="utf-8")
    browser.do(browser.page.show(1280))
    browser.do(browser.page.open(page))
    for said in (".weakest > li:first-child .talk p > span:last-child", ".turns .said"):
        directions = f"[...document.querySelectorAll('{said}')].map((each) => getComputedStyle(each).direction)"
        assert browser.do(browser.page.run(directions)) == ["rtl", "rtl"], said
    who = "getComputedStyle(document.querySelector('.talk .who')).direction"
    assert browser.do(browser.page.run(who)) == "ltr"


def test_the_rules_see_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(FAULTY, encoding="utf-8")
    found = browser.do(find_faults(browser.page, page, closely=True))
    for fault in (
        "390, light: the page scrolls sideways",
        "1280, dark: over the edge: <p",
        "768, dark: contrast 2.85: <p",
        "1280, dark: color-contrast: p: ",
        "390, light: html-has-lang: html: ",
        "1280, light: image-alt: img: ",
        "390, light: target-size: button: ",
        "no focus is drawn: <button",
    ):
        assert any(each.startswith(fault) for each in found), (fault, found)
