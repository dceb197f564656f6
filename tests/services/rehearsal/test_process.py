"""The server's life: ready quickly, gone with its parent."""

import errno
import json
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluation.errors import EvaluationError
from services.rehearsal import VERSION
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint
from tests.services.rehearsal.loopback import call, stats

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "services.rehearsal", "--port", "0"]


def started() -> tuple[subprocess.Popen[bytes], dict[str, object]]:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


def closed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def test_it_says_where_it_listens_and_leaves_when_stdin_closes() -> None:
    process, ready = started()
    try:
        assert ready["version"] == VERSION
        assert stats(f"http://127.0.0.1:{ready['port']}/v1")["completions"] == 0
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=10) == 0
    finally:
        closed(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_leaves_on_a_signal(number: signal.Signals) -> None:
    process, _ = started()
    try:
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
    finally:
        closed(process)


def test_it_stays_when_stdin_is_no_pipe() -> None:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        assert call(f"http://127.0.0.1:{port}/v1", "GET", "/v1/models")[0] == 200
        assert process.poll() is None
    finally:
        closed(process)


def test_it_does_not_survive_a_parent_killed_with_9() -> None:
    source = (
        "import sys, time\n"
        "from services.rehearsal.process import rehearsal_endpoint\n"
        "with rehearsal_endpoint() as url:\n"
        "    print(url, flush=True)\n"
        "    time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        url = parent.stdout.readline().decode().strip()
        assert call(url, "GET", "/v1/models")[0] == 200
        parent.kill()
        parent.wait(timeout=10)
        assert refused_within(url, 10)
    finally:
        closed(parent)


def refused_within(url: str, seconds: float) -> bool:
    port = int(url.removesuffix("/v1").rpartition(":")[2])
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED:
                return True
        select.select([], [], [], 0.01)
    return False


def test_the_context_manager_ends_what_it_started() -> None:
    with rehearsal_endpoint() as url:
        assert stats(url)["in_flight"] == 0
    assert refused_within(url, 10)


def test_it_ends_when_the_block_fails() -> None:
    with pytest.raises(KeyError), rehearsal_endpoint() as url:
        raise KeyError("the block")
    assert refused_within(url, 10)


def test_a_server_that_cannot_start_says_why_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EvaluationError) as caught, rehearsal_endpoint(RehearsalOptions(port=port)):
            pass
    message = str(caught.value)
    assert "ended with status 1" in message
    assert str(port) in message
    assert "python -m services.rehearsal" in message
    assert "\n" not in message


def test_a_server_that_is_not_ready_in_time_is_ended() -> None:
    with pytest.raises(EvaluationError, match="not ready after 0 s"), rehearsal_endpoint(deadline=0):
        pass


def test_it_starts_without_heavy_imports() -> None:
    source = "import sys, services.rehearsal.server; print(*sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, check=True).stdout.split()
    roots = {module.decode().partition(".")[0] for module in modules}
    assert not roots & {"aiohttp", "openai", "httpx", "yaml", "pydantic", "evaluation"}


def test_it_starts_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with rehearsal_endpoint() as url:
        assert stats(url)["version"] == VERSION
