"""The server's life: ready quickly, gone with its parent."""

import errno
import json
import os
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
from tests.services.rehearsal.loopback import call

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "services.rehearsal", "--port", "0"]


def closed(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


def stats(url: str) -> dict[str, object]:
    status, body = call(url, "GET", "/stats")
    assert status == 200
    assert isinstance(body, dict)
    return body


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_stays_without_a_pipe_and_leaves_on_a_signal(number: signal.Signals) -> None:
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert ready["version"] == VERSION
        assert stats(f"http://127.0.0.1:{ready['port']}/v1")["completions"] == 0
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(timeout=10) == 0
    finally:
        closed(process)


def test_it_starts_from_any_folder_and_does_not_survive_a_parent_killed_with_9() -> None:
    source = (
        "import sys, time\n"
        "from services.rehearsal.process import rehearsal_endpoint\n"
        "with rehearsal_endpoint() as url:\n"
        "    print(url, flush=True)\n"
        "    time.sleep(600)\n"
    )
    elsewhere = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", source], cwd="/", env=elsewhere, stdout=subprocess.PIPE)
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


def test_it_ends_with_the_block_even_if_that_fails() -> None:
    with pytest.raises(KeyError), rehearsal_endpoint() as url:
        assert stats(url)["in_flight"] == 0
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
    assert "-P -m services.rehearsal" in message
    assert "\n" not in message


def test_a_server_that_is_not_ready_in_time_is_ended() -> None:
    with pytest.raises(EvaluationError, match="not ready after 0 s"), rehearsal_endpoint(deadline=0):
        pass


def test_it_starts_without_heavy_imports() -> None:
    source = "import sys, services.rehearsal.server; print(*sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, check=True).stdout.split()
    roots = {module.decode().partition(".")[0] for module in modules}
    assert not roots & {"aiohttp", "openai", "httpx", "yaml", "pydantic", "evaluation"}
