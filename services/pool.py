"""Work shared between processes of this machine, its results in order."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
AHEAD = 3
"""Tasks for each process that are handed out before the result of the first of them must be taken."""


LOOK_S = 1.0
"""Seconds between two looks of a worker at its parent."""


class WorkerEnded(Exception):
    """A process was ended from outside, perhaps for want of memory. What it did is lost, what came before is not."""


def map_in_processes(work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """`work` of each task, in order, by so many processes. Raises WorkerEnded, and what `work` raises.

    Processes are forks of this one: what it has loaded they have, so `work` may be any function. Tasks and results are
    pickled.
    """
    fork = multiprocessing.get_context("fork")
    # Whole or by an error of `work`, the pool is closed to the end: the interpreter may end right after this, and would
    # speak of one that is half closed. Who is stopped waits for no task.
    with ProcessPoolExecutor(jobs, fork, _begin, (work,)) as pool:
        try:
            yield from _in_order(pool, tasks, AHEAD * jobs)
        except BrokenProcessPool:
            pool.shutdown(wait=False, cancel_futures=True)
            raise WorkerEnded from None
        except Exception:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_order(pool: ProcessPoolExecutor, tasks: Iterable[Any], ahead: int) -> Iterator[Any]:
    waiting: deque[Future[Any]] = deque()
    for task in tasks:
        waiting.append(pool.submit(_do, task))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


_WORK: list[Callable[[Any], Any]] = []


def _begin(work: Callable[[Any], Any]) -> None:
    # Ctrl-C reaches every process of the terminal; the parent ends the others, by a signal that it may have caught.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _WORK[:] = [work]


def _end_with(parent: int) -> None:
    """Ends this process after its parent, which may be killed before it can say so."""
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)


def _do(task: Any) -> Any:
    return _WORK[0](task)
