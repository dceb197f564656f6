"""The serving side of the double: one thread, one port, keys, routes and faults."""

import asyncio
import base64
import json
import socket
import struct
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote
from uuid import uuid4

from aiohttp import web

from tests.langfuse_double import routes
from tests.langfuse_double.faults import MESSAGES, Fault, FaultPlan, Kind
from tests.langfuse_double.store import Settings, Store
from tests.langfuse_double.wire import Answer, Call, Refused

LOOPBACK = "127.0.0.1"


@dataclass
class Request:
    """One request of the log. The Authorization header's value is not kept."""

    method: str
    path: str
    """As sent, still encoded, without the query."""
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes = b""
    route: str | None = None
    """Its name in routes.ROUTES; none for an unknown path."""
    status: int | None = None
    """None while it is being answered, and when it never is."""
    fault: Kind | None = None
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def document(self) -> Any:
        return json.loads(self.body)


class Server:
    """A context manager; `base_url`, `public_key` and `secret_key` are what a client needs.

    The public key is new for every server, because the SDK keeps one set of resources per key and process.
    """

    def __init__(
        self,
        *,
        version: str = "4.60.0",
        public_key: str | None = None,
        secret_key: str = "sk-lf-double",
        project_id: str = "project-double",
        clock: Callable[[], datetime] | None = None,
        check_bodies: bool = True,
        max_score_body: int = 1_000_000,
    ) -> None:
        self.public_key = public_key or f"pk-lf-{uuid4()}"
        self.secret_key = secret_key
        self.settings = Settings(version, clock or (lambda: datetime.now(UTC)), check_bodies, max_score_body)
        self.store = Store(self.settings, project_id)
        self.log: list[Request] = []
        self.base_url = ""
        self._faults = FaultPlan()
        self._changed = threading.Condition(self.store.lock)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, port: int = 0) -> None:
        """Serves from now on. With the port of an earlier run the double is back after an outage, nothing forgotten."""
        listener = socket.create_server((LOOPBACK, port))
        self.base_url = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(listener, ready)), name="langfuse-double", daemon=True
        )
        self._thread.start()
        if not ready.wait(10):
            raise RuntimeError("the double does not start")

    def stop(self) -> None:
        """Resets what is in flight, closes the port and ends the thread; the store stays readable."""
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._thread = None

    @property
    def port(self) -> int:
        return int(self.base_url.rpartition(":")[2])

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = web.Server(self._handle, auto_decompress=False, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.2)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        entry = Request(
            method=request.method,
            path=request.raw_path.partition("?")[0],
            query={name: list(request.query.getall(name)) for name in request.query},
            headers={name.lower(): value for name, value in request.headers.items() if name != "Authorization"},
        )
        with self.store.lock:
            self.log.append(entry)
            fault = self._faults.take(entry.method, entry.path)
            entry.fault = fault.kind if fault else None
        if fault is not None and fault.kind == "reset":
            return _reset(request)
        entry.body = await request.content.read()
        if fault is not None:
            return await self._harmed(request, entry, fault)
        return self._done(entry, self._answer(request, entry))

    async def _harmed(self, request: web.BaseRequest, entry: Request, fault: Fault) -> web.StreamResponse:
        """The answer under a fault; nothing is stored unless the fault says so."""
        if fault.status is not None:
            return self._done(entry, _refusal(fault))
        if fault.kind == "slow":
            await self._pause(fault.seconds)
        if fault.kind == "hang":
            await self._pause(None)
            return _reset(request)
        answer = self._answer(request, entry, fault.names)
        if fault.kind in ("slow", "reject"):
            return self._done(entry, answer)
        self._notify()
        if fault.kind == "hang_after_store":
            await self._pause(None)
        return _reset(request)

    async def _pause(self, seconds: float | None) -> None:
        """Waits for the given time, for ever when none; the end of the double ends it."""
        assert self._stopping is not None
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    def _answer(self, request: web.BaseRequest, entry: Request, rejected: Collection[str] = ()) -> Answer:
        segments = tuple(unquote(part) for part in entry.path.strip("/").split("/"))
        route = routes.find(entry.method, segments)
        with self.store.lock:
            if route is None:
                self.store.problems.append(f"unknown path {entry.method} {entry.path}")
                return Answer(404, {"message": "Not found", "error": "LangfuseNotFoundError"})
            entry.route = route.name
            refusal = None if route.name == "GET health" else self._refused_key(request)
            if refusal is not None:
                return refusal
            call = Call(
                entry.method, route.parameters, entry.query, entry.headers, entry.body, rejected=frozenset(rejected)
            )
            try:
                return route.handler(self.store, call)
            except Refused as refused:
                return refused.answer

    def _refused_key(self, request: web.BaseRequest) -> Answer | None:
        header = request.headers.get("Authorization")
        pair = f"{self.public_key}:{self.secret_key}".encode()
        if header == "Basic " + base64.b64encode(pair).decode():
            return None
        message = "No authorization header" if header is None else MESSAGES[401][0]
        return Answer(401, {"message": message, "error": MESSAGES[401][1]})

    def _done(self, entry: Request, answer: Answer) -> web.StreamResponse:
        entry.status = answer.status
        self._notify()
        return web.json_response(answer.document, status=answer.status, headers=dict(answer.headers))

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


def _refusal(fault: Fault) -> Answer:
    status = fault.status or 500
    message, error = MESSAGES[status]
    headers = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
    if status == 429:
        headers |= {"X-RateLimit-Limit": "30", "X-RateLimit-Remaining": "0"}
    return Answer(status, {"message": message, "error": error}, headers)


def _reset(request: web.BaseRequest) -> web.StreamResponse:
    """Ends the connection with a TCP reset; what is returned is never sent."""
    transport = request.transport
    if transport is not None:
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()
