"""HTTP to one OpenAI-compatible server through the openai client: bytes out, bounded bytes in, errors classified."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.errors import UsageError
from evaluation.records import Json
from services.endpoint_url import EndpointUrl
from services.json_text import to_line
from services.model.errors import ServerError, read_server_error
from services.model.transport_errors import sentence_of_transport
from services.retrying import TryAgain

if TYPE_CHECKING:
    import httpx2
    import openai

LARGEST_REPLY_BYTES = 8_000_000
CONNECT_TIMEOUT_S = 15.0
_IDLE_CONNECTION_S = 4.0
_ABOUT_THIS_MACHINE = (
    *("X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch"),
    *("X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Async", "X-Stainless-Retry-Count"),
)
"""Headers of the client that answer nothing: they tell of this machine, and cost a tenth of a call's CPU."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response with a good status."""

    content: bytes
    headers: Mapping[str, str]
    """Looked up in any case."""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


class StatusError(Exception):
    """A response with any other status."""

    def __init__(self, said: ServerError, headers: Mapping[str, str]) -> None:
        super().__init__(said.text)
        self.said = said
        self.headers = headers


@asynccontextmanager
async def open_wire(where: EndpointUrl, api_key: str | None, identity: str, connections: int) -> AsyncIterator["Wire"]:
    """Connections to one server, closed on leaving. `identity` is its name in messages.

    Raises UsageError for a key that cannot stand in a header.
    """
    import httpx2
    import openai

    key = _sendable(api_key)
    secrets = tuple(secret for secret in (key, *(where.user_info or ())) if secret)

    async def refuse(response: httpx2.Response) -> None:
        # Here, because the client would read the body of an error to its end, however long it is.
        if not response.is_success:
            content, _ = await _read(response)
            raise StatusError(read_server_error(response.status_code, _error_in(content), secrets), response.headers)

    plain = where.loopback and where.url.startswith("http:")
    timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S)
    transport = openai.DefaultAioHttpClient(
        # Idle connections are closed before the 5 s after which common servers close them: a POST that meets such a
        # close fails, and may have been answered.
        limits=httpx2.Limits(max_connections=connections, keepalive_expiry=_IDLE_CONNECTION_S),
        timeout=timeout,
        trust_env=not where.loopback,
        # No TLS is ever spoken with a plain server on this machine, and reading the system's certificates for it costs
        # as much time as a hundred calls.
        verify=not plain,
        # A redirect would lead questions, and perhaps the key, to where nobody has said that they may go.
        follow_redirects=False,
        event_hooks={"response": [refuse]},
    )
    async with transport:
        client = openai.AsyncOpenAI(
            # The client refuses to send no key; servers that need none ignore this one.
            api_key=key or "none",
            base_url=where.url,
            default_query=where.query,
            default_headers=_basic(where),
            max_retries=0,
            timeout=timeout,
            http_client=transport,
        )
        yield Wire(client, where.url, identity)


class Wire:
    """Sends to one server. Sets no time limit: the caller does. Never retries."""

    def __init__(self, client: "openai.AsyncOpenAI", url: str, identity: str) -> None:
        import openai

        self._client = client
        # Whole addresses: the client parses and copies its base URL for each path that is relative to it.
        self._url = url
        self._identity = identity
        self._options: Any = {"headers": dict.fromkeys(_ABOUT_THIS_MACHINE, openai.Omit()), "params": {}}

    async def post(self, path: str, body: Json) -> Answer:
        """Raises StatusError, TryAgain, or EndpointRefused for a certificate that is not trusted."""
        import httpx2
        import openai

        # The raw response: building the client's model classes costs more than the rest of the call. Streamed, so
        # that a body without end can be cut off; the request itself asks for no stream.
        stream = openai.AsyncStream[object]
        call = self._client.post(
            self._url + path,
            content=to_line(body).encode(),
            options=self._options,
            cast_to=httpx2.Response,
            stream=True,
            stream_cls=stream,
        )
        return await self._receive(call)  # type: ignore[arg-type]

    async def get(self, path: str) -> Answer:
        """Raises as `post` does."""
        import httpx2
        import openai

        stream = openai.AsyncStream[object]
        call = self._client.get(
            self._url + path, options=self._options, cast_to=httpx2.Response, stream=True, stream_cls=stream
        )
        return await self._receive(call)  # type: ignore[arg-type]

    async def _receive(self, call: "Awaitable[httpx2.Response]") -> Answer:
        import aiohttp
        import httpx2
        import openai

        try:
            response = await call
            content, whole = await _read(response)
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.InvalidURL, aiohttp.ClientError, OSError) as error:
            raise sentence_of_transport(error, self._identity) from None
        if not whole:
            raise TryAgain("malformed", f"reply is larger than {LARGEST_REPLY_BYTES} bytes")
        return Answer(content, response.headers)


async def _read(response: "httpx2.Response") -> tuple[bytes, bool]:
    """The body, and whether it is whole: of a larger one no more is read."""
    chunks: list[bytes] = []
    size = 0
    try:
        async with aclosing(response.aiter_bytes()) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                size += len(chunk)
                if size > LARGEST_REPLY_BYTES:
                    break
    finally:
        await response.aclose()
    return b"".join(chunks), size <= LARGEST_REPLY_BYTES


def _error_in(content: bytes) -> Json:
    """The `error` object of an error's body, or what is there in place of one."""
    text = content.decode(errors="replace").strip()
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return body.get("error", body) if isinstance(body, dict) else body


def _sendable(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError("OPENAI_API_KEY holds characters that cannot be sent in a header; copy the key again")
    return key or None


def _basic(where: EndpointUrl) -> dict[str, str]:
    if where.user_info is None:
        return {}
    credentials = ":".join(where.user_info).encode()
    return {"Authorization": f"Basic {b64encode(credentials).decode()}"}
