"""A server on loopback that speaks HTTP/1.1 and answers by a script: the real client talks to it.

    with scripted_endpoint(lambda call: say("hello")) as server:
        ...  # server.url, server.calls

A script is a function from `Call` to `Answer`, or a list of answers whose last one repeats.
"""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Call:
    """One request as it arrived."""

    number: int
    """Counts from 1 over all connections."""
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any
    """Parsed JSON; None when there is none."""


@dataclass(frozen=True)
class Answer:
    """One response, or what happens instead of one."""

    status: int = 200
    body: Any = field(default_factory=dict)
    """bytes and str are sent as they are, anything else as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    hang: bool = False
    """Never answer; with `keep`, never send the rest."""
    reset: bool = False
    """Close the connection without a word; with `keep`, reset it after that part of the body."""
    raw: bytes | None = None
    """Send these bytes in place of a response, then close."""
    keep: int | None = None
    """Send only so many bytes of the body that was announced, then close."""
    drip_s: float | None = None
    """Send the body byte by byte, with so long a pause between two."""
    after_calls: int = 0
    """Answer only once so many requests have arrived in all."""
    delay_s: float = 0.0
    """Answer only after so long."""


Script: TypeAlias = Callable[[Call], Answer] | Sequence[Answer]


def say(text: Any, finish_reason: str | None = "stop", **message: Any) -> Answer:
    """A chat completion that says `text`."""
    return Answer(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "scripted-1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish_reason,
                    "message": {"role": "assistant", "content": text, **message},
                }
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
    )


def refuse(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **error: Any) -> Answer:
    """An error answer in OpenAI's form."""
    return Answer(status=status, body={"error": {"message": message, **error}}, headers=headers or {})


class ScriptedEndpoint:
    """The running server."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._arrived = asyncio.Condition()
        # Of the server, because a task that waits for what nobody else knows is garbage.
        self._never = asyncio.Event()
        self.calls: list[Call] = []
        self.reached = threading.Event()
        """Set by the first request."""
        self.open_now = 0
        """Requests that have arrived and are not yet answered."""
        self.most_open = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; False when the connection is to be closed."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        call = Call(len(self.calls) + 1, method, path, headers, json.loads(content) if content else None)
        self.calls.append(call)
        self.reached.set()
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            answer = self._answer(call)
            async with self._arrived:
                self._arrived.notify_all()
                await self._arrived.wait_for(lambda: len(self.calls) >= answer.after_calls)
            if answer.delay_s:
                await asyncio.sleep(answer.delay_s)
            if answer.hang and answer.keep is None:
                await self._never.wait()
            goes_on = await _send(answer, writer)
            if answer.hang:
                await self._never.wait()
            return goes_on
        finally:
            self.open_now -= 1

    def _answer(self, call: Call) -> Answer:
        if callable(self._script):
            return self._script(call)
        return self._script[min(call.number, len(self._script)) - 1]


async def _send(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    if answer.reset and answer.keep is None:
        return False
    if answer.raw is not None:
        writer.write(answer.raw)
        await writer.drain()
        return False
    body = _encoded(answer.body)
    headers = {"content-type": answer.content_type, "content-length": str(len(body)), **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
    writer.write(f"HTTP/1.1 {answer.status} Scripted\r\n{lines}\r\n".encode("latin-1"))
    if answer.drip_s is not None:
        for byte in body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(answer.drip_s)
    writer.write(body[: answer.keep])
    await writer.drain()
    if answer.reset:
        # Lingering for no time at all makes closing a reset instead of an orderly end.
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return answer.keep is None


def _encoded(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode()


@contextmanager
def scripted_endpoint(script: Script, port: int = 0) -> Iterator[ScriptedEndpoint]:
    """Runs the server in a thread of its own, so that it serves synchronous tests and other processes too.

    Without a `port` it takes a free one.
    """
    server = ScriptedEndpoint(script)
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        stopped = asyncio.Event()
        listener = await asyncio.start_server(server.serve, "127.0.0.1", port)
        server.port = listener.sockets[0].getsockname()[1]
        started.set_result((asyncio.get_running_loop(), stopped))
        await stopped.wait()
        listener.close()

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    loop, stopped = started.result(timeout=10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()
