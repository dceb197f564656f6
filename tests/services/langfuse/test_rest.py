"""The way to the server: through a proxy where the environment names one, never for a server on this machine."""

import asyncio

import pytest

from services.langfuse.rest import LangfuseRest
from services.settings import LangfuseAccess

ANSWER = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"id": "a"}'


async def first_line_of(address: str, proxied: pytest.MonkeyPatch | None, body: str = "") -> tuple[str, int]:
    """What a server on loopback is asked, and how many bytes follow, when a body is posted to `address`."""
    seen: list[tuple[str, int]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-len"))
        seen.append((head.split("\r\n")[0], len(await reader.readexactly(length))))
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        here = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        if proxied is not None:
            proxied.setenv("http_proxy", here)
            proxied.delenv("no_proxy", raising=False)
            proxied.delenv("NO_PROXY", raising=False)
        async with LangfuseRest(LangfuseAccess(address or here, "pk", "sk")) as rest:
            assert await rest.put("v2/datasets", {"name": body}) == {"id": "a"}
    return seen[0]


def test_a_proxy_of_the_environment_is_asked_for_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    line, _ = asyncio.run(first_line_of("http://langfuse.example", monkeypatch))
    assert line == "POST http://langfuse.example/api/public/v2/datasets HTTP/1.1"


def test_no_proxy_is_asked_for_a_server_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    line, _ = asyncio.run(first_line_of("", None))
    assert line == "POST /api/public/v2/datasets HTTP/1.1"


def test_a_large_body_arrives_whole() -> None:
    text = "x" * 1_500_000
    assert asyncio.run(first_line_of("", None, text))[1] == len(text) + len('{"name":""}')
