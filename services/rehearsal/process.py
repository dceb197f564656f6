"""Starts the rehearsal server as a process of its own and ends it."""

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from evaluation.errors import EvaluationError
from services.rehearsal.options import RehearsalOptions

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 10.0
"""Seconds within which the server must be ready; it needs well under one."""


@contextmanager
def rehearsal_endpoint(options: RehearsalOptions | None = None, deadline: float = DEADLINE) -> Iterator[str]:
    """Runs the server while the block runs; gives its base URL, such as http://127.0.0.1:40913/v1.

    The server leaves with its parent, also after kill -9, because its stdin pipe closes then. A Ctrl-C in the terminal
    does not reach it, so that calls in flight can end. Raises EvaluationError when it is not ready by the deadline.
    """
    with tempfile.TemporaryFile() as errors:
        process = _start(options or RehearsalOptions(), errors)
        try:
            port = _port(process, errors, deadline)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            _end(process)


def _start(options: RehearsalOptions, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    command = [sys.executable, "-m", "services.rehearsal", *options.arguments()]
    try:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as problem:
        raise EvaluationError(
            f"the rehearsal server cannot be started ({problem}): check {sys.executable}"
        ) from problem


def _port(process: subprocess.Popen[bytes], errors: IO[bytes], deadline: float) -> int:
    line = _first_line(process, deadline)
    try:
        return int(json.loads(line or b"")["port"])
    except (ValueError, KeyError, TypeError):
        # A server that closed its output is ending; one that is silent is not.
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0 if line is None else 2)
        status = process.poll()
        how = f"not ready after {deadline:g} s" if status is None else f"ended with status {status}"
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace").strip().splitlines()
        reason = f": {said[-1]}" if said else ""
        raise EvaluationError(
            f"the rehearsal server is {how}{reason}; run `python -m services.rehearsal --port 0` to see why"
        ) from None


def _first_line(process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
    """What was printed up to the first line end or the end of the output; None when the deadline came first."""
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
