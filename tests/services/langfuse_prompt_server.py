"""A loopback server that speaks the prompts part of Langfuse's public API (v2: get and list)."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PUBLIC, SECRET = "pk-lf-test", "sk-lf-test-secret"


@dataclass
class StoredPrompt:
    """One version as the server keeps it."""

    name: str
    version: int
    prompt: Any
    labels: list[str] = field(default_factory=list)
    config: Any = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        return {
            "id": f"{self.name}-{self.version}",
            "type": "text" if isinstance(self.prompt, str) else "chat",
            "name": self.name,
            "version": self.version,
            "prompt": self.prompt,
            "config": self.config,
            "labels": self.labels,
            "tags": [],
            "commitMessage": None,
            "resolutionGraph": None,
        }


@dataclass
class PromptServer:
    """The stored prompts, the requests so far, and the wrong answers to the next ones."""

    prompts: list[StoredPrompt]
    url: str = ""
    requests: list[str] = field(default_factory=list)
    agents: list[dict[str, str]] = field(default_factory=list)
    faults: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    """Taken one per request, before anything else."""
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, authorization: str | None) -> tuple[int, Any]:
        token = base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()
        if authorization != f"Basic {token}":
            return 401, {"message": "Invalid credentials. Confirm that you've configured the correct host."}
        parts = urlsplit(path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == "/api/public/v2/prompts":
            return 200, self.listing(query)
        prefix = "/api/public/v2/prompts/"
        if not parts.path.startswith(prefix) or "/" in parts.path[len(prefix) :]:
            return 404, {"message": "not found"}
        return self.get(unquote(parts.path[len(prefix) :]), query)

    def get(self, name: str, query: dict[str, str]) -> tuple[int, Any]:
        label = query.get("label", "production")
        for prompt in self.prompts:
            wanted = str(prompt.version) == query["version"] if "version" in query else label in prompt.labels
            if prompt.name == name and wanted:
                return 200, prompt.body()
        return 404, {"error": "LangfuseNotFoundError", "message": f"Prompt not found: '{name}'"}

    def listing(self, query: dict[str, str]) -> dict[str, Any]:
        data = []
        for name in dict.fromkeys(prompt.name for prompt in self.prompts):
            if query.get("name", name) != name:
                continue
            mine = [prompt for prompt in self.prompts if prompt.name == name]
            data.append(
                {
                    "name": name,
                    "type": mine[0].body()["type"],
                    "versions": [prompt.version for prompt in mine],
                    "labels": [label for prompt in mine for label in prompt.labels],
                    "tags": [],
                    "lastUpdatedAt": "2026-01-01T00:00:00.000Z",
                    "lastConfig": mine[-1].config,
                }
            )
        limit = int(query.get("limit", "10"))
        meta = {"page": 1, "limit": limit, "totalItems": len(data), "totalPages": 1}
        return {"data": data[:limit], "meta": meta}


def status(code: int, body: str = '{"message": "no"}', **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    """A fault: this answer instead of the right one."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send(handler, code, body.encode("utf-8", "surrogateescape"), headers)

    return answer


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """A fault: the connection ends without an answer."""
    handler.close_connection = True


def send(handler: BaseHTTPRequestHandler, code: int, body: bytes, headers: dict[str, str]) -> None:
    handler.send_response(code)
    for name, value in {"Content-Type": "application/json", **headers, "Content-Length": str(len(body))}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def prompt_server(*prompts: StoredPrompt) -> Iterator[PromptServer]:
    """A running server; `url` is its address."""
    state = PromptServer(list(prompts))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            state.requests.append(self.path)
            state.agents.append(dict(self.headers))
            if state.faults:
                state.faults.pop(0)(self)
                return
            code, body = state.answer(self.path, self.headers.get("Authorization"))
            send(self, code, json.dumps(body).encode(), {})

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
