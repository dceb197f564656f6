"""axe-core in a page that a browser shows: what breaks a rule of WCAG 2.0, 2.1 or 2.2, A or AA, or a best practice."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.browser import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OFF_UNLESS_NAMED = "target-size"
"""The rule of WCAG 2.2."""
COSTLY = "color-contrast"
"""Takes most of the time."""


@cache
def axe_script() -> str:
    """axe-core as a package brings it along; the package itself is not imported, as it asks for another browser."""
    package = find_spec("axe_playwright_python")
    assert package is not None and package.origin is not None, "make check installs axe-core"
    return (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


async def find_violations(page: Page, *, contrast: bool = True) -> list[str]:
    """A line for each element that breaks a rule: the rule, the element, and what is wrong with it.

    The page's own policy does not hold for what the debugger evaluates, so that axe-core runs beside it.
    """
    rules = {OFF_UNLESS_NAMED: {"enabled": True}, COSTLY: {"enabled": contrast}}
    options = {"runOnly": {"type": "tag", "values": TAGS}, "rules": rules, "resultTypes": ["violations"]}
    if not await page.run("'axe' in window"):
        await page.call("Runtime.evaluate", expression=axe_script())
    found = await page.run(f"(await axe.run(document, {json.dumps(options)})).violations")
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}"
        for rule in found
        for node in rule["nodes"]
    ]
