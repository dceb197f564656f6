"""The index and a night's page in headless Chromium: filtered, sorted, kept."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html.index_pages import hostile_index, hostile_night, page_of
from tests.evaluation.reports.html.test_in_browser import SET

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
PAGES = {"index": page_of, "hostile": hostile_index, "night": hostile_night}
NAMES = "[...document.getElementById('rows').rows].map((row) => row.querySelector('.id').textContent.split(' ')[0])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    opened = Browser(PROGRAM)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, made in PAGES.items():
        (folder / f"{name}.html").write_text(made(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


def do(browser: Browser, script: str) -> Any:
    return browser.do(browser.page.run(script))


def opened(browser: Browser, path: Path, fragment: str = "", width: int = 1280, *, dark: bool = False) -> None:
    browser.do(browser.page.show(width, dark=dark))
    browser.do(browser.page.open(path, fragment))


def test_filters_and_sorting_give_the_rows_that_they_should(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["index"])
    assert do(browser, NAMES) == ["r", "n", "c", "run-40", "run-20", "run-0"]
    for control, value, rows in (
        ("f-kind", "run", ["r", "run-40", "run-20", "run-0"]),
        ("f-subject", "penpal", ["run-40", "run-20", "run-0"]),
        ("f-sort", "lowest", ["run-0", "run-20", "run-40"]),
        ("f-mark", "none", ["run-0", "run-40"]),
        ("f-text", "SMALL v40", ["run-40"]),
    ):
        do(browser, SET.format(id=control, value=value))
        assert do(browser, NAMES) == rows
    assert do(browser, "document.getElementById('status').textContent") == "1 of 6 shown"


def test_the_address_keeps_what_was_chosen(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["index"])
    do(browser, SET.format(id="f-mark", value="held back"))
    do(browser, SET.format(id="f-sort", value="oldest"))
    kept = do(browser, "location.hash")
    opened(browser, pages["index"], kept)
    assert do(browser, NAMES) == ["run-20"]
    assert do(browser, "document.getElementById('f-sort').value") == "oldest"
    opened(browser, pages["index"], "#kind=nothing%20of%20the%20kind&sort=%3Cscript%3E")
    assert len(do(browser, NAMES)) == 6
    assert browser.page.problems == []


def test_a_trend_leads_to_its_runs(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["index"])
    do(browser, "document.querySelector('.only').click()")
    assert do(browser, NAMES) == ["run-40", "run-20", "run-0"]


def test_without_javascript_every_line_is_there(browser: Browser, pages: dict[str, Path]) -> None:
    browser.do(browser.page.without_script(True))
    try:
        opened(browser, pages["index"])
        assert browser.do(browser.page.drawn("#rows tr:last-child a"))
        assert browser.do(browser.page.drawn("svg.trend"))
    finally:
        browser.do(browser.page.without_script(False))
