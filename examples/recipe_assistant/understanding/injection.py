"""Text that talks to a machine instead of about food."""

import re

ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}"
    r"\b(?:instructions?|rules|prompts?|directions|guidelines)\b"
    r"|\b(?:system prompt|system message|developer mode|jailbreak|you are now|act as|pretend (?:to be|you))\b"
    r"|\bnew instructions?\b|\b(?:system|assistant|developer)\s*:"
    r"|</?(?:system|assistant|developer|user|instructions?|prompt)>|\bnext_action\b|\btime_minutes\b"
)
TAG = re.compile(r"</?[a-z_]{2,20}>")
REST = re.compile(r"[^.!?\n]*[.!?\n]?")


def without_orders(folded: str) -> str:
    """The text without what gives orders: from where an order begins to the end of its sentence.

    Other markup only separates.
    """
    kept: list[str] = []
    place = 0
    while order := ORDER.search(folded, place):
        kept.append(folded[place : order.start()])
        rest = REST.match(folded, order.end())
        place = rest.end() if rest else len(folded)
    return TAG.sub(", ", "".join([*kept, folded[place:]]))


def is_order(folded: str) -> bool:
    """True where any of the text gives orders."""
    return bool(ORDER.search(folded))
