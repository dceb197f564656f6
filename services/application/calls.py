"""One HTTP call to an application: sent once, read within bounds; a refused connection is waited out."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from evaluation.applications.events import Stream
from evaluation.errors import EndpointRefused, UsageError
from evaluation.records import Json
from services.application.bodies import MAX_BYTES, Faulty
from services.model.limiter import Pace

if TYPE_CHECKING:
    import httpx

GONE_SECONDS = 10.0
"""How long an application that refuses connections is waited for: a restart takes a few seconds."""
LOOKED_FOR_EVERY = 0.25
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
    waited_s: float = 0.0
    """Before it was asked for: in line, for an application that was gone, after 429."""


@dataclass(slots=True)
class Line:
    """The way to one application: all calls go through it."""

    client: "httpx.AsyncClient"
    timeout_s: float
    pace: Pace
    retry_429: bool
    check: Callable[[], Awaitable[None]]
    """Returns where anybody answers at the address; raises UsageError where nobody does."""
    next_in_line: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, ask: Ask) -> Answered:
        """The answer. Raises Faulty for none that can be used, EndpointRefused where the application stays away.

        A call that may have reached the application is not repeated; one whose connection was refused is.
        """
        import httpx

        refusals, retries, asked_at = 0, 0, time.monotonic()
        while True:
            await self._wait_for_turn()
            waited_s = time.monotonic() - asked_at
            try:
                answered = await self._once(ask)
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
            return replace(answered, waited_s=waited_s)

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

    async def _wait_for_turn(self) -> None:
        async with self.next_in_line:
            if (seconds := self.pace.wait_s(time.monotonic())) > 0:
                await asyncio.sleep(seconds)
            self.pace.start(0)

    async def _once(self, ask: Ask) -> Answered:
        started = time.monotonic()
        try:
            async with (
                asyncio.timeout(self.timeout_s),
                self.client.stream(
                    ask.method, ask.url, content=ask.content, headers=dict(ask.headers), params=dict(ask.query) or None
                ) as response,
            ):
                return await _read(response, ask, started)
        except TimeoutError:
            raise Faulty("timeout", f"no whole answer within {self.timeout_s:g} s") from None


async def _read(response: "httpx.Response", ask: Ask, started: float) -> Answered:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    stream = Stream(STREAMS[kind], ask.stream) if kind in STREAMS and response.status_code < 300 else None
    first: float | None = None
    pieces: list[str] = []
    size = 0
    if stream is None:
        content = bytearray()
        async for chunk in response.aiter_bytes():
            content += chunk
            _check_size(len(content), response.status_code)
        pieces.append(content.decode("utf-8", "replace"))
    else:
        async for line in response.aiter_lines():
            size += len(line) + 1
            _check_size(size, response.status_code)
            pieces.append(f"{line}\n")
            stream.take(line)
            if first is None and stream.reply:
                first = (time.monotonic() - started) * 1000
            if stream.ended:
                break
        stream.finish()
    text = "".join(pieces)
    value, is_json = (stream.last, False) if stream is not None else _parse(text)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answered(response.status_code, headers, _cookies(response), text, value, is_json, stream, first)


def _check_size(size: int, status: int) -> None:
    if size > MAX_BYTES:
        raise Faulty("schema", f"the body is larger than {MAX_BYTES:,} bytes", status)


def _parse(text: str) -> tuple[Json, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _cookies(response: "httpx.Response") -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for line in response.headers.get_list("set-cookie"):
        try:
            morsels = SimpleCookie(line)
        except CookieError:
            continue
        for name, morsel in morsels.items():
            found[name] = None if morsel["max-age"] == "0" else morsel.value
    return found


def _pause(headers: Mapping[str, str], retries: int) -> float:
    try:
        return min(LONGEST_PAUSE, max(0.0, float(headers.get("retry-after", ""))))
    except ValueError:
        return min(LONGEST_PAUSE, 2.0**retries)
