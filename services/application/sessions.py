"""What the next call of a conversation needs of the earlier ones: an id that an answer gave, and cookies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime

from evaluation.records import Json, Reply, Request


@dataclass(slots=True)
class Session:
    """One conversation as the application knows it."""

    id: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def headers(self) -> dict[str, str]:
        """Its cookies as a header; none where there are none."""
        joined = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"cookie": joined} if joined else {}

    def keep_cookies(self, given: Mapping[str, str | None]) -> None:
        """Takes in the cookies of an answer; None takes one back."""
        for name, value in given.items():
            if value is None:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value

    def to_json(self) -> dict[str, Json]:
        """As the journal keeps it."""
        return {"id": self.id, "cookies": dict(self.cookies)}


@dataclass(slots=True)
class Sessions:
    """The conversations of one run, each with a session of its own."""

    by_cell: dict[tuple[str, int], Session] = field(default_factory=dict)
    """(scenario id, repeat) -> session."""

    def of(self, request: Request) -> Session:
        """The session that a request belongs to; a new one at first."""
        return self.by_cell.setdefault((request.cell.scenario_id, request.cell.repeat), Session())

    def recall(self, request: Request, reply: Reply) -> None:
        """Goes on in the session of a call that was answered before."""
        said = (reply.http or {}).get("session")
        if isinstance(said, dict):
            session = Session(said["id"], dict(said["cookies"]))
            self.by_cell[request.cell.scenario_id, request.cell.repeat] = session


def cookies_of(lines: Iterable[str], now: float) -> dict[str, str | None]:
    """The cookies that `Set-Cookie` headers set, each value as it stands there; None for one that is taken back.

    `now`, in seconds since the epoch, is what an expiry is held against. No form is asked for: what an application
    sets, it is sent back, as a browser does.
    """
    found: dict[str, str | None] = {}
    for line in lines:
        first, *attributes = line.split(";")
        name, equals, value = first.partition("=")
        if equals and name.strip():
            found[name.strip()] = None if _is_over(attributes, now) else value.strip()
    return found


def _is_over(attributes: Iterable[str], now: float) -> bool:
    said = {name.strip().lower(): value.strip() for name, _, value in (each.partition("=") for each in attributes)}
    if "max-age" in said:
        return said["max-age"] == "0" or said["max-age"].startswith("-")
    try:
        # Some write the date with dashes: "Thu, 01-Jan-1970 00:00:01 GMT".
        until = parsedate_to_datetime(said.get("expires", "").replace("-", " "))
        return until.replace(tzinfo=UTC).timestamp() <= now
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
