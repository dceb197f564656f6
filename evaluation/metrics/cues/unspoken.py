"""What a voice cannot speak and is no Markdown: web addresses, runs of emoji, circled numbers, and lettered lists.

Each pattern reads a bounded stretch from where it begins, so the time is linear in the text.
"""

import re

URL = re.compile(r"(?<!\w)(?:https?://(?=[\w\[])|www\.(?=[^\W_][\w-]{0,62}\.\w))[^\s<>]{1,500}", re.IGNORECASE)
"""An address with its scheme, or one that begins with www; a bare example.com is spoken as it is written."""

_CIRCLED = "\u2460-\u24b5\u24d0-\u24ff\u2776-\u2793"
"""Numbers and small letters in circles or brackets, or with a stop of their own."""
CIRCLED = re.compile(rf"[{_CIRCLED}][ \t]{{0,8}}[^\s][^\n]{{0,60}}")

_EMOJI = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd\u26be"
    "\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757"
    "\u2764\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0"
    "\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
)
"""Emoji_Presentation of Unicode's emoji-data, the blocks of pictographs whole, and the heart, often sent without its
variation selector."""
_DRAWN = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f100-\U0001f2ff"
"""Emoji only before the variation selector."""
_ONE = rf"(?:[{_EMOJI}]|[{_DRAWN}](?=\ufe0f))[\ufe0f\U0001f3fb-\U0001f3ff]{{0,2}}"
_UNIT = (
    rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3"
    rf"|{_ONE}[\U000e0020-\U000e007f]{{0,8}}(?:\u200d{_ONE}){{0,8}})"
)
"""One emoji: a flag, a keycap, or a pictograph with its skin tone, tags and all that is joined to it."""
EMOJI_RUN = re.compile(rf"{_UNIT}(?: ?{_UNIT}){{2,40}}")

_KEYCAP = r"\d\ufe0f?\u20e3"
REACH = 300
"""Characters in which the second label follows the first."""
KEYCAPS = re.compile(rf"{_KEYCAP}[ \t]{{0,8}}\w[^\u20e3]{{0,{REACH}}}{_KEYCAP}")
"""Two keycaps with words between them: a list, on one line or several."""

_LABEL = r"(?:\d{1,2}|[^\W\d_]|[ivx]{2,4}|[IVX]{2,4})"
_LETTERED = re.compile(
    rf"^[ \t]{{0,8}}(?:(?:(\()?{_LABEL}\)|(\u2014))[ \t]{{1,8}}|([(\uff08]?){_LABEL}\uff09[ \t]{{0,8}})"
    r"[^\s][^\n]{0,60}",
    re.MULTILINE,
)
"""A line of a list: (1), (a), a), the same with the wide brackets of Chinese and Japanese, or an em dash."""
_SECOND = {"1": "2", "a": "b", "A": "B", "i": "ii", "I": "II", "\u0430": "\u0431", "\u0410": "\u0411"}
"""First labels of lists, the last two in Cyrillic, and what follows them."""
_INLINE = re.compile(
    rf"((?:^|[:;\n\u2014])[ \t]{{0,8}}|(?<=[^\s(])[ \t]{{1,8}})(\(?)([{''.join(_SECOND)}])\)[ \t]{{1,4}}(?=\w)"
)
"""The first label of a list in running text."""
_PAUSE = re.compile(r"[,;.!?](?: (?:and|or|then))?[ \t\n]{1,8}\Z")
"""What stands between two items of a list in the middle of a sentence; a reference or an hour has none there."""


_SYMBOL = re.compile("[\u20d0-\U0010ffff]")
"""What every circled number, keycap and emoji holds: letters with accents and quotation marks stand before it."""


def may_hold_symbols(text: str) -> bool:
    """Whether a search for circled numbers, keycaps and emoji may find any; it takes many times as long as this."""
    return not text.isascii() and _SYMBOL.search(text) is not None


def unspoken(text: str) -> tuple[int, int] | None:
    """The first place of a kind, in the order of the patterns; None where everything can be spoken."""
    patterns = [URL, CIRCLED, KEYCAPS, EMOJI_RUN] if may_hold_symbols(text) else [URL]
    for pattern in patterns:
        if match := pattern.search(text):
            return match.span()
    return (_list_lines(text) or _list_inline(text)) if ")" in text or "\n" in text else None


def _list_lines(text: str) -> tuple[int, int] | None:
    """The second line with one kind of marker: one alone may be prose, or what somebody says."""
    seen: set[tuple[str | None, ...]] = set()
    for item in _LETTERED.finditer(text):
        kind = item.groups()
        if kind in seen:
            return item.span()
        seen.add(kind)
    return None


def _list_inline(text: str) -> tuple[int, int] | None:
    """ "a) rest b) drink" and "(1) rest, (2) drink": from the first label to the second, which ends no sentence.

    At the start of a line or behind a colon two labels are enough; elsewhere the second stands behind a pause. A label
    without a bracket before it closes none that is open.
    """
    for first in _INLINE.finditer(text):
        before, bracket, label = first.groups()
        second = f"{bracket}{_SECOND[label]})"
        at = text.find(second, first.end(), first.end() + REACH)
        said, after = text[first.end() : at], text[at + len(second) : at + len(second) + 2]
        if at < 0 or not said[-1:].isspace() or after[:1] != " " or not after[1:].isalnum():
            continue
        start = first.start()
        running = before.isspace() and "\n" not in before and start > 0
        if running and not (_PAUSE.search(said) and (bracket or _closed(text[max(0, start - REACH) : start]))):
            continue
        if bracket or _closed(said):
            return first.start(2), at + len(second)
    return None


def _closed(said: str) -> bool:
    """True where no bracket is left open."""
    return said.rfind("(") <= said.rfind(")")
