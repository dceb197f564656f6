"""An evaluation that is killed at a step of its batches: python -m tests.scripts.killed_in_batches STEP ARGUMENTS..."""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from scripts.evaluate_prompts import main
from services.journal import JournaledBatches
from services.model.batch_api import BatchApi
from services.model.batches import Batches
from tests.scripts.batches import SOON

STEPS: dict[str, tuple[type, str, str, int]] = {
    "before the intent": (JournaledBatches, "intend", "before", 1),
    "after the intent": (JournaledBatches, "intend", "after", 1),
    "after the upload": (BatchApi, "upload", "after", 1),
    "after the making": (BatchApi, "create", "after", 1),
    "after the note": (JournaledBatches, "note", "after", 1),
    "before the end is noted": (JournaledBatches, "note", "before", 2),
    "among the answers": (Batches, "_hand_out", "after", 2),
    "in the second wave": (BatchApi, "create", "after", 2),
}
"""Step -> the method at which it dies, before or after which of its calls."""


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(method: Callable[..., Any], when: str, number: int) -> Callable[..., Any]:
    """The method, which ends the process at its call of that number."""
    calls = 0

    async def later(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        own = calls  # others begin while this one waits
        if own == number and when == "before":
            kill()
        found = await method(*arguments)
        if own == number:
            kill()
        return found

    def at_once(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        method(*arguments)
        if calls == number:
            kill()

    return at_once if method.__name__ == "_hand_out" else later


if __name__ == "__main__":
    owner, name, when, number = STEPS[sys.argv[1]]
    setattr(owner, name, dying(getattr(owner, name), when, number))
    import services.model.waves as of_waves

    of_waves.Patience = partial(of_waves.Patience, **SOON)  # type: ignore[misc, assignment]
    sys.exit(main(sys.argv[2:]))
