"""A person judges in the page of a real run, exports, and the reviews are taken, reported and calibrated."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, browser_path
from tests.evaluation.reports.html import pairing
from tests.scripts.commands import Finished, run

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
CHOSEN = "document.querySelector('#detail h3').textContent"
COUNTER = "document.querySelector('.judging [role=status]').textContent"
PRESSED = "[...document.querySelectorAll('.judging [aria-pressed=true]')].map((each) => each.title)"
MARKS = "[...document.querySelectorAll('#list .mine')].map((each) => each.textContent)"
EXPORTED = (
    "(document.querySelector('.export').open = true, await new Promise((go) => setTimeout(go, 50)), "
    "document.querySelector('.exported').value)"
)
TYPE = """(() => {{
    const box = document.querySelector('.judging .comment textarea');
    box.value = {text};
    box.dispatchEvent(new Event('input', {{ bubbles: true }}));
}})()"""
FLAG = """(() => {{
    const control = document.getElementById('f-flag');
    control.value = {name!r};
    control.dispatchEvent(new Event('input', {{ bubbles: true }}));
}})()"""
HOSTILE = '</script><img src=x onerror=alert(1)>\x00\u202e=1+cmd|"/C calc"!A0 \ud83d ' + "long " * 1_980
REFUSING = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert PROGRAM is not None
    opened = Browser(PROGRAM)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of eight scenarios, with its judge."""
    folder = tmp_path_factory.mktemp("runs")
    done = run("--prompt", "v2", "--limit", "8", "--quiet", runs=folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def page_file(runs: Path) -> Path:
    return next(runs.glob("*Z-*")) / "report.html"


def opened(browser: Browser, path: Path) -> None:
    browser.do(browser.page.show(1280))
    browser.do(browser.page.open(path))
    see(browser, "document.getElementById('list').focus()")


def see(browser: Browser, script: str) -> Any:
    return browser.do(browser.page.run(script))


def drawn(browser: Browser, selector: str) -> bool:
    found: bool = see(browser, f"document.querySelector({selector!r}).getClientRects().length > 0")
    return found


def begun(browser: Browser, path: Path) -> None:
    """The page as nobody has judged in it, whatever earlier tests left in the browser."""
    opened(browser, path)
    see(browser, "localStorage.clear()")
    opened(browser, path)


def press(browser: Browser, *keys: str) -> None:
    for key in keys:
        browser.do(browser.page.press(key))


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def command(runs: Path, module: str, *arguments: str) -> Finished:
    return run(*arguments, runs=runs, module=f"scripts.{module}")


def test_judged_by_keys_exported_and_counted(browser: Browser, runs: Path, page_file: Path, tmp_path: Path) -> None:
    begun(browser, page_file)
    assert see(browser, COUNTER) == "0 judged, 0 flagged"
    press(browser, "g", "4")
    first = see(browser, CHOSEN)
    assert see(browser, PRESSED) == ["keep", "rate it 4, Good 0.7-0.8"]
    press(browser, "f", "u")
    assert see(browser, PRESSED) == ["keep", "rate it 4, Good 0.7-0.8"], "undone is the last change alone"
    press(browser, "ArrowDown", "f", "c")
    assert see(browser, "document.activeElement.tagName") == "TEXTAREA"
    press(browser, "g", "x")  # letters of the comment, and no keys
    see(browser, TYPE.format(text=json.dumps(HOSTILE)))
    press(browser, "Escape")
    assert see(browser, "document.activeElement.id") == "list"
    assert see(browser, MARKS) == ["kept, rated 4", "flagged"]

    press(browser, "b")
    assert see(browser, "document.title") == "Blind review"
    # Nothing of another's judgement takes room: no verdict, figure, score, mark of an expectation, name of a version.
    for hidden in (
        ".hero",
        ".sections",
        "#metrics",
        "footer",
        "#list .top b",
        "#list .pips",
        "#f-sort",
        ".filters .more",
    ):
        assert not drawn(browser, hidden), hidden
    words = see(browser, "document.body.innerText")
    assert not any(word in words for word in ("v2", "heuristic", "needs revision", "judge,", "Scores", "tokens"))
    assert "What it is held to" in words
    order = see(browser, "[...document.querySelectorAll('#list .id')].map((each) => each.textContent)")
    press(browser, "n")
    third = see(browser, CHOSEN)
    press(browser, "2", "g")
    text = see(browser, EXPORTED)
    by_scenario = {line["scenario_id"]: line for line in lines_of(text)}
    assert len(by_scenario) == 3 and first != third
    assert (by_scenario[first]["judgement"], by_scenario[first]["rating"], by_scenario[first]["blind"]) == (
        "keep",
        "4",
        False,
    )
    assert (by_scenario[third]["rating"], by_scenario[third]["blind"]) == ("2", True)

    # Another opening of the page shows the same, still blind and in the same order; then it is opened to everything.
    opened(browser, page_file)
    assert see(browser, COUNTER) == "3 judged, 1 flagged"
    assert see(browser, "[...document.querySelectorAll('#list .id')].map((each) => each.textContent)") == order
    press(browser, "b")
    assert drawn(browser, ".hero")
    count = "document.querySelectorAll('#list li[id]').length"
    everything = see(browser, count)
    for name, expected in (("judged", 3), ("flagged", 1), ("unjudged", everything - 3)):
        see(browser, FLAG.format(name=name))
        assert see(browser, count) == expected, name
    assert browser.page.problems == []

    # The file that the browser saves is what the box shows, and what the command takes.
    browser.do(browser.page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path)))
    see(browser, "document.querySelector('.export button').click()")
    file = tmp_path / see(browser, "document.querySelector('.export code').textContent.match(/take (\\S+)/)[1]")
    for _ in range(100):
        if file.exists():
            break
        time.sleep(0.05)
    assert file.read_text(encoding="utf-8") == text
    taken = command(runs, "review", "take", str(file), "--reviewer", "ana")
    assert (taken.code, taken.err) == (0, "")
    assert "3 judgements taken" in taken.out
    reported = command(runs, "review_report", "--json")
    assert reported.code == 0, reported.err
    figures = json.loads(reported.out)
    assert [figures[name] for name in ("reviews", "kept", "flagged", "not_blind")] == [3, 2, 1, 2]
    [flag] = figures["flags"]
    assert flag["text"] == HOSTILE.replace("\ud83d", "\ufffd").strip()
    reviews = runs / "reviews" / "ana.jsonl"
    calibrated = command(
        runs, "calibrate", str(reviews), "--no-judge", "--json", "--output", str(tmp_path / "calibration")
    )
    assert calibrated.code == 0, calibrated.err
    agreements = json.loads(calibrated.out)["agreements"]
    counts = {each["dimension"]: each["n"] for each in agreements if each["source"] == "heuristic"}
    assert counts == {"overall_quality": 2, "kept": 3}


