"""The assistant in a thread or as a process of its own, and plain HTTP to it."""

import http.client
import json
import select
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from examples.recipe_assistant.cookbook import load_cookbook
from examples.recipe_assistant.defects import read_defects
from examples.recipe_assistant.server import Assistant
from tests.loopback import in_thread

ROOT = Path(__file__).resolve().parents[2]
COOKBOOK = load_cookbook()
"""The sample's, read once for all tests of a process."""
COMMAND = [sys.executable, "-m", "examples.recipe_assistant", "--port", "0"]


@contextmanager
def process(*flags: str, stdin: int = subprocess.PIPE) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """(process, URL) of a started assistant, gone after the block."""
    started = subprocess.Popen([*COMMAND, *flags], cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE)
    try:
        assert started.stdout is not None
        assert select.select([started.stdout], [], [], 20)[0], "nothing was printed"
        yield started, started.stdout.readline().decode().strip()
    finally:
        started.kill()
        started.wait()
        for pipe in (started.stdin, started.stdout):
            if pipe:
                pipe.close()


@contextmanager
def assistant(*defects: str) -> Iterator[str]:
    """The URL of an assistant with these defects, in a thread of this process."""
    with in_thread(lambda: _answering(defects)) as url:
        yield url


@asynccontextmanager
async def _answering(defects: Sequence[str]) -> AsyncIterator[str]:
    application = Assistant(COOKBOOK, read_defects(defects)).application()
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def call(
    url: str, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """(status, headers with lower-case names, body)."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def turn(url: str, *messages: str, fridge: object = None) -> dict[str, Any]:
    """The answer to a conversation of user messages; "A: " marks the assistant's."""
    body = {"messages": spoken(*messages), "fridge_input": fridge}
    status, _, answer = call(url, "POST", "/api/chat/turn", json.dumps(body).encode())
    assert status == 200, answer
    found = json.loads(answer)
    assert isinstance(found, dict)
    return found


def spoken(*messages: str) -> list[dict[str, str]]:
    return [
        {"role": "assistant", "content": text[3:]} if text.startswith("A: ") else {"role": "user", "content": text}
        for text in messages
    ]


def choose(url: str, options: object, *messages: str, **more: object) -> tuple[int, Any]:
    body = {"messages": spoken(*messages), "options": options, **more}
    status, _, answer = call(url, "POST", "/api/recipes/choose", json.dumps(body).encode())
    return status, json.loads(answer)
