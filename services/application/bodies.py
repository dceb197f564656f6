"""What an application answers, read within bounds: anything else becomes a fault with its name."""

import json
from collections.abc import Callable

from evaluation.chat_flow.flow_run import FaultKind, HttpAnswer
from evaluation.records import Json
from services.model.errors import causes

MAX_BYTES = 2_000_000
"""Of one response body, decompressed; a longer one is a fault of the application."""


class Faulty(Exception):
    """The answer cannot be used; says why, as the HttpAnswer that stands for it."""

    def __init__(self, kind: FaultKind, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.answer = HttpAnswer(status, None, kind, message)


def parse_body(status: int, content: str, shown: Callable[[str], str]) -> Json:
    """The JSON of a good answer; raises Faulty."""
    if not 200 <= status < 300:
        said = shown(content[:2000])
        raise Faulty("http_status", f"HTTP {status}{f': {said}' if said else ''}", status)
    if not content.strip():
        raise Faulty("no_body", f"HTTP {status} with an empty body", status)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        start = shown(content[:200])
        raise Faulty("invalid_json", f"the body is no JSON: {start}", status) from None


def words_of(error: Exception) -> str:
    """The innermost cause, which says most."""
    return str(causes(error)[-1]) or str(error) or type(error).__name__
