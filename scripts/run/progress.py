"""Progress on stderr: a bar with ETA on a terminal, a line now and then elsewhere, nothing when quiet."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from evaluation.ports import Observe
from evaluation.records import Result
from evaluation.run import Run
from evaluation.summary.columns import deciding_source
from evaluation.text import numbers

SECONDS_BETWEEN_LINES = 10.0
MOST_MEANS = 3
"""Runs of one pass whose means fit beside one another."""


class SoFar:
    """The money that was spent and, run by run, the mean of the deciding overall: of the exchanges that ended here.

    A plain mean, which weighs every exchange alike; the report's own weighs the scenarios alike.
    """

    def __init__(self, runs: Sequence[Run], spent: Callable[[], float | None]) -> None:
        self._spent = spent
        self._totals: dict[str, tuple[int, float]] = {run.run_id: (0, 0.0) for run in runs}

    def seen_by(self, observe: Observe, run: Run) -> Observe:
        """`observe`, which sees a result of this run once it is counted here."""
        source = deciding_source(run.sources)

        def observed(result: Result) -> None:
            value = result.values(source).get(run.suite.overall)
            if value is not None:
                count, total = self._totals[run.run_id]
                self._totals[run.run_id] = (count + 1, total + value)
            observe(result)

        return observed

    def text(self) -> str:
        """Both in a few words: "0.74 so far, $0.1234"; empty while nothing is known."""
        means = [f"{total / count:.2f}" for count, total in self._totals.values() if count]
        spent = self._spent()
        money = numbers.money(spent) if spent else ""
        mean = f"{' / '.join(means)} so far" if means and len(self._totals) <= MOST_MEANS else ""
        return ", ".join(filter(None, (mean, money)))


@contextmanager
def show_progress(planned: int, done: int, so_far: SoFar, *, quiet: bool) -> Iterator[Observe]:
    """A function to call once per committed result; `done` of `planned` exchanges were there before."""
    if quiet:
        yield _unseen
    elif sys.stderr.isatty():
        with _bar(planned, done, so_far) as observe:
            yield observe
    else:
        yield _Lines(planned, done, so_far).observe


def _unseen(_: Result) -> None:
    """Shows nothing."""


@contextmanager
def _bar(planned: int, done: int, so_far: SoFar) -> Iterator[Observe]:
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
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[so_far]}"),
        TextColumn("{task.fields[problems]}"),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
    )
    problems: Counter[str] = Counter()
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=4) as progress:
        task = progress.add_task("evaluating", total=planned, completed=done, problems="", so_far="")

        def observe(result: Result) -> None:
            if result.state != "scored":
                problems[result.state] += 1
            text = " ".join(f"{count} {state}" for state, count in sorted(problems.items()))
            progress.update(task, advance=1, problems=text, so_far=so_far.text())

        yield observe


class _Lines:
    """For logs: one line every ten seconds, and one at the end."""

    def __init__(self, planned: int, done: int, so_far: SoFar) -> None:
        self._so_far = so_far
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
        so_far = f", {text}" if (text := self._so_far.text()) else ""
        return f"{self._done} of {self._planned} exchanges after {elapsed:.0f} s{so_far}{problems}{eta}"
