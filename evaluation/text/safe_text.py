"""Text from outside made fit for a report: one line, nothing that steers a terminal or a page, bounded in width.

What cannot be printed is shown as its escape (\\n, \\x1b, \\u202e): a reader sees that it was there.
"""

import re
import unicodedata

from rich.cells import cell_len

ELLIPSIS = "…"
NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
MOST_MARKS = 3
"""Zero-width characters kept after one another; more would climb over neighbouring lines."""
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories: controls, formats (bidi, zero width), surrogates, private use, unassigned, line separators."""
EMOJI_STYLE = "\ufe0f"
"""Turns the character before it into an emoji, which may be a column wider."""
PLAIN = re.compile(r"[ -~]*")


def printable(text: str) -> str:
    """The whole text on one line, with every unprintable character as its escape. Linear in the length."""
    if PLAIN.fullmatch(text):
        return text
    shown: list[str] = []
    marks = 0
    for char in text:
        if char in NAMED or unicodedata.category(char) in UNPRINTABLE:
            shown.append(_escape(char))
            marks = 0
            continue
        marks = 0 if cell_len(char) else marks + 1
        shown.append(char if marks <= MOST_MARKS else _escape(char))
    return "".join(shown)


def width(text: str) -> int:
    """Columns that a printable text takes at most: terminals differ on emoji, and the wider reading counts."""
    return len(text) if PLAIN.fullmatch(text) else sum(map(_columns, text))


def clip(text: str, columns: int) -> str:
    """`printable`, cut to at most `columns` >= 1 with an ellipsis; looks at no more of the text than can matter."""
    # Of this many characters in a row, more than `columns` take a column each.
    enough = (MOST_MARKS + 1) * (columns + 1)
    head = printable(text[:enough])
    if len(text) <= enough and width(head) <= columns:
        return head
    return _prefix(head, columns - 1) + ELLIPSIS


def pad(text: str, columns: int) -> str:
    """`clip`, filled with spaces on the right to `columns`."""
    cut = clip(text, columns)
    return cut + " " * (columns - width(cut))


def wrap(text: str, columns: int, lines: int) -> list[str]:
    """`printable`, broken at spaces into at most `lines` lines of at most `columns`; cut with an ellipsis.

    Words that are longer than a line are broken. At least one line, empty for an empty text.
    """
    rest = clip(text, columns * lines)
    found: list[str] = []
    while width(rest) > columns and len(found) < lines - 1:
        head = _prefix(rest, columns)
        at = len(head) if rest[len(head)] == " " else head.rfind(" ")
        if at <= 0:
            at = len(head)
        found.append(rest[:at].rstrip(" "))
        rest = rest[at:].lstrip(" ")
    return [*found, clip(rest, columns)]


def _prefix(text: str, columns: int) -> str:
    used = 0
    for place, char in enumerate(text):
        used += _columns(char)
        if used > columns:
            return text[:place]
    return text


def _columns(char: str) -> int:
    if char == EMOJI_STYLE:
        return 1
    wide = 2 if unicodedata.east_asian_width(char) in "WF" else 0
    return max(wide, cell_len(char))


def _escape(char: str) -> str:
    if char in NAMED:
        return NAMED[char]
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
