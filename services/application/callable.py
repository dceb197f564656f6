"""A Python function of the workspace in HTTP's place, a program of its own: `python callable.py FILE NAME`.

It answers `POST /turn` with what the function returns. The function is given the messages as a list of {role, content},
and the id of the conversation; it returns a text, or a mapping with "reply". It may be `async`. Where it ends its
process, another one takes its place at the same address.

Standard library alone, and started by its path: a team's own packages may bear any name, those of this project too.
"""

import asyncio
import inspect
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

LONGEST_MESSAGE = 300
BACKLOG = 128
LOOKED_AFTER_EVERY = 0.05
"""Seconds between two looks at the process of the function."""
LONGEST_END = 1.5
"""Seconds that it has for its own end (what it registered with `atexit`, its threads)."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


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


def answer(function: Callable[..., Any], body: Any, folder: Path) -> tuple[int, Any]:
    """Status and JSON of one call; an error of the function is status 500 with its last line in `folder`."""
    try:
        given = [body["messages"], body["conversation"]]
        said = function(*given[: _takes(function)])
        if inspect.isawaitable(said):
            said = asyncio.run(_awaited(said))
        json.dumps(said)
    except BaseException as error:  # sys.exit in a function ends no server
        lines = traceback.extract_tb(error.__traceback__)[1:]
        own = [line for line in lines if _is_of(Path(line.filename), folder)]
        where = f" at line {own[-1].lineno} of {Path(own[-1].filename).name}" if own else ""
        return 500, {"error": f"{type(error).__name__}{where}: {str(error)[:LONGEST_MESSAGE]}"}
    return 200, {"reply": said} if isinstance(said, str) else said


def _is_of(file: Path, folder: Path) -> bool:
    """True for a file of the team's own, and none of a package that is installed below its folder."""
    return folder in file.parents and "site-packages" not in file.parts


async def _awaited(said: Any) -> Any:
    return await said


def _takes(function: Callable[..., Any]) -> int:
    """How many of messages and conversation it is given."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return 2
    return sum(parameter.kind in _POSITIONAL for parameter in parameters)


def serve(path: Path, name: str, listening: socket.socket) -> None:
    """Loads the function, and answers from then on, in threads."""
    os.chdir(path.parent)
    function = load_function(path, name)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65_536
        """Head and body leave together: apart, the second waits for the first to be acknowledged."""

        def do_GET(self) -> None:
            self._send(200, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            self._send(*answer(function, body, path.parent))

        def _send(self, status: int, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(listening.getsockname(), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listening
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def apart_from_streams() -> tuple[int, int]:
    """(stdin, stdout) as file descriptors that nothing of the function's knows; what it prints goes to stderr."""
    parent = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return parent


def look_after(path: Path, name: str) -> int:
    """Keeps a process of the function at work until stdin closes; its status where it never came to answer."""
    told, ready = apart_from_streams()
    listening = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    begun = False
    while True:
        loaded, says_so = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(loaded)
            serve(path, name, listening)
            os.write(says_so, b"1")
            os.close(says_so)
            if not begun:
                os.write(ready, f"{json.dumps({'port': listening.getsockname()[1]})}\n".encode())
            while os.read(told, 4096):
                pass
            return 0
        os.close(says_so)
        status = _wait(child, told)
        begun_now = select.select([loaded], [], [], 0)[0] and os.read(loaded, 1) == b"1"
        os.close(loaded)
        if status is None:
            return 0
        if not begun_now:
            return max(1, os.waitstatus_to_exitcode(status))
        begun = True


def _wait(child: int, told: int) -> int | None:
    """The status with which the process ended; None where stdin closed, and the process was ended."""
    while not select.select([told], [], [], LOOKED_AFTER_EVERY)[0]:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
    until = time.monotonic() + LONGEST_END
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return None
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


if __name__ == "__main__":
    sys.exit(look_after(Path(sys.argv[1]), sys.argv[2]))
