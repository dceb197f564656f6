"""A simulated table in Markdown, and what the tables share: work spread over the cores, shares with their error."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands in docs/statistics.md."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str
    """Seed, trials, standard error, and what the table costs in power."""

    def markdown(self) -> str:
        lines = [list(self.header), ["---"] * len(self.header), *map(list, self.rows)]
        return "\n".join([f"### {self.title}", "", *("| " + " | ".join(line) + " |" for line in lines), "", self.note])


@dataclass(frozen=True, slots=True)
class Draws:
    """The seed and the number of trials that were asked for."""

    seed: int
    trials: int | None
    """None for each table's own."""

    def count(self, usual: int) -> int:
        return usual if self.trials is None else self.trials

    def cell(self, *place: object) -> int:
        """A seed for one cell of a table, the same whatever else is computed."""
        found = self.seed
        for part in map(str, place):
            for letter in part:
                found = (found * 1_000_003 + ord(letter)) % (2**63)
        return found


def error(trials: int, share: float = 0.5) -> str:
    """The standard error of a simulated share, in percentage points."""
    return f"{100 * math.sqrt(share * (1 - share) / trials):.1f}"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def change(before: float, after: float) -> str:
    """By the old rule, and by the one that holds."""
    return f"{percent(before)} → {percent(after)}"


def spread(function: Callable[..., Found], jobs: Sequence[tuple[Any, ...]]) -> Iterator[Found]:
    """The function of each job, in their order, over all cores."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(function, *zip(*jobs, strict=True))
