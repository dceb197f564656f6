"""The rehearsal server as a process of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from services.processes import DEADLINE, run_server
from services.rehearsal.options import RehearsalOptions


@contextmanager
def rehearsal_endpoint(options: RehearsalOptions | None = None, deadline: float = DEADLINE) -> Iterator[str]:
    """Runs the server while the block runs; gives its base URL, such as http://127.0.0.1:40913/v1.

    Raises EvaluationError when it is not ready by the deadline.
    """
    arguments = (options or RehearsalOptions()).arguments()
    with run_server("services.rehearsal", arguments, "the rehearsal server", deadline) as url:
        yield f"{url}/v1"
