"""Four applications that are built differently, each on a loopback server: what they say is right for a support bot."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

HELP = "That is annoying, sorry. Could you open Billing and tell me the order number, so that the team can look?"


@dataclass
class Sent:
    """One answer."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    pieces: tuple[str, ...] = ()
    """A stream, sent piece by piece in the place of the body."""
    dies: bool = False
    """Close the connection without an answer."""


Answers = Callable[[str, str, Mapping[str, str], Any], Sent]


class Listener(ThreadingHTTPServer):
    """With room for all connections that a run opens at once."""

    request_queue_size = 128
    daemon_threads = True


class Server:
    """A loopback server, which can go away and come back at the same address."""

    def __init__(self, answers: Answers) -> None:
        self.calls: list[tuple[str, str, Mapping[str, str], Any]] = []
        """(method, path, headers with lower-case names, body), in order."""
        self._answers = answers
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __getattr__(self, name: str) -> Any:
                if name in ("do_GET", "do_POST", "do_PUT"):
                    return lambda: server.serve(self)
                raise AttributeError(name)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = Listener(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        body = json.loads(handler.rfile.read(length)) if length else None
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.calls.append((handler.command, handler.path, headers, body))
        sent = self._answers(handler.command, handler.path, headers, body)
        if sent.dies:
            handler.close_connection = True
            return
        handler.send_response(sent.status)
        handler.send_header("content-type", sent.kind)
        for name, value in sent.headers.items():
            handler.send_header(name, value)
        if sent.pieces:
            handler.send_header("connection", "close")
            handler.end_headers()
            for piece in sent.pieces:
                handler.wfile.write(piece.encode())
                handler.wfile.flush()
                time.sleep(0.002)
            handler.close_connection = True
            return
        content = _content(sent.body)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


def _content(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return b"" if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()


@contextmanager
def serving(answers: Answers) -> Iterator[Server]:
    """A server while the block runs."""
    server = Server(answers)
    try:
        yield server
    finally:
        server.stop()


def said_before(turns: int) -> str:
    """A reply that shows how many messages of the user the application remembers."""
    return f"{HELP} (message {turns} of yours)"


def cookie_sessions() -> Answers:
    """Takes the last message alone, and knows a conversation by its cookie; text/plain."""
    turns: dict[str, int] = {}
    ids = count(1)

    def answers(_method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if path != "/ask":
            return Sent({"error": "not here"}, 404)
        cookie = headers.get("cookie", "").removeprefix("sid=")
        session = cookie if cookie in turns else f"s{next(ids)}"
        turns[session] = turns.get(session, 0) + 1
        set_cookie = {} if cookie else {"set-cookie": f"sid={session}; Path=/; HttpOnly"}
        return Sent(said_before(turns[session]), headers=set_cookie, kind="text/plain; charset=utf-8")

    return answers


COOKIE_MAPPING = """
path: /ask
body: {question: "{last}", channel: eval}
"""


def streaming() -> Answers:
    """Takes the whole history and answers in server-sent events, behind a key."""

    def answers(_method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if headers.get("x-api-key") != "key-of-the-shop-0815":
            return Sent({"error": "who are you?"}, 401)
        words = said_before(sum(each["from"] == "customer" for each in body["history"])).split(" ")
        events = [f"event: piece\ndata: {json.dumps({'d': {'t': word + ' '}})}\n\n" for word in words]
        end = json.dumps({"d": {}, "tokens": {"in": 12, "out": len(words)}})
        return Sent(kind="text/event-stream", pieces=(": hello\n\n", *events, f"data: {end}\n\n", "data: [DONE]\n\n"))

    return answers


STREAM_MAPPING = """
path: /v2/stream
headers: {X-Api-Key: "${SHOP_KEY}"}
body: {history: "{messages}", options: {temperature: 0}}
message: {role: from, content: words, roles: {user: customer, assistant: bot}}
stream: d.t
usage: {input_tokens: tokens.in, output_tokens: tokens.out}
"""


def polling() -> Answers:
    """Takes the history as a job, and has the answer after the second time it is asked for; errors are status 200."""
    jobs: dict[str, list[Any]] = {}
    ids = count(1)

    def answers(method: str, path: str, _headers: Mapping[str, str], body: Any) -> Sent:
        if method == "PUT" and path == "/jobs":
            job = f"job/{next(ids)}"
            jobs[job] = [0, said_before(sum(each["role"] == "user" for each in body["input"]["messages"]))]
            return Sent({"job": {"id": job, "state": "queued"}}, 202)
        name = path.removeprefix("/jobs/").replace("%2F", "/")
        if name not in jobs:
            return Sent({"fault": "no such job"})
        jobs[name][0] += 1
        if jobs[name][0] < 2:
            return Sent({"job": {"id": name, "state": "running"}})
        return Sent({"job": {"id": name, "state": "ready"}, "results": [{"kind": "text", "value": jobs[name][1]}]})

    return answers


POLL_MAPPING = """
method: PUT
path: /jobs
body: {input: {messages: "{messages}"}}
poll: {path: "/jobs/{id}", id: job.id, status: job.state, until: [ready], every_seconds: 0.01}
reply: results[-1].value
error: fault
"""


def ids_in_paths() -> Answers:
    """Opens a conversation, knows it by an id in the path, and takes the last message alone; calls a tool."""
    turns: dict[str, int] = {}
    ids = count(1)

    def answers(method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if method == "POST" and path == "/conversations":
            session = f"c-{next(ids)}"
            turns[session] = 0
            return Sent({"data": {"conversation.id": session}}, 201)
        session = path.removeprefix("/conversations/").removesuffix("/messages")
        if session not in turns:
            return Sent({"message": "unknown conversation"}, 404)
        turns[session] += 1
        called = [{"fn": "find_order", "args": {"number": turns[session]}}]
        return Sent(
            {"data": [{"say": said_before(turns[session])}], "used": called}, headers={"x-trace-id": f"t-{session}"}
        )

    return answers


PATH_MAPPING = """
path: /conversations/{session}/messages
body: {text: "{last}"}
reply: data[0].say
session:
  body: data."conversation.id"
  start: {path: /conversations, body: {channel: eval, scenario: "{scenario}"}}
tool_calls: {at: used, name: fn, arguments: args}
"""
APPLICATIONS: Mapping[str, tuple[Callable[[], Answers], str]] = {
    "cookie sessions": (cookie_sessions, COOKIE_MAPPING),
    "streaming": (streaming, STREAM_MAPPING),
    "polling": (polling, POLL_MAPPING),
    "ids in paths": (ids_in_paths, PATH_MAPPING),
}
"""Name -> the application, and the mapping file with which it is evaluated."""
