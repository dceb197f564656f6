"""The HTTP application under test: one POST per call, never repeated; whatever goes wrong there is a result."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evaluation.chat_flow.flow_run import BODY, PATH, HttpAnswer
from evaluation.errors import EndpointRefused, UsageError
from evaluation.identity import observation_id, trace_id
from evaluation.records import Json, Reply, Request, Usage
from services.application.access import ApplicationAccess
from services.application.bodies import Faulty, parse_body, read_body, words_of
from services.model.errors import one_line

if TYPE_CHECKING:
    import httpx

PREFLIGHT_SECONDS = 5.0
TRACE_HEADERS = ("traceresponse", "traceparent", "x-trace-id", "trace-id", "x-langfuse-trace-id")
"""Headers in which an application's trace id is looked for unless the mapping names one."""
_TRACE_PARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_LONGEST_TRACE_ID = 200


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
            reason = "no answer in time" if isinstance(error, TimeoutError) else self._safe_line(words_of(error))
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
                    content = await read_body(response)
            body = parse_body(response.status_code, content, self._safe_line)
        except Exception as error:  # whatever an HTTP library makes of a hostile answer is the application's fault
            return replace(self._fault(error), trace_id=traced)
        traced = traced or mapping.trace_of(body)[:_LONGEST_TRACE_ID]
        return HttpAnswer(response.status_code, mapping.response(path, body), trace_id=traced)

    def _fault(self, error: Exception) -> HttpAnswer:
        import httpx

        if isinstance(error, Faulty):
            return error.answer
        if isinstance(error, TimeoutError):
            return HttpAnswer(None, None, "timeout", f"no whole answer within {self.access.timeout_s:g} s")
        if isinstance(error, httpx.DecodingError):
            return HttpAnswer(None, None, "invalid_json", "the body cannot be decompressed")
        return HttpAnswer(None, None, "connection", self._safe_line(words_of(error)))

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
