"""Batches of lines scored in this process or in several, and given back in order.

The parent reads and writes bytes; everything that costs time (reading a record, its rules, writing it as JSON) is done
by the process that has the batch. Only a few batches lie in memory at a time, however long the input is.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from evaluation.errors import LinesNotScored
from evaluation.text.numbers import times
from services.pool import WorkerEnded, map_in_processes

LINES, BYTES = 250, 1_000_000
"""A batch ends with the line that reaches one of these."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of the input, one after another."""

    first: int
    """Number of its first line; counts from 1."""
    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """What goes out for a batch."""

    text: str
    """Whole lines."""
    lines: int
    unread: int
    """Lines in whose place stands a reason."""


Score = Callable[[Batch], ScoredBatch]


def in_batches(lines: Iterable[bytes], most: int = LINES) -> Iterator[Batch]:
    """All lines, in order, at most `most` in one batch."""
    gathered: list[bytes] = []
    first, size = 1, 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        if len(gathered) >= most or size >= BYTES:
            yield Batch(first, tuple(gathered))
            first, size, gathered = first + len(gathered), 0, []
    if gathered:
        yield Batch(first, tuple(gathered))


def score_batches(batches: Iterator[Batch], score: Score, jobs: int) -> Iterator[ScoredBatch]:
    """Every batch scored, in order, by `jobs` processes; by this one alone where there is just one batch.

    Raises LinesNotScored where a process was ended from outside.
    """
    opening = list(islice(batches, 2))
    batches = chain(opening, batches)
    if jobs < 2 or len(opening) < 2:
        yield from map(score, batches)
        return
    done = 0
    try:
        for scored in map_in_processes(score, batches, jobs):
            yield scored
            done += scored.lines
    except WorkerEnded:
        raise LinesNotScored(
            f"a process that scored was ended from outside, perhaps for want of memory, after {times(done, 'line')}: "
            "score the file again with --jobs 1"
        ) from None
