"""Vectors of texts as a bag of words: two texts are near as far as they use the same words, whatever they mean.

Each word adds to one number, which a hash of it chooses with a sign, so that words that fall on the same number do not
make texts look alike on average (feature hashing: K. Weinberger and others, ICML 2009). Frequent little words count
less: a word of up to three letters a quarter of another. It knows no synonym, no order and no negation.
"""

import math
import re
import struct
from base64 import b64encode
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

SIZE = 256
"""Numbers of a vector."""
SHORT_WORD, SHORT_WEIGHT = 3, 0.25
_WORD = re.compile(r"[^\W_]+")


def bag_of_words(text: str, size: int = SIZE) -> list[float]:
    """A vector of length 1 of that size; of a text without a word the same one for all such texts."""
    numbers = [0.0] * size
    for word in _WORD.findall(text.lower()) or [""]:
        place, amount = _place(word, size)
        numbers[place] += amount
    length = math.hypot(*numbers)
    if length == 0:  # words that took one another's place away
        numbers[0], length = 1.0, 1.0
    return [number / length for number in numbers]


@lru_cache(maxsize=20_000)
def _place(word: str, size: int) -> tuple[int, float]:
    """The number to which a word adds, and how much."""
    drawn = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    weight = SHORT_WEIGHT if 0 < len(word) <= SHORT_WORD and word.isascii() else 1.0
    return (drawn >> 1) % size, weight if drawn & 1 else -weight


def in_base64(numbers: Sequence[float]) -> str:
    """As float32 in base64, the form that the openai client asks for."""
    return b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode("ascii")
