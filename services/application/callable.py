"""A Python function of the workspace in HTTP's place: `python -m services.application.callable FILE NAME`.

It runs in a process of its own, as a server that answers `POST /turn` with what the function returns. The function is
given the messages as a list of {role, content}, and the id of the conversation; it returns a text, or a mapping with
"reply".
"""

import inspect
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

LONGEST_MESSAGE = 300


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """The function of that name. Raises whatever the file raises, and AttributeError where it has none."""
    # What the file imports from beside it is found, as when it is started itself.
    sys.path.insert(0, str(path.parent))
    spec = spec_from_file_location("application_of_the_workspace", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found = getattr(module, name)
    if not callable(found):
        raise TypeError(f"{name} is no function")
    function: Callable[..., Any] = found
    return function


def answer(function: Callable[..., Any], body: Any) -> tuple[int, Any]:
    """Status and JSON of one call; an error of the function is status 500 with its last line."""
    try:
        given = [body["messages"], body["conversation"]]
        said = function(*given[: len(inspect.signature(function).parameters)])
        json.dumps(said)
    except Exception as error:
        lines = traceback.extract_tb(error.__traceback__)
        where = f" at line {lines[-1].lineno} of {Path(lines[-1].filename).name}" if lines else ""
        return 500, {"error": f"{type(error).__name__}{where}: {str(error)[:LONGEST_MESSAGE]}"}
    return 200, {"reply": said} if isinstance(said, str) else said


def serve(path: Path, name: str) -> None:
    """Answers until stdin closes; prints the port first."""
    os.chdir(path.parent)
    # The file and its function may print: the parent reads one line alone.
    parent, sys.stdout = sys.stdout, sys.stderr
    function = load_function(path, name)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65_536
        """Head and body leave together: apart, the second waits for the first to be acknowledged."""

        def do_GET(self) -> None:
            self._send(200, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            self._send(*answer(function, body))

        def _send(self, status: int, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    parent.write(f"{json.dumps({'port': server.server_address[1]})}\n")
    parent.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), sys.argv[2])
