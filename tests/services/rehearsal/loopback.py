"""Talking to the rehearsal server in tests: in this process without a socket, and over loopback as a client does."""

import http.client
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HttpRequest, HttpResponse
from tests.loopback import rehearsing

CHAT, MODERATION = "/v1/chat/completions", "/v1/moderations"


class Server:
    """A rehearsal server in this process: each call ends at once, as its client would see it end."""

    def __init__(self, options: RehearsalOptions | None = None) -> None:
        self._rehearsal = Rehearsal(options or RehearsalOptions())

    def answer(self, value: object, path: str = CHAT, method: str = "POST", key: str = "") -> HttpResponse:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        answer = self._rehearsal.respond(HttpRequest(method, path, {"authorization": f"Bearer {key}"}, body))
        answer.done(str(answer.status) if answer.manner == "whole" else answer.manner)
        return answer

    def post(self, value: object, path: str = CHAT, key: str = "") -> tuple[int, Any]:
        answer = self.answer(value, path, key=key)
        return answer.status, json.loads(answer.body)

    def stats(self) -> dict[str, Any]:
        found = json.loads(self.answer(b"", "/stats", "GET").body)
        assert isinstance(found, dict)
        return found


@asynccontextmanager
async def serving(options: RehearsalOptions | None = None) -> AsyncIterator[str]:
    """The base URL of a server on loopback that runs in this event loop."""
    async with rehearsing(options or RehearsalOptions()) as port:
        yield f"http://127.0.0.1:{port}/v1"


def client(base_url: str, key: str = "any") -> AsyncOpenAI:
    return AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0, timeout=20)


async def ask(openai: AsyncOpenAI, text: str, **parameters: Any) -> ChatCompletion:
    completion = await openai.chat.completions.create(**{**chat(text), **parameters})
    assert isinstance(completion, ChatCompletion)
    return completion


def call(base_url: str, method: str, path: str) -> tuple[int, Any]:
    """(status, parsed body) of one plain HTTP request to a server in a process of its own."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=20)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def chat(text: str, **more: object) -> dict[str, Any]:
    return {"model": "rehearsal", "messages": [{"role": "user", "content": text}], **more}
