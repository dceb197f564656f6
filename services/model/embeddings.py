"""The vectors in an answer of `/embeddings`, as lists of numbers or as base64, written down one a line."""

import struct
from base64 import b64decode
from collections.abc import Mapping, Sequence

from evaluation.records import Json
from evaluation.vectors import size_of, written
from services.model.errors import one_line
from services.retrying import TryAgain


def lines_of(data: Json) -> list[str]:
    """The vectors of a list of embeddings, in the order of the texts, each as `evaluation.vectors` writes it.

    Raises TryAgain (malformed) for a list that leaves out a text, has a vector that cannot be read, or vectors of two
    sizes.
    """
    if not isinstance(data, list) or not data or not all(isinstance(each, dict) for each in data):
        raise TryAgain("malformed", "reply has no list of embeddings")
    lines = [_vector(each.get("embedding")) for each in _in_their_order(data)]
    sizes = sorted(set(map(size_of, lines)))
    if len(sizes) > 1:
        raise TryAgain("malformed", f"reply has vectors of {sizes[0]} and of {sizes[-1]} numbers")
    return lines


def _in_their_order(listed: Sequence[Mapping[str, Json]]) -> Sequence[Mapping[str, Json]]:
    """The embeddings by their index; as they came where none has one."""
    indices = [each.get("index") for each in listed]
    if all(index is None for index in indices):
        return listed
    numbers = [index for index in indices if isinstance(index, int) and not isinstance(index, bool)]
    if sorted(numbers) != list(range(len(listed))):
        raise TryAgain("malformed", f"reply's {len(listed)} embeddings are not numbered 0 to {len(listed) - 1}")
    return sorted(listed, key=lambda each: int(each["index"]))


def _vector(given: Json) -> str:
    """One vector as it is kept: of a list of numbers, or of float32 in base64, which the openai client asks for."""
    numbers: Json = given
    try:
        if isinstance(given, str):
            content = b64decode(given, validate=True)
            numbers = struct.unpack(f"<{len(content) // 4}f", content)
        if not isinstance(numbers, list | tuple) or not {int, float}.issuperset(map(type, numbers)):
            raise TryAgain("malformed", "reply has an embedding that is no list of numbers")
        return written([float(each) for each in numbers])
    except (ValueError, OverflowError, struct.error) as error:
        raise TryAgain("malformed", f"reply has an embedding that cannot be read: {one_line(str(error))}") from None
