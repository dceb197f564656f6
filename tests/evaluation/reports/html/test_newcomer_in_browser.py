"""What somebody asks who opens a comparison for the first time: each question takes two clicks at most."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, browser_path
from tests.scripts.commands import run

PROGRAM = browser_path()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
MOST_CLICKS = 2


class Newcomer:
    """Looks at the window, and counts the clicks since the page was opened."""

    def __init__(self, browser: Browser, page: Path) -> None:
        self._browser, self._page = browser, page
        self._clicks = 0

    def begin(self) -> None:
        self._clicks = 0
        self._browser.do(self._browser.page.open(self._page))

    def click(self, selector: str) -> None:
        self._clicks += 1
        assert self._clicks <= MOST_CLICKS, selector
        self._browser.do(self._browser.page.click(selector))

    def read(self, script: str) -> Any:
        return self._browser.do(self._browser.page.run(script))

    def sees(self, selector: str) -> bool:
        """True where at least one such element stands in the window and is not folded away."""
        return bool(
            self.read(
                f"[...document.querySelectorAll({selector!r})].some((part) => {{ "
                "const box = part.getBoundingClientRect(); "
                "return box.height > 0 && box.bottom > 0 && box.top < innerHeight; })"
            )
        )


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    runs = tmp_path_factory.mktemp("runs")
    done = run(
        "--base", "v3", "--prompt", "v2", "--limit", "24", "--quiet", runs=runs, module="scripts.compare_prompts"
    )
    assert done.code == 0, done.err
    page = (runs / "latest" / "comparison.html").resolve()
    assert PROGRAM is not None
    browser = Browser(PROGRAM)
    browser.do(browser.page.show(1280))
    yield Newcomer(browser, page)
    browser.close()


def test_what_changed_in_the_prompt(newcomer: Newcomer) -> None:
    newcomer.begin()
    newcomer.click('nav a[href="#changed"]')
    assert newcomer.sees("#changed .diff .added") and newcomer.sees("#changed .diff .removed")
    assert "two or three sentences" in newcomer.read("document.querySelector('#changed .diff').innerText")


def test_which_situations_got_worse(newcomer: Newcomer) -> None:
    newcomer.begin()
    newcomer.click("#chips button:nth-of-type(3)")
    assert newcomer.read("document.querySelector('#chips [aria-pressed=true]').textContent").startswith("Biggest loss")
    changes = newcomer.read("[...document.querySelectorAll('#list .tag')].map((tag) => tag.textContent)")
    losses = [float(text) for text in changes if text[:1] in "+-0" and text[1:].replace(".", "").isdigit()]
    assert losses == sorted(losses) and losses[0] < 0 and losses[-1] < 0
    assert newcomer.sees("#list li .id")


def test_the_worst_pair(newcomer: Newcomer) -> None:
    newcomer.begin()
    newcomer.click('nav a[href="#responses"]')
    data = newcomer.read("JSON.parse(document.getElementById('data').textContent)")
    changes = [(sides[1]["d"] - sides[0]["d"], data["scenarios"][place]["id"]) for place, _, _, sides in data["rows"]]
    assert newcomer.read("document.querySelector('#detail h3').textContent") == min(changes)[1]
    assert newcomer.sees("#detail .pair .cell:first-child") and newcomer.sees("#detail .pair .cell:last-child")


def test_is_it_safe(newcomer: Newcomer) -> None:
    newcomer.begin()
    first = newcomer.read("document.querySelector('.hero').innerText")
    assert "critical expectation" in first
    newcomer.click('nav a[href="#items"]')
    assert newcomer.sees("#items h2")
    assert "critical" in newcomer.read("document.querySelector('#items').innerText")
    newcomer.click("#items tbody a")
    assert newcomer.sees("#detail h3")
