"""The events of a stream: server-sent events, and JSON one line each."""

import json
from dataclasses import dataclass, field

from evaluation.applications.mapping import USUAL_PIECES, words_at
from evaluation.records import Json

DONE = "[DONE]"
"""The data of the event that ends a stream of an OpenAI-compatible server."""


@dataclass(slots=True)
class Stream:
    """A stream as it comes in, line by line; each piece of text is added to the reply."""

    server_sent: bool
    """True for server-sent events, False for a JSON value per line."""
    place: str | None
    """Where an event has its piece; None for the usual places."""
    reply: str = ""
    last: Json = None
    """The last event that was JSON: usage and ids often stand there."""
    ended: bool = False
    events: list[Json] = field(default_factory=list)
    """All that were JSON."""
    _data: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """Takes in a line, without its end."""
        if not self.server_sent:
            if line.strip():
                self._event(line)
        elif not line:
            self.finish()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))

    def finish(self) -> None:
        """Ends the event that is under way."""
        if self._data:
            data, self._data = "\n".join(self._data), []
            self._event(data)

    def _event(self, data: str) -> None:
        if self.ended or data.strip() == DONE:
            self.ended = True
            return
        try:
            value: Json = json.loads(data)
        except (ValueError, RecursionError):
            # A server that sends bare words sends them as data.
            self.reply += data if self.server_sent and self.place is None else ""
            return
        if isinstance(value, str):
            self.reply += value
            return
        self.last = value
        self.events.append(value)
        self.reply += words_at(value, self.place, USUAL_PIECES) or ""
