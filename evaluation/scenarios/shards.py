"""Shares of a scenario set for machines that each play one: by situation, the same on every machine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.records import Scenario
from evaluation.runspec import digest

_FORM = re.compile(r"([1-9]\d{0,3})/([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of so many shares."""

    number: int
    """1 to `of`."""
    of: int

    def __str__(self) -> str:
        return f"{self.number} of {self.of}"


def parse_shard(text: str) -> Shard:
    """ "2/5" is the second of five. Raises ValueError for anything else."""
    found = _FORM.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError(f"{text!r} is no shard: write 2/5 for the second of five")
    return Shard(int(found[1]), int(found[2]))


def share_of(scenarios: Sequence[Scenario], shard: Shard) -> tuple[Scenario, ...]:
    """The scenarios of a shard, in their own order.

    Situations are dealt out in turn in the order of their digests, so that each shard gets as many, give or take one,
    and variants of a situation stay together. Raises UsageError where there are fewer situations than shards.
    """
    situations = sorted({scenario.cluster for scenario in scenarios}, key=digest)
    if len(situations) < shard.of:
        raise UsageError(f"there are {len(situations)} situations for {shard.of} shards: make fewer of them")
    own = set(situations[shard.number - 1 :: shard.of])
    return tuple(scenario for scenario in scenarios if scenario.cluster in own)
