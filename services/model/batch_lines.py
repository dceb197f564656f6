"""The lines of a batch's answer: what each says of its call."""

from collections.abc import Mapping, Sequence
from typing import Any

from services.json_text import to_line
from services.model.errors import ServerError, one_line, read_server_error, refuses_all
from services.model.wire import WireAnswer


def read_line(line: Mapping[str, Any], secrets: Sequence[str]) -> WireAnswer | ServerError | str:
    """The answer, the error as of a live call, or why nobody answered the call, which may be asked again then."""
    response, error = line.get("response"), line.get("error")
    status = response.get("status_code") if isinstance(response, dict) else None
    body = response.get("body") if isinstance(response, dict) else None
    if status == 200 and body is not None:
        # A lone surrogate of a broken answer becomes its JSON escape again, as it stood in the line.
        return WireAnswer(to_line(body).encode("utf-8", "backslashreplace"), {"content-type": "application/json"})
    said = body.get("error", body) if isinstance(body, dict) else error
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(status, int):  # it expired, was cancelled, or its server failed: nobody answered it
        return f"the batch says {one_line(str(code or error or 'nothing'))}"
    problem = read_server_error(status, said, secrets)
    if not refuses_all(problem) and (status in (408, 429) or status >= 500):
        return f"HTTP {status}"
    return problem
