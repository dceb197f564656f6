"""Ctrl-C answers at once, lets nothing more start, and blames nobody for what it cut off; progress names the cost."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.run.progress import SoFar
from services.rehearsal.options import RehearsalOptions
from tests.evaluation import made_runs
from tests.scripts.commands import (
    ROOT,
    document,
    environment,
    lines,
    only_run,
    run,
    server,
    started,
)
from tests.scripts.forked import Forked, interruptible
from tests.scripts.judges import REPLY, settings, verdict
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, say, scripted_endpoint

PROBED = "What made it so long?"


def first_line_after(process: Forked, number: signal.Signals) -> tuple[str, float]:
    """The line on stderr that names what is waited for, and the seconds after which it came."""
    assert process.stderr is not None
    process.send_signal(number)
    sent = time.monotonic()
    for line in process.stderr:
        if line.startswith("waiting for"):
            return line.strip(), time.monotonic() - sent
    raise AssertionError("nothing was said")


def wait_until(endpoint: ScriptedEndpoint, calls: int) -> None:
    deadline = time.monotonic() + 30
    while endpoint.open_now < calls:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def slow_judge(call: Call) -> Answer:
    """Answers the question for the format at once, and nothing else for a while."""
    if call.body["model"] != "judge":
        return say(REPLY)
    asked = call.body["messages"][-1]["content"]
    return say(verdict(0.8)) if PROBED in asked else replace(say(verdict(0.8)), delay_s=1.5)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_canaries_are_asked_is_answered_at_once(tmp_path: Path, number: signal.Signals) -> None:
    with scripted_endpoint(slow_judge) as endpoint:
        alone = ("--expectations", "none", "--conversations", "none")
        arguments = ("--prompt", "v3", "--limit", "6", "--concurrency", "5", *alone)
        with started(*arguments, runs=tmp_path, **settings(endpoint.url)) as process:
            wait_until(endpoint, 5)
            calls = len(endpoint.calls)
            line, seconds = first_line_after(process, number)
            out, err = process.communicate(timeout=20)
        assert seconds < 1
        assert line == "waiting for 5 calls, up to 10 s; again: stop now"
        assert len(endpoint.calls) == calls, "no canary that waited for its turn is asked"
    assert process.returncode == 130, err
    assert "unfit" not in out
    decision = document(only_run(tmp_path), "decision.json")
    assert decision["judge_fit"] is None
    with scripted_endpoint(lambda call: replace(slow_judge(call), delay_s=0), endpoint.port) as endpoint:
        resumed = run("--resume", "last", "--quiet", runs=tmp_path, **settings(endpoint.url))
    assert resumed.code == 0, resumed.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_format_is_asked_for_is_answered_at_once(tmp_path: Path, number: signal.Signals) -> None:
    with scripted_endpoint(lambda _: replace(say(verdict(0.8)), delay_s=2.0)) as endpoint:
        with started("--prompt", "v3", runs=tmp_path, **settings(endpoint.url)) as process:
            wait_until(endpoint, 1)
            line, seconds = first_line_after(process, number)
            _, err = process.communicate(timeout=10)
        assert len(endpoint.calls) == 1
    assert seconds < 1
    assert line == "waiting for 1 call, up to 5 s; again: stop now"
    assert process.returncode == 130, err
    assert "Traceback" not in err


PRICES = "as_of: 2026-11-01\nmodels: {rehearsal: {input: 1000, output: 0}, rehearsal-judge: {input: 1000, output: 0}}\n"


def test_lines_show_the_cost_and_the_running_mean(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    few = ("--prompt", "v3", "--limit", "6", "--no-canaries")
    with server() as endpoint:
        done = run(*few, "--prices", str(prices), runs=tmp_path / "runs", **endpoint.settings)
    [line] = [line for line in done.err.splitlines() if "exchanges after" in line]
    found = re.search(r", (\d\.\d\d) so far, \$([\d.]+)", line)
    assert found, line
    overalls = [row["scores"]["combined"]["overall_quality"] for row in lines(only_run(tmp_path / "runs"))]
    assert float(found[1]) == pytest.approx(sum(overalls) / len(overalls), abs=0.005)
    assert float(found[2]) == pytest.approx(
        document(only_run(tmp_path / "runs"), "summary.json")["cost_usd"], abs=0.006
    )


def test_a_rehearsal_shows_no_money(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "6", "--no-canaries", runs=tmp_path)
    [line] = [line for line in done.err.splitlines() if "exchanges after" in line]
    assert re.search(r" \d\.\d\d so far", line)
    assert "$" not in line


def test_the_memory_of_what_is_shown_does_not_grow() -> None:
    one = made_runs.run()
    so_far = SoFar([one], lambda: 1.5)
    observe = so_far.seen_by(lambda _: None, one)
    assert so_far.text() == "$1.50"
    size = len(repr(vars(so_far)))
    for _ in range(1000):
        observe(made_runs.scored("a", 0.6))
    assert so_far.text() == "0.60 so far, $1.50"
    assert len(repr(vars(so_far))) < size + 40


def test_the_bar_fits_80_columns(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(PRICES)
    few = ("--prompt", "v3", "--limit", "12", "--no-canaries", "--prices", str(prices))
    with server(RehearsalOptions(latency_ms=60)) as endpoint:
        shown = on_a_terminal(few, environment(tmp_path / "runs", {**endpoint.settings, "TERM": "xterm"}))
    drawn = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part) for part in re.split(r"[\r\n]", shown)]
    bars = [part for part in drawn if "ETA" in part]
    assert max(map(len, bars)) <= 80
    assert any(re.search(r"\d\.\d\d so far, \$\d", bar) for bar in bars), bars[-3:]


def on_a_terminal(arguments: tuple[str, ...], env: dict[str, str]) -> str:
    """What a terminal of 80 columns is written on stderr."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scripts.evaluate_prompts", *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**env, "COLUMNS": "80"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=theirs, preexec_fn=interruptible,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # a terminal that its last user has left
        pass
    finally:
        os.close(ours)
        process.wait(timeout=60)
    return shown.decode("utf-8", "replace")
