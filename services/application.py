"""The HTTP application under test: one POST per call, never repeated; whatever goes wrong there is a result.

Unless another is named, it is the sample assistant of this project, run as a process of its own.
"""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evaluation.chat_flow.flow_run import BODY, PATH, FaultKind, HttpAnswer
from evaluation.chat_flow.mapping import FieldMapping
from evaluation.errors import EndpointRefused, UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import Json, Reply, Request, Usage
from services.endpoint_url import EndpointUrl
from services.model.errors import causes, one_line
from services.processes import run_server

if TYPE_CHECKING:
    import httpx

SAMPLE_NAME = "recipe-assistant"
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
    """The answer cannot be used; says why, as the HttpAnswer that stands for it."""

    def __init__(self, kind: FaultKind, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.answer = HttpAnswer(status, None, kind, message)


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
        application = Application(access, client, asyncio.Semaphore(access.concurrency))
        await application.check()
        yield application


@dataclass(frozen=True, slots=True)
class Application:
    """One application; see `services.journaled_calls.Answering`. No more calls than the bound are open at once."""

    access: ApplicationAccess
    client: "httpx.AsyncClient"
    slots: asyncio.Semaphore
    run_id: str = ""
    """The run whose flows are played: their cells give the trace ids."""
    may_start: Callable[[], None] = lambda: None
    """Called before each call is made; what it raises, the call raises."""
    under_way: Counter[str] = field(default_factory=Counter)
    """Run id -> calls that wait for an answer."""

    @property
    def identity(self) -> str:
        return self.access.identity

    def of_run(self, run_id: str, may_start: Callable[[], None] = lambda: None) -> "Application":
        """The application as one run calls it, while `may_start` lets it."""
        return replace(self, run_id=run_id, may_start=may_start)

    async def check(self) -> None:
        """Asks for the base address; any HTTP answer will do. Raises UsageError when there is none."""
        import httpx

        try:
            async with asyncio.timeout(PREFLIGHT_SECONDS), self.client.stream("GET", self.access.where.url):
                pass
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            reason = "no answer in time" if isinstance(error, TimeoutError) else self._safe_line(_words(error))
            raise UsageError(
                f"the chat application at {self.access.identity} cannot be reached ({reason}): start it, or set "
                "CHAT_FLOW_URL or --url to its address"
            ) from None

    def parameters_for(self, request: Request) -> dict[str, Json]:
        """As given: path and body."""
        return dict(request.parameters)

    async def complete(self, request: Request) -> Reply:
        """One call; its reply is an HttpAnswer as text. Raises EndpointRefused when the application is gone."""
        async with self.slots:
            self.may_start()
            started_at, tick = time.time(), time.monotonic()
            self.under_way[self.run_id] += 1
            try:
                answer = await self._ask(request)
            finally:
                self.under_way[self.run_id] -= 1
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

    async def _ask(self, request: Request) -> HttpAnswer:
        path = request.parameters[PATH]
        mapping = self.access.mapping
        url = self.access.where.url + mapping.url_path(path)
        sent = json.dumps(mapping.request(path, request.parameters[BODY]), ensure_ascii=True).encode()
        # W3C Trace Context: the application's spans become children of the cell's own observation in Langfuse.
        trace = trace_id(self.run_id, request.cell.scenario_id, request.cell.repeat)
        parent = f"00-{trace}-{observation_id(trace, 'root')}-01"
        headers = {"content-type": "application/json", "accept": "application/json", "traceparent": parent}
        traced = ""
        try:
            async with asyncio.timeout(self.access.timeout_s):
                async with self.client.stream("POST", url, content=sent, headers=headers) as response:
                    traced = self._trace_of(response.headers)
                    content = await _read_body(response)
            body = _parse(response.status_code, content, self._safe_line)
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            return replace(self._fault(error), trace_id=traced)
        traced = traced or mapping.trace_of(body)[:_LONGEST_TRACE_ID]
        return HttpAnswer(response.status_code, mapping.response(path, body), trace_id=traced)

    def _fault(self, error: Exception) -> HttpAnswer:
        import httpx

        if isinstance(error, _Faulty):
            return error.answer
        if isinstance(error, TimeoutError):
            return HttpAnswer(None, None, "timeout", f"no whole answer within {self.access.timeout_s:g} s")
        if isinstance(error, httpx.DecodingError):
            return HttpAnswer(None, None, "invalid_json", "the body cannot be decompressed")
        return HttpAnswer(None, None, "connection", self._safe_line(_words(error)))

    def _trace_of(self, headers: "httpx.Headers") -> str:
        wanted = self.access.mapping.trace_id.header
        for name in (wanted,) if wanted is not None else TRACE_HEADERS:
            value = headers.get(name, "").strip()[:_LONGEST_TRACE_ID]
            if value and value.isprintable():
                parent = _TRACE_PARENT.fullmatch(value)
                return value if parent is None else parent["trace"]
        return ""

    def _safe_line(self, text: str) -> str:
        return one_line(text, self.access.secrets)


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
    return str(causes(error)[-1]) or str(error) or type(error).__name__


@contextmanager
def sample_assistant(defects: Sequence[str] = ()) -> Iterator[str]:
    """Runs the application, with defects on purpose, while the block runs; gives its base URL.

    Raises EvaluationError when it is not ready in time.
    """
    arguments = ["--port", "0", "--exit-with-stdin", *(word for defect in defects for word in ("--defect", defect))]
    with run_server("examples.recipe_assistant", arguments, "the sample assistant") as url:
        yield url
