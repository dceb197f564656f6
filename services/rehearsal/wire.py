"""HTTP/1.1 as far as API clients speak it: keep-alive, Content-Length bodies, one request at a time.

Plain asyncio, because a web framework costs more start-up time than this server is allowed and more time per request
than the answer itself.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

HEAD_LIMIT = 65_536
BODY_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str
    """Without the query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The bytes to send, their time, and the callback that hears of it."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    """Seconds."""
    manner: str = "whole"
    """whole, hang (nothing is ever sent) or disconnect (half the body, then the connection closes)."""
    done: Callable[[str], None] | None = None
    """Called with the end that it took: the status, hang, disconnect, or aborted when the client went away before."""


class BadHttp(Exception):
    """Bytes that are no request this server understands; its argument is the HTTP status that says so."""


class Connection(asyncio.Protocol):
    """One client connection."""

    def __init__(self, respond: Callable[[HttpRequest], HttpAnswer]) -> None:
        self._respond = respond
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._needed = 0
        self._pending: HttpAnswer | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"a stream transport is needed, not {transport!r}")
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._advance()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        self._transport = None
        if self._timer:
            self._timer.cancel()
        if self._pending and self._pending.done:
            self._pending.done("hang" if self._pending.manner == "hang" else "aborted")
        self._pending = None

    def _advance(self) -> None:
        while self._transport is not None and self._pending is None and len(self._buffer) >= max(self._needed, 1):
            try:
                request = self._next_request()
            except BadHttp as problem:
                self._send(HttpAnswer(problem.args[0], b"{}", manner="disconnect"))
                return
            if request is None:
                return
            answer = self._respond(request)
            self._pending = answer
            if answer.manner == "hang":
                return
            if answer.delay > 0:
                self._timer = asyncio.get_running_loop().call_later(answer.delay, self._finish, answer)
                return
            self._finish(answer)

    def _finish(self, answer: HttpAnswer) -> None:
        self._timer = None
        self._pending = None
        self._send(answer)
        if answer.done:
            answer.done("disconnect" if answer.manner == "disconnect" else str(answer.status))
        # Answers that were due at once are followed by the loop in _advance; a delayed one has to call it.
        if answer.delay > 0:
            self._advance()

    def _send(self, answer: HttpAnswer) -> None:
        if self._transport is None:
            return
        lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        lines += ["Content-Type: application/json", f"Content-Length: {len(answer.body)}", "", ""]
        head = "\r\n".join(lines).encode("latin-1")
        if answer.manner == "disconnect":
            self._transport.write(head + answer.body[: len(answer.body) // 2])
            self._transport.close()
        else:
            self._transport.write(head + answer.body)

    def _next_request(self) -> HttpRequest | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > HEAD_LIMIT:
                raise BadHttp(431)
            return None
        method, path, headers = _read_head(bytes(self._buffer[:end]))
        if "transfer-encoding" in headers:
            raise BadHttp(411)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise BadHttp(400)
        if len(length) > 12 or int(length) > BODY_LIMIT:
            raise BadHttp(413)
        self._needed = end + 4 + int(length)
        if len(self._buffer) < self._needed:
            if headers.get("expect", "").lower() == "100-continue" and self._transport:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        body = bytes(self._buffer[end + 4 : self._needed])
        del self._buffer[: self._needed]
        self._needed = 0
        return HttpRequest(method, path, headers, body)


def _read_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise BadHttp(400)
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise BadHttp(400)
        headers[name.strip().lower()] = value.strip()
    return words[0], words[1].partition("?")[0], headers
