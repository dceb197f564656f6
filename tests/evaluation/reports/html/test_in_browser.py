"""The pages in headless Chromium, in one session: quiet, closed to the network, found, sorted, read by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html import calling, expecting, pairing
from tests.evaluation.reports.html.pages import (
    RULES,
    WORDS,
    comparison_page,
    hostile_comparison_page,
    hostile_page,
    known_page,
    ranking_page,
)

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
PAGES = {
    "run": known_page,
    "comparison": comparison_page,
    "ranking": ranking_page,
    "hostile": hostile_page,
    "hostile comparison": hostile_comparison_page,
    "expecting": expecting.page,
    "calling": calling.page,
    "pairing": pairing.page,
}

IDS = "[...document.querySelectorAll('#list li .id')].map((each) => each.textContent.split(' ')[0])"
CHOSEN = "document.querySelector('#detail h3').textContent"
SET = """(() => {{
    const control = document.getElementById({id!r});
    control.value = {value!r};
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
    folder = tmp_path_factory.mktemp("pages")
    for name, made in PAGES.items():
        (folder / f"{name}.html").write_text(made(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


def opened(browser: Browser, path: Path, width: int = 1280, *, dark: bool = False, fragment: str = "") -> None:
    browser.do(browser.page.show(width, dark=dark))
    browser.do(browser.page.open(path, fragment))


def put(browser: Browser, control: str, value: str) -> list[str]:
    """Types or chooses something; returns the scenarios that are listed then."""
    browser.do(browser.page.run(SET.format(id=control, value=value)))
    found: list[str] = browser.do(browser.page.run(IDS))
    return found


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_of_the_network_and_the_console_stays_empty(
    name: str, browser: Browser, pages: dict[str, Path]
) -> None:
    opened(browser, pages[name])
    assert browser.do(browser.page.run("document.querySelectorAll('#list li').length")) >= 11
    assert browser.page.problems == []
    assert [url.partition("?")[0] for url in browser.page.requests if not url.startswith("data:")] == [
        pages[name].as_uri()
    ]
    refused = "fetch('https://example.test/').then(() => 'sent', () => 'refused')"
    assert browser.do(browser.page.run(f"await {refused}")) == "refused"


def test_calls_of_tools_stand_where_they_were_made_and_the_reply_as_it_came_behind_the_response(
    browser: Browser, pages: dict[str, Path]
) -> None:
    opened(browser, pages["calling"])
    put(browser, "f-text", "coat")
    turns = "[...document.querySelectorAll('#detail .turns > div')].map((each) => each.innerText.split('\\n'))"
    found = [[line for line in each if line] for each in browser.do(browser.page.run(turns))]
    assert [each[0] for each in found] == [
        *("user", "calls clock", "assistant", "user", "calls weather", "calls pay", "response", "as it came"),
    ]
    assert found[1][1:] == ["{}", "result 12:40"]
    assert found[4][1] == calling.CALLS[0].arguments
    assert found[4][2].startswith("result rain")
    assert found[5][1:] == ['{"amount": 5}', "result (none)"]
    assert found[6][1:] == ["Take a coat."]
    assert found[7][1:] == [calling.RAW]


def test_a_response_of_calls_alone_is_listed_and_found_by_them(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["calling"])
    assert put(browser, "f-text", "bern") == ["s11"]
    assert put(browser, "f-text", "calls clock") == ["s12"]
    listed = browser.do(browser.page.run("document.querySelector('#list li').textContent"))
    assert "calls clock {}" in listed


def test_search_filters_and_sorting_give_the_rows_that_they_should(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["run"])
    everything = browser.do(browser.page.run(IDS))
    # Lowest first: s07 is (0.64 + 0.24) / 2 = 0.44, s00 is 0.50; s02 failed and has no value.
    assert everything[:3] == ["s07", "s00", "s01"]
    assert everything[-1] == "s02"
    assert put(browser, "f-sort", "high")[:2] == ["s23", "s22"]
    assert put(browser, "f-sort", "gap")[0] == "s07"
    assert put(browser, "f-sort", "plan")[:3] == ["s00", "s01", "s02"]
    assert put(browser, "f-text", "zebra") == ["s09"]
    assert put(browser, "f-text", "SHINE rain") == ["s11"]
    assert put(browser, "f-text", "no such words") == []
    assert put(browser, "f-text", "s1") == [f"s{number}" for number in range(10, 20)]
    assert put(browser, "f-category", "upset") == ["s12", "s15", "s18"]
    assert put(browser, "f-audience", "a nurse") == ["s12", "s18"]
    browser.do(browser.page.run("document.querySelector('#filters button').click()"))
    assert len(browser.do(browser.page.run(IDS))) == 24
    assert put(browser, "f-tag", "rare") == ["s05"]
    assert put(browser, "f-tag", "") == put(browser, "f-sort", "low")
    assert put(browser, "f-state", "failed") == ["s02"]
    put(browser, "f-state", "")
    assert put(browser, "f-flag", "injection") == ["s09"]
    put(browser, "f-flag", "")
    put(browser, "f-metric", "heuristic/trust")
    put(browser, "f-low", "0.9")
    assert put(browser, "f-high", "0.92") == ["s20", "s21"]
    put(browser, "f-low", "")
    put(browser, "f-high", "")
    assert put(browser, "f-gap", "0.4") == ["s07"]
    assert browser.do(browser.page.run("document.getElementById('status').textContent")) == "1 of 24 responses"


def test_it_is_read_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["run"])
    page = browser.page
    browser.do(page.press("Tab"))
    assert browser.do(page.run("document.activeElement.className")) == "skip"
    assert browser.do(page.run("document.activeElement.getBoundingClientRect().top")) >= 0
    browser.do(page.press("/"))
    assert browser.do(page.run("document.activeElement.id")) == "f-text"
    browser.do(page.press("Escape"))
    assert browser.do(page.run("document.activeElement.id")) == "list"
    assert browser.do(page.run("getComputedStyle(document.activeElement).outlineStyle")) == "solid"
    assert browser.do(page.run(CHOSEN)) == "s07"
    browser.do(page.press("ArrowDown"))
    assert browser.do(page.run(CHOSEN)) == "s00"
    active = "document.getElementById(document.getElementById('list').getAttribute('aria-activedescendant'))"
    assert browser.do(page.run(f"{active}.getAttribute('aria-selected')")) == "true"
    browser.do(page.press("End"))
    assert browser.do(page.run(CHOSEN)) == "s02"
    browser.do(page.press("ArrowUp"))
    browser.do(page.press("Enter"))
    assert browser.do(page.run("document.activeElement.id")) == "detail"
    browser.do(page.press("Escape"))
    assert browser.do(page.run("document.activeElement.id")) == "list"


@pytest.mark.parametrize("name", ["run", "comparison"])
def test_escape_empties_the_search_and_shows_every_row_again(
    name: str, browser: Browser, pages: dict[str, Path]
) -> None:
    opened(browser, pages[name])
    page = browser.page
    everything = browser.do(page.run(IDS))
    for key in ("/", "s", "0", "4"):
        browser.do(page.press(key))
    assert browser.do(page.run(IDS)) == ["s04"]
    browser.do(page.press("Escape"))
    assert browser.do(page.run("document.getElementById('f-text').value")) == ""
    assert browser.do(page.run(IDS)) == everything
    assert browser.do(page.run("document.activeElement.id")) == "list"
    # The other filters stay.
    few = put(browser, "f-category", "upset")
    assert len(few) < len(everything)
    put(browser, "f-text", "s0")
    browser.do(page.press("/"))
    browser.do(page.press("Escape"))
    assert browser.do(page.run(IDS)) == few


def test_one_response_is_shown_in_full(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["run"], fragment="#r=11/1/1")
    page = browser.page
    assert browser.do(page.run(CHOSEN)) == "s11"
    said = browser.do(page.run("[...document.querySelectorAll('.turns .said')].map((each) => each.textContent)"))
    assert said == ["earlier words", WORDS, "message 11", "Rain or shine."]
    # The arithmetic adds up, so that it stands as one line for each term; what is quoted is no term.
    terms = "[...document.querySelectorAll('.ledgers > div:first-child dt')].map((each) => each.textContent)"
    assert browser.do(page.run(terms)) == ["0.6", "+0.2", "+0.1"]
    # Where it does not ("base 0.72"), it stays a text.
    assert browser.do(page.run("document.querySelector('.arithmetic').textContent")) == "base 0.72"
    assert browser.do(page.run("document.querySelector('.judge-words').textContent")) == "Kind."
    opened(browser, pages["run"], fragment="#r=2/1/1")
    assert "generation: timeout no answer in 60 s" in browser.do(
        page.run("document.querySelector('#detail').innerText")
    )


def test_responses_show_what_they_are_held_to(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["expecting"], fragment="#r=0/2/1")
    page = browser.page
    assert browser.do(page.run(CHOSEN)) == "s00"
    held = "[...document.querySelectorAll('.held li')].map((each) => each.innerText.replace(/\\s+/g, ' '))"
    first, second = browser.do(page.run(held))
    assert first == (
        "fails Must not: Does it promise to be there for ever? no-forever critical "
        f"judge quotes: {expecting.PROMISE} judge, asked 3 times: fails, holds, fails"
    )
    assert second == "fails Does it greet the user by name? warm judge: because"
    marked = "[...document.querySelectorAll('.turns mark')].map((each) => [each.className, each.textContent])"
    assert browser.do(page.run(marked)) == [["m-fails", expecting.PROMISE]]
    pips = "[...document.querySelectorAll('#list li .pips')].map((each) => each.getAttribute('aria-label'))"
    assert "expectations: 2 fails" in browser.do(page.run(pips))
    # An answer at the last turn may quote an earlier response.
    opened(browser, pages["expecting"], fragment="#r=4/1/2")
    assert browser.do(page.run(marked)) == [["m-holds", expecting.PROMISE]]
    assert "judge quotes (turn 1)" in browser.do(page.run("document.querySelector('.held').innerText"))


def test_responses_are_found_by_the_expectations_that_do_not_hold(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["expecting"])
    put(browser, "f-sort", "plan")
    assert put(browser, "f-flag", "critical") == [*["s00"] * 3, "s01", *["s02"] * 3, *["s03"] * 3]
    assert set(put(browser, "f-flag", "fails")) == {"s00", "s01", "s02", "s03"}
    assert put(browser, "f-flag", "unshown") == ["s02"] * 3
    put(browser, "f-flag", "")
    assert put(browser, "f-item", "says-ai") == ["s01", "s02", "s02", "s02"]
    assert put(browser, "f-text", "names-help") == []
    opened(browser, pages["expecting"], fragment="#e=0")
    assert set(browser.do(browser.page.run(IDS))) == {"s00", "s02"}
    assert browser.do(browser.page.run("document.getElementById('f-count').textContent")) == "(1)"
    opened(browser, pages["run"])
    assert browser.do(browser.page.run("document.getElementById('of-item').hidden"))
    flags = "[...document.getElementById('f-flag').options].map((each) => each.value)"
    assert "critical" not in browser.do(browser.page.run(flags))


def test_both_versions_stand_side_by_side(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["comparison"])
    page = browser.page
    found = browser.do(page.run(IDS))
    assert found[0] == "s04"
    change = "document.querySelector('#detail .tag.bad').textContent"
    assert browser.do(page.run(change)) == "-0.300"
    assert browser.do(page.run("document.querySelectorAll('.turns .judged').length")) == 2
    cells = "document.querySelectorAll('.scores .total td')"
    total = f"[...{cells}].map((each) => each.querySelector('b')?.textContent ?? each.textContent)"
    assert browser.do(page.run(total)) == ["0.58", "0.28", "-0.300"]
    assert put(browser, "f-sort", "gain")[0] == "s06"
    assert put(browser, "f-gap", "0.25") == ["s04"]
    opened(browser, pages["ranking"])
    assert browser.do(page.run("document.querySelectorAll('.turns .judged').length")) == 3


DIFFERS = "[...document.querySelectorAll('.pair:last-of-type mark.differs')].map((each) => each.textContent)"
REMARK = "document.querySelector('.beside-turns > .note')?.textContent"


def test_words_that_differ_are_marked_in_both_responses(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["pairing"], fragment="#r=11/1/1")
    page = browser.page
    assert browser.do(page.run(DIFFERS)) == ["coat", "today.", "scarf", "!"]
    assert browser.do(page.run(REMARK)) == "Words that the other response does not have are marked."
    said = "[...document.querySelectorAll('.judged .said')].map((each) => each.textContent)"
    assert browser.do(page.run(said)) == list(pairing.SAID[0])
    opened(browser, pages["pairing"], fragment="#r=12/1/1")
    assert browser.do(page.run(DIFFERS)) == []
    assert browser.do(page.run(REMARK)) == "The responses have too few words in common to mark what differs."
    opened(browser, pages["comparison"])
    assert browser.do(page.run(DIFFERS)) == []
    assert browser.do(page.run(REMARK)) == "Both responses have the same words."
    opened(browser, pages["run"])
    assert browser.do(page.run("document.querySelectorAll('.pair, mark.differs').length")) == 0


def test_what_answers_one_message_stays_side_by_side_over_long_turns(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["pairing"], fragment="#r=11/1/1")
    page = browser.page
    asked = "[...document.querySelectorAll('.both .said')].map((each) => each.textContent)"
    assert browser.do(page.run(asked)) == ["earlier 1", "earlier 2", "earlier 3", "message 11"]
    assert browser.do(page.run("document.querySelector('.earlier summary').textContent")) == "3 earlier turns"
    assert not browser.do(page.run("document.querySelector('.earlier').open"))
    browser.do(page.run("document.querySelector('.earlier summary').click()"))
    tops = """[...document.querySelectorAll('.pair:not(.names)')].map((row) =>
        [...row.querySelectorAll('.cell > div')].map((each) => Math.round(each.getBoundingClientRect().top)))"""
    found = browser.do(page.run(tops))
    assert [(one == other) for one, other in found] == [True] * 4
    assert found[1][0] - found[0][0] > 500
    # The short answer stays in view while the long one beside it is read.
    opened(browser, pages["pairing"], fragment="#r=13/1/1")
    detail = "document.getElementById('detail')"
    browser.do(page.run(f"{detail}.scrollTop = 500"))
    inside = f"""(() => {{
        const box = document.querySelectorAll('.judged')[1].getBoundingClientRect();
        const own = {detail}.getBoundingClientRect();
        return box.top >= own.top && box.bottom <= own.bottom;
    }})()"""
    assert browser.do(page.run(inside))
    names = "document.querySelector('.names').getBoundingClientRect().top - " + detail + ".getBoundingClientRect().top"
    assert browser.do(page.run(names)) == 0


def test_on_a_phone_each_response_says_whose_it_is(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["pairing"], 390, fragment="#r=13/1/1")
    whose = "[...document.querySelectorAll('.whose')].map((each) => each.checkVisibility() ? each.textContent : '')"
    assert browser.do(browser.page.run(whose)) == ["v2", "v3"]
    assert not browser.do(browser.page.run("document.querySelector('.names').checkVisibility()"))


def test_a_comparison_begins_with_what_changed(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["comparison"])
    page = browser.page
    assert browser.do(page.run("document.querySelector('main > section').id")) == "changed"
    assert browser.do(page.run("document.querySelector('.sections a').hash")) == "#changed"
    lead = "document.querySelector('#changed .lead').textContent"
    assert browser.do(page.run(lead)) == "In the prompt: 2 lines added, 1 removed; max_tokens 200 -> 160."
    lines = "[...document.querySelectorAll('.diff :is(.removed, .added) .text')].map((each) => each.textContent)"
    shown = ["Write four short sentences.", "Write two short sentences.", "Ask one question back."]
    assert browser.do(page.run(lines)) == shown
    words = (
        "[...document.querySelectorAll('.diff del, .diff ins')].map((each) => each.tagName + ' ' + each.textContent)"
    )
    assert browser.do(page.run(words)) == ["DEL four", "INS two"]
    folded = "[...document.querySelectorAll('.diff summary')].map((each) => each.textContent)"
    away = f"{len(RULES) + 1 - 3} unchanged lines", f"{len(RULES) - 3} unchanged lines"
    assert browser.do(page.run(folded)) == [*away, "1 unchanged line", "2 unchanged lines"]
    cells = "[...document.querySelectorAll('.settings tbody tr *')].map((each) => each.textContent)"
    assert [each.strip() for each in browser.do(page.run(cells))][::2] == ["max_tokens", "200", "160"]
    opened(browser, pages["ranking"])
    assert not browser.do(page.run("document.getElementById('changed')"))


def test_a_run_holds_its_prompt_as_it_was_sent(browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages["run"])
    page = browser.page
    titles = "[...document.querySelectorAll('#prompt :is(summary, .turns-here)')].map((each) => each.textContent)"
    assert browser.do(page.run(titles)) == [
        "system, 27 lines", "user, 1 line", "assistant, 2 lines", "The turns of the scenario",
        "Sent beside them: 1 setting", "The config of the prompt as it was written",
    ]  # fmt: skip
    assert not browser.do(page.run("document.querySelector('#prompt .prompt-text').checkVisibility()"))
    browser.do(page.run("document.querySelector('#prompt summary').click()"))
    said = browser.do(page.run("document.querySelector('#prompt .prompt-text').innerText"))
    assert said.splitlines()[:2] == ["You are Pen, a friend.", RULES[0]]
    opened(browser, pages["calling"])
    assert not browser.do(page.run("document.getElementById('prompt')"))


@pytest.mark.parametrize("name", ["hostile", "hostile comparison"])
def test_hostile_texts_are_texts(name: str, browser: Browser, pages: dict[str, Path]) -> None:
    opened(browser, pages[name])
    page = browser.page
    browser.do(page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })"))
    assert browser.do(page.run("document.scripts.length")) == 2
    links = browser.do(page.run("[...document.links].map((each) => each.getAttribute('href'))"))
    assert [link for link in links if not link.startswith(("#", "../run-", "../index.html"))] == []
    assert browser.do(page.run("document.images.length")) == 0
    shown = browser.do(page.run("document.body.innerText"))
    assert "<script>alert(1)</script>" in shown
    assert "\\u202e" in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x1b\x07]", shown)
    # A joiner that makes one picture of two stays; marks do not climb over other lines.
    assert "\U0001f468\u200d\U0001f469" in browser.do(page.run("document.querySelector('#detail').textContent"))
    assert "\u0301" * 4 not in shown
    assert page.problems == []


def test_without_javascript_verdict_tables_and_pictures_are_there(browser: Browser, pages: dict[str, Path]) -> None:
    wanted = (".answer", ".reasons li", ".ruler", "table.metrics svg", ".from-2 .heat b", ".from-2 rect")
    browser.do(browser.page.without_script(True))
    try:
        opened(browser, pages["run"])
        assert [
            each for each in (*wanted, ".weakest li", "noscript p") if not browser.do(browser.page.drawn(each))
        ] == []
    finally:
        browser.do(browser.page.without_script(False))


def test_print_unfolds_the_critical_items(browser: Browser, pages: dict[str, Path]) -> None:
    folded = (
        "document.querySelector('#expectations details').append(...document.querySelectorAll('#expectations .item'))"
    )
    box = "document.createElement('details')"
    browser.do(browser.page.show(700))
    browser.do(browser.page.open(pages["expecting"]))
    browser.do(browser.page.run(f"document.getElementById('expectations').append({box})"))
    browser.do(browser.page.run(folded))
    assert not browser.do(browser.page.run("document.querySelector('#expectations .item').checkVisibility()"))
    browser.do(browser.page.show(700, media="print"))
    assert browser.do(browser.page.run("document.querySelector('#expectations .item').checkVisibility()"))


def test_print_cuts_nothing_off(browser: Browser, pages: dict[str, Path]) -> None:
    browser.do(browser.page.show(700, media="print"))
    browser.do(browser.page.open(pages["comparison"]))
    cut = """[...document.querySelectorAll("main *, header *")].filter((each) => {
        const style = getComputedStyle(each);
        if (each.closest("svg, .sr, #list, thead") || style.overflow === "visible") return false;
        return each.scrollHeight > each.clientHeight + 1;
    }).map((each) => each.outerHTML.slice(0, 120))"""
    assert browser.do(browser.page.run(cut)) == []
    assert browser.do(browser.page.run("document.documentElement.scrollWidth <= innerWidth"))
    assert browser.do(browser.page.run("getComputedStyle(document.querySelector('#list')).display")) == "none"
    assert browser.do(browser.page.printed()).startswith(b"%PDF")
