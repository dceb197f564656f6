"""An application that offers nothing and counts how many calls are open at once."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HELD_SECONDS = 0.02
"""The time for which a call stays open, so that one too many would be seen beside it."""


class CountingAssistant:
    """`most` is the greatest number of POSTs that were open at once."""

    def __init__(self, expected: int) -> None:
        self.url = ""
        self.most = 0
        self._open = 0
        self._expected = expected
        self._lock = threading.Lock()
        self._full = threading.Event()

    def held(self) -> None:
        """One call: the first ones last until as many are open as are expected."""
        with self._lock:
            self._open += 1
            self.most = max(self.most, self._open)
            if self._open >= self._expected:
                self._full.set()
        self._full.wait(10)
        time.sleep(HELD_SECONDS)
        with self._lock:
            self._open -= 1


@contextmanager
def counting_assistant(expected: int) -> Iterator[CountingAssistant]:
    """Serves on a free port until the block ends."""
    counting = CountingAssistant(expected)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(b"{}")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            counting.held()
            self._say(b'{"next_action": "options", "options": []}')

        def _say(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    counting.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield counting
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
