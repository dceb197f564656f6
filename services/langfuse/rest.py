"""Langfuse's REST interface over aiohttp: one try with a known outcome, and tries repeated where that is harmless.

aiohttp, because a suite's first delivery is a request per scenario, and httpx takes twice the CPU for each.
"""

import asyncio
import math
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from evaluation.errors import UsageError
from evaluation.records import Json
from services.endpoint_url import EndpointUrl, parse_endpoint_url
from services.json_text import from_json, to_line
from services.langfuse_access import LangfuseAccess
from services.retrying import Backoff, Retries, Tries, TryAgain, retry_after

if TYPE_CHECKING:
    from ssl import SSLContext

    import aiohttp

T = TypeVar("T")

ATTEMPT_SECONDS = 30.0
"""Longest time for one try of one request, from connecting to the last byte."""
PATIENCE = Backoff(attempts=3, first_s=0.5, longest_s=4.0, retry_after_cap_s=120.0, deadline_s=20.0)
"""Short: who delivers waits longer between rounds, and can be stopped there."""
QUICK = Backoff(attempts=2, first_s=0.5, longest_s=1.0, retry_after_cap_s=15.0, deadline_s=20.0)
"""Of the preflight, which people wait for."""
QUICK_SECONDS = 10.0
TRACES = "otel/v1/traces"
FIRST_PAGE = {"page": 1, "limit": 100}
"""Parameters of a list whose pages are numbered."""
SHORTEST_WAIT_S = 0.05
UNSAID_WAIT_S = 1.0
"""After a 429 that does not say how long to wait."""
_TRIES = 3
"""Of what is looked for after each try."""
_SHOWN = 300
PATIENT = "asks for patience (429)"
JSON_HEADERS = {"content-type": "application/json"}
_IDLE_CONNECTION_S = 4.0
"""Below the 5 s after which common servers close an idle connection: a POST that meets the close may have arrived."""
_LARGE_BYTES = 1_000_000
"""Larger bodies are handed over piece by piece."""
LARGEST_ANSWER_BYTES = 100_000_000
"""A page of a hundred dataset items whose texts are as long as they may be takes half of it."""


class Parts(TypedDict, total=False):
    """The parts of a request other than method and path: its body as JSON or as it is."""

    params: Mapping[str, str | int]
    json: Json
    content: bytes
    headers: Mapping[str, str]


class Rejected(Exception):
    """The server read the request and refuses it: nothing of it was stored, and asking again would not help."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class KeysRefused(UsageError):
    """The server refuses the keys altogether (401), or for what was asked (403)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class NotStored(TryAgain):
    """The request certainly had no effect: no connection came about, or the server asked for patience (429)."""


class Unknown(TryAgain):
    """The request may or may not have had its effect: the answer is missing, or says that something broke."""


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """A good answer, read to its end."""

    status: int
    content: bytes

    def json(self) -> Any:
        """Raises ValueError for what is no JSON."""
        return from_json(self.content)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something is not done yet."""

    problems: tuple[str, ...]
    """Everything that is left, for the report."""
    said: str
    """Why, in words for the progress line."""
    wait_s: float | None = None
    """Seconds after which trying again makes sense, where that is known."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock that waits are measured by, and how to wait; both in seconds."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def until(
        self,
        attempt: Callable[[], Awaitable[Waiting | None]],
        deadline: float,
        longest_s: float,
        progress: Callable[[str], None],
    ) -> tuple[str, ...]:
        """Attempts until nothing is left or no further attempt fits before the deadline; returns what is left then.

        Waits as long as it is asked to, else longer from time to time, at most `longest_s`.
        """
        pause = 1.0
        while waiting := await attempt():
            left = deadline - self.clock()
            if left <= (waiting.wait_s or 0):
                return waiting.problems
            wait = waiting.wait_s or min(pause, left)
            progress(f"Langfuse: {waiting.said}; going on in {wait:.0f} s")
            await self.sleep(max(SHORTEST_WAIT_S, wait))
            pause = min(2 * pause, longest_s)
        return ()


