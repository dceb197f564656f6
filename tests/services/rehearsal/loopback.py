"""Talking to the rehearsal server in tests: the real client, and raw HTTP for what it would not send."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion


def client(base_url: str, key: str = "any") -> AsyncOpenAI:
    return AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0, timeout=20)


async def ask(openai: AsyncOpenAI, text: str, **parameters: Any) -> ChatCompletion:
    messages = [{"role": "user", "content": text}]
    completion = await openai.chat.completions.create(**{"model": "rehearsal", "messages": messages, **parameters})
    assert isinstance(completion, ChatCompletion)
    return completion


def call(base_url: str, method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, str], Any]:
    """(status, headers with lower-case names, parsed body) of one plain HTTP request."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=20)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, headers, json.loads(response.read())
    finally:
        connection.close()


def post(base_url: str, value: object) -> tuple[int, dict[str, str], Any]:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return call(base_url, "POST", "/v1/chat/completions", body)


def stats(base_url: str) -> dict[str, Any]:
    status, _, body = call(base_url, "GET", "/stats")
    assert status == 200
    assert isinstance(body, dict)
    return body


def chat(text: str, **more: object) -> dict[str, object]:
    return {"model": "rehearsal", "messages": [{"role": "user", "content": text}], **more}
