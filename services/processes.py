"""The processes that this one starts: the environment that they see, and servers of this project that run beside it."""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from evaluation.errors import EvaluationError

ROOT = Path(__file__).resolve().parents[1]
DEADLINE = 10.0
"""Seconds within which a server must be ready; it needs well under one."""
SETTINGS = ("OPENAI_", "LANGFUSE_", "EVAL_", "CHAT_FLOW_")
"""Beginnings of the names of settings: what is started here (servers, git) needs none of them, and they hold keys."""
_PORT = re.compile(rb'(?:"port": |127\.0\.0\.1:)(\d{1,5})')


def child_environment(**more: str) -> dict[str, str]:
    """The environment without settings, and with `more`."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}, **more}


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def run_server(
    module: str, arguments: Sequence[str], what: str, deadline: float = DEADLINE, *, own: bool = True
) -> Iterator[str]:
    """Runs `python -m module` while the block runs; gives its address, from the port in the first line that it prints.

    The server leaves with its parent, also after kill -9, because its stdin pipe closes then. A Ctrl-C in the terminal
    does not reach it, so that calls in flight can end. Raises EvaluationError when the server, called `what` there, is
    not ready by the deadline. A server of this project (`own`) sees no settings; a team's code has its keys from there,
    and is started as a program that imports nothing of this project, whose packages may bear the names of the team's.
    """
    with tempfile.TemporaryFile() as errors, _start(module, arguments, what, errors, own=own) as process:
        try:
            line = _first_line(process, deadline)
            port = _PORT.search(line)
            if port is None:
                by_hand = _by_hand([*_program(module, own=own), *(["--port", "0"] if own else arguments)])
                raise EvaluationError(_why_not(process, by_hand, what, errors, deadline))
            yield f"http://127.0.0.1:{int(port[1])}"
        finally:
            _end(process)


def _start(
    module: str, arguments: Sequence[str], what: str, errors: IO[bytes], *, own: bool
) -> subprocess.Popen[bytes]:
    # The program's folder alone, and not the working directory: a folder of the user's may hold modules of any name.
    try:
        return subprocess.Popen(
            [sys.executable, "-P", *_program(module, own=own), *arguments],
            cwd=ROOT,
            env=child_environment(PYTHONPATH=str(ROOT)) if own else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    except OSError as problem:
        raise EvaluationError(f"{what} cannot be started ({problem}): check {sys.executable}") from problem


def _program(module: str, *, own: bool) -> list[str]:
    return ["-m", module] if own else [str(ROOT / f"{module.replace('.', '/')}.py")]


def _why_not(process: subprocess.Popen[bytes], by_hand: str, what: str, errors: IO[bytes], deadline: float) -> str:
    # A server that closed its output is ending, or was killed at the deadline.
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=2)
    status = process.poll()
    late = status in (None, -signal.SIGKILL)
    how = f"not ready after {deadline:g} s" if late else f"ended with status {status}"
    errors.seek(0)
    said = errors.read().decode("utf-8", "replace").strip().splitlines()
    reason = f": {said[-1]}" if said else ""
    return f"{what} is {how}{reason}; to see why: {by_hand}"


def _by_hand(words: Sequence[str]) -> str:
    """The command that starts a server in a terminal, from any folder."""
    found = {} if words[0] != "-m" else {"PYTHONPATH": str(ROOT)}
    variables = [f"{name}={shlex.quote(value)}" for name, value in found.items()]
    return " ".join([*variables, shlex.join([sys.executable, "-P", *words])])


def _first_line(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """The first line of the output; empty where there is none by the deadline, at which the process is killed."""
    if process.stdout is None:
        raise ValueError("the process was started without a pipe on stdout")
    late = threading.Timer(deadline, process.kill)
    late.start()
    try:
        return process.stdout.readline()
    finally:
        late.cancel()


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
