"""A process that has imported what commands import, and forks a command whenever it is asked to.

Most of the time of a short command goes into its imports, which do not differ from one test to the next. A fork has a
process id, an environment, a folder, three streams, a session and an end of its own, as a fresh process has; tests of
the start itself take a fresh one.
"""

import array
import gc
import importlib
import json
import os
import runpy
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Any

from evaluation.reports.html import page
from scripts.run.page import page_assets

SOCKET = "FORK_SERVER_SOCKET"
"""The variable with the number of the socket over which requests come."""
NUMBER = struct.Struct("i")
"""What is written to the pipe of a command: its process id, and later how it ended, as `os.waitpid` says."""
LONGEST = 1 << 20
"""Bytes of a request."""
# Without numpy: its threads would not come along.
IMPORTED = (
    *("scripts.workflow", "scripts.run.output", "scripts.run.files", "scripts.run.index", "scripts.run.terms"),
    *("scripts.compare.one_pass", "scripts.compare.compare", "evaluation.reports.html.comparison"),
    *("services.model.wire", "services.application.client", "services.langfuse.session"),
    *("evaluation.suites.chat_flow", "evaluation.chat_flow.checks.table", "jinja2.environment", "rich.console"),
    *("evaluation.suites.companion", "scripts.command_parser", "scripts.run.opening", "scripts.run.rules"),
    *("httpx", "httpcore", "httpcore2", "anyio._backends._asyncio", "truststore", "jsonschema_rs"),
)


def serve(requests: socket.socket) -> dict[str, Any] | None:
    """Forks for each request, until the other end is closed: None. Returns in the fork too, with what it shall run."""
    while True:
        size = array.array("i").itemsize
        message, control, _flags, _address = requests.recvmsg(LONGEST, socket.CMSG_SPACE(4 * size))
        _reap(os.WNOHANG if message else 0)
        if not message:
            return None
        handed = array.array("i", control[0][2])
        if os.fork() == 0:
            requests.close()
            return _kept(json.loads(message), *handed)
        for each in handed:
            os.close(each)


def _reap(how: int) -> None:
    """Takes leave of the keepers that ended, or with 0 of all: what commands took counts for this process then."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


def _kept(request: dict[str, Any], stdin: int, stdout: int, stderr: int, ends: int) -> dict[str, Any]:
    """In a keeper, which waits for the command and writes down how it ended; returns in the command."""
    command = os.fork()
    if command > 0:
        for each in (stdin, stdout, stderr):
            os.close(each)
        _pid, status = os.waitpid(command, 0)
        os.write(ends, NUMBER.pack(status))
        os._exit(0)
    os.setsid()
    for number, stream in enumerate((stdin, stdout, stderr)):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.write(ends, NUMBER.pack(os.getpid()))
    os.close(ends)
    return request


def compile_pages() -> None:
    """The templates of the pages, which a command compiles before it writes one."""
    assets = page_assets()
    environment = page._environment(tuple(assets.templates.items()))
    for name in assets.templates:
        environment.get_template(name)


def main() -> None:
    """In a fork what `python -m module` does: it leaves as that would, by its code, an exception or a signal."""
    for name in IMPORTED:
        importlib.import_module(name)
    compile_pages()
    gc.collect()
    gc.freeze()
    request = serve(socket.socket(fileno=int(os.environ[SOCKET])))
    if request is not None:
        sys.argv[1:] = request["arguments"]
        sys.modules.pop(request["module"], None)
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
