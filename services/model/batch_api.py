"""The batch endpoints of an OpenAI-compatible server: files up, a batch made and looked at, files down.

Each step may be tried again but the making of a batch: where its answer was lost, the list is searched for it first.
"""

import asyncio
import io
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from evaluation.errors import EndpointRefused
from evaluation.records import Json
from services.json_text import from_json
from services.model.errors import ServerError, one_line, sentence_of
from services.model.wire import Wire
from services.retrying import Retries, Tries, TryAgain

T = TypeVar("T")

FINAL = frozenset({"completed", "failed", "expired", "cancelled"})
"""The statuses after which nothing more comes."""
LOOK_TIMEOUT_S = 60.0
FILE_TIMEOUT_S = 1800.0
"""Of one upload: 200 MB over a slow line."""
INTENT = "intent"
"""Key of the batch's metadata: the digest by which a batch is found whose making was cut off."""
RUN = "run"
"""Another key of it: the pass that the batch is of, by which it is found where the journal is lost."""
LONGEST_VALUE = 512
"""Characters of a value of the metadata."""
CLOCKS_APART_S = 86_400
"""How far the server's clock may lie behind ours."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as the server describes it."""

    id: str
    status: str
    """validating, in_progress, finalizing, completed, failed, expired, cancelling or cancelled."""
    output_file: str
    """Empty where there is none, as `error_file`."""
    error_file: str
    input_file: str
    """Empty where the server does not say it, as `intent`."""
    intent: str
    created_at: float
    """Seconds since the epoch."""
    done: int
    failed: int
    code: str
    """Of the first error of a failed batch; empty without one."""
    problem: str
    """What that error says, in one line."""


