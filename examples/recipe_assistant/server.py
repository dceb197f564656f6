"""The routes of the assistant and the life of its process."""

import asyncio
import json
import os
import signal
import stat
import sys
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import web

from examples.recipe_assistant import VERSION
from examples.recipe_assistant.answers import Json
from examples.recipe_assistant.choosing import chosen_option
from examples.recipe_assistant.conversation import answer_turn
from examples.recipe_assistant.cookbook import Cookbook, load_cookbook
from examples.recipe_assistant.defects import Defects
from examples.recipe_assistant.faulty import faulty_answer, faulty_choice, found_options
from examples.recipe_assistant.options import Options
from examples.recipe_assistant.requests import BadRequest, read_choice, read_turn
from examples.recipe_assistant.tracing import trace_id_of, traceparent_of
from examples.recipe_assistant.wishes import Message, gather

LARGEST_BODY = 4 * 1024 * 1024
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Assistant:
    """Answers both calls; it remembers nothing between them."""

    def __init__(self, book: Cookbook, defects: Defects) -> None:
        self._book = book
        self._defects = defects

    def application(self) -> web.Application:
        """The web application with its routes."""
        application = web.Application(middlewares=[_errors_as_json], client_max_size=LARGEST_BODY)
        application.router.add_get("/health", self._health)
        application.router.add_post("/api/chat/turn", self._turn)
        application.router.add_post("/api/recipes/choose", self._choose)
        return application

    async def _health(self, request: web.Request) -> web.StreamResponse:
        return _json(request, 200, {"status": "ok", "version": VERSION, "defects": dict(self._defects.on)})

    async def _turn(self, request: web.Request) -> web.StreamResponse:
        asked = read_turn(await request.read())
        await self._trouble(request, asked.messages, asked.fridge)
        wishes = gather(asked.messages, asked.fridge, self._book.larder)
        found = found_options(wishes, self._book, self._defects)
        answer = answer_turn(asked.messages, wishes, found, self._book)
        return self._answer(request, faulty_answer(answer, asked.messages, wishes, self._book, self._defects))

    async def _choose(self, request: web.Request) -> web.StreamResponse:
        asked = read_choice(await request.read())
        await self._trouble(request, asked.messages, asked.fridge)
        wishes = gather(asked.messages, asked.fridge, self._book.larder)
        selected = chosen_option(asked.options, asked.wanted_id, asked.messages)
        if selected is None:
            raise BadRequest(422, f"no option has the id {asked.wanted_id!r}", "selected_id")
        return self._answer(
            request, {"selected": faulty_choice(selected, asked.options, wishes, self._book, self._defects)}
        )

    async def _trouble(self, request: web.Request, messages: Sequence[Message], fridge: Sequence[str]) -> None:
        """The defects that hit a whole answer."""
        await asyncio.sleep(self._defects.delay)
        first = next((message.content for message in messages if message.role == "user"), "")
        if self._defects.breaks_down("\n".join([first, *fridge])):
            raise web.HTTPInternalServerError(text="the kitchen is on fire")
        if "disconnects" in self._defects and request.transport is not None:
            request.transport.abort()

    def _answer(self, request: web.Request, body: Json) -> web.Response:
        if "html_page" in self._defects:
            return web.Response(
                text="<!doctype html><title>Recipes</title><h1>Please log in</h1>", content_type="text/html"
            )
        if "empty_body" in self._defects:
            return web.Response(status=204)
        answer = _json(request, 200, body, own_trace="loses_trace" in self._defects)
        if "invalid_json" in self._defects and isinstance(answer.body, bytes):
            answer.body = answer.body[: len(answer.body) // 2]
        return answer


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except BadRequest as problem:
        return _error(request, problem.status, str(problem), problem.field)
    except web.HTTPException as problem:
        return _error(request, problem.status, problem.text or problem.reason, None)


def _error(request: web.Request, status: int, message: str, field: str | None) -> web.Response:
    return _json(request, status, {"error": {"message": message, "field": field}})


def _json(request: web.Request, status: int, body: Json, own_trace: bool = False) -> web.Response:
    """A JSON answer that carries the trace id of the request in its body and its headers."""
    trace_id = trace_id_of(None if own_trace else request.headers.get("traceparent"))
    headers = {"X-Trace-Id": trace_id, "traceparent": traceparent_of(trace_id)}
    text = json.dumps({**body, "trace_id": trace_id}).encode("ascii")
    return web.Response(status=status, body=text, content_type="application/json", headers=headers)


async def serve(options: Options) -> None:
    """Serves on 127.0.0.1 until SIGTERM, SIGINT, or the end of the pipe on stdin. Prints its URL when ready."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    _watch_stdin(loop, ended, options.exit_with_stdin)
    assistant = Assistant(load_cookbook(), options.defects)
    runner = web.AppRunner(assistant.application(), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", options.port, backlog=1024)
        await _start(site, options.port)
        sys.stdout.write(f"http://127.0.0.1:{runner.addresses[0][1]}\n")
        sys.stdout.flush()
        await ended.wait()
    finally:
        await runner.cleanup()


async def _start(site: web.TCPSite, port: int) -> None:
    try:
        await site.start()
    except OSError as problem:
        raise SystemExit(f"port {port} cannot be used ({problem.strerror}); --port 0 takes a free one") from problem


def _watch_stdin(loop: asyncio.AbstractEventLoop, ended: asyncio.Event, always: bool) -> None:
    """A pipe or socket on stdin shows a parent; a terminal or /dev/null does not, unless the caller says so."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return
    if not always and not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return

    def read() -> None:
        try:
            data = os.read(0, 4096)
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(0)
            ended.set()

    try:
        loop.add_reader(0, read)
    except (OSError, ValueError):
        # A plain file or /dev/null cannot be waited for: it is at its end already.
        ended.set()
