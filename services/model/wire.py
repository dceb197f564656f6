"""HTTP to one OpenAI-compatible server: bytes out, bounded bytes in, and what went wrong below HTTP named.

Requests go through the HTTP client that the openai package makes on aiohttp, without its classes for requests and
replies: they take more CPU than the rest of a call. Importing this module loads that package, which takes half a
second: it is imported where an endpoint is first asked.
"""

import errno
import json
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx2
import openai

from evaluation.errors import EndpointRefused
from evaluation.records import Json
from services.endpoint_url import EndpointUrl
from services.json_text import to_line
from services.model.errors import causes, one_line, read_server_error
from services.retrying import TryAgain

LARGEST_REPLY_BYTES = 8_000_000
LARGEST_LINE_BYTES = 16_000_000
LARGEST_ERROR_BYTES = 100_000
"""So much of an error is read: its message is cut to one line anyway."""
CONNECT_TIMEOUT_S = 15.0
BEARER = "authorization"
_TOKEN = re.compile(r"eyJ[\w-]*\.[\w-]+\.[\w-]+")
"""A signed token of an identity provider, which is always a bearer's."""
_IDLE_CONNECTION_S = 4.0
_UNREACHABLE: Mapping[int | None, str] = {
    errno.ECONNREFUSED: "connection refused",
    errno.ENETUNREACH: "network unreachable",
    errno.EHOSTUNREACH: "host unreachable",
}
_RESET = {errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED}


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """A response with a good status."""

    content: bytes
    headers: Mapping[str, str]
    """Looked up in any case."""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


def open_wire(
    where: EndpointUrl, api_key: str | None, identity: str, connections: int, key_header: str = BEARER
) -> "Wire":
    """Connections to one server, to be closed by `aclose`. `identity` is its name in messages.

    The key goes into `key_header`; a token, user info and no key go into `authorization` whatever that is.
    """
    client = openai.DefaultAioHttpClient(
        headers={**_key_headers(where, api_key, key_header), "accept": "application/json"},
        # Idle connections are closed before the 5 s after which common servers close them: a POST that meets such a
        # close fails, and may have been answered.
        limits=httpx2.Limits(max_connections=connections, keepalive_expiry=_IDLE_CONNECTION_S),
        timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
        trust_env=not where.loopback,
        verify=not where.plain,
        # A redirect would lead questions, and perhaps the key, to where nobody has said that they may go.
        follow_redirects=False,
    )
    return Wire(client, where, identity, tuple(part for part in (api_key, *(where.user_info or ())) if part))


@dataclass(frozen=True, slots=True, repr=False)
class Wire:
    """Sends to one server. Sets no time limit: the caller does. Never retries. `repr` shows no secret."""

    client: httpx2.AsyncClient
    where: EndpointUrl
    identity: str
    """Its name in messages."""
    secrets: tuple[str, ...]
    addresses: dict[str, httpx2.URL] = field(default_factory=dict)
    """Path -> address: reading an address costs a tenth of a call."""

    async def aclose(self) -> None:
        await self.client.aclose()

    async def send(self, method: str, path: str, body: Json = None) -> WireAnswer:
        """Raises ServerError, TryAgain, or EndpointRefused for a certificate that is not trusted."""
        content = None if body is None else to_line(body).encode()
        headers = None if body is None else {"content-type": "application/json"}
        async with self._answered(method, path, content=content, headers=headers) as response:
            received, whole = await _read(response)
        if not whole:
            raise TryAgain("malformed", f"reply is larger than {LARGEST_REPLY_BYTES} bytes")
        return WireAnswer(received, response.headers)

    async def send_file(self, path: str, name: str, content: bytes, **fields: str) -> WireAnswer:
        """POST of one file with form fields; raises as `send` does."""
        files = {"file": (name, content, "application/jsonl")}
        async with self._answered("POST", path, data=fields, files=files) as response:
            received, _ = await _read(response)
        return WireAnswer(received, response.headers)

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """GET of a file of any size, line by line; raises as `send` does, after the lines that came.

        A line ends with a line feed alone: other characters at which Python breaks lines may stand in a text in JSON.
        """
        async with self._answered("GET", path) as response:
            begun: list[bytes] = []
            async for chunk in response.aiter_bytes():
                first, *more = chunk.split(b"\n")
                begun.append(first)
                for start in more:
                    if line := b"".join(begun).strip():
                        yield line
                    begun = [start]
                if sum(map(len, begun)) > LARGEST_LINE_BYTES:
                    raise TryAgain("malformed", f"a line is longer than {LARGEST_LINE_BYTES} bytes")
            if line := b"".join(begun).strip():
                yield line

    @asynccontextmanager
    async def _answered(self, method: str, path: str, **sent: Any) -> AsyncIterator[httpx2.Response]:
        """A response with a good status, to be read inside; raises as `send` does."""
        try:
            async with self.client.stream(method, self._address(path), **sent) as response:
                if not response.is_success:
                    received, _ = await _read(response)
                    raise read_server_error(response.status_code, _error_in(received), self.secrets, response.headers)
                yield response
        except (httpx2.HTTPError, httpx2.InvalidURL, aiohttp.ClientError, OSError) as error:
            raise sentence_of_transport(error, self.identity) from None

    def _address(self, path: str) -> httpx2.URL:
        if path not in self.addresses:
            address = httpx2.URL(self.where.url + path)
            self.addresses[path] = address.copy_merge_params(self.where.query) if self.where.query else address
        return self.addresses[path]


