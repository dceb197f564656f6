"""What the next call of a conversation needs of the earlier ones: an id that an answer gave, and cookies."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
