"""Earlier runs that stand for new ones: finished, young enough, and of the same specification."""

import time
from collections.abc import Sequence

from evaluation.run import Run
from evaluation.runspec import differences
from evaluation.suites import Suites
from scripts.run.stored import read_run
from services.journal import Journal


def find_earlier_runs(planned: Sequence[Run], days: float | None, journal: Journal, suites: Suites) -> dict[str, Run]:
    """Run id of the plan -> the finished run of equal digests, at most so many days old, that stands for it."""
    if days is None:
        return {}
    oldest = time.time() - days * 86_400
    stored = [run for run in journal.runs() if run.state == "finished" and run.created_at >= oldest]
    found = {}
    for run in planned:
        twin = next((each for each in stored if not differences(each.spec, run.spec)), None)
        if twin is not None:
            found[run.run_id] = read_run(twin, suites)
    return found
