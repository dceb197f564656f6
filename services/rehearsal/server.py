"""The routes of the rehearsal server and the life of its process."""

import asyncio
import json
import os
import random
import signal
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from services.rehearsal import GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL, VERSION
from services.rehearsal.completions import ChatRequest, Refused, completion, moderation, read_request
from services.rehearsal.judge import UNREADABLE, grade, is_grading_request
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.reply import chat_reply, conversation_key
from services.rehearsal.traffic import Allowance, Fate, Ledger, draw_fate
from services.rehearsal.wire import HttpRequest, HttpResponse, listen

MODELS = [
    {"id": name, "object": "model", "created": 0, "owned_by": "rehearsal"}
    for name in (GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL)
]
REFUSAL = "I'm sorry, but I can't help with that."
Understood: TypeAlias = tuple[str, Callable[[Fate], dict[str, Any]]]
"""The purpose of a valid request, and what makes the body of its reply."""


class Rehearsal:
    """Answers HTTP requests; all state is what it counted."""

    def __init__(self, options: RehearsalOptions) -> None:
        self._options = options
        self._ledger = Ledger()
        self._allowance = Allowance(options.rpm_limit, options.tpm_limit)
        self._calls = {"/v1/chat/completions": self._completion, "/v1/moderations": self._moderation}

    def respond(self, request: HttpRequest) -> HttpResponse:
        """The answer to one request."""
        try:
            if request.method == "POST" and request.path in self._calls:
                return self._call(request, self._calls[request.path])
            if (request.method, request.path) == ("GET", "/stats"):
                return _json(200, {"version": VERSION, **self._ledger.as_json()})
            self._check_key(request)
            if (request.method, request.path) == ("GET", "/v1/models"):
                return _json(200, {"object": "list", "data": MODELS})
            raise Refused(404, f"Invalid URL ({request.method[:10]} {request.path[:100]})")
        except Refused as refused:
            return _error(refused)

    def _check_key(self, request: HttpRequest) -> None:
        wanted = self._options.require_key
        if wanted and request.headers.get("authorization", "") != f"Bearer {wanted}":
            raise Refused(401, "Incorrect API key provided.", None, "invalid_api_key")

    def _call(self, request: HttpRequest, read: Callable[[bytes, bytes], Understood]) -> HttpResponse:
        """The answer to a call that is counted and that faults may hit."""
        key, times = self._ledger.arrived(request.body)
        purpose = "rejected"
        fated = Fate("", "", False, 0.0)
        try:
            self._check_key(request)
            purpose, reply = read(request.body, key)
            fated = draw_fate(self._options, purpose, key, times)
            answer = self._outcome(fated, reply)
        except Refused as refused:
            answer = _error(refused)
        manner = fated.breakdown if fated.breakdown in ("hang", "disconnect") else "whole"
        return replace(answer, delay=fated.delay, manner=manner, done=partial(self._ledger.left, key, purpose))

    def _completion(self, body: bytes, key: bytes) -> Understood:
        asked = read_request(body, self._options)
        grading = is_grading_request(asked.messages, asked.response_format)
        return "judge" if grading else "generation", lambda fated: self._reply(asked, grading, fated, key)

    def _moderation(self, body: bytes, key: bytes) -> Understood:
        answer = moderation(body, self._options, int.from_bytes(key[:6], "big"))
        return "moderation", lambda _fated: answer

    def _outcome(self, fated: Fate, reply: Callable[[Fate], dict[str, Any]]) -> HttpResponse:
        wait_s = self._allowance.admit()
        if wait_s > 0 or fated.breakdown == "429":
            after_s = wait_s or self._options.retry_after
            raise Refused(429, "Rate limit reached for requests.", code="rate_limit_exceeded", after_s=after_s)
        if fated.breakdown == "500":
            raise Refused(500, "The server had an error while processing your request.")
        body = reply(fated)
        self._allowance.charge(body.get("usage", {}).get("total_tokens", 0))
        return _json(200, body)

    def _reply(self, asked: ChatRequest, grading: bool, fated: Fate, key: bytes) -> dict[str, Any]:
        if grading:
            number = int.from_bytes(conversation_key(asked.messages)[:8], "big")
            luck = random.Random(number ^ (asked.seed + 1 if asked.temperature else 0))
            text = grade(asked.messages, asked.response_format, self._options.judge_mode, luck)
            text = luck.choice(UNREADABLE) if fated.malformed else text
        else:
            text = chat_reply(asked.messages, asked.seed, asked.temperature, self._options.forgetful, top_p=asked.top_p)
        outcomes = {
            "empty": ("", "stop", None),
            "truncate": (text[: len(text) // 2], "length", None),
            "refusal": ("", "stop", REFUSAL),
            "content_filter": (text[: len(text) // 4], "content_filter", None),
        }
        text, finish, refusal = outcomes.get(fated.spoiling, (text, "stop", None))
        return completion(asked, text, finish, refusal, int.from_bytes(key[:6], "big"))


def _json(status: int, value: Mapping[str, Any], headers: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    return HttpResponse(status, json.dumps(value).encode("ascii"), headers)


def _error(refused: Refused) -> HttpResponse:
    kind = {429: "requests", 500: "server_error"}.get(refused.status, "invalid_request_error")
    detail = {"message": refused.message, "type": kind, "param": refused.parameter, "code": refused.code}
    headers = () if refused.after_s is None else (("Retry-After", f"{refused.after_s:g}"),)
    return _json(refused.status, {"error": detail}, headers)


async def serve(options: RehearsalOptions) -> None:
    """Serves on 127.0.0.1 until SIGTERM, SIGINT, or the end of the pipe on stdin. Prints one JSON line when ready."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    _watch_stdin(loop, ended)
    server = await listen(Rehearsal(options).respond, options.port)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"port": port, "pid": os.getpid(), "version": VERSION}) + "\n")
    sys.stdout.flush()
    await ended.wait()
    server.close()


def _watch_stdin(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Only a pipe or socket tells of a parent: a terminal or /dev/null says nothing about who started the server."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return

    def read() -> None:
        try:
            data = os.read(0, 4096)
        except OSError:
            data = b""
        if not data:
            loop.remove_reader(0)
            ended.set()

    loop.add_reader(0, read)
