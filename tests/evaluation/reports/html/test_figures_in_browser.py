"""From a figure to its responses and back, in headless Chromium: links, the address, chips, keys, folded lists."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html import expecting, leading

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
PAGES = {
    "run": leading.run,
    "comparison": leading.comparison,
    "ranking": leading.ranking,
    "long list": leading.long_list,
    "expecting": expecting.page,
}
FIGURES = {
    "run": [".metrics .num a.led", ".metrics .plot a", ".heat a.led", ".histogram a", "#groups a.led"],
    "comparison": [".forest a.led", ".heat a.led"],
    "ranking": ["#metrics a.led", "#metrics .plot a", "#pairs a.led"],
}
IDS = "[...document.querySelectorAll('#list li .id')].map((each) => each.textContent.split(' ')[0])"
CHOSEN = "document.querySelector('#detail h3').textContent"
CHIPS = "[...document.querySelectorAll('#chips button:not([hidden])')].map((each) => each.innerText)"
SETTLED = "await new Promise((go) => setTimeout(() => go(location.hash), 300))"
STEP_BACK = "await new Promise((go) => { addEventListener('popstate', () => go(location.hash)); history.back(); })"
# Of each link what it says that it shows, what its cell says that it counts, and how many rows it leads to.
FOLLOWED = """await (async () => {
    const found = [];
    for (const link of document.querySelectorAll(%r)) {
        const said = link.title || link.querySelector("title").textContent;
        const cell = link.closest("td")?.querySelector(".n")?.textContent;
        location.hash = link.getAttribute("href");
        await new Promise((go) => setTimeout(go));
        const number = (text) => Number(/\\d+/.exec(text)[0]);
        const shown = number(document.getElementById("status").textContent);
        found.push([number(said), cell === undefined ? null : number(cell), shown]);
    }
    return found;
})()"""


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


class Reader:
    """Somebody with a page open."""

    def __init__(self, browser: Browser, path: Path, fragment: str = "", width: int = 1280) -> None:
        self._browser = browser
        browser.do(browser.page.show(width))
        browser.do(browser.page.open(path, fragment))

    def sees(self, script: str) -> Any:
        return self._browser.do(self._browser.page.run(script))

    def press(self, *keys: str) -> None:
        for key in keys:
            self._browser.do(self._browser.page.press(key))

    def click_chip(self, words: str) -> None:
        chips = "[...document.querySelectorAll('#chips button')]"
        self.sees(f"{chips}.find((each) => each.innerText.startsWith({words!r})).click()")

    @property
    def problems(self) -> list[str]:
        return self._browser.page.problems


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_leads_to_exactly_the_responses_that_it_counts(
    name: str, browser: Browser, pages: dict[str, Path]
) -> None:
    reader = Reader(browser, pages[name])
    for selector in FIGURES[name]:
        followed = reader.sees(FOLLOWED % selector)
        assert followed, selector
        assert [each for each in followed if each[0] != each[2] or each[1] not in (None, each[2])] == [], selector
    assert reader.problems == []


def test_the_bars_of_a_histogram_share_its_values_out(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    sums = reader.sees("""[...document.querySelectorAll(".histograms figure")].map((figure) => {
        const counts = [...figure.querySelectorAll("a title")].map((each) => Number(/\\d+/.exec(each.textContent)[0]));
        const all = Number(/n (\\d+)/.exec(figure.querySelector(".spread").textContent)[1]);
        return [counts.reduce((sum, each) => sum + each, 0), all];
    })""")
    assert len(sums) == 6
    assert [each for each in sums if each[0] != each[1]] == []
    # 0.70 stands on a border and counts above it.
    Reader(browser, pages["run"], "#show?metric=heuristic/trust&low=0.65&below=0.7&sort=metric")
    assert reader.sees(IDS) == ["s08", "s09"]


def test_a_figure_is_reached_by_keyboard_and_says_where_it_leads(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    reader.sees("document.querySelector('#from-1').click()")
    cell = "document.querySelectorAll('.from-1 .heat a.led')[0]"
    said = "Show the 8 responses of upset, overall quality (judge), lowest first"
    assert reader.sees(f"[{cell}.title, {cell}.getAttribute('aria-label')]") == [
        said,
        reader.sees(f"{cell}.textContent") + ". " + said,
    ]
    reader.sees(f"{cell}.focus()")
    reader.press("Tab", "Enter")
    assert reader.sees("location.hash") == "#show?category=small_talk&metric=judge/overall_quality&sort=metric"
    # s02 failed, and the verdict on s05 was not read.
    assert reader.sees(IDS) == [f"s{number:02d}" for number in (7, 1, 4, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23)]
    assert reader.sees("document.activeElement.id") == "list"
    bar = "document.querySelector('.from-1 .histogram a')"
    reader.sees(f"{bar}.focus()")
    assert reader.sees(f"getComputedStyle({bar}.querySelector('.reach')).strokeWidth") == "2px"
    reader.press("Enter")
    assert reader.sees(IDS) == ["s07"]


def test_a_comparison_is_sorted_by_the_change_of_a_chosen_metric(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["comparison"], "#show?metric=heuristic/helpfulness&sort=loss")
    # s03 failed in the candidate, s02 in both.
    assert len(reader.sees(IDS)) == 22
    first = "[...document.querySelectorAll('#list li:first-child .top > *')].map((each) => each.textContent)"
    assert reader.sees(first) == ["0.10", "s04", "-0.480"]
    reader.sees("location.hash = '#show?metric=heuristic/trust&sort=gain'")
    assert reader.sees(first) == ["0.90", "s04", "+0.320"]


def test_back_shows_the_list_as_it_was_before_a_figure_and_a_chip(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    everything = reader.sees(IDS)
    reader.sees("document.querySelector('#groups a.led').click()")
    tagged = reader.sees(IDS)
    assert len(tagged) == 23
    reader.press("End")
    assert reader.sees(SETTLED) == "#show?tag=common&r=2/1/1"
    reader.click_chip("Judge against rules")
    assert reader.sees(IDS) == ["s07"]
    assert reader.sees("location.hash") == "#show?tag=common&gap=0.1&sort=gap"
    assert reader.sees("document.querySelector('#chips [aria-pressed=true]').innerText") == "Judge against rules 1"
    # A link to a section leaves the list as it is.
    reader.sees("document.querySelector('.sections a').click()")
    assert reader.sees(IDS) == ["s07"]
    assert reader.sees(STEP_BACK) == "#show?tag=common&gap=0.1&sort=gap"
    assert reader.sees(IDS) == ["s07"]
    assert reader.sees(STEP_BACK) == "#show?tag=common&r=2/1/1"
    assert reader.sees(IDS) == tagged
    assert reader.sees(CHOSEN) == "s02"
    assert reader.sees(STEP_BACK) == ""
    assert reader.sees(IDS) == everything
    assert reader.problems == []


def test_typing_and_moving_change_the_address_and_make_no_step(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    steps = reader.sees("history.length")
    reader.press("/", "s", "1", "ArrowDown", "ArrowDown", "j")
    assert reader.sees(SETTLED) == "#show?text=s1&r=12/1/1"
    reader.press("/", "Escape")
    assert reader.sees(SETTLED) == ""
    # Escape leaves an empty search as it is.
    reader.press("ArrowDown", "/", "Escape")
    assert reader.sees(SETTLED) == "#show?r=0/1/1"
    assert reader.sees("history.length") == steps


def test_who_goes_to_the_list_before_a_frame_is_drawn_moves_in_what_was_typed(
    browser: Browser, pages: dict[str, Path]
) -> None:
    reader = Reader(browser, pages["run"])
    reader.sees(
        "(() => { const frame = requestAnimationFrame; cancelAnimationFrame = clearTimeout;"
        " requestAnimationFrame = (act) => setTimeout(() => frame(act), 300); })()"
    )
    reader.press("/", "s", "1", "ArrowDown", "ArrowDown")
    assert reader.sees(CHOSEN) == "s11"


def test_a_copied_link_opens_the_same_list_and_the_same_response(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"], "#show?category=upset&metric=heuristic/trust&low=0.6&sort=high")
    reader.sees("document.getElementById('list').focus()")
    reader.press("ArrowDown", "ArrowDown")
    before = [reader.sees(IDS), reader.sees(CHOSEN), reader.sees(CHIPS)]
    assert before[1] == "s15"
    reader.sees("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    reader.sees("document.getElementById('copy').click()")
    assert reader.sees("document.getElementById('copy').textContent") == "Copied"
    fragment = reader.sees("window.copied").partition("#")[2]
    assert fragment == "show?category=upset&metric=heuristic/trust&low=0.6&sort=high&r=15/1/1"
    again = Reader(browser, pages["run"], f"#{fragment}")
    assert [again.sees(IDS), again.sees(CHOSEN), again.sees(CHIPS)] == before


@pytest.mark.parametrize(
    "fragment",
    [
        *("#show", "#show?", "#showcase", "#show?category=nobody&metric=judge&sort=up&low=many&r=99/1/1"),
        *(
            "#show?metric=judge/&below=&gap=1e999&side=2&flag=constructor",
            "#show?%E0%A4%A&=&&&r",
            "#r=",
            "#r=x/y",
            "#e=99",
        ),
    ],
)
def test_what_an_address_names_and_the_page_does_not_have_is_passed_over(
    fragment: str, browser: Browser, pages: dict[str, Path]
) -> None:
    reader = Reader(browser, pages["run"], fragment)
    assert len(reader.sees(IDS)) == 24
    assert reader.sees(CHOSEN) == "s07"
    assert reader.problems == []


def test_a_good_part_of_a_malformed_address_counts(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"], "#show?category=upset&sort=sideways&low=x&unknown=1")
    assert len(reader.sees(IDS)) == 8
    assert reader.sees("document.getElementById('f-count').textContent") == "(1)"


def test_chips_say_how_many_they_show_and_the_filter_of_a_figure_is_taken_off(
    browser: Browser, pages: dict[str, Path]
) -> None:
    reader = Reader(browser, pages["comparison"])
    assert reader.sees(CHIPS) == ["Failed or not scored 3", "Biggest loss 1", "common 23", "a nurse 12"]
    reader.click_chip("Biggest loss")
    assert reader.sees(IDS) == ["s04"]
    reader.click_chip("Biggest loss")
    assert len(reader.sees(IDS)) == 24
    reader.sees("location.hash = '#show?category=upset&metric=judge/overall_quality'")
    assert reader.sees(CHIPS)[:2] == ["upset ×", "overall quality (judge) ×"]
    named = "document.querySelector('#chips .on').getAttribute('aria-label')"
    assert reader.sees(named) == "Remove the filter: upset"
    reader.sees("document.querySelector('#chips .on').click()")
    assert len(reader.sees(IDS)) == 21
    assert reader.sees("document.activeElement.id") == "list"
    reader = Reader(browser, pages["expecting"])
    assert "Critical 10" in reader.sees(CHIPS)


def test_on_a_phone_the_chips_scroll_in_their_own_box(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"], "#show?category=upset&metric=heuristic/trust&low=0.5&gap=0", width=390)
    assert reader.sees("document.documentElement.scrollWidth <= innerWidth")
    box = "document.getElementById('chips')"
    assert reader.sees(f"{box}.scrollWidth > {box}.clientWidth && {box}.clientWidth <= 390")
    tops = f"new Set([...{box}.querySelectorAll('button:not([hidden])')].map((each) => each.offsetTop)).size"
    assert reader.sees(tops) == 1


def test_a_question_mark_opens_the_help_on_keys(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    reader.press("/", "?")
    assert reader.sees("document.getElementById('f-text').value") == "?"
    reader.press("Escape", "?")
    shown = "document.getElementById('help').open"
    assert reader.sees(shown)
    keys = set(reader.sees("[...document.querySelectorAll('#help kbd')].map((each) => each.textContent)"))
    moving = {"/", "?", "↓", "j", "↑", "k", "Page ↓", "Page ↑", "Home", "End", "Enter", "Space", "Esc"}
    assert keys == moving | set("gfcunb")
    for _ in range(3):
        reader.press("Tab")
        assert reader.sees("!document.activeElement.matches('a, #list, input')")
    # Keys of the page rest while it is open.
    reader.press("/")
    assert reader.sees("document.activeElement.id") != "f-text"
    reader.press("Escape")
    assert not reader.sees(shown)
    assert reader.sees("document.activeElement.id") == "list"


def test_a_long_list_shows_its_first_items_and_paper_shows_all(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["long list"])
    visible = "[...document.querySelectorAll('#expectations .item')].filter((each) => each.checkVisibility()).length"
    summary = "document.querySelector('#expectations .rest summary')"
    assert reader.sees(visible) == 6
    assert reader.sees(f"{summary}.textContent") == f"Show all {leading.CRITICAL}"
    browser.do(browser.page.show(700, media="print"))
    assert reader.sees(visible) == leading.CRITICAL
    assert not reader.sees(f"{summary}.checkVisibility()")
    browser.do(browser.page.show(1280))
    reader.sees(f"{summary}.click()")
    assert reader.sees(visible) == leading.CRITICAL


def test_figures_bear_no_underline_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    reader = Reader(browser, pages["run"])
    browser.do(browser.page.show(700, media="print"))
    lines = "[...document.querySelectorAll('a.led')].map((each) => getComputedStyle(each).textDecorationLine)"
    assert set(reader.sees(lines)) == {"none"}
    assert not reader.sees("document.getElementById('chips').checkVisibility()")
