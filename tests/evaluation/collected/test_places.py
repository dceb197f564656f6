"""The rows that figures lead to: few, and the same however the rows are cut."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from evaluation.collected.places import (
    LONGEST_ID,
    MOST_LOWEST,
    MOST_PARTS,
    MOST_REASONS,
    OTHER_REASONS,
    Lowest,
    Place,
    Reasons,
)

VALUES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.text("ab", max_size=3)), max_size=60)


@given(VALUES, st.lists(st.integers(0, 60), max_size=4), st.randoms(use_true_random=False))
def test_the_lowest_are_those_of_all_rows_whatever_the_parts_and_their_order(
    values: list[tuple[float, str]], cuts: list[int], order: object
) -> None:
    rows = [(value, Place(identity, 0, number)) for number, (value, identity) in enumerate(values)]
    edges = [0, *sorted(cuts), len(rows)]
    parts = [rows[first:last] for first, last in pairwise(edges)]
    order.shuffle(parts)  # type: ignore[attr-defined]
    joined = Lowest()
    for part in parts:
        lowest = Lowest()
        for value, place in part:
            lowest.add(value, place)
        joined.join(Lowest.from_json(json.loads(json.dumps(lowest.to_json()))))
    assert joined.entries == sorted(rows)[:MOST_LOWEST]


def test_reasons_are_counted_by_what_they_say_and_name_their_first_row() -> None:
    first, second = Reasons(), Reasons()
    first.add("not UTF-8 at byte 7", Place.of("a", 0, 10))
    first.add("nested too deep", Place.of("b", 0, 20))
    for part in range(1, MOST_PARTS + 3):
        second.add(f"not UTF-8 at byte {part}00", Place.of(f"c{part}", part, 5))
    first.join(Reasons.from_json(json.loads(json.dumps(second.to_json()))))
    assert first.summary() == [
        {"reason": "not UTF-8 at byte …", "count": MOST_PARTS + 3, "first": {"id": "a", "part": 0, "place": 10},
         "parts": list(range(MOST_PARTS))},
        {"reason": "nested too deep", "count": 1, "first": {"id": "b", "part": 0, "place": 20}, "parts": [0]},
    ]  # fmt: skip


def test_reasons_and_ids_are_bounded() -> None:
    reasons = Reasons()
    for number in range(MOST_REASONS + 25):
        reasons.add(f"{'x' * 1000 if number else ''}{chr(0x100 + number)}", Place.of("y" * 1000, 0, number))
        reasons.add(chr(0x100 + number), Place.of(number, 0, number))
    assert len(reasons.found) == MOST_REASONS + 1
    assert sum(each.count for each in reasons.found.values()) == 2 * (MOST_REASONS + 25)
    assert reasons.found[OTHER_REASONS].count > 20
    assert max(len(name) for name in reasons.found) <= 300
    assert len(Place.of("y" * 1000, 0, 0).identity) == LONGEST_ID
