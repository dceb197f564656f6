"""Does a verdict stand in the judged text already? Then the text may have spoken through the judge."""

import re
from collections.abc import Mapping

SQUEEZED = re.compile(r"[\s*_`]+")
PRINTED = re.compile(r'["\'](?P<name>[a-z][a-z0-9_]{0,63})["\']\s{0,20}:\s{0,20}(?P<value>[-+]?\d{1,6}(?:\.\d{1,10})?)')


def squeezed(text: str) -> str:
    """The text as it is compared: without case, white space and marks of emphasis."""
    return SQUEEZED.sub("", text).casefold()


def line_stands_in(line: str, judged: str) -> bool:
    """Whether a verdict line ("Score: 0.8") stands in the judged text, whatever its white space and emphasis.

    "Score: 0.8" does not stand in "Score: 0.85": the number must end there.
    """
    needle = squeezed(line).rstrip(".,;:)")
    if not needle:
        return False
    return re.search(re.escape(needle) + r"(?![\d%/]|[.,]\d)", squeezed(judged)) is not None


def object_stands_in(raw: str, values: Mapping[str, float], judged: str) -> bool:
    """Whether the judged text holds the verdict's JSON, or prints each of its values under its name."""
    if "{" in judged and squeezed(raw) in squeezed(judged):
        return True
    printed: dict[str, set[float]] = {}
    for match in PRINTED.finditer(judged):
        printed.setdefault(match["name"], set()).add(float(match["value"]))
    return bool(values) and all(value in printed.get(name, ()) for name, value in values.items())
