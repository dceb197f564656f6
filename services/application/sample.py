"""Applications that run as a process of their own beside a command: the sample assistant, and a team's function."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from services.processes import run_server

SAMPLE_NAME = "recipe-assistant"
LONGEST_START = 60.0
"""Seconds that the imports of a team's function may take."""


@contextmanager
def sample_assistant(defects: Sequence[str] = ()) -> Iterator[str]:
    """Runs the application, with defects on purpose, while the block runs; gives its base URL.

    Raises EvaluationError when it is not ready in time.
    """
    arguments = ["--port", "0", "--exit-with-stdin", *(word for defect in defects for word in ("--defect", defect))]
    with run_server("examples.recipe_assistant", arguments, "the sample assistant") as url:
        yield url


@contextmanager
def function_server(path: Path, name: str) -> Iterator[str]:
    """Runs a function of a Python file as an application, while the block runs; gives its base URL.

    Raises EvaluationError, with the last line of what it said, for a file that cannot be loaded.
    """
    arguments, what = [str(path.resolve()), name], f"the application {path.name}:{name}"
    with run_server("services.application.callable", arguments, what, LONGEST_START, own=False) as url:
        yield url
