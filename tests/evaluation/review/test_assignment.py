"""Responses are dealt out evenly, and the same everywhere."""

from evaluation.eval_records.record import Item, read_item
from evaluation.review.assignment import assign
from tests.evaluation.review.made_records import minimum

ITEMS = [read_item(minimum(exchange_id=f"x{number}")) for number in range(50)]
TEAM = ("ana", "ben", "cem")


def ids(items: list[Item]) -> set[str]:
    return {item.id for item in items}


def test_a_fifth_goes_to_all_and_the_rest_to_one_each() -> None:
    dealt = {name: assign(ITEMS, name, TEAM, overlap=0.2, seed=1) for name in TEAM}
    assert {shared for _, shared in dealt.values()} == {10}
    sets = [ids(items) for items, _ in dealt.values()]
    common = sets[0] & sets[1] & sets[2]
    assert len(common) == 10
    assert set().union(*sets) == ids(ITEMS)
    assert sum(len(each) - 10 for each in sets) == 40
    assert {len(each) for each in sets} == {23, 24}, "dealt evenly"


def test_the_same_for_whoever_asks_and_in_another_order_for_each() -> None:
    once, _ = assign(ITEMS, "ana", TEAM, overlap=1.0, seed=1)
    again, _ = assign(ITEMS[::-1], "ana", ("cem", "ana", "ben"), overlap=1.0, seed=1)
    other, _ = assign(ITEMS, "ben", TEAM, overlap=1.0, seed=1)
    assert [item.id for item in once] == [item.id for item in again]
    assert [item.id for item in once] != [item.id for item in other]
    assert ids(once) == ids(other)
    assert [item.id for item in once] != [item.id for item in assign(ITEMS, "ana", TEAM, overlap=1.0, seed=2)[0]]


def test_alone_everything_and_nothing_shared() -> None:
    items, shared = assign(ITEMS, "ana", (), overlap=0.2, seed=1)
    assert (ids(items), shared) == (ids(ITEMS), 0)
    assert assign(ITEMS, "ana", TEAM, overlap=0.0, seed=1)[1] == 0
    assert assign([], "ana", TEAM, overlap=0.2, seed=1) == ([], 0)


def test_what_is_to_be_seen_first_stands_before_the_rest() -> None:
    items, _ = assign(ITEMS, "ana", (), overlap=1.0, seed=1, is_first=lambda item: item.id in ("x7", "x31"))
    usual, _ = assign(ITEMS, "ana", (), overlap=1.0, seed=1)
    first = [item.id for item in usual if item.id in ("x7", "x31")]
    rest = [item.id for item in usual if item.id not in ("x7", "x31")]
    assert [item.id for item in items] == [*first, *rest]
