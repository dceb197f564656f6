"""The embedded sample assistant as a process of its own: the chat flow suite evaluates it unless another is named."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from services.embedded_process import running

MODULE = "examples.recipe_assistant"
NAME = "recipe-assistant"


@contextmanager
def sample_assistant(defects: Sequence[str] = ()) -> Iterator[str]:
    """Runs the application, with defects on purpose, while the block runs; gives its base URL.

    Raises EvaluationError when it is not ready in time.
    """
    arguments = ["--port", "0", "--exit-with-stdin"]
    for defect in defects:
        arguments += ["--defect", defect]
    with running(MODULE, arguments, "the sample assistant") as url:
        yield url
