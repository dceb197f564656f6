"""The main job beside a bare loop where things go wrong, and at its smallest: faults, hanging calls, one scenario.

Prints what each took, how many exchanges were lost, and how many calls were made again though they were answered.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.main_job import ROOT, Cost, measured, scenario_file
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint

CONCURRENCY = 50
FAULTY = RehearsalOptions(latency_ms=200, rate_429=0.10, rate_500=0.05)
HANGING = RehearsalOptions(latency_ms=200, hang=0.02)
CALL_TIMEOUT_S = 5.0


def environment(base_url: str, runs: Path, **settings: str) -> dict[str, str]:
    """The settings of a run, as its environment gives them."""
    return {
        "PATH": os.environ["PATH"],
        "OPENAI_BASE_URL": base_url,
        "EVAL_MODEL": "rehearsal",
        "EVAL_JUDGE_MODEL": "rehearsal-judge",
        "EVAL_RUNS_DIR": str(runs),
        **settings,
    }


def job(scenarios: Path | None, *flags: str) -> list[str]:
    """The command of one run."""
    chosen = [] if scenarios is None else ["--prompt", "v3", "--scenarios", str(scenarios)]
    words = ["-m", "scripts.evaluate_prompts", "--quiet", "--concurrency", str(CONCURRENCY)]
    return [sys.executable, *words, *chosen, *flags]


def loop(count: int) -> list[str]:
    """The command of the bare loop."""
    words = ["-m", "benchmarks.bare_loop", "--scenarios", str(count), "--concurrency", str(CONCURRENCY)]
    return [sys.executable, *words]


def counts(runs: Path) -> dict[str, int]:
    """The ends of the planned exchanges of the newest run."""
    summary = json.loads((runs / "latest" / "summary.json").read_text(encoding="utf-8"))
    found: dict[str, int] = summary["counts"]
    return found


def stats(base_url: str) -> dict[str, Any]:
    """The counts of the endpoint."""
    with urllib.request.urlopen(base_url.removesuffix("/v1") + "/stats") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def shown(name: str, cost: Cost, rest: str) -> None:
    print(f"{name:44}{cost.wall:7.1f} s{cost.cpu:7.2f} s{cost.peak:7.0f} MB  {rest}", flush=True)


def faults(folder: Path) -> None:
    """10% of the answers are 429 and 5% are 500, for both; the bare loop tries each call three times more."""
    scenarios = scenario_file(folder, 500)
    with rehearsal_endpoint(FAULTY) as base_url:
        bare = measured(loop(500), environment(base_url, folder / "none"))
    with rehearsal_endpoint(FAULTY) as base_url:
        cost = measured(job(scenarios), environment(base_url, folder / "faults"))
    rest = f"{counts(folder / 'faults')['scored']} of 500 scored, {cost.wall / bare.wall:.2f} x the bare loop's wall"
    shown("500 with 10% 429 and 5% 500", cost, rest)


def hangs(folder: Path) -> None:
    """2% of the tries are never answered."""
    scenarios = scenario_file(folder, 500)
    with rehearsal_endpoint(HANGING) as base_url:
        settings = environment(base_url, folder / "hangs", EVAL_CALL_TIMEOUT_SECONDS=str(CALL_TIMEOUT_S))
        cost = measured(job(scenarios), settings)
    with closing(sqlite3.connect(folder / "hangs" / "evals.db")) as journal:
        most = journal.execute("SELECT max(attempts) - 1 FROM calls").fetchone()[0]
    allowed = (most + 1) * CALL_TIMEOUT_S + 3
    rest = f"{counts(folder / 'hangs')['scored']} of 500 scored, {most} hangs in a row at most: {allowed:g} s would do"
    shown(f"500 with 2% hanging, time-out {CALL_TIMEOUT_S:g} s", cost, rest)


def killed(folder: Path) -> None:
    """kill -9 half way, then resumed: what the endpoint was asked again though it had answered."""
    scenarios = scenario_file(folder, 500)
    with rehearsal_endpoint(RehearsalOptions(latency_ms=200)) as base_url:
        settings = environment(base_url, folder / "killed")
        process = subprocess.Popen(job(scenarios), cwd=ROOT, env=settings, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while stats(base_url)["completions"] < 500 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        ended = time.time()
        process.wait()
        time.sleep(0.5)
        cost = measured(job(None, "--resume", "last"), settings)
        ages = [1000 * (ended - moment) for moment in stats(base_url)["repeated_answers_at"]]
    rest = f"{counts(folder / 'killed')['scored']} of 500 scored, {len(ages)} answered calls repeated"
    oldest = f", answered {max(ages):.0f} ms before the kill at most" if ages else ""
    shown("500, kill -9 half way: the second half", cost, rest + oldest)


def smallest(folder: Path) -> None:
    """One scenario, and a page of help."""
    scenarios = scenario_file(folder, 1)
    with rehearsal_endpoint() as base_url:
        bare = measured(loop(1), environment(base_url, folder / "none"))
        runs = [measured(job(scenarios, "--no-canaries"), environment(base_url, folder / f"one-{n}")) for n in range(3)]
    cost = min(runs, key=lambda run: run.cpu)
    shown("one scenario", cost, f"{cost.wall / bare.wall:.2f} x wall, {cost.cpu / bare.cpu:.2f} x CPU of the bare loop")
    help_cost = measured([sys.executable, "-m", "scripts.evaluate_prompts", "--help"], {"PATH": os.environ["PATH"]})
    shown("--help", help_cost, "")


def large(folder: Path, count: int = 20_000) -> None:
    """Memory must not grow with the run."""
    peaks = []
    for size in (2000, count):
        scenarios = scenario_file(folder, size)
        with rehearsal_endpoint() as base_url:
            cost = measured(job(scenarios), environment(base_url, folder / f"large-{size}"))
        peaks.append(cost.peak)
        shown(f"{size:,} scenarios at 0 ms", cost, f"{peaks[-1] / peaks[0]:.2f} x the memory of 2,000")


def main() -> None:
    print(f"{'':44}{'wall':>9}{'CPU':>9}{'peak':>10}  (concurrency {CONCURRENCY}, {os.cpu_count()} cores)")
    with tempfile.TemporaryDirectory() as name:
        for part in (smallest, faults, hangs, killed, large):
            part(Path(name))


if __name__ == "__main__":
    main()
