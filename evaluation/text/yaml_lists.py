"""Lists of plain words in a YAML text, such as [one, two words, "three, four"], read without the parser.

The parser makes an event and two marks for each item, which takes most of the time for a file of long lists. Here such
a list is taken out of the text and a mark left in its place. What is unusual in any way stays for the parser, and so
does every error.
"""

import re
from typing import NamedTuple

MARK = "\ue000"
"""Stands before and after the number of a list that was taken out; a text that holds it is left to the parser."""
_OTHER_VALUES = frozenset(("null", "true", "false"))
"""Plain words that are no text."""
_WORD = r"[A-Za-z0-9][A-Za-z0-9'_.|/!<>-]*+"
_QUOTED = r'"[^"\\\n]*"'
_ITEM = rf"(?:(?=[A-Za-z]){_WORD}(?:(?: | *\n *){_WORD})*|{_QUOTED})"
_PART = r"[ \n]*"
_LIST = re.compile(rf"\[{_PART}{_ITEM}(?:{_PART},{_PART}{_ITEM})*{_PART}\](?!\()")
"""One before a round bracket is a link in Markdown."""
_ITEMS = re.compile(_ITEM)


class Shortened(NamedTuple):
    """A text without its lists of words."""

    text: str
    lists: tuple[list[str], ...]
    """The items of each."""


def without_lists(text: str) -> Shortened | None:
    """The text with a mark in the place of each list of words; None where there is none, or it holds tabs or marks."""
    if MARK in text or "\t" in text or "[" not in text:
        return None
    lists: list[list[str]] = []

    def mark(found: re.Match[str]) -> str:
        start = found.start()
        items = None if "#" in text[text.rfind("\n", 0, start) + 1 : start] else _items(found[0])
        if items is None:
            return found[0]
        lists.append(items)
        return f"{MARK}{len(lists) - 1}{MARK}"

    shortened = _LIST.sub(mark, text)
    return Shortened(shortened, tuple(lists)) if lists else None


def _items(said: str) -> list[str] | None:
    """The items of a list; None where one of them is no text."""
    if "\n" in said:
        said = " ".join(map(str.strip, said.split("\n")))
    items = _ITEMS.findall(said) if '"' in said else [item.strip() for item in said[1:-1].split(",")]
    if not _OTHER_VALUES.isdisjoint(items):
        return None
    return [item[1:-1] if item[0] == '"' else item for item in items] if '"' in said else items
