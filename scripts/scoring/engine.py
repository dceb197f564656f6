"""Who does the parts of a collection, as the arguments say."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from scripts.shell import note
from services.collected.engines import DASK, do_here, do_on_dask
from services.processes import cores

Task = TypeVar("Task")
Result = TypeVar("Result")


def by_engine(work: Callable[[Task], Result], tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Result]:
    """`work` of each task, in the order in which they are done."""
    jobs = options.jobs or cores()
    if options.engine == DASK or options.engine_address:
        return do_on_dask(work, tasks, jobs, options.engine_address, note)
    return do_here(work, tasks, jobs)