class LangfuseRest:
    """One project's REST interface: an asynchronous context manager. Every path is below /api/public/."""

    def __init__(
        self,
        access: LangfuseAccess,
        *,
        backoff: Backoff = PATIENCE,
        timing: Timing | None = None,
        attempt_seconds: float = ATTEMPT_SECONDS,
    ) -> None:
        self.timing = timing or Timing()
        self._url = parse_endpoint_url(access.base_url)
        self._retries = Retries(backoff, sleep=self.timing.sleep, clock=self.timing.clock)
        self._attempt_seconds = attempt_seconds
        self._session: aiohttp.ClientSession | None = None
        self._longest_hold_s = backoff.retry_after_cap_s
        self._held_until = -math.inf
        """No request begins before, on the clock: the server has asked for patience."""
        keys = f"{access.public_key}:{access.secret_key}".encode()
        # With each request and not the session's own: a proxy would get those as well.
        self._headers = {
            "authorization": f"Basic {b64encode(keys).decode()}",
            "x-langfuse-sdk-name": "python",
            "x-langfuse-sdk-version": version("langfuse"),
            "x-langfuse-public-key": access.public_key,
        }
        self.base_url = self._url.identity
        """The server's address for links, without user info."""
        self.where = f"Langfuse at {self.base_url}"

    async def __aenter__(self) -> Self:
        import aiohttp

        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=_certificates(self._url), keepalive_timeout=_IDLE_CONNECTION_S),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._attempt_seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=_proxy(self._url),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Any:
        """The JSON answer. Raises Rejected, UsageError for refused keys, TryAgain when patience ends."""
        return (await self.send("GET", path, params=parameters or {})).json()

    async def put(self, path: str, body: Json) -> Any:
        """Posts what replaces its former self, so that repeating it is harmless. Raises like `get`."""
        return (await self.send("POST", path, json=body)).json()

    async def rows(self, path: str, **parameters: str | int) -> AsyncIterator[Any]:
        """The rows of a list, page after page, whether pages are numbered or name the next one. Raises like `get`."""
        for page in count(2):
            answer = await self.get(path, parameters)
            for row in answer["data"]:
                yield row
            meta = answer["meta"]
            if meta.get("cursor"):
                parameters["cursor"] = meta["cursor"]
            elif "page" in parameters and page <= meta["totalPages"]:
                parameters["page"] = page
            else:
                return

    async def send(self, method: str, path: str, **parts: Unpack[Parts]) -> RestAnswer:
        """A request that may be repeated whatever became of the try before."""
        return await self._retries.run(lambda _: self.once(method, path, **parts), Tries())

    async def send_once(self, method: str, path: str, **parts: Unpack[Parts]) -> RestAnswer:
        """A request that is repeated only after tries that certainly had no effect. Raises Unknown for the others."""

        async def attempt(_: Tries) -> RestAnswer | Unknown:
            try:
                return await self.once(method, path, **parts)
            except Unknown as unknown:
                return unknown

        outcome = await self._retries.run(attempt, Tries())
        if isinstance(outcome, Unknown):
            raise outcome
        return outcome

    async def make(self, path: str, body: Json, find: Callable[[], Awaitable[T | None]]) -> T:
        """Posts what must not be made twice; the answer, or what `find` sees after a try of unknown outcome.

        Raises Unknown when the last of the tries has no known outcome either, Rejected when the server refuses.
        """
        for left in reversed(range(_TRIES)):
            try:
                made: T = (await self.send_once("POST", path, json=body)).json()
                return made
            except Unknown:
                if (there := await find()) is not None:
                    return there
                if not left:
                    raise
        raise AssertionError("unreachable")

    async def once(self, method: str, path: str, **parts: Unpack[Parts]) -> RestAnswer:
        """One try, which is not made while the server has asked any request of this connection for patience.

        Raises NotStored, Unknown, Rejected, or UsageError when the keys are refused.
        """
        if (left := self._held_until - self.timing.clock()) > 0:
            raise NotStored("rate_limited", PATIENT, wait_s=max(left, SHORTEST_WAIT_S), throttled=True)
        try:
            return await self._ask(method, path, **parts)
        except NotStored as failure:
            if failure.throttled:
                wait = UNSAID_WAIT_S if failure.wait_s is None else min(failure.wait_s, self._longest_hold_s)
                self._held_until = max(self._held_until, self.timing.clock() + wait)
            raise

    async def _ask(self, method: str, path: str, **parts: Unpack[Parts]) -> RestAnswer:
        import aiohttp

        assert self._session is not None
        query = urlencode(parts.get("params") or {})
        url = f"{self._url.url}/api/public/{path}{f'?{query}' if query else ''}"
        content, headers = parts.get("content", b""), {**self._headers, **parts.get("headers", {})}
        if "json" in parts:
            content, headers = to_line(parts["json"]).encode(), {**self._headers, **JSON_HEADERS}
        body = BytesIO(content) if len(content) > _LARGE_BYTES else content or None
        try:
            async with (
                asyncio.timeout(self._attempt_seconds),
                self._session.request(method, url, data=body, headers=headers, allow_redirects=False) as response,
            ):
                answered = await _read(response)
        except aiohttp.ClientHttpProxyError as error:
            raise NotStored("connection", f"cannot be reached (the proxy answers {error.status})") from None
        except aiohttp.InvalidURL:
            # Without the address: that of a proxy may hold a password.
            raise NotStored("connection", "cannot be reached (its address, or the proxy's, cannot be read)") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NotStored("connection", f"cannot be reached ({_reason(error)})", of_endpoint=True) from None
        except TimeoutError:
            raise Unknown("timeout", f"did not answer within {self._attempt_seconds:g} s") from None
        except (aiohttp.ClientError, OSError) as error:
            raise Unknown("connection", f"broke off ({_reason(error)})") from None
        raise_passing_or_refused(self.where, response.status, response.headers)
        if not 200 <= response.status < 300:
            raise Rejected(response.status, _message(answered))
        if "json" not in response.headers.get("content-type", ""):
            raise Rejected(response.status, "the answer is no JSON")
        return RestAnswer(response.status, answered)


