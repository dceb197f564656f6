"""Vectors of texts: how they are written down, and what two or more of them say of one another. Plain arithmetic.

A vector is kept as a direction: divided by its length and written in half precision (IEEE 754 binary16) as base64, two
bytes for each number. A cosine of directions in half precision differs from that of the vectors as they came by less
than 0.0001 where they have 256 numbers or more, and by up to 0.0006 where they have few. What is worked out is worked
out of what was written down, so that it is the same whenever it is read.

Between two vectors stands their cosine, from -1 to 1. It is taken from their distance, as `math.dist` is seven times as
fast as a sum of products in Python 3.11: a * b = (a * a + b * b - |a - b|^2) / 2.
"""

import math
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

LARGEST = 20_000
"""Numbers of a vector; a longer one is none."""


class Vector(NamedTuple):
    """The numbers, and the square of their length: near 1, but for what half precision leaves."""

    numbers: tuple[float, ...]
    square: float


def vector_of(numbers: Iterable[float]) -> Vector:
    """A vector of numbers as they are."""
    found = tuple(numbers)
    return Vector(found, math.fsum(number * number for number in found))


@lru_cache(maxsize=16)
def _halves(size: int) -> struct.Struct:
    return struct.Struct(f"<{size}e")


def written(numbers: Sequence[float]) -> str:
    """The direction in base64. Raises ValueError for what has none: no numbers, or one that is not finite, or all 0."""
    if not 0 < len(numbers) <= LARGEST:
        raise ValueError(f"a vector has 1 to {LARGEST:,} numbers, not {len(numbers):,}")
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number of a vector is not finite")
    largest = max(map(abs, numbers))
    if largest == 0:
        raise ValueError("a vector is 0 in all of its numbers and has no direction")
    scaled = [number / largest for number in numbers]  # so that no square leaves the range of a number
    length = math.hypot(*scaled)
    return b64encode(_halves(len(scaled)).pack(*(number / length for number in scaled))).decode("ascii")


def read(text: str) -> Vector:
    """The inverse of `written`. Raises ValueError for anything else."""
    content = b64decode(text, validate=True)
    if not content or len(content) % 2:
        raise ValueError(f"{len(content)} bytes are no vector in half precision")
    numbers = _halves(len(content) // 2).unpack(content)
    return Vector(numbers, math.dist(numbers, (0.0,) * len(numbers)) ** 2)


def size_of(text: str) -> int:
    """How many numbers a vector that was written down has, without reading it."""
    return (len(text) * 3 // 4 - text.count("=", -2)) // 2


def cosine(a: Vector, b: Vector) -> float:
    """From -1 to 1. Raises ValueError where the vectors are not of one size."""
    product = (a.square + b.square - math.dist(a.numbers, b.numbers) ** 2) / 2
    return _quotient(product, a.square * b.square)


def mean_of(vectors: Sequence[Vector]) -> Vector:
    """The mean of one or more vectors, each of which counts alike."""
    count = len(vectors)
    numbers = tuple(total / count for total in map(sum, zip(*(each.numbers for each in vectors), strict=True)))
    return Vector(numbers, math.dist(numbers, (0.0,) * len(numbers)) ** 2)


def to_the_next(vectors: Sequence[Vector]) -> list[float]:
    """The cosine of each vector and the one behind it, in order; nothing of fewer than two."""
    return [cosine(one, other) for one, other in pairwise(vectors)]


def to_the_rest(vectors: Sequence[Vector]) -> list[float]:
    """The cosine of each vector and the mean of all others, in order; nothing of fewer than two.

    The others alone: a mean with the vector itself in it would be near it whatever it says. Linear in their number.
    """
    return list(_to_the_rest(vectors)) if len(vectors) > 1 else []


def _to_the_rest(vectors: Sequence[Vector]) -> Iterator[float]:
    count = len(vectors)
    mean = mean_of(vectors)
    whole = mean.square * count * count
    for each in vectors:
        with_all = count * (each.square + mean.square - math.dist(each.numbers, mean.numbers) ** 2) / 2
        # Of the sum without it: s * (t - s), and |t - s|^2.
        yield _quotient(with_all - each.square, each.square * (whole - 2 * with_all + each.square))


def _quotient(product: float, squares: float) -> float:
    """The cosine of a product and of the squares of both lengths, multiplied; 0 beside a sum that came to nothing."""
    if squares <= 1e-12:
        return 0.0
    return min(1.0, max(-1.0, product / math.sqrt(squares)))
