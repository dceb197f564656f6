"""Langfuse's REST interface over httpx: one try with a known outcome, and tries repeated where that is harmless."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from evaluation.errors import UsageError
from evaluation.records import Json
from services.endpoint_url import parse_endpoint_url
from services.rate_headers import retry_after
from services.retrying import Backoff, Retries, Tries, TryAgain
from services.settings import LangfuseAccess

if TYPE_CHECKING:
    import httpx

ATTEMPT_SECONDS = 30.0
"""Longest time for one try of one request, from connecting to the last byte."""
PATIENCE = Backoff(attempts=3, first_s=0.5, longest_s=4.0, retry_after_cap_s=120.0, deadline_s=20.0)
"""Short: who delivers waits longer between rounds, and can be told to stop there."""
QUICK = Backoff(attempts=2, first_s=0.5, longest_s=1.0, retry_after_cap_s=15.0, deadline_s=20.0)
"""Of the preflight, which people wait for."""
QUICK_SECONDS = 10.0
TRACES = "otel/v1/traces"
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock that waits are measured by, and how to wait; both in seconds."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Rejected(Exception):
    """The server read the request and refuses it: nothing of it was stored, and asking again would not help."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class NotStored(TryAgain):
    """The request certainly had no effect: no connection came about, or the server asked for patience (429)."""


class Unknown(TryAgain):
    """The request may or may not have had its effect: the answer is missing, or says that something broke."""


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
        timing = timing or Timing()
        self._access = access
        self._url = parse_endpoint_url(access.base_url)
        self._retries = Retries(backoff, sleep=timing.sleep, clock=timing.clock)
        self._attempt_seconds = attempt_seconds
        self._client: httpx.AsyncClient | None = None
        self.where = f"Langfuse at {self._url.identity}"

    @property
    def base_url(self) -> str:
        """The server's address for links, without user info."""
        return self._url.identity

    async def __aenter__(self) -> Self:
        import httpx

        self._client = httpx.AsyncClient(
            base_url=f"{self._url.url}/api/public/",
            auth=(self._access.public_key, self._access.secret_key),
            headers={
                "x-langfuse-sdk-name": "python",
                "x-langfuse-sdk-version": version("langfuse"),
                "x-langfuse-public-key": self._access.public_key,
            },
            timeout=self._attempt_seconds,
            trust_env=not self._url.loopback,
            follow_redirects=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def get(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Any:
        """The JSON answer. Raises Rejected, UsageError for refused keys, TryAgain when patience ends."""
        return (await self.repeated("GET", path, params=dict(parameters or {}))).json()

    async def put(self, path: str, body: Json) -> Any:
        """Posts what replaces its former self, so that repeating it is harmless. Raises like `get`."""
        return (await self.repeated("POST", path, json=body)).json()

    async def repeated(self, method: str, path: str, **content: Any) -> "httpx.Response":
        """A request that may be repeated whatever became of the try before."""
        return await self._retries.run(lambda _: self.once(method, path, **content), Tries())

    async def posted_once(self, path: str, **content: Any) -> "httpx.Response":
        """A request that is repeated only after tries that certainly had no effect. Raises Unknown for the others."""

        async def attempt(_: Tries) -> "httpx.Response | Unknown":
            try:
                return await self.once("POST", path, **content)
            except Unknown as unknown:
                return unknown

        outcome = await self._retries.run(attempt, Tries())
        if isinstance(outcome, Unknown):
            raise outcome
        return outcome

    async def once(self, method: str, path: str, **content: Any) -> "httpx.Response":
        """One try. Raises NotStored, Unknown, Rejected, or UsageError when the keys are refused."""
        import httpx

        assert self._client is not None
        try:
            async with asyncio.timeout(self._attempt_seconds):
                response = await self._client.request(method, path, **content)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NotStored("connection", f"cannot be reached ({_reason(error)})", of_endpoint=True) from None
        except (TimeoutError, httpx.TimeoutException):
            raise Unknown("timeout", f"did not answer within {self._attempt_seconds:g} s") from None
        except httpx.HTTPError as error:
            raise Unknown("connection", f"broke off ({_reason(error)})") from None
        self._check(response)
        return response

    def _check(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status == 429:
            wait = retry_after({name.lower(): value for name, value in response.headers.items()}, time.time())
            raise NotStored("rate_limited", "asks for patience (429)", wait_s=wait, throttled=True)
        if status in (401, 403):
            raise UsageError(
                f"{self.where} refuses the keys ({status}): check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, "
                "and that LANGFUSE_BASE_URL is the region of their project"
            )
        if status >= 500 or status == 408:
            raise Unknown("server_error", f"answered {status}")
        if not 200 <= status < 300:
            raise Rejected(status, _message(response))
        if "json" not in response.headers.get("content-type", ""):
            raise Rejected(status, "the answer is no JSON")


def _reason(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:_SHOWN]


def _message(response: "httpx.Response") -> str:
    """What the server gives as reason, in one line."""
    try:
        body = response.json()
        text = str(body["message"])
        detail = body.get("error")
        if isinstance(detail, list | dict):
            text = f"{text}: {detail}"
    except (ValueError, KeyError, TypeError, AttributeError):
        text = response.text
    return " ".join(text[: 4 * _SHOWN].split())[:_SHOWN] or "no reason given"
