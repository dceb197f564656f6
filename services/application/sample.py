"""The sample assistant of this project, run as a process of its own where no application is named."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from services.processes import run_server

SAMPLE_NAME = "recipe-assistant"


@contextmanager
def sample_assistant(defects: Sequence[str] = ()) -> Iterator[str]:
    """Runs the application, with defects on purpose, while the block runs; gives its base URL.

    Raises EvaluationError when it is not ready in time.
    """
    arguments = ["--port", "0", "--exit-with-stdin", *(word for defect in defects for word in ("--defect", defect))]
    with run_server("examples.recipe_assistant", arguments, "the sample assistant") as url:
        yield url