async def share_out(items: Iterable[T], work: Callable[[T], Awaitable[None]], at_once: int) -> None:
    """Does the work of each item, that of `at_once` at a time.

    Raises the first failure, once the work under way has come to its end; no other begins after it.
    """
    waiting, failures = iter(items), list[Exception]()

    async def take() -> None:
        try:
            for item in waiting:
                if failures:
                    return
                await work(item)
        except Exception as failure:
            failures.append(failure)

    await asyncio.gather(*(take() for _ in range(at_once)))
    if failures:
        raise failures[0]


def raise_passing_or_refused(where: str, status: int, headers: Mapping[str, str]) -> None:
    """Raises NotStored or Unknown for a status that may pass, KeysRefused for refused keys; nothing for any other."""
    if status == 429:
        wait = retry_after({name.lower(): value for name, value in headers.items()}, time.time())
        raise NotStored("rate_limited", PATIENT, wait_s=wait, throttled=True)
    if status in (401, 403):
        raise KeysRefused(
            f"{where} refuses the keys ({status}): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, "
            "and that LANGFUSE_BASE_URL is the region of their project",
            status,
        )
    if status >= 500 or status == 408:
        raise Unknown("server_error", f"answered {status}")


async def _read(response: "aiohttp.ClientResponse") -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > LARGEST_ANSWER_BYTES:
            raise Unknown("malformed", f"sent an answer of more than {LARGEST_ANSWER_BYTES:,} bytes")
        chunks.append(chunk)
    return b"".join(chunks)


def _certificates(url: EndpointUrl) -> "bool | SSLContext":
    """Certificates that the server's is checked against; reading it costs more than a run's requests to a plain one."""
    if not url.url.startswith("https:"):
        return True
    import httpx

    # The certificates that come with Python's packages, or those of SSL_CERT_FILE: some systems' Python has none.
    return httpx.create_ssl_context(trust_env=not url.loopback)


def _proxy(url: EndpointUrl) -> str | None:
    """The proxy that the environment names for this server."""
    parts = urlsplit(url.url)
    if url.loopback or proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _reason(error: Exception) -> str:
    """In one line, without the address: messages begin with it."""
    import aiohttp

    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    text = str(getattr(cause, "strerror", None) or cause)
    return (" ".join(text.split()) or type(cause).__name__)[:_SHOWN]


def _message(content: bytes) -> str:
    """The reason that the server gives, in one line."""
    try:
        body = from_json(content)
        text = str(body["message"])
        detail = body.get("error")
        if isinstance(detail, list | dict):
            text = f"{text}: {detail}"
    except (ValueError, KeyError, TypeError, AttributeError):
        text = content.decode(errors="replace")
    return " ".join(text[: 4 * _SHOWN].split())[:_SHOWN] or "no reason given"
