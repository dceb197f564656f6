"""Starts a server of this project as a process of its own, reads the line that says where it listens, and ends it."""

import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from evaluation.errors import EvaluationError
from services.child_environment import child_environment

ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 10.0
"""Seconds within which a server must be ready; it needs well under one."""
_PORT = re.compile(rb'(?:"port": |127\.0\.0\.1:)(\d{1,5})')


@contextmanager
def running(module: str, arguments: Sequence[str], what: str, deadline: float = DEADLINE) -> Iterator[str]:
    """Runs `python -m module` while the block runs; gives its address, from the port in the first line that it prints.

    The server leaves with its parent, also after kill -9, because its stdin pipe closes then. A Ctrl-C in the terminal
    does not reach it, so that calls in flight can end. Raises EvaluationError when the server, called `what` there, is
    not ready by the deadline.
    """
    with tempfile.TemporaryFile() as errors:
        process = _start(module, arguments, what, errors)
        try:
            line = _first_line(process, deadline)
            port = _PORT.search(line or b"")
            if port is None:
                raise EvaluationError(_why_not(process, module, what, line, errors, deadline))
            yield f"http://127.0.0.1:{int(port[1])}"
        finally:
            _end(process)


def _start(module: str, arguments: Sequence[str], what: str, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env=child_environment(PYTHONPATH=path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as problem:
        raise EvaluationError(f"{what} cannot be started ({problem}): check {sys.executable}") from problem


def _why_not(
    process: subprocess.Popen[bytes],
    module: str,
    what: str,
    line: bytes | None,
    errors: IO[bytes],
    deadline: float,
) -> str:
    # A server that closed its output is ending; one that is silent is not.
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0 if line is None else 2)
    status = process.poll()
    how = f"not ready after {deadline:g} s" if status is None else f"ended with status {status}"
    errors.seek(0)
    said = errors.read().decode("utf-8", "replace").strip().splitlines()
    reason = f": {said[-1]}" if said else ""
    return f"{what} is {how}{reason}; run `python -m {module} --port 0` to see why"


def _first_line(process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
    """The output up to the first line end or the end of the output; None when the deadline came first."""
    if process.stdout is None:
        raise ValueError("the process was started without a pipe on stdout")
    latest = time.monotonic() + deadline
    received = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while b"\n" not in received:
            if not selector.select(max(0.0, latest - time.monotonic())):
                return None
            chunk = os.read(process.stdout.fileno(), 4096)
            if not chunk:
                break
            received += chunk
    return received


def _end(process: subprocess.Popen[bytes]) -> None:
    """Closes its stdin, then insists: SIGTERM, SIGKILL."""
    if process.stdin:
        with suppress(OSError):
            process.stdin.close()
    for insist in (process.terminate, process.kill):
        try:
            process.wait(timeout=2)
            break
        except subprocess.TimeoutExpired:
            insist()
    process.wait()
    if process.stdout:
        process.stdout.close()
