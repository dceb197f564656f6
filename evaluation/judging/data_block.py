"""Foreign text as data in a prompt: in a block that it cannot close, without characters that it could hide behind."""

import re
from collections.abc import Sequence

from evaluation.runspec import digest

KEY_CHARACTERS = 24
"""Of the hash in a delimiter: a text that holds the hash of itself would take about 2 to the power of 96 tries."""
LONGEST_TEXT = 20_000
"""Characters of one message that the judge sees; of a longer one the beginning and the end."""
TAIL = 5_000
"""Characters of a longer message that are taken from its end."""

HIDDEN = re.compile(
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"
    # One joiner or variation selector belongs to an emoji or a script; several in a row belong to nothing.
    "|[\u200c\u200d\ufe00-\ufe0f]{2,}"
)
SOFT_HYPHEN = "\u00ad"


def content_key(parts: Sequence[str]) -> str:
    """The delimiter's key: a hash of everything that the blocks hold, so the same text always makes the same prompt."""
    return digest(list(parts))[:KEY_CHARACTERS]


def block(kind: str, key: str, text: str) -> str:
    """The text between two lines that only its own hash can close."""
    return f"<{kind}-{key}>\n{text}\n</{kind}-{key}>"


def visible(text: str) -> str:
    """The text with what a reader would not see spelled out: `[U+200B]`, or `[12 hidden characters]` for a run."""
    return HIDDEN.sub(_spelled, text.replace(SOFT_HYPHEN, ""))


def spoken(role: str, text: str) -> str:
    """One turn of a conversation, "[role] words": further lines are indented, so that none passes for a turn."""
    return f"[{role}] " + "\n  ".join(text.splitlines() or [""])


def shortened(text: str, longest: int = LONGEST_TEXT, tail: int = TAIL) -> str:
    """At most about `longest` characters; what is left out of the middle is marked."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest - tail]}\n[{left_out} characters left out]\n{text[-tail:]}"


def _spelled(match: re.Match[str]) -> str:
    run = match.group()
    return f"[U+{ord(run):04X}]" if len(run) == 1 else f"[{len(run)} hidden characters]"
