"""The pictures in headless Chromium: marks counted, the matrix sorted and followed, on a screen and on a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html import plotted
from tests.page_faults import CONTRAST, OVERFLOW

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
PAGES = {
    "run": plotted.run_of_conversations,
    "ranking": plotted.ranking_of_conversations,
    "comparison": plotted.comparison_of_conversations,
    "hostile run": plotted.hostile_run,
    "hostile ranking": plotted.hostile_ranking,
    "one": plotted.one_situation,
}
COUNT = "document.querySelectorAll({selector!r}).length"
FIGURES = (
    "[...document.querySelectorAll('#matrix-box details[open] tbody tr')].map((row) => row.innerText.split(/\\s+/))"
)
SORT = """(() => {{
    const control = document.getElementById("matrix-sort");
    control.value = [...control.options].findIndex((each) => each.textContent === {title!r});
    control.dispatchEvent(new Event("input", {{ bubbles: true }}));
}})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    opened = Browser(PROGRAM)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("plots")
    for name, made in PAGES.items():
        (folder / f"{name}.html").write_text(made(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


def opened(browser: Browser, path: Path, width: int = 1280, *, dark: bool = False) -> None:
    browser.do(browser.page.show(width, dark=dark))
    browser.do(browser.page.open(path))


def ask(browser: Browser, script: str) -> Any:
    return browser.do(browser.page.run(script))


def count(browser: Browser, selector: str) -> int:
    found: int = ask(browser, COUNT.format(selector=selector))
    return found


@pytest.mark.parametrize("name", PAGES)
def test_no_picture_overflows_or_complains(name: str, browser: Browser, pages: dict[str, Path]) -> None:
    for width, dark in ((390, True), (1280, False)):
        opened(browser, pages[name], width, dark=dark)
        ask(browser, "document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert ask(browser, "document.documentElement.scrollWidth <= innerWidth")
        assert ask(browser, OVERFLOW) == []
        assert ask(browser, CONTRAST) == []
        assert browser.page.problems == []


def test_a_run_draws_a_dot_for_each_value_and_a_path_for_each_conversation(
    browser: Browser, pages: dict[str, Path]
) -> None:
    opened(browser, pages["run"])
    assert count(browser, "#trajectories .spots .dot") == 4, "a mean for each turn"
    assert count(browser, "#trajectories .path") >= 15, "fifteen conversations, more lines where one has a gap"
    strips = count(browser, "#repeats > .strips li")
    assert strips == 12
    assert count(browser, "#repeats > .strips li .dot") >= 2 * strips
    ask(browser, "document.querySelector('#repeats .strips a').click()")
    name = ask(browser, "document.querySelector('#repeats .strips a').textContent")
    assert ask(browser, "document.querySelector('#detail h3').textContent") == name


def test_a_ranking_draws_each_run_in_each_picture(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["ranking"])
    assert count(browser, "#cost .frame .dot") == 3
    assert count(browser, "#trajectories figure") == 3
    shown = "[...document.querySelectorAll('#distributions .hill')].filter((each) => each.offsetHeight)"
    assert ask(browser, f"{shown}.map((each) => each.querySelector('path').getBBox().height > 1)") == [True] * 12
    ask(browser, "document.querySelector('input[value=judge]').click()")
    assert ask(browser, f"{shown}.length") == 3, "the judge gave the overall alone"


def test_the_matrix_is_sorted_and_leads_to_the_lowest_response(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["comparison"])
    assert count(browser, "#matrix-box details") == 3
    rows = ask(browser, FIGURES)
    assert len(rows) == 20
    first = [row for row in rows if int(row[0][1:]) % 3 == 0]
    lowest = [min(float(value) for value in row[1:3]) for row in first]
    assert lowest == sorted(lowest)
    ask(browser, SORT.format(title="largest loss first"))
    changes = [float(row[3]) for row in ask(browser, FIGURES) if int(row[0][1:]) % 3 == 0]
    assert changes == sorted(changes) and changes[0] < 0
    link = "document.querySelector('#matrix-box tbody td a')"
    place = ask(browser, f"{link}.getAttribute('href')")
    ask(browser, f"{link}.click()")
    assert ask(browser, "location.hash") == place
    assert ask(browser, "document.querySelector('#detail h3').textContent") == ask(browser, FIGURES)[0][0]


def test_a_category_is_built_when_it_is_opened(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["ranking"])
    part = "document.querySelectorAll('#matrix-box details')[1]"
    ask(browser, f"{part}.open = false")
    ask(browser, SORT.format(title="as planned"))
    assert ask(browser, f"[{part}.open, {part}.querySelectorAll('tr').length]") == [False, 0]
    ask(browser, f"{part}.open = true")
    assert ask(browser, f"{part}.querySelectorAll('tbody tr').length") == 7
    heights = ask(browser, "[...document.querySelectorAll('#matrix-box tbody tr')].map((each) => each.offsetHeight)")
    assert max(heights) <= 26, "a row is a line with room for a finger"


def test_a_phone_numbers_the_runs_and_names_them_above(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["ranking"], 390)
    assert ask(browser, "document.getElementById('matrix-key').innerText.split(/\\s+/)") == [
        *("#1", "v1", "#2", "v2", "#3", "v3"),
    ]
    assert ask(browser, "document.querySelector('.matrix-head').innerText.split(/\\s+/)") == [
        "Scenario",
        "#1",
        "#2",
        "#3",
    ]
