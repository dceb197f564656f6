"""What a reasoning model thought before it answered, where its server leaves that in the answer."""

import re

THOUGHTS = re.compile(r"\A\s*<(think(?:ing)?)>.*?</\1>", re.IGNORECASE | re.DOTALL)


def without_thoughts(raw: str) -> str:
    """The answer after one closed block of thoughts at its very beginning, up to the first closing tag; else all of it.

    What a thought quotes after such a tag stays in the answer, where it is one thing too many: then nothing is read.
    """
    return THOUGHTS.sub("", raw.lstrip("\ufeff"), count=1)
