"""Evidence and numbers as an explanation shows them: short, on one line, safe in a terminal."""

from functools import lru_cache

QUOTE_CHARACTERS = 60
"""Characters of a quote that an explanation shows; the finding keeps all of it."""
_CUT = "..."


def shown(text: str) -> str:
    """The text's beginning on one line; control and bidi characters, surrogates, quotes and backslashes are escaped."""
    if len(text) > QUOTE_CHARACTERS:
        text = text[: QUOTE_CHARACTERS - len(_CUT)] + _CUT
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=4096)
def number(value: float) -> str:
    """The shortest decimal notation of a value of at most ten decimals, without an exponent: 0.6, 1.0, -0.25."""
    text = f"{value + 0.0:.10f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


@lru_cache(maxsize=4096)
def signed(value: float) -> str:
    """As `number`, with a plus before what is not negative."""
    return number(value) if value < 0 else "+" + number(value)
