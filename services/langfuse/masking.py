"""The one hook through which every text passes that leaves for Langfuse."""

import re
from collections.abc import Callable
from typing import TypeAlias

from evaluation.records import Json
from services.settings import Settings

Outgoing: TypeAlias = Callable[[str], str]

LONGEST = 500_000
"""Characters of one text that are sent; a span may hold about 9 MB in all, a request 5 MB."""
_SECRET = "[key]"
_KNOWN = {
    "email": (
        re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"),
        "[email]",
    ),
    "phone": (re.compile(r"(?<![\w+])\+?\(?[0-9](?:[ ()./-]{0,2}[0-9]){6,14}(?!\w)"), "[phone]"),
}


def outgoing(settings: Settings) -> Outgoing:
    """Makes any text fit to be sent: keys never, e-mail addresses, phone numbers and own patterns when asked for.

    Lone surrogates and NUL, which the server cannot store, become visible substitutes; a text beyond 500,000
    characters is cut, and says so.
    """
    secrets = settings.secrets()
    masks = [_KNOWN[name] for name in settings.mask]
    if settings.mask_pattern:
        masks.append((re.compile(settings.mask_pattern), "[masked]"))

    def fit(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, _SECRET)
        for pattern, substitute in masks:
            text = pattern.sub(substitute, text)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… [{len(text) - LONGEST} more characters]"
        return storable(text)

    return fit


def storable(text: str) -> str:
    """The text without what UTF-8 or the server's database cannot hold."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode()
    return text.replace("\0", "\N{SYMBOL FOR NULL}")


def fit_json(value: Json, fit: Outgoing) -> Json:
    """A JSON value with every text in it made fit, its keys included."""
    if isinstance(value, str):
        return fit(value)
    if isinstance(value, dict):
        return {fit(str(key)): fit_json(item, fit) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fit_json(item, fit) for item in value]
    return value