async def _read(response: httpx2.Response) -> tuple[bytes, bool]:
    """The body, and whether it is whole: of a larger one no more is read."""
    largest = LARGEST_REPLY_BYTES if response.is_success else LARGEST_ERROR_BYTES
    chunks: list[bytes] = []
    size = 0
    async with aclosing(response.aiter_bytes()) as stream:
        async for chunk in stream:
            chunks.append(chunk)
            size += len(chunk)
            if size > largest:
                break
    return b"".join(chunks), size <= largest


def _error_in(content: bytes) -> Json:
    """The `error` object of an error's body, or what is there in place of one."""
    text = content.decode(errors="replace").strip()
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict):
        body = body[0]
    return body.get("error", body) if isinstance(body, dict) else body


def _key_headers(where: EndpointUrl, key: str | None, header: str) -> dict[str, str]:
    if header == BEARER or key is None or where.user_info is not None or _TOKEN.fullmatch(key):
        return {BEARER: _authorization(where, key)}
    return {header: key}


def _authorization(where: EndpointUrl, key: str | None) -> str:
    if where.user_info is not None:
        return f"Basic {b64encode(':'.join(where.user_info).encode()).decode()}"
    # Servers that need no key ignore this one, and some refuse a request without any.
    return f"Bearer {key or 'none'}"


# --- what went wrong below HTTP: the client reports most of it alike, as a time-out -----------------------------------


def sentence_of_transport(error: BaseException, endpoint: str) -> Exception:
    """The exception that a failed transport amounts to: TryAgain, or EndpointRefused for a certificate not trusted."""
    chain = causes(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in chain):
        return EndpointRefused(
            f"{endpoint} shows a certificate that is not trusted here; check OPENAI_BASE_URL or set SSL_CERT_FILE"
        )
    for cause in reversed(chain):
        # From the innermost cause outwards: it is the most precise.
        found = _read_cause(cause, endpoint)
        if found is not None:
            return found
    name = type(chain[-1]).__name__
    return TryAgain("connection", f"connection to {endpoint} failed: {one_line(f'{name}: {chain[-1]}')}")


def _read_cause(cause: BaseException, endpoint: str) -> TryAgain | None:
    """None for a cause that says nothing by itself."""
    number = cause.errno if isinstance(cause, OSError) else None
    lost = number in _RESET or isinstance(cause, ConnectionError | aiohttp.ServerDisconnectedError)
    meanings = (
        (number in _UNREACHABLE, "connection", f"{_UNREACHABLE.get(number)}: {endpoint}", True),
        (isinstance(cause, socket.gaierror), "connection", f"host not found: {endpoint}", True),
        (isinstance(cause, ssl.SSLError), "connection", f"TLS with {endpoint} failed: {one_line(str(cause))}", True),
        (lost, "connection", f"connection reset by {endpoint}", False),
        (isinstance(cause, aiohttp.ClientPayloadError), "connection", f"reply cut off by {endpoint}", False),
        (isinstance(cause, aiohttp.ServerTimeoutError), "timeout", f"no connection to {endpoint} in time", True),
        (isinstance(cause, aiohttp.ClientResponseError), "malformed", f"{endpoint} does not answer in HTTP", True),
        (isinstance(cause, httpx2.DecodingError), "malformed", f"reply of {endpoint} cannot be decompressed", False),
    )
    fitting = (
        TryAgain(kind, message, of_endpoint=of_endpoint) for fits, kind, message, of_endpoint in meanings if fits
    )
    return next(fitting, None)
