"""The events of a stream: server-sent events, and JSON one line each."""

import codecs
import json
import re
from dataclasses import dataclass, field

from evaluation.applications.mapping import USUAL_PIECES, take_at
from evaluation.applications.places import Place, parse_place, take
from evaluation.records import Json

DONE = "[DONE]"
"""The data of the event that ends a stream of an OpenAI-compatible server."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD_LINE = re.compile(r"(?:data|event|id|retry)?:|$")
_CHOICE: Place = ("choices", 0)


@dataclass(slots=True)
class Lines:
    """The lines of a stream in UTF-8, whichever way its bytes come apart.

    Only LF, CRLF and CR end a line: what else Unicode calls an end of a line may stand within a JSON text.
    """

    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8-sig")("replace")
    )
    _held: list[str] = field(default_factory=list)
    """Of the line that is under way."""
    _after_cr: bool = False

    def take(self, content: bytes, *, final: bool = False) -> list[str]:
        """The lines that these bytes complete; the rest too where they are the `final` ones."""
        text = self._decoder.decode(content, final)
        if self._after_cr and text:
            text, self._after_cr = text.removeprefix("\n"), False
        self._after_cr |= text.endswith("\r")
        *ended, rest = _LINE_END.split(text)
        if ended:
            ended[0] = "".join((*self._held, ended[0]))
            self._held.clear()
        if rest:
            self._held.append(rest)
        if final and self._held:
            ended.append("".join(self._held))
            self._held.clear()
        return ended


@dataclass(slots=True)
class Stream:
    """A stream as it comes in, line by line; each piece of text is added to the reply."""

    server_sent: bool
    """True for server-sent events, False for a JSON value per line."""
    place: str | None
    """Where an event has its piece; None for the usual places, of which the first that holds words is kept to."""
    reply: str = ""
    last: Json = None
    """The last event that was JSON: usage and ids often stand there."""
    ended: bool = False
    """True once the stream has said that it is over."""
    events: list[Json] = field(default_factory=list)
    """All that were JSON."""
    broken: str = ""
    """The beginning of an event that should be JSON and is none: a piece of the reply may be missing."""
    problem: str = ""
    """The data of an event that is called an error."""
    _data: list[str] = field(default_factory=list)
    _name: str = ""
    """Of the event under way."""
    _usual: tuple[Place, ...] = USUAL_PIECES

    def take(self, line: str) -> None:
        """Takes in a line, without its end."""
        if not self.server_sent:
            if line.strip():
                self._event(line)
        elif not line:
            self.finish()
        elif line == "data" or line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            self._name = line[6:].strip()

    def finish(self) -> None:
        """Ends the event that is under way."""
        data, name, self._data, self._name = "\n".join(self._data), self._name, [], ""
        if name == "error" and not self.ended:
            self.problem, self.ended = data or name, True
        elif data:
            self._event(data)

    @property
    def cut_off(self) -> bool:
        """True where an OpenAI-compatible stream stops without a word that it is over, which each of them says."""
        choices = [choice for choice in (take(event, _CHOICE) for event in self.events) if isinstance(choice, dict)]
        finished = any(choice.get("finish_reason") for choice in choices)
        return self.place is None and any("delta" in choice for choice in choices) and not (self.ended or finished)

    def _event(self, data: str) -> None:
        if self.ended or data.strip() == DONE:
            self.ended = True
            return
        try:
            value: Json = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) or (isinstance(value, list) and self._is_of_json):
            self.last = value
            self.events.append(value)
            self._take_piece(value)
        elif isinstance(value, str) and self.place is None:
            self.reply += value
        elif not self._is_of_json:
            # A server that sends bare words sends them as data; "3" and "[1]" are words there.
            self.reply += data
        elif not self.server_sent or data.lstrip().startswith(("{", "[")):
            self.broken = self.broken or data[:200]

    @property
    def _is_of_json(self) -> bool:
        return bool(self.events) or self.place is not None or not self.server_sent

    def _take_piece(self, event: Json) -> None:
        places = self._usual if self.place is None else (parse_place(self.place),)
        at, piece = take_at(event, places)
        if piece:
            self.reply += piece
            self._usual = (places[at],)


def stream_within(text: str, place: str | None) -> Stream | None:
    """The events of a text whose type does not say that they are some; None for any other text."""
    lines = _LINE_END.split(text)
    # ":)" is a reply: an event has data, and a blank line behind it.
    has_event = any(line.startswith("data:") for line in lines) and "" in lines[:-1]
    server_sent = has_event and all(map(_FIELD_LINE.match, lines))
    if not server_sent and (place is None or not all(line.startswith("{") for line in lines if line)):
        return None
    stream = Stream(server_sent, place)
    for line in lines:
        stream.take(line)
    stream.finish()
    return stream
