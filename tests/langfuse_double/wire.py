"""The parts of one HTTP exchange with the double: calls, answers, refusals, pages and cursors."""

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

JsonObject = dict[str, Any]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a handler sees it: path parameters and query are decoded, the body is plain bytes."""

    method: str
    path: Mapping[str, str]
    query: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    rejected: frozenset[str] = frozenset()
    """Names that an injected fault refuses, of scores or of spans."""

    def one(self, name: str) -> str | None:
        """The query parameter's value, none when it is absent or empty."""
        values = self.query.get(name)
        return values[0] if values and values[0] != "" else None

    def many(self, name: str) -> frozenset[str] | None:
        """A comma-separated filter, also when the parameter is repeated; none when it is absent."""
        values = [part.strip() for value in self.query.get(name, ()) for part in value.split(",")]
        return frozenset(part for part in values if part) or None

    def whole(self, name: str, default: int, low: int = 1, high: int | None = None) -> int:
        """An integer parameter; Refused (400) when it is no integer or out of its range."""
        text = self.one(name)
        if text is None:
            return default
        if not text.lstrip("-").isdigit() or int(text) < low or (high is not None and int(text) > high):
            raise invalid(f"{name} must be a whole number from {low} to {high}, not {text!r}")
        return int(text)

    def number(self, name: str) -> float | None:
        text = self.one(name)
        try:
            return None if text is None else float(text)
        except ValueError as error:
            raise invalid(f"{name} must be a number, not {text!r}") from error

    def moment(self, name: str) -> datetime | None:
        text = self.one(name)
        return None if text is None else moment(text, name)

    def document(self) -> Any:
        """The JSON body; Refused (400) when it is none."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise invalid("the body is not JSON") from error


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    document: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """The request is answered with an error."""

    def __init__(self, status: int, message: str, error: str) -> None:
        super().__init__(message)
        self.answer = Answer(status, {"message": message, "error": error})


def invalid(message: str) -> Refused:
    return Refused(400, f"Invalid request data: {message}", "InvalidRequestError")


def missing(message: str) -> Refused:
    return Refused(404, message, "LangfuseNotFoundError")


def moment(text: object, name: str = "timestamp") -> datetime:
    """An ISO 8601 moment with a timezone, in UTC; Refused (400) otherwise."""
    try:
        parsed = datetime.fromisoformat(str(text))
    except ValueError as error:
        raise invalid(f"{name} is not an ISO 8601 datetime: {text!r}") from error
    if parsed.tzinfo is None:
        raise invalid(f"{name} has no timezone: {text!r}")
    return parsed.astimezone(UTC)


def iso(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_nanoseconds(value: int) -> datetime:
    return datetime.fromtimestamp(value // 1_000_000_000, UTC).replace(microsecond=value % 1_000_000_000 // 1000)


def page_of(call: Call, rows: Sequence[Row], show: Callable[[Row], JsonObject]) -> Answer:
    """A numbered page: `page` from 1, `limit` at most 100, 50 by default."""
    page, limit = call.whole("page", 1), call.whole("limit", 50, high=100)
    shown = [show(row) for row in rows[(page - 1) * limit : page * limit]]
    meta = {"page": page, "limit": limit, "totalItems": len(rows), "totalPages": -(-len(rows) // limit)}
    return Answer(200, {"data": shown, "meta": meta})


def cursor_page(
    call: Call, rows: Iterable[Row], key: Callable[[Row], tuple[Any, ...]], limit: int
) -> tuple[list[Row], JsonObject]:
    """Up to `limit` rows after the call's cursor in the order of `key`, and the `meta` that leads on.

    The cursor holds the last row's key, so that rows which become readable between two pages repeat nothing.
    """
    ordered = sorted(rows, key=key)
    text = call.one("cursor")
    if text is not None:
        last = _decoded(text)
        ordered = [row for row in ordered if key(row) > last]
    taken = ordered[:limit]
    if len(ordered) <= limit:
        return taken, {}
    last_key = json.dumps(key(taken[-1]))
    return taken, {"cursor": base64.urlsafe_b64encode(last_key.encode()).decode().rstrip("=")}


def _decoded(text: str) -> tuple[Any, ...]:
    try:
        return tuple(json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))
    except (ValueError, TypeError) as error:
        raise invalid(f"the cursor {text!r} cannot be read") from error


def chosen_fields(call: Call, allowed: frozenset[str], default: frozenset[str]) -> frozenset[str]:
    """The field groups asked for; Refused (400) for a name that the endpoint does not know."""
    asked = call.many("fields")
    if asked is None:
        return default
    unknown = sorted(asked - allowed)
    if unknown:
        raise invalid(f"unknown field group {unknown[0]!r}; known are {', '.join(sorted(allowed))}")
    return asked | {"core"}
