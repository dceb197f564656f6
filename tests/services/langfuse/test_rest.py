"""The way to the server: through a proxy where the environment names one, never for a server on this machine."""

import asyncio
from base64 import b64encode

import pytest

from services.langfuse.rest import LangfuseRest, NotStored, Unknown
from services.langfuse_access import LangfuseAccess

ANSWER = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"id": "a"}'


async def first_line_of(address: str, proxied: pytest.MonkeyPatch | None, body: str = "") -> tuple[str, int]:
    """The request that a server on loopback gets, and the bytes that follow, when a body is posted to `address`."""
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


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.langfuse.rest.LARGEST_ANSWER_BYTES", 10)
    with pytest.raises(Unknown, match="more than 10 bytes"):
        asyncio.run(first_line_of("", None))


async def said_by_a_proxy(monkeypatch: pytest.MonkeyPatch, answer: bytes, before: str = "http://") -> tuple[str, str]:
    """The words that a proxy receives of a request over TLS, and the reason why the request failed."""
    heads: list[str] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        for name in ("no_proxy", "NO_PROXY", "HTTPS_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("https_proxy", f"{before}127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with LangfuseRest(LangfuseAccess("https://langfuse.example", "pk-lf-public", "sk-lf-secret")) as rest:
            with pytest.raises(NotStored) as failure:
                await rest.once("POST", "v2/datasets", json={})
    return heads[0], failure.value.message


@pytest.mark.parametrize("before", ["http://", "", "http://name:password@"])
def test_a_proxy_is_given_the_address_and_never_the_keys(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
    head, message = asyncio.run(said_by_a_proxy(monkeypatch, refusal, before))
    assert head.startswith("CONNECT langfuse.example:443 ")
    assert "langfuse-public-key" not in head
    own = f"Basic {b64encode(b'name:password').decode()}" if "@" in before else None
    headers = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
    assert headers.get("Proxy-Authorization") == own
    assert message == "cannot be reached (the proxy answers 407)"


def test_a_connection_that_ends_in_the_handshake_is_reported_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    _, message = asyncio.run(said_by_a_proxy(monkeypatch, b"HTTP/1.1 200 OK\r\n\r\n"))
    assert message.startswith("cannot be reached (")
    assert "ClientConnectorError" not in message


def test_a_proxy_whose_address_cannot_be_read_is_reported_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotStored) as failure:
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("http_proxy", "http://name:password@proxy.example:many")
        asyncio.run(posted("http://langfuse.example"))
    assert "cannot be read" in failure.value.message
    assert "password" not in failure.value.message


async def posted(address: str) -> None:
    async with LangfuseRest(LangfuseAccess(address, "pk", "sk")) as rest:
        await rest.once("POST", "v2/datasets", json={})
