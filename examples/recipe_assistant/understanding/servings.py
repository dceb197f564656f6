"""For how many people to cook."""

import re

from examples.recipe_assistant.understanding.text import NUMBER, number

PEOPLE = (
    r"(?:people|persons?|servings?|portions?|adults|guests|friends|kids|of us|mouths|eaters|personas|raciones"
    r"|personen|leute|portionen|personnes|portions|persone|porzioni|pessoas|porcoes)"
)
NOT_TIME = (
    r"(?!\s*-?\s*(?:\d|min|m\b|h\b|hour|hr|stunde|hora|heure|or[ae]\b|to\b|bis\b"
    r"|week|day|euro|dollar|%|/|or less|more))"
)
COUNTED = (
    re.compile(rf"(?<!\w)({NUMBER})[\s-]*{PEOPLE}\b"),
    re.compile(
        rf"\b(?:serves|serving|feeds|feed|family of|party of|dinner for|lunch for|we are|we're) ({NUMBER})\b(?!\w)"
    ),
    re.compile(rf"\b(?:for|para|fur|pour|per) (?:the |about |all )?({NUMBER})\b(?!-){NOT_TIME}"),
)
WORDED = (
    (re.compile(r"\b(?:just|only) (?:for )?me\b|\bfor myself\b|\bby myself\b|\bfor me\b(?! and)|\bsolo para mi\b"), 1),
    (re.compile(r"\bfur mich\b|\bpour moi\b|\bone person\b|\bpara uno\b|\bi(?:'m| am) alone\b"), 1),
    (re.compile(r"\bfor (?:my \w+ and (?:me|i|myself)|me and my \w+)\b|\bfor a couple\b|\bboth of us\b"), 2),
)
MOST = 50


def servings_in(folded: str) -> int | None:
    """The number of servings that the text states last, or None."""
    found = [(one.end(), number(one[1])) for pattern in COUNTED for one in pattern.finditer(folded)]
    found += [(one.end(), value) for pattern, value in WORDED for one in pattern.finditer(folded)]
    usable = [one for one in found if 1 <= one[1] <= MOST]
    return max(usable)[1] if usable else None
