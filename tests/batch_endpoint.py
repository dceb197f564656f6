"""An endpoint on loopback with files and batches beside its live calls, and faults at each step.

Whoever answers a line is the rehearsal server, so that a run in batches says what a live one does. A batch is worked
off when it has been looked at `looks` times. Everything is kept in memory and outlives the client.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from typing import Any

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.server import Rehearsal
from services.rehearsal.wire import HttpRequest, HttpResponse
from tests.loopback import in_thread, listening


@dataclass
class Faults:
    """What goes wrong, each so often as its number says."""

    upload: int = 0
    """POST /files answers 500."""
    create_lost: int = 0
    """A batch is made, and its answer is 503."""
    create: int = 0
    """POST /batches answers 429."""
    look: int = 0
    """GET of a batch answers 502."""
    cut: int = 0
    """A file breaks off in the middle of its download."""
    garbled: int = 0
    """A line of the output is no JSON."""
    line_errors: int = 0
    """A line is answered with 500."""
    no_credit: int = 0
    """A line is answered with 429, as the account has no credit."""
    expires: int = 0
    """A batch expires with half of its lines done."""
    fails: list[str] = field(default_factory=list)
    """Codes with which batches fail, one after another."""
    cancelled: int = 0
    """A batch is cancelled by somebody with half of its lines done."""
    never: bool = False
    """No batch is ever worked on."""


@dataclass
class Batch:
    id: str
    file: str
    metadata: dict[str, str]
    status: str = "validating"
    looks: int = 0
    output: str | None = None
    errors: str | None = None
    code: str = ""
    created_at: int = 1_000


class BatchEndpoint:
    """The server's memory and its answers."""

    def __init__(self, options: RehearsalOptions, looks: int, faults: Faults) -> None:
        self.faults, self.looks = faults, looks
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.has_batch = threading.Event()
        """Set once a batch is made."""
        self.live = 0
        """Chat completions that were asked live."""
        self.answered: Counter[str] = Counter()
        """Body of a line -> how often it was worked off, and so paid for."""
        self._rehearse = Rehearsal(options).respond
        self.url = ""

    @property
    def settings(self) -> dict[str, str]:
        """For the commands that ask it."""
        return {
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": "key-of-a-test",
            "EVAL_MODEL": "rehearsal",
            "EVAL_JUDGE_MODEL": "rehearsal-judge",
        }

    def respond(self, request: HttpRequest) -> HttpResponse:
        path = request.path.removeprefix("/v1")
        if path == "/files" and request.method == "POST":
            return self._upload(request)
        if found := re.fullmatch(r"/files/([\w-]+)/content", path):
            return self._download(found[1])
        if path == "/batches":
            return self._create(json.loads(request.body)) if request.method == "POST" else self._list()
        if found := re.fullmatch(r"/batches/([\w-]+)(/cancel)?", path):
            return self._cancel(found[1]) if found[2] else self._look(found[1])
        self.live += path == "/chat/completions"
        return self._rehearse(request)

    def _upload(self, request: HttpRequest) -> HttpResponse:
        if self._strikes("upload"):
            return _error(500, "try later")
        purpose, content = _parts(request)
        assert purpose == b"batch"
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return _answer({"id": name, "object": "file"})

    def _download(self, name: str) -> HttpResponse:
        content = self.files.get(name)
        if content is None:
            return _error(404, "no such file")
        if self._strikes("cut"):
            return HttpResponse(200, content, manner="disconnect")
        return HttpResponse(200, content)

    def _create(self, asked: dict[str, Any]) -> HttpResponse:
        if self._strikes("create"):
            return _error(429, "too many")
        batch = Batch(f"batch_{len(self.batches) + 1}", asked["input_file_id"], asked["metadata"])
        self.batches[batch.id] = batch
        self.has_batch.set()
        return _error(503, "no answer") if self._strikes("create_lost") else _answer(_described(batch))

    def _list(self) -> HttpResponse:
        return _answer({"data": [_described(each) for each in reversed(self.batches.values())], "has_more": False})

    def _look(self, name: str) -> HttpResponse:
        if self._strikes("look"):
            return _error(502, "bad gateway")
        batch = self.batches.get(name)
        if batch is None:
            return _error(404, "no such batch")
        batch.looks += 1
        if batch.status in ("validating", "in_progress") and not self.faults.never:
            batch.status = "in_progress"
            if batch.looks > self.looks:
                self._work(batch)
        return _answer(_described(batch))

    def _cancel(self, name: str) -> HttpResponse:
        batch = self.batches[name]
        if batch.status in ("validating", "in_progress"):
            self._work(batch, "cancelled")
        return _answer(_described(batch))

    def _work(self, batch: Batch, ends: str = "") -> None:
        if self.faults.fails:
            batch.status, batch.code = "failed", self.faults.fails.pop(0)
            return
        lines = self.files[batch.file].splitlines()
        for status in ("expires", "cancelled"):
            if not ends and self._strikes(status):
                ends = {"expires": "expired"}.get(status, status)
        done = lines[: len(lines) // 2] if ends else lines
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        refused: list[dict[str, Any]] = []
        for line in map(json.loads, done):
            if self._strikes("no_credit"):
                refused.append(line)
                continue
            (bad if self._strikes("line_errors") else good).append(line)
        texts = [_output(line["custom_id"], 200, self._complete(line)) for line in reversed(good)]
        if texts and self._strikes("garbled"):
            texts[0] = texts[0][: len(texts[0]) // 2]
        batch.output = self._keep(texts)
        failed = [_output(line["custom_id"], 500, {"error": {"message": "overloaded"}}) for line in bad]
        empty = {"error": {"message": "no credit", "code": "insufficient_quota"}}
        failed += [_output(line["custom_id"], 429, empty) for line in refused]
        if ends == "expired":
            late = [json.loads(line)["custom_id"] for line in lines[len(done) :]]
            failed += [_unanswered(name, "batch_expired") for name in late]
        batch.errors = self._keep(failed)
        batch.status = ends or "completed"

    def _complete(self, line: dict[str, Any]) -> Any:
        body = json.dumps(line["body"]).encode()
        self.answered[line["custom_id"].rpartition("-")[0]] += 1
        headers = {"authorization": "Bearer x", "content-type": "application/json"}
        return json.loads(self._rehearse(HttpRequest("POST", line["url"], headers, body)).body)

    def _keep(self, lines: list[str]) -> str | None:
        if not lines:
            return None
        name = f"file-{len(self.files) + 1}"
        self.files[name] = "".join(f"{line}\n" for line in lines).encode()
        return name

    def _strikes(self, name: str) -> bool:
        left = getattr(self.faults, name)
        if left:
            setattr(self.faults, name, left - 1)
        return bool(left)


@contextmanager
def batch_endpoint(
    options: RehearsalOptions | None = None, *, looks: int = 0, faults: Faults | None = None
) -> Iterator[BatchEndpoint]:
    """Serves while the block runs."""
    endpoint = BatchEndpoint(options or RehearsalOptions(), looks, faults or Faults())
    with in_thread(lambda: listening(endpoint.respond)) as port:
        endpoint.url = f"http://127.0.0.1:{port}/v1"
        yield endpoint


def _parts(request: HttpRequest) -> tuple[bytes, bytes]:
    """The purpose and the file of a form."""
    message = BytesParser().parsebytes(
        f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode() + request.body
    )
    found: dict[Any, bytes] = {}
    for part in message.walk():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            found[part.get_param("name", header="content-disposition")] = content
    return found["purpose"], found["file"]


def _described(batch: Batch) -> dict[str, Any]:
    errors = {"data": [{"code": batch.code, "message": f"it says {batch.code}"}]} if batch.code else None
    return {
        "id": batch.id,
        "object": "batch",
        "status": batch.status,
        "metadata": batch.metadata,
        "input_file_id": batch.file,
        "output_file_id": batch.output,
        "error_file_id": batch.errors,
        "errors": errors,
        "created_at": batch.created_at,
        "request_counts": {"total": 0, "completed": 0, "failed": 0},
    }


def _output(custom_id: str, status: int, body: Any) -> str:
    return json.dumps({"custom_id": custom_id, "response": {"status_code": status, "body": body}, "error": None})


def _unanswered(custom_id: str, code: str) -> str:
    return json.dumps({"custom_id": custom_id, "response": None, "error": {"code": code, "message": code}})


def _answer(body: Any) -> HttpResponse:
    return HttpResponse(200, json.dumps(body).encode())


def _error(status: int, message: str) -> HttpResponse:
    return HttpResponse(status, json.dumps({"error": {"message": message}}).encode())
