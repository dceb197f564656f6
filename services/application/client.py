"""The HTTP application under test: one POST per call, never repeated; whatever goes wrong there is a result."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.chat_flow.flow_run import FaultKind
from evaluation.chat_flow.http_answer import BODY, PATH, HttpAnswer
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import EndpointRefused, UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import Json, Reply, Request, Usage
from services.endpoint_url import EndpointUrl
from services.model.errors import one_line

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 2_000_000
"""Of one response body, decompressed; a longer one is a fault of the application."""
PREFLIGHT_SECONDS = 5.0
TRACE_HEADERS = ("traceresponse", "traceparent", "x-trace-id", "trace-id", "x-langfuse-trace-id")
"""Headers in which an application's trace id is looked for unless the mapping names one."""
_TRACE_PARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_LONGEST_TRACE_ID = 200


@dataclass(frozen=True, slots=True)
class ApplicationAccess:
    """The application's address, and the manner of calling it. `repr` shows no secret."""

    where: EndpointUrl = field(repr=False)
    identity: str
    """Its name in runs and the journal: its address without user info, or name, version and defects."""
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    """Of one call, from connecting to the last byte."""
    mapping: FieldMapping
    concurrency: int
    secrets: tuple[str, ...] = field(default=(), repr=False)


class _Faulty(Exception):
    """The answer cannot be used; says why."""

    def __init__(self, kind: FaultKind, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status


@asynccontextmanager
async def open_application(access: ApplicationAccess) -> AsyncIterator["Application"]:
    """The application, looked for before anything else. Raises UsageError when nobody answers at its address."""
    import httpx

    limits = httpx.Limits(max_connections=access.concurrency, max_keepalive_connections=access.concurrency)
    async with httpx.AsyncClient(
        headers=dict(access.headers),
        auth=access.where.user_info,
        params=access.where.query or None,
        timeout=None,
        limits=limits,
        trust_env=not access.where.loopback,
        follow_redirects=False,
    ) as client:
        application = Application(access, client)
        await application.check()
        yield application


class Application:
    """One application. Any number of calls may be asked for at once; no more than the bound are open."""

    def __init__(self, access: ApplicationAccess, client: "httpx.AsyncClient") -> None:
        self.identity = access.identity
        self._access = access
        self._client = client
        self._slots = asyncio.Semaphore(access.concurrency)

    async def check(self) -> None:
        """Asks for the base address; any HTTP answer will do. Raises UsageError when there is none."""
        import httpx

        try:
            async with asyncio.timeout(PREFLIGHT_SECONDS), self._client.stream("GET", self._access.where.url):
                pass
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            reason = "no answer in time" if isinstance(error, TimeoutError) else self._shown(_words(error))
            raise UsageError(
                f"the chat application at {self._access.identity} cannot be reached ({reason}): start it, or set "
                "CHAT_FLOW_URL or --url to its address"
            ) from None

    def of_run(self, run_id: str) -> "ApplicationOfRun":
        """The application as one run calls it: under the trace ids of its cells."""
        return ApplicationOfRun(self, run_id)

    async def answer(self, request: Request, trace_parent: str) -> Reply:
        """One call; its reply is an HttpAnswer as text. Raises EndpointRefused when the application is gone."""
        async with self._slots:
            started_at, tick = time.time(), time.monotonic()
            answer = await self._ask(request, trace_parent)
            if answer.fault == "connection":
                await self._check_that_it_runs()
            ended_at = started_at + time.monotonic() - tick
        return Reply(
            text=answer.to_text(),
            finish_reason=answer.fault or "stop",
            model=self.identity,
            parameters=request.parameters,
            usage=Usage(),
            started_at=started_at,
            ended_at=ended_at,
            cost_usd=0.0,
        )

    async def _check_that_it_runs(self) -> None:
        """A connection that an application breaks is a failure of its own; that it ended says nothing of the case."""
        try:
            await self.check()
        except UsageError as gone:
            raise EndpointRefused(str(gone)) from None

    async def _ask(self, request: Request, trace_parent: str) -> HttpAnswer:
        path = request.parameters[PATH]
        mapping = self._access.mapping
        url = self._access.where.url + mapping.url_path(path)
        sent = json.dumps(mapping.request(path, request.parameters[BODY]), ensure_ascii=True).encode()
        headers = {"content-type": "application/json", "accept": "application/json", "traceparent": trace_parent}
        traced = ""
        try:
            async with asyncio.timeout(self._access.timeout_s):
                async with self._client.stream("POST", url, content=sent, headers=headers) as response:
                    traced = self._trace_of(response.headers)
                    content = await _read_body(response)
            body = _parse(response.status_code, content, self._shown)
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            fault = self._fault(error)
            return HttpAnswer(fault.status, None, fault.kind, fault.message, traced)
        traced = traced or mapping.trace_id(body)[:_LONGEST_TRACE_ID]
        return HttpAnswer(response.status_code, mapping.response(path, body), trace_id=traced)

    def _fault(self, error: Exception) -> _Faulty:
        import httpx

        if isinstance(error, _Faulty):
            return error
        if isinstance(error, TimeoutError):
            return _Faulty("timeout", f"no whole answer within {self._access.timeout_s:g} s")
        if isinstance(error, httpx.DecodingError):
            return _Faulty("invalid_json", "the body cannot be decompressed")
        return _Faulty("connection", self._shown(_words(error)))

    def _trace_of(self, headers: "httpx.Headers") -> str:
        wanted = self._access.mapping.trace_header
        for name in (wanted,) if wanted is not None else TRACE_HEADERS:
            value = headers.get(name, "").strip()[:_LONGEST_TRACE_ID]
            if value and value.isprintable():
                parent = _TRACE_PARENT.fullmatch(value)
                return value if parent is None else parent["trace"]
        return ""

    def _shown(self, text: str) -> str:
        return one_line(text, self._access.secrets)


@dataclass(frozen=True, slots=True)
class ApplicationOfRun:
    """Answers the calls of one run's flows; see `services.journaled_calls.Answering`."""

    application: Application
    run_id: str

    @property
    def identity(self) -> str:
        return self.application.identity

    def parameters_for(self, request: Request) -> dict[str, Json]:
        """As given: path and body."""
        return dict(request.parameters)

    async def complete(self, request: Request) -> Reply:
        """Asks once; what goes wrong in the application is in the reply."""
        return await self.application.answer(request, self._trace_parent(request))

    def _trace_parent(self, request: Request) -> str:
        """W3C Trace Context: the application's spans become children of the cell's own observation in Langfuse."""
        trace = trace_id(self.run_id, request.cell.scenario_id, request.cell.repeat)
        return f"00-{trace}-{observation_id(trace, 'root')}-01"


async def _read_body(response: "httpx.Response") -> bytes:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise _Faulty("schema", f"the body is larger than {MAX_BYTES:,} bytes", response.status_code)
    return bytes(content)


def _parse(status: int, content: bytes, shown: Callable[[str], str]) -> Json:
    """The JSON of a good answer; raises _Faulty."""
    if not 200 <= status < 300:
        said = shown(content[:2000].decode("utf-8", "replace"))
        raise _Faulty("http_status", f"HTTP {status}{f': {said}' if said else ''}", status)
    if not content.strip():
        raise _Faulty("empty", f"HTTP {status} with an empty body", status)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        start = shown(content[:200].decode("utf-8", "replace"))
        raise _Faulty("invalid_json", f"the body is no JSON: {start}", status) from None


def _words(error: Exception) -> str:
    """The innermost cause, which says most."""
    cause: BaseException = error
    while (inner := cause.__cause__ or cause.__context__) is not None:
        cause = inner
    return str(cause) or str(error) or type(error).__name__
