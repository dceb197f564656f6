"""The numbers of an answer as an endpoint names their tokens (`logprobs`): how likely was each, and what else?"""

import math
from collections.abc import Iterator, Mapping
from itertools import islice

from evaluation.records import Json, NumberToken

MOST_DIGITS = 3
MOST_KEPT = 64
"""Numbers of one answer that are kept: a verdict has seven."""


def read_numbers(choice: Mapping[str, Json], text: str) -> tuple[NumberToken, ...]:
    """The tokens of a choice that are numbers, with the numbers among their alternatives.

    Empty where there are none, and where the tokens are not those of the text: then no place is known.
    """
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list) or not all(isinstance(each, dict) for each in tokens):
        return ()
    written = [_bytes_of(each) for each in tokens]
    if not b"".join(written).startswith(text.encode()):  # the end of an answer may be a token of its own
        return ()
    return tuple(islice(_numbers(tokens, written), MOST_KEPT))


def _numbers(tokens: list[dict[str, Json]], written: list[bytes]) -> Iterator[NumberToken]:
    before = 0  # characters; the first byte of each counts, so that one in two tokens is counted once
    for entry, raw in zip(tokens, written, strict=True):
        said = raw.decode(errors="ignore")
        digits = _digits(said)
        if digits:
            odds = _odds(entry)
            if odds:
                yield NumberToken(before + said.index(digits), digits, odds)
        before += sum(byte & 0xC0 != 0x80 for byte in raw)


def _odds(entry: Mapping[str, Json]) -> dict[str, float]:
    """The probability of each number in this place; the same number with and without a blank before counts once."""
    listed = entry.get("top_logprobs")
    found: dict[str, float] = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and (digits := _digits(_bytes_of(each).decode(errors="ignore"))):
            found[digits] = found.get(digits, 0.0) + _probability(each.get("logprob"))
    return found


def _probability(logprob: Json) -> float:
    """0 for what is no logarithm of a probability."""
    if isinstance(logprob, bool) or not isinstance(logprob, int | float) or math.isnan(logprob):
        return 0.0
    return round(math.exp(min(0.0, logprob)), 9)


def _digits(token: str) -> str:
    """The number that a token is; empty for another one."""
    stripped = token.strip()
    return stripped if stripped.isascii() and stripped.isdigit() and len(stripped) <= MOST_DIGITS else ""


def _bytes_of(entry: Mapping[str, Json]) -> bytes:
    given = entry.get("bytes")
    if isinstance(given, list) and all(isinstance(each, int) and 0 <= each < 256 for each in given):
        return bytes(given)
    token = entry.get("token")
    return token.encode(errors="surrogatepass") if isinstance(token, str) else b""
