"""Dealing responses out to reviewers, each in an order of their own: drawn by hash, the same on every computer."""

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar


class Identified(Protocol):
    """Something to review."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Identified)


def assign(
    items: Sequence[T],
    reviewer: str,
    team: Sequence[str],
    *,
    overlap: float,
    seed: int,
    is_first: Callable[[T], bool] = lambda _: False,
) -> tuple[list[T], int]:
    """Deals out the items of one reviewer, in a random order of their own, and how many of them every reviewer gets.

    Those that are to be seen first stand before the others, both parts in that order.

    A share of all items, rounded up, goes to everyone, for agreement; the rest is dealt out evenly in the order of
    hashes. `overlap` lies between 0 and 1. Without a team, or alone in it, a reviewer gets everything.
    """
    members = sorted({*team, reviewer})
    drawn = sorted(items, key=lambda item: _hash(seed, "deal", item.id))
    shared = len(drawn) if len(members) == 1 else min(len(drawn), math.ceil(overlap * len(drawn) - 1e-9))
    mine = drawn[:shared] + drawn[shared:][members.index(reviewer) :: len(members)]
    ordered = sorted(mine, key=lambda item: (not is_first(item), _hash(seed, reviewer, item.id)))
    return ordered, 0 if len(members) == 1 else shared


def _hash(seed: int, purpose: str, identity: str) -> str:
    return hashlib.sha256(f"{seed}|{purpose}|{identity}".encode("utf-8", "surrogatepass")).hexdigest()
