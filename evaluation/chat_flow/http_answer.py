"""An application's answer to one HTTP call: the text of the reply that the journal keeps of it."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.chat_flow.flow_run import FAULT_KINDS, FaultKind, storable_text
from evaluation.errors import ParseError
from evaluation.records import Json

PURPOSE = "application"
"""Of the requests that such an answer belongs to."""
PATH, BODY = "path", "body"
"""The parameters of such a request."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One response, its fields under the names of the contract; or the reason why there is none to be read."""

    status: int | None
    """None when no response came."""
    body: Json = None
    """None too where there is a fault."""
    fault: FaultKind | None = None
    """timeout, connection, http_status, invalid_json or empty; what the body means is not looked at here."""
    message: str = ""
    """One line on the fault."""
    trace_id: str = ""
    """The application's own, from header or body; empty where it gives none."""

    def to_text(self) -> str:
        """Canonical JSON."""
        return storable_text(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "HttpAnswer":
        """The inverse of `to_text`. Raises ParseError for any other text."""
        try:
            value: Any = json.loads(text)
            answer = cls(**value)
        except (ValueError, TypeError, RecursionError):
            raise ParseError("answer of an application", f"{text[:60]!r} is no record of one") from None
        if answer.fault is not None and answer.fault not in FAULT_KINDS:
            raise ParseError("answer of an application", f"unknown fault {answer.fault!r}")
        return answer