@dataclass(frozen=True, slots=True)
class BatchApi:
    """One server's batches. Methods raise EndpointRefused where every further try would fail alike, else TryAgain."""

    wire: Wire
    retries: Retries
    stall_s: float = LOOK_TIMEOUT_S
    """So long nothing of a file may come before its download is begun anew."""
    variable: str = "OPENAI_BASE_URL"
    """That holds the server's address."""

    async def upload(self, name: str, lines: Iterable[bytes]) -> str:
        """The id of a new file that holds the lines, which lie in memory once."""
        buffer = io.BytesIO()
        buffer.writelines(lines)
        content = buffer.getvalue()
        sent = await self._tried(lambda: self.wire.send_file("/files", name, content, purpose="batch"), FILE_TIMEOUT_S)
        return _text(_object(sent.content), "id", "file")

    async def create(self, file_id: str, path: str, intent: str, since: float, run: str) -> BatchState:
        """The batch of that intent: the one that is there, or a new one, which bears the name of the pass too."""
        body = {
            "input_file_id": file_id,
            "endpoint": path,
            "completion_window": "24h",
            "metadata": {INTENT: intent, RUN: run[:LONGEST_VALUE]},
        }
        unsure = False

        async def make() -> BatchState:
            nonlocal unsure
            if unsure and (found := await self._find(intent, since)):
                return found
            unsure = True
            answer = await self.wire.send("POST", "/batches", body)
            return _state(_object(answer.content))

        return await self._tried(make)

    async def find(self, intent: str, since: float) -> BatchState | None:
        """The batch of that intent, made after `since` (seconds since the epoch); None where there is none."""
        return await self._tried(lambda: self._find(intent, since))

    async def look(self, batch_id: str) -> BatchState | None:
        """The batch as it stands; None where the server does not know it any more."""

        async def ask() -> BatchState | None:
            try:
                return _state(_object((await self.wire.send("GET", f"/batches/{batch_id}")).content))
            except ServerError as error:
                if error.status == 404:
                    return None
                raise

        return await self._tried(ask)

    async def cancel(self, batch_id: str) -> None:
        """Asks the server to end the batch; one that has ended already stays as it is."""

        async def ask() -> None:
            try:
                await self.wire.send("POST", f"/batches/{batch_id}/cancel", {})
            except ServerError as error:
                if error.status not in (400, 404, 409):
                    raise

        await self._tried(ask)

    async def lines(self, file_id: str) -> AsyncGenerator[dict[str, Any], None]:
        """The objects in a file, one a line; what is no object is passed over.

        A file that broke off is read again. Tries count from the last one that brought a new line: a long file over a
        bad connection ends as long as it comes further.
        """
        seen, attempt, backoff = 0, 0, self.retries.backoff
        while True:
            attempt += 1
            try:
                async for number, found in self._objects(file_id):
                    if number > seen:
                        seen, attempt = number, 1
                        yield found
                return
            except TryAgain:
                if attempt >= backoff.attempts:
                    raise
                await self.retries.sleep(min(backoff.longest_s, backoff.first_s * 2**attempt))

    async def _objects(self, file_id: str) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """(number of the line, the object in it); none where the file is no longer there."""
        number = 0
        try:
            async with aclosing(self.wire.lines(f"/files/{file_id}/content")) as lines:
                while (line := await self._next(lines)) is not None:
                    number += 1
                    found = None
                    with suppress(ValueError):
                        found = from_json(line)
                    if isinstance(found, dict):
                        yield number, found
        except ServerError as error:
            if error.status != 404:
                raise self._sentence(error) from None

    async def _next(self, lines: AsyncIterator[bytes]) -> bytes | None:
        """The next line, None at the end. A download that stands still is broken off."""
        try:
            async with asyncio.timeout(self.stall_s):
                return await anext(lines, None)
        except TimeoutError:
            raise TryAgain("timeout", f"nothing came for {self.stall_s:g} s") from None

    async def of_run(self, run: str, since: float) -> list[BatchState]:
        """The batches of a pass that were made after `since` (seconds since the epoch), the newest first."""
        return await self._tried(lambda: self._of_run(run, since))

    async def _of_run(self, run: str, since: float) -> list[BatchState]:
        return [
            _state(each)
            async for each in self._listed(since)
            if _metadata(each).get(RUN) == run[:LONGEST_VALUE] and INTENT in _metadata(each)
        ]

    async def _find(self, intent: str, since: float) -> BatchState | None:
        async with aclosing(self._listed(since)) as listed:
            async for each in listed:
                if _metadata(each).get(INTENT) == intent:
                    return _state(each)
        return None

    async def _listed(self, since: float) -> AsyncGenerator[dict[str, Any], None]:
        """The batches of the account, the newest first, until those made before `since`."""
        after = ""
        while True:
            answer = await self.wire.send("GET", f"/batches?limit=100{f'&after={after}' if after else ''}")
            page = _object(answer.content)
            listed = [each for each in page.get("data") or () if isinstance(each, dict)]
            for each in listed:
                yield each
            made = [each["created_at"] for each in listed if isinstance(each.get("created_at"), int | float)]
            last = str(listed[-1].get("id", "")) if listed else ""
            if not page.get("has_more") or not last or last == after or (made and max(made) < since - CLOCKS_APART_S):
                return
            after = last

    async def _tried(self, work: Callable[[], Awaitable[T]], timeout_s: float = LOOK_TIMEOUT_S) -> T:
        async def attempt(_: Tries) -> T:
            try:
                async with asyncio.timeout(timeout_s):
                    return await work()
            except TimeoutError:
                raise TryAgain("timeout", f"timed out after {timeout_s:g} s") from None
            except ServerError as error:
                raise self._sentence(error) from None

        return await self.retries.run(attempt, Tries())

    def _sentence(self, error: ServerError) -> Exception:
        if error.status in (404, 405):
            return EndpointRefused(
                f"{self.wire.identity} has no batches ({error.text}): leave out --batch, or set {self.variable} to an "
                "endpoint that has POST /files and /batches"
            )
        found = sentence_of(error, endpoint=self.wire.identity, model="", purpose="generation")
        if isinstance(found, EndpointRefused | TryAgain):
            return found
        return EndpointRefused(f"{self.wire.identity} refuses the batch ({error.text}): leave out --batch")


def batch_line(custom_id: str, path: str, body: Json) -> bytes:
    """One line of an input file."""
    line = {"custom_id": custom_id, "method": "POST", "url": path, "body": body}
    return (json.dumps(line, ensure_ascii=True, separators=(",", ":"), default=dict) + "\n").encode()


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = from_json(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise TryAgain("malformed", "the answer about a batch is no JSON object")
    return found


def _text(found: dict[str, Any], name: str, what: str) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value:
        raise TryAgain("malformed", f"the answer about a {what} has no {name}")
    return value


def _state(found: dict[str, Any]) -> BatchState:
    counts = _mapping(found.get("request_counts"))
    errors = found.get("errors")
    listed = errors.get("data") if isinstance(errors, dict) else errors
    first = _mapping(listed[0] if isinstance(listed, list) and listed else None)
    made = found.get("created_at")
    return BatchState(
        id=_text(found, "id", "batch"),
        status=_text(found, "status", "batch"),
        output_file=str(found.get("output_file_id") or ""),
        error_file=str(found.get("error_file_id") or ""),
        input_file=str(found.get("input_file_id") or ""),
        intent=str(_metadata(found).get(INTENT) or ""),
        created_at=float(made) if isinstance(made, int | float) else 0.0,
        done=_whole(counts.get("completed")),
        failed=_whole(counts.get("failed")),
        code=one_line(str(first.get("code") or ""), limit=60),
        problem=one_line(str(first.get("message") or "")),
    )


def _metadata(found: dict[str, Any]) -> dict[str, Any]:
    return _mapping(found.get("metadata"))


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
