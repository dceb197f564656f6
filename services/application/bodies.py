"""What an application answers, read within bounds: anything else becomes a fault with its name."""

from evaluation.chat_flow.flow_run import FaultKind, HttpAnswer
from services.model.errors import causes

MAX_BYTES = 2_000_000
"""Of one response body, decompressed; a longer one is a fault of the application."""


class Faulty(Exception):
    """The answer cannot be used; says why, as the HttpAnswer that stands for it."""

    def __init__(self, kind: FaultKind, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.answer = HttpAnswer(status, None, kind, message)


def words_of(error: Exception) -> str:
    """The innermost cause, which says most."""
    return str(causes(error)[-1]) or str(error) or type(error).__name__
