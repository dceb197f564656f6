"""Runs that are killed, interrupted and resumed: nothing answered is lost, nothing is paid for twice."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import Server, document, only_run, run, server, started
from tests.scripts.forked import Forked
from tests.scripts.test_evaluate_prompts import findings

SLOW = RehearsalOptions(latency_ms=60)
MANY = ("--prompt", "v3", "--limit", "24")
"""So many that calls are left when the last of these interruptions comes."""


def wait_for_calls(endpoint: Server, process: Forked, count: int) -> None:
    """Until the endpoint has seen so many calls, and the process still runs."""
    deadline = time.monotonic() + 30
    while endpoint.stats()["completions"] < count:
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def resume_and_compare(runs: Path, endpoint: Server, undisturbed: Path) -> None:
    resumed = run("--resume", "last", "--quiet", runs=runs, **endpoint.settings)
    assert resumed.code == 0, resumed.err
    assert findings(runs) == findings(undisturbed)
    counts = document(only_run(runs), "summary.json")["counts"]
    assert counts["scored"] == counts["planned"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("undisturbed")
    with server() as endpoint:
        assert run(*MANY, "--quiet", runs=runs, **endpoint.settings).code == 0
    return runs


@pytest.mark.parametrize("calls", [40, pytest.param(60, marks=pytest.mark.long), 120])
def test_a_killed_run_goes_on_without_repeating_an_answered_call(tmp_path: Path, undisturbed: Path, calls: int) -> None:
    with server(SLOW) as endpoint:
        with started(*MANY, "--concurrency", "8", runs=tmp_path, **endpoint.settings) as process:
            wait_for_calls(endpoint, process, calls)
            process.kill()
            process.wait()
        resume_and_compare(tmp_path, endpoint, undisturbed)
        # Those in flight when it died, and one answer on its way to the disk for each of the 11 open cells.
        assert endpoint.stats()["repeated_after_answer"] <= 8 + 11


@pytest.fixture
def deaf() -> Iterator[None]:
    """A parent that ignores Ctrl-C, as a shell's background job does: its children must hear it all the same."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.usefixtures("deaf")
def test_a_signal_keeps_what_is_in_flight_and_says_how_to_go_on(
    tmp_path: Path, undisturbed: Path, number: signal.Signals
) -> None:
    with server(SLOW) as endpoint:
        with started(*MANY, "--concurrency", "8", runs=tmp_path, **endpoint.settings) as process:
            wait_for_calls(endpoint, process, 40)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert process.returncode == 130, err
        assert f"--resume {only_run(tmp_path).name}" in out
        assert "Traceback" not in err
        counts = document(only_run(tmp_path), "summary.json")["counts"]
        decision = document(only_run(tmp_path), "decision.json")
        assert (decision["verdict"], decision["code"]) == ("none", "interrupted")
        assert (
            f"INTERRUPTED ({counts['scored']} of {counts['planned']} exchanges have a score): NO VERDICT"
            in " ".join(out.split())
        )
        assert counts["failed"] == 0, "a cancelled call is no failure"
        assert counts["skipped"] > 0
        resume_and_compare(tmp_path, endpoint, undisturbed)
        assert endpoint.stats()["repeated_after_answer"] == 0


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    arguments = ("--prompt", "v3", "--judge-format", "text", "--no-canaries")
    with server(RehearsalOptions(hang=1.0)) as endpoint:
        with started(*arguments, runs=tmp_path, **endpoint.settings) as process:
            wait_for_calls(endpoint, process, 8)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=8)
        assert process.returncode == 130


def test_a_signal_while_the_judge_is_asked_for_its_format_ends_too(tmp_path: Path) -> None:
    with server(RehearsalOptions(hang=1.0)) as endpoint:
        with started("--prompt", "v3", runs=tmp_path, **endpoint.settings) as process:
            wait_for_calls(endpoint, process, 1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=8)
        assert process.returncode == 130, err
        assert "Traceback" not in err


def test_two_processes_cannot_play_one_run(tmp_path: Path) -> None:
    arguments = ("--prompt", "v3", "--concurrency", "2")
    with server(SLOW) as endpoint, started(*arguments, runs=tmp_path, **endpoint.settings) as process:
        wait_for_calls(endpoint, process, 4)
        second = run("--resume", "last", runs=tmp_path, **endpoint.settings)
        assert second.code == 2
        assert str(process.pid) in second.err


def test_a_finished_run_resumes_to_itself_without_a_call(tmp_path: Path) -> None:
    with server() as endpoint:
        assert run("--prompt", "v3", "--limit", "6", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
        before = findings(tmp_path), endpoint.stats()["completions"]
        again = run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings)
        assert again.code == 0, again.err
        assert (findings(tmp_path), endpoint.stats()["completions"]) == before


def test_a_run_is_not_resumed_at_another_endpoint(tmp_path: Path) -> None:
    assert run("--prompt", "v3", "--limit", "6", "--quiet", runs=tmp_path).code == 0
    with server() as endpoint:
        done = run("--resume", "last", runs=tmp_path, **endpoint.settings)
    assert done.code == 2
    assert "rehearsal@" in done.err
