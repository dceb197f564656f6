"""What is wrong with a page that a browser shows, at three widths, in the light and in the dark."""

from itertools import product
from pathlib import Path

from tests.axe import find_violations
from tests.browser import Page

WIDTHS = (390, 768, 1280)
"""A phone, a tablet, a laptop; in CSS pixels."""
AXE = {(390, False), (1280, False)}
AXE_CLOSELY = {*AXE, (1280, True)}
"""Width and darkness in which axe-core reads a page: all but its costly contrasts are alike in both colours."""
UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
FITS = "document.documentElement.scrollWidth <= innerWidth"
OVERFLOW = """[...document.querySelectorAll("body *")].filter((each) => {
    if (each.closest("svg, .sr, .skip, thead, .chips, #list .top, #list .line")) return false;
    const box = each.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
}).map((each) => each.outerHTML.slice(0, 120))"""
CONTRAST = """(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const pixel = (colors) => {
        canvas.clearRect(0, 0, 1, 1);
        for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = (rgb) => rgb.map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const known = {};
    const ratio = (ink, behind) => {
        const [bright, dark] = [pixel([...behind, ink]), pixel(behind)].map(light).sort((a, b) => b - a);
        return (bright + 0.05) / (dark + 0.05);
    };
    const low = [];
    const texts = "p, li, td, th, dt, dd, h1, h2, h3, a, small, span, b, em, summary, del, ins, mark";
    for (const each of document.querySelectorAll(texts)) {
        if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
        if (!each.getClientRects().length) continue;
        const behind = [];
        for (let at = each; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
        const ink = getComputedStyle(each).color;
        const found = known[[ink, ...behind].join()] ??= ratio(ink, behind);
        if (found < 4.5) low.push(found.toFixed(2) + ": " + each.outerHTML.slice(0, 100));
    }
    return low.slice(0, 5);
})()"""
# A focus that a script moves is drawn as the keyboard's where the keyboard moved the one before. It may be drawn around
# the element, what lies over it, what follows it, or as a part of a picture. Of the many alike links in a section two
# are tried.
UNSEEN_FOCUS = """(() => {
    const reached = "a[href], summary, :is(input, select, textarea, button):enabled, [tabindex='0']";
    const look = (part, pseudo) => {
        const style = getComputedStyle(part, pseudo);
        const outline = style.outlineStyle === "none" ? "" : style.outlineWidth;
        return [outline, style.boxShadow, style.stroke, style.strokeWidth, style.fill].join();
    };
    const looks = (each) => [each, each.nextElementSibling ?? each, ...each.querySelectorAll("*")]
        .flatMap((part) => [look(part), look(part, "::after")]).join(";");
    document.activeElement.blur();
    const counts = {};
    return [...document.querySelectorAll(reached)].filter((each) => {
        if (!each.checkVisibility({ visibilityProperty: true })) return false;
        const kind = [each.tagName, each.className.baseVal ?? each.className, each.closest("section")?.id].join();
        counts[kind] = (counts[kind] ?? 0) + 1;
        if (counts[kind] > 2) return false;
        const before = looks(each);
        each.focus({ preventScroll: true });
        return document.activeElement !== each || looks(each) === before;
    }).map((each) => each.outerHTML.slice(0, 120));
})()"""


async def find_faults(page: Page, path: Path, *, closely: bool = False) -> list[str]:
    """A line for each fault, with the width and colours in which it was seen; everything that folds is unfolded.

    Contrasts are measured here; `closely` lets axe-core measure them too, which takes seconds.
    """
    found = []
    await page.show(WIDTHS[0])
    await page.open(path)
    await page.run(UNFOLD)
    for width, dark in product(WIDTHS, (False, True)):
        await page.show(width, dark=dark)
        faults = [] if await page.run(FITS) else ["the page scrolls sideways"]
        faults += [f"over the edge: {each}" for each in await page.run(OVERFLOW)]
        faults += [f"contrast {each}" for each in await page.run(CONTRAST)]
        if (width, dark) in (AXE_CLOSELY if closely else AXE):
            faults += await find_violations(page, contrast=closely and width == WIDTHS[-1])
        found += [f"{width}, {'dark' if dark else 'light'}: {each}" for each in faults]
    await page.press("Tab")
    found += [f"no focus is drawn: {each}" for each in await page.run(UNSEEN_FOCUS)]
    found += [f"console: {each}" for each in page.problems]
    return found + [f"asked for {url}" for url in page.requests if not url.startswith((path.as_uri(), "data:"))]