def test_where_the_browser_keeps_nothing_a_line_says_so_and_the_export_works(browser: Browser, page_file: Path) -> None:
    begun(browser, page_file)
    added = browser.do(browser.page.call("Page.addScriptToEvaluateOnNewDocument", source=REFUSING))
    try:
        opened(browser, page_file)
        assert drawn(browser, ".judging .lost")
        before = len(lines_of(see(browser, EXPORTED)))
        press(browser, "n", "g")
        assert len(lines_of(see(browser, EXPORTED))) == before + 1
        browser.do(browser.page.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"]))
        see(browser, "document.querySelector('.export p.row button:nth-child(2)').click()")
        assert see(browser, "document.querySelector('.export [role=status]').textContent").startswith(
            "Copied: save it as "
        )
        assert browser.page.problems == []
    finally:
        opened(browser, page_file)
    assert len(lines_of(see(browser, EXPORTED))) == before


def test_what_another_page_wrote_in_its_place_is_not_believed(browser: Browser, page_file: Path) -> None:
    begun(browser, page_file)
    press(browser, "g")
    key = "Object.keys(localStorage).find((each) => each.startsWith('judgements of') && !each.endsWith('blind'))"
    good = see(browser, f"JSON.parse(localStorage.getItem({key}))[0]")
    strange = [5, None, {**good, "judgement": "<b>"}, {**good, "run_id": "other"}, {**good, "comment": 7}, good]
    see(browser, f"localStorage.setItem({key}, {json.dumps(json.dumps(strange))})")
    opened(browser, page_file)
    assert lines_of(see(browser, EXPORTED)) == [good]
    see(browser, f"localStorage.setItem({key}, 'no JSON')")
    opened(browser, page_file)
    assert see(browser, COUNTER) == "0 judged, 0 flagged"
    assert browser.page.problems == []


def test_one_of_two_answers_is_preferred_and_blind_neither_is_named(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "comparison.html"
    # Under these names of the runs the drawing turns two of the three pairs, and not all of them.
    path.write_text(pairing.page().replace('"runs":["run-2","run-3"]', '"runs":["run-2","run-5"]'), encoding="utf-8")
    begun(browser, path)
    names = see(browser, "[...document.querySelectorAll('.names b')].map((each) => each.textContent)")
    press(browser, "1")
    assert see(browser, EXPORTED) == "", "both say the same"
    assert "Both responses are the same." in see(browser, "document.querySelector('.judging').innerText")
    press(browser, "n", "2")
    [line] = lines_of(see(browser, EXPORTED))
    assert (line["kind"], line["answer"], line["shown_first"], line["blind"]) == ("preference", "second", "base", False)
    assert see(browser, MARKS) == [f"prefers {names[1]}"]
    press(browser, "2")
    assert see(browser, EXPORTED) == "", "the same key takes it back"
    press(browser, "b", "n")
    answers = "[...document.querySelectorAll('#detail .cell .judged .said')].map((each) => each.textContent)"
    turned = {}
    for _ in range(3):
        assert see(browser, "[...document.querySelectorAll('.names b')].map((each) => each.textContent)") == [
            "Response 1",
            "Response 2",
        ]
        assert not any(name in see(browser, "document.body.innerText") for name in names)
        press(browser, "1")
        turned[see(browser, CHOSEN)] = see(browser, answers)
        press(browser, "n")
    found = lines_of(see(browser, EXPORTED))
    assert len(found) == 3
    assert {line["shown_first"] for line in found} == {"base", "candidate"}
    assert all(line["answer"] == "first" and line["blind"] for line in found)
    # Opened to everything, the base stands first again, and the preference stays with its answer.
    press(browser, "b")
    for line in found:
        see(browser, f"document.getElementById('f-text').value = {line['scenario_id']!r}")
        see(browser, FLAG.format(name=""))
        shown = see(browser, answers)
        assert shown == (
            turned[line["scenario_id"]] if line["shown_first"] == "base" else turned[line["scenario_id"]][::-1]
        )
        expected = "the first is better" if line["shown_first"] == "base" else "the second is better"
        assert see(browser, PRESSED) == [expected]
    assert browser.page.problems == []
