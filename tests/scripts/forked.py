"""Commands that are forked from a process which has imported the tool already, seen as `subprocess.Popen` shows one."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from tests.scripts.fork_server import NUMBER, SOCKET

ROOT = Path(__file__).resolve().parents[2]
LANGUAGE = {"LANG": "C.UTF-8"}
"""What the server starts with: an interpreter looks at it once."""
_AT_START = ("PYTHON", "LC_", "OTEL_")
"""Beginnings of the names of variables that an interpreter or a package looks at once, as it starts."""


def can_be_forked(module: str, environment: Mapping[str, str]) -> bool:
    """Whether a fork of the server does as a fresh process would: a script, in an environment that nobody reads early.

    Other modules may change what scripts import before they do.
    """
    early = any(name.startswith(_AT_START) for name in environment)
    return module.startswith("scripts.") and environment["LANG"] == LANGUAGE["LANG"] and not early


class Forked:
    """A command that runs, or ran: of `subprocess.Popen`, what tests ask of a command."""

    def __init__(self, module: str, arguments: Sequence[str], environment: Mapping[str, str], stdin: str = "") -> None:
        self.args = [sys.executable, "-m", module, *arguments]
        self.returncode: int | Any = None
        """None while it runs; declared as that of `subprocess.Popen` is."""
        with _given(stdin) as given:
            self.stdout, out = _pipe()
            self.stderr, err = _pipe()
            self._ends, ended = os.pipe()
            request = {"module": module, "arguments": arguments, "environment": dict(environment), "folder": str(ROOT)}
            requests, server = _server()
            socket.send_fds(requests, [json.dumps(request).encode()], [given.fileno(), out, err, ended])
        for each in (out, err, ended):
            os.close(each)
        said = os.read(self._ends, NUMBER.size)
        assert said, f"the server of forks ended: {server.communicate()[1].decode()}"
        self.pid: int = NUMBER.unpack(said)[0]
        self._read: list[Future[str]] = []

    def poll(self) -> int | None:
        """Its exit code, or the negative number of the signal that ended it; None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Its end. Raises TimeoutExpired where that does not come in time."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """All that it wrote, once it ended. Raises TimeoutExpired where that does not come in time."""
        until = None if timeout is None else time.monotonic() + timeout
        if not self._read:
            readers = ThreadPoolExecutor(2)
            self._read = [readers.submit(_rest_of, stream) for stream in (self.stdout, self.stderr)]
            readers.shutdown(wait=False)
        if wait(self._read, timeout).not_done:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        self.wait(None if until is None else max(until - time.monotonic(), 0))
        out, err = (each.result() for each in self._read)
        return out, err

    def send_signal(self, number: int) -> None:
        """Reaches the command alone, while it runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def close(self) -> None:
        """Kills what runs still, with all that it started, and closes the streams."""
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
        self.communicate()
        os.close(self._ends)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ends], [], [], timeout)[0]:
            self.returncode = os.waitstatus_to_exitcode(NUMBER.unpack(os.read(self._ends, NUMBER.size))[0])
        return self.returncode


def _given(text: str) -> IO[bytes]:
    """A file that a command reads as its stdin: the texts are short, and nobody waits for them to be read."""
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    return os.fdopen(read, "rb")


def _pipe() -> tuple[IO[str], int]:
    read, write = os.pipe()
    return os.fdopen(read, encoding="utf-8"), write


def _rest_of(stream: IO[str]) -> str:
    """What is left to read of a stream that is closed then."""
    if stream.closed:
        return ""
    with stream:
        return stream.read()


@lru_cache(maxsize=1)
def _server() -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    """Where forks are asked for, of one server for all tests of this process, with which it ends.

    It has pipes, as the forks have: Python asks once whether a stream can be sought in.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.scripts.fork_server"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], SOCKET: str(theirs.fileno()), **LANGUAGE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            preexec_fn=interruptible,
        )

    def end() -> None:
        ours.close()
        process.communicate()

    atexit.register(end)
    return ours, process


def interruptible() -> None:
    """In a child before its program starts: Ctrl-C reaches it, also where these tests run in the background.

    A shell starts a background job with SIGINT ignored, and a child inherits that.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
