"""Who does the parts: processes of this machine, or the workers of a Dask cluster. Results come as they are done."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from evaluation.errors import EvaluationError, LinesNotScored, UsageError
from services.pool import WorkerEnded, map_in_processes

Task = TypeVar("Task")
Result = TypeVar("Result")
DASK = "dask"
TRIES = 3
"""Workers that may end over one part before it is given up: it is then the part that ends them."""
_LOUD = ("", ".client", ".core", ".nanny", ".scheduler", ".worker")
"""Loggers that speak of workers that ended."""
SCHEDULER_S = 10.0
"""The longest that a scheduler may take to answer at first."""
LIGHT = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "2s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
}
"""Of a cluster that is started here: what it keeps to watch itself costs a twentieth of the work, and nobody reads it.
Its workers say nothing of an end that the command itself speaks of."""
AHEAD = 4
"""Parts for each worker that are handed out at a time: a scheduler need not hold a million of them."""


def do_here(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    """By processes of this machine. Raises LinesNotScored where one is ended from outside."""
    if jobs < 2 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    try:
        yield from map_in_processes(work, tasks, min(jobs, len(tasks)))
    except WorkerEnded:
        raise LinesNotScored(
            "a process that scored was ended from outside, perhaps for want of memory: the same command goes on with "
            "the parts that are not done; give it fewer --jobs"
        ) from None


def do_on_dask(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    address: str | None,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Result]:
    """By the workers of the cluster at an address; without one by a cluster of `jobs` workers on this machine.

    A worker that ends costs the parts that it had under way, which others do. Raises UsageError where no
    scheduler answers, LinesNotScored for a part over which worker after worker ends and for a scheduler that is
    lost, and what `work` raises.
    """
    import distributed
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    dask: Any = distributed  # its types say little of what it takes
    with _quiet(), _client(dask, jobs, address) as client:
        found = len(client.scheduler_info()["workers"])
        if not found:
            say(f"the cluster at {address} has no worker yet: it is waited for")
        workers = max(1, found)
        waiting = iter(tasks)
        first = list(islice(waiting, AHEAD * workers))
        under_way = dask.as_completed([client.submit(_done, work, task, pure=False, retries=0) for task in first])
        for future in under_way:
            try:
                yield _result_of(future.result())
            except KilledWorker:
                raise LinesNotScored(
                    f"{TRIES + 1} workers ended over one part, perhaps for want of memory: the same command goes on "
                    "with the parts that are not done"
                ) from None
            except (FutureCancelledError, CommClosedError):
                raise LinesNotScored(
                    "the Dask scheduler was lost: the same command goes on with the parts that are not done"
                ) from None
            future.release()
            for task in waiting:
                under_way.add(client.submit(_done, work, task, pure=False, retries=0))
                break


@dataclass(frozen=True, slots=True)
class _Ended:
    """An error of ours as it travels: a worker's log would say it at length, and not each can be pickled."""

    said: str
    began: bool
    """True where work is lost that a further command does."""


def _done(work: Callable[[Task], Result], task: Task) -> Result | _Ended:
    try:
        return work(task)
    except EvaluationError as error:
        return _Ended(str(error), error.exit_code == LinesNotScored.exit_code)


def _result_of(done: Result | _Ended) -> Result:
    if not isinstance(done, _Ended):
        return done
    raise LinesNotScored(done.said) if done.began else UsageError(done.said)


@contextmanager
def _client(distributed: Any, jobs: int, address: str | None) -> Iterator[Any]:
    """A client of the cluster at the address, or of one that is started here and ended with the block."""
    import dask

    dask.config.set({"distributed.scheduler.allowed-failures": TRIES})
    if address is None:
        with (
            dask.config.set(LIGHT),
            distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(address, timeout=SCHEDULER_S)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"--engine-address {address}: no Dask scheduler answers there ({error})") from None
    with client:
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Workers that are started again say so to everybody; who asked hears of what was lost."""
    loggers = [logging.getLogger(f"distributed{part}") for part in _LOUD]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
