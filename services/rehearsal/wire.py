"""HTTP/1.1 as far as API clients speak it: keep-alive, Content-Length bodies, one request at a time.

Plain asyncio, because a web framework costs more start-up time than this server is allowed and more time per request
than the answer itself.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
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
class HttpResponse:
    """The bytes to send, their time, and the callback that hears of it."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    """Seconds."""
    manner: str = "whole"
    """whole, hang (nothing is ever sent) or disconnect (half the body, then the connection closes)."""
    done: Callable[[str], None] = lambda _end: None
    """Called with the end that it took: the status, hang, disconnect, or aborted when the client went away before."""


class BadHttp(Exception):
    """Bytes that are no request this server understands; its argument is the HTTP status that says so."""


Respond = Callable[[HttpRequest], HttpResponse]


async def converse(respond: Respond, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers one request after the other, until an answer breaks off, bytes come that are no request, or none do."""
    manner = "whole"
    try:
        while manner == "whole":
            answer = respond(await _read_request(reader, writer))
            answer.done(await _deliver(answer, reader, writer))
            manner = answer.manner
    except BadHttp as problem:
        _send(HttpResponse(problem.args[0], b"{}", manner="disconnect"), writer)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # the client left
    finally:
        writer.close()


async def _deliver(answer: HttpResponse, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Sends the answer when it is due; gives the end that it took."""
    if answer.manner == "hang":
        with suppress(ConnectionError):
            await reader.read()
        return "hang"
    if answer.delay > 0:
        await asyncio.sleep(answer.delay)
        if reader.at_eof() or writer.is_closing():
            return "aborted"
    _send(answer, writer)
    return "disconnect" if answer.manner == "disconnect" else str(answer.status)


def _send(answer: HttpResponse, writer: asyncio.StreamWriter) -> None:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    lines += ["Content-Type: application/json", f"Content-Length: {len(answer.body)}", "", ""]
    sent = len(answer.body) // 2 if answer.manner == "disconnect" else len(answer.body)
    writer.write("\r\n".join(lines).encode("latin-1") + answer.body[:sent])


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> HttpRequest:
    """The next request. Raises BadHttp, and IncompleteReadError when the client leaves."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise BadHttp(431) from None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    fields = [line.partition(":") for line in lines]
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not all(colon for _, colon, _ in fields):
        raise BadHttp(400)
    headers = {name.strip().lower(): value.strip() for name, _, value in fields}
    length = _length_of(headers)
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return HttpRequest(words[0], words[1].partition("?")[0], headers, await reader.readexactly(length))


def _length_of(headers: Mapping[str, str]) -> int:
    """The length of a request's body. Raises BadHttp."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        raise BadHttp(411)
    if not (length.isascii() and length.isdigit()):
        raise BadHttp(400)
    if len(length) > 12 or int(length) > BODY_LIMIT:
        raise BadHttp(413)
    return int(length)
