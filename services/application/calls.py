"""One HTTP call to an application: sent once, read within bounds; a refused connection is waited out.

Any other answer than was asked for becomes a fault with its name.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import TYPE_CHECKING

from evaluation.applications.events import Lines, Stream, stream_within
from evaluation.applications.places import parse_place, take
from evaluation.chat_flow.flow_run import FaultKind, HttpAnswer
from evaluation.errors import EndpointRefused, UsageError
from evaluation.records import Json
from services.application.sessions import cookies_of
from services.model.errors import causes
from services.model.limiter import Pace
from services.retrying import retry_after

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 2_000_000
"""Of one response body, decompressed; a longer one is a fault of the application."""
GONE_SECONDS = 10.0
"""How long an application that refuses connections is waited for: a restart takes a few seconds."""
LOOKED_FOR_EVERY = 0.25
MOST_REFUSED = 5
"""Calls, each of the run so far, that are answered as one that is not let in before the run ends."""
REMEDIES = {
    **dict.fromkeys((401, 403, 407), "check the headers of the mapping and the keys that they name"),
    **dict.fromkeys((404, 405), "check path and method in the mapping, and the address"),
}
"""Status -> what to do where each call is answered so."""
MOST_RETRIES = 5
"""Of a call that was answered 429, where that is asked for."""
LONGEST_PAUSE = 60.0
STREAMS = {
    "text/event-stream": True,
    "application/x-ndjson": False,
    "application/jsonl": False,
    "application/ndjson": False,
}
"""Type of a body that comes in pieces -> whether they are server-sent events."""


class Faulty(Exception):
    """The answer cannot be used; says why, as the HttpAnswer that stands for it."""

    def __init__(self, kind: FaultKind, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.answer = HttpAnswer(status, None, kind, message)


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, ready to be sent."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str]
    content: bytes | None
    stream: str | None = None
    """The place of a piece of the reply in an event of a stream; None for the usual ones."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, whatever its status."""

    status: int
    headers: Mapping[str, str]
    """Lower-case names."""
    cookies: Mapping[str, str | None]
    """Those that it sets; None for one that it takes back."""
    text: str
    value: Json
    """Its JSON, or the last event of a stream; None where it is none."""
    is_json: bool
    stream: Stream | None
    first_token_ms: float | None
    """Until the first piece of a stream that held words."""

    @property
    def content_type(self) -> str:
        """Without its parameters, in small letters; empty where none is said."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def values(self) -> Iterable[Json]:
        """Where its facts may stand: its JSON, or the events of its stream, the last one first."""
        return (self.value,) if self.stream is None else reversed(self.stream.events)

    def at(self, place: str) -> Json:
        """What stands at a place of the answer, or of the last event that has something there."""
        steps = parse_place(place)
        return next((found for found in (take(value, steps) for value in self.values) if found is not None), None)


@dataclass(slots=True)
class Line:
    """The way to one application: all calls go through it."""

    client: "httpx.AsyncClient"
    timeout_s: float
    pace: Pace
    retry_429: bool
    check: Callable[[], Awaitable[None]]
    """Returns where anybody answers at the address; raises UsageError where nobody does."""
    refused: int | None = 0
    """Calls that were answered with a status of `REMEDIES`; None once any was answered well."""
    next_in_line: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, ask: Ask, timeout_s: float, waited: Callable[[float], None]) -> Answered:
        """The answer. Raises TimeoutError, Faulty for one that is too large, EndpointRefused where nobody answers.

        A call that may have reached the application is not repeated; one whose connection was refused is. `waited` is
        told the seconds before it was asked for: in line, for an application that was gone, after 429.
        """
        import httpx

        refusals, retries, since = 0, 0, time.monotonic()
        while True:
            await self._wait_for_turn()
            waited(time.monotonic() - since)
            since = time.monotonic()
            try:
                answered = await self._once(ask, timeout_s)
            except httpx.ConnectError:
                refusals += 1
                if refusals > MOST_RETRIES:
                    raise
                await self.gone_for()
                continue
            if answered.status == 429 and self.retry_429 and retries < MOST_RETRIES:
                await asyncio.sleep(_pause(answered.headers, retries))
                retries += 1
                continue
            return answered

    async def gone_for(self) -> float:
        """Seconds until somebody answers at the address; 0 where somebody does at once.

        Raises EndpointRefused where nobody does for `GONE_SECONDS`.
        """
        started, gone = time.monotonic(), False
        while True:
            try:
                await self.check()
            except UsageError as problem:
                gone = True
                if time.monotonic() - started >= GONE_SECONDS:
                    raise EndpointRefused(str(problem)) from None
                await asyncio.sleep(LOOKED_FOR_EVERY)
            else:
                return time.monotonic() - started if gone else 0.0

    async def after_break(self) -> str:
        """What became of the application behind a connection that broke, to be added to a sentence; empty for nothing.

        The call that broke it is a failure, also where nobody comes back: the next call finds that out.
        """
        try:
            seconds = await self.gone_for()
        except EndpointRefused:
            return f"; the application did not come back within {GONE_SECONDS:g} s"
        return f"; the application was gone for {seconds:.1f} s" if seconds else ""

    def watch(self, status: int, said: str) -> None:
        """Raises EndpointRefused where the first calls were all turned away, and so would be all others."""
        if status < 300:
            self.refused = None
        if self.refused is None or status not in REMEDIES:
            return
        self.refused += 1
        if self.refused >= MOST_REFUSED:
            raise EndpointRefused(
                f"the application answered each of the first {self.refused} calls so: {said}; {REMEDIES[status]}"
            )

    async def _wait_for_turn(self) -> None:
        async with self.next_in_line:
            if (seconds := self.pace.wait_s(time.monotonic())) > 0:
                await asyncio.sleep(seconds)
            self.pace.start(0)

    async def _once(self, ask: Ask, timeout_s: float) -> Answered:
        started = time.monotonic()
        # A cookie goes back in the bytes in which it came.
        headers = {name.encode(): value.encode("utf-8", "replace") for name, value in ask.headers.items()}
        async with (
            asyncio.timeout(timeout_s),
            self.client.stream(
                ask.method, ask.url, content=ask.content, headers=headers, params=dict(ask.query) or None
            ) as response,
        ):
            return await _read(response, ask, started)


async def _read(response: "httpx.Response", ask: Ask, started: float) -> Answered:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    stream = Stream(STREAMS[kind], ask.stream) if kind in STREAMS and response.status_code < 300 else None
    first: float | None = None
    content, lines = bytearray(), Lines()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise Faulty("schema", f"the body is larger than {MAX_BYTES:,} bytes", response.status_code)
        if stream is None:
            continue
        for line in lines.take(chunk):
            stream.take(line)
        if first is None and stream.reply:
            first = (time.monotonic() - started) * 1000
        if stream.ended:
            break
    if stream is not None:
        for line in lines.take(b"", final=True):
            stream.take(line)
        stream.finish()
    text = _decoded(bytes(content), response.headers.get("content-type", ""))
    value, is_json = (stream.last, False) if stream is not None else _parse(text)
    if stream is None and not is_json and response.status_code < 300:
        stream = stream_within(text, ask.stream)
        value = None if stream is None else stream.last
    headers = {name.lower(): value for name, value in response.headers.items()}
    cookies = cookies_of(response.headers.get_list("set-cookie"), time.time())
    return Answered(response.status_code, headers, cookies, text, value, is_json, stream, first)


def _decoded(content: bytes, content_type: str) -> str:
    """The text of a body: UTF-8 where it is that, whatever is said of it, else in the character set that is said."""
    said = Message()
    said["content-type"] = content_type
    for charset in ("utf-8-sig", said.get_content_charset("")):
        try:
            return content.decode(charset)
        except (UnicodeError, LookupError):
            continue
    return content.decode("utf-8", "replace")


def _parse(text: str) -> tuple[Json, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _pause(headers: Mapping[str, str], retries: int) -> float:
    asked = retry_after(headers, time.time())
    return min(LONGEST_PAUSE, 2.0**retries if asked is None else asked)


def words_of(error: Exception) -> str:
    """The innermost cause, which says most."""
    return str(causes(error)[-1]) or str(error) or type(error).__name__
