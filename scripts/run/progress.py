"""Progress on stderr: a bar with ETA on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.ports import Observe
from evaluation.records import Result

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def show_progress(planned: int, done: int, *, quiet: bool) -> Iterator[Observe]:
    """A function to call once per committed result; `done` of `planned` exchanges were there before."""
    if quiet:
        yield _unseen
    elif sys.stderr.isatty():
        with _bar(planned, done) as observe:
            yield observe
    else:
        yield _Lines(planned, done).observe


def _unseen(_: Result) -> None:
    """Shows nothing."""


@contextmanager
def _bar(planned: int, done: int) -> Iterator[Observe]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("evaluating"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[problems]}"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
    )
    problems: Counter[str] = Counter()
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=4) as progress:
        task = progress.add_task("evaluating", total=planned, completed=done, problems="")

        def observe(result: Result) -> None:
            if result.state != "scored":
                problems[result.state] += 1
            text = " ".join(f"{count} {state}" for state, count in sorted(problems.items()))
            progress.update(task, advance=1, problems=text)

        yield observe


class _Lines:
    """For logs: one line every ten seconds, and one at the end."""

    def __init__(self, planned: int, done: int) -> None:
        self._planned = planned
        self._done = self._before = done
        self._started = self._printed_at = time.monotonic()
        self._problems: Counter[str] = Counter()

    def observe(self, result: Result) -> None:
        self._done += 1
        if result.state != "scored":
            self._problems[result.state] += 1
        now = time.monotonic()
        if now - self._printed_at >= SECONDS_BETWEEN_LINES or self._done == self._planned:
            self._printed_at = now
            print(self._line(now - self._started), file=sys.stderr, flush=True)

    def _line(self, elapsed: float) -> str:
        left = self._planned - self._done
        eta = f", about {elapsed / (self._done - self._before) * left:.0f} s left" if left else ""
        problems = "".join(f", {count} {state}" for state, count in sorted(self._problems.items()))
        return f"{self._done} of {self._planned} exchanges after {elapsed:.0f} s{problems}{eta}"
