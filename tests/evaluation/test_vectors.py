"""Vectors: values worked out by hand, and what writing them down leaves of them."""

import math
import random
from base64 import b64encode

import pytest

from evaluation.vectors import (
    LARGEST,
    Vector,
    cosine,
    mean_of,
    read,
    size_of,
    to_the_next,
    to_the_rest,
    vector_of,
    written,
)

ROOT_HALF = 1 / math.sqrt(2)


def many(*numbers: tuple[float, ...]) -> list[Vector]:
    return list(map(vector_of, numbers))


def test_cosines_are_those_of_the_school_book() -> None:
    # (3, 4) * (4, 3) = 12 + 12 = 24, over 5 x 5.
    table = [
        ((3, 4), (4, 3), 0.96),
        ((1, 0), (0, 7), 0.0),
        ((1, 0), (-2, 0), -1.0),
        ((2, 2), (5, 0), ROOT_HALF),
        ((1, 2, 2), (2, 1, 2), 8 / 9),
        ((1, 2, 2), (1, 2, 2), 1.0),
    ]
    for a, b, expected in table:
        assert cosine(*many(a, b)) == pytest.approx(expected, abs=1e-12), (a, b)


def test_vectors_of_two_sizes_have_no_cosine() -> None:
    with pytest.raises(ValueError, match="dimension"):
        cosine(*many((1, 0), (1, 0, 0)))


def test_the_mean_is_that_of_each_number() -> None:
    assert mean_of(many((1, 0), (0, 1), (2, 5))).numbers == (1.0, 2.0)
    assert mean_of(many((1, 0), (0, 1), (2, 5))).square == pytest.approx(5.0)


def test_each_is_held_against_the_next() -> None:
    assert to_the_next(many((1, 0), (0, 1), (1, 1))) == pytest.approx([0.0, ROOT_HALF])
    assert to_the_next(many((1, 0))) == []


def test_each_is_held_against_the_mean_of_the_others_alone() -> None:
    # Of (1,0), (0,1), (1,0): the others add up to (1,1), (2,0) and (1,1).
    assert to_the_rest(many((1, 0), (0, 1), (1, 0))) == pytest.approx([ROOT_HALF, 0.0, ROOT_HALF], abs=1e-9)
    # Of two, each is the other's rest.
    assert to_the_rest(many((3, 4), (4, 3))) == pytest.approx([0.96, 0.96])
    assert to_the_rest(many((1, 0))) == []
    # Others that cancel one another have no direction: nothing is shared with it.
    assert to_the_rest(many((1, 0), (-1, 0), (0, 1)))[2] == 0.0


def test_to_the_rest_is_what_working_out_every_sum_gives() -> None:
    drawn = random.Random(5)
    vectors = many(*(tuple(drawn.gauss(0, 1) for _ in range(12)) for _ in range(9)))
    slowly = [cosine(each, mean_of([*vectors[:place], *vectors[place + 1 :]])) for place, each in enumerate(vectors)]
    assert to_the_rest(vectors) == pytest.approx(slowly, abs=1e-9)


def test_what_is_written_down_is_the_direction_nearly_as_it_was() -> None:
    drawn = random.Random(7)
    for size, most in ((1, 1e-9), (2, 6e-4), (8, 6e-4), (256, 1e-4), (1536, 1e-4)):
        a, b = ([drawn.gauss(0.1, 1) * 40 for _ in range(size)] for _ in range(2))
        kept = [read(written(numbers)) for numbers in (a, b)]
        assert cosine(*kept) == pytest.approx(cosine(*many(tuple(a), tuple(b))), abs=most), size
        assert size_of(written(a)) == len(kept[0].numbers) == size
        assert read(written(kept[0].numbers)) == kept[0], "written down twice it is the same"
    assert len(written([1.0] * 1536)) == 4096


def test_numbers_of_any_range_have_a_direction() -> None:
    for scale in (1e-300, 1.0, 1e300):
        assert cosine(read(written([3 * scale, 4 * scale])), vector_of((3, 4))) == pytest.approx(1.0, abs=1e-6)


def test_what_has_no_direction_is_refused() -> None:
    for numbers in ([], [0.0, 0.0], [1.0, math.nan], [math.inf, 0.0], [1.0] * (LARGEST + 1)):
        with pytest.raises(ValueError, match="vector"):
            written(numbers)


def test_what_is_no_vector_is_not_read() -> None:
    for text in ("", "a", "no base64!", b64encode(b"abc").decode()):
        with pytest.raises(ValueError, match=r".+"):
            read(text)
