"""What is photographed: which part of which page, in a window of which size, in the light or in the dark."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.browser import Browser
from tests.images.playing import COLLECTION
from tests.pages import ROOT

IMAGES = ROOT / "docs" / "images"
RUN, COMPARISON, INDEX, NIGHT, OF_COLLECTION = (
    "report.html of the candidate",
    "comparison.html",
    "index.html",
    "report.html of a night",
    "report.html of a collection",
)
PHONE = (390, 844)
PHONE_SHOWS = ("body", "#metrics", "#detail")
"""What a phone is scrolled to on the page of a run, one picture each."""
WINDOW, GAP = (1280, 860), 30
STILL = "document.querySelector('.sections').style.position = 'static'"
"""The list of sections stays at its place, where it would lie over the part that is shown."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture of docs/images."""

    name: str
    page: str
    of: str = ""
    """What a selector finds; without one, the window."""
    most: int = WINDOW[1]
    """Pixels in height that are shown of a part."""
    dark: bool = False


SHOTS = (
    Shot("report", RUN),
    Shot("report-expectations", RUN, of="#expectations", most=900),
    Shot("report-metrics", RUN, of="#metrics", most=760),
    Shot("report-categories", RUN, of="#categories", most=800),
    Shot("report-distributions", RUN, of="#distributions", most=560),
    Shot("report-turns", RUN, of="#trajectories", most=560),
    Shot("report-responses", RUN, of="#responses", most=1000),
    Shot("report-dark", RUN, dark=True),
    Shot("comparison", COMPARISON),
    Shot("comparison-changed", COMPARISON, of="#changed", most=900),
    Shot("comparison-metrics", COMPARISON, of="#metrics", most=760),
    Shot("comparison-distributions", COMPARISON, of="#distributions", most=700),
    Shot("comparison-scenarios", COMPARISON, of="#matrix", most=760),
    Shot("comparison-responses", COMPARISON, of="#responses", most=1000, dark=True),
    Shot("index", INDEX, of="body", most=1500),
    Shot("night", NIGHT),
    Shot("collection", OF_COLLECTION, of="body", most=1500),
)


def photograph(browser: Browser, runs: Path, to: Path) -> None:
    """Writes every shot, and the one of a phone, as a PNG; `runs` is a folder that `play` filled."""
    pages = find_pages(runs)
    browser.do(browser.page.call("Emulation.setScrollbarsHidden", hidden=True))
    for shot in SHOTS:
        open_page(browser, pages[shot.page], WINDOW, dark=shot.dark)
        page = browser.page
        browser.do(page.run(STILL))
        picture = browser.do(page.picture(of=shot.of, most=shot.most) if shot.of else page.picture())
        (to / f"{shot.name}.png").write_bytes(lightened(picture))
    beside = runs / "phone.html"
    beside.write_text(
        side_by_side([_on_a_phone(browser, pages[RUN], place) for place in PHONE_SHOWS]), encoding="utf-8"
    )
    open_page(browser, beside, (len(PHONE_SHOWS) * (PHONE[0] + GAP) - GAP, PHONE[1]))
    (to / "report-phone.png").write_bytes(lightened(browser.do(browser.page.picture())))


def find_pages(runs: Path) -> dict[str, Path]:
    """Where the pages lie that the shots name."""
    (comparison,) = runs.glob("[0-9]*/comparison.html")
    (night,) = runs.glob("nightly/[0-9]*/report.html")
    return {
        RUN: comparison.parent / "report.html",
        COMPARISON: comparison,
        INDEX: runs / "index.html",
        NIGHT: night,
        OF_COLLECTION: runs / COLLECTION / "report.html",
    }


def open_page(browser: Browser, path: Path, size: tuple[int, int], *, dark: bool = False) -> None:
    browser.do(browser.page.show(*size, dark=dark))
    browser.do(browser.page.open(path))


def _on_a_phone(browser: Browser, path: Path, place: str) -> bytes:
    open_page(browser, path, PHONE)
    browser.do(browser.page.run(f"document.querySelector({place!r}).scrollIntoView()"))
    return browser.do(browser.page.picture())


def side_by_side(pictures: Sequence[bytes]) -> str:
    """A page that shows them so."""
    shown = "".join(f'<img src="data:image/png;base64,{base64.b64encode(each).decode()}">' for each in pictures)
    style = f"body {{ margin: 0; display: flex; gap: {GAP}px; background: #d8d8d4 }}"
    return f"<!doctype html><style>{style}</style>{shown}"


def lightened(picture: bytes) -> bytes:
    """The same PNG in 256 colours, about half as large: no page has many more."""
    made = BytesIO()
    Image.open(BytesIO(picture)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return made.getvalue()
