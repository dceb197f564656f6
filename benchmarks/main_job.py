"""The whole main job beside a bare loop over the openai client: same endpoint, same calls, measured in one run.

Prints wall time, CPU time and peak memory of each process, and the ratios. Loop and job take turns, and of each figure
the lowest of the rounds counts: whatever else the machine does only ever adds. `make bench` runs it.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint

ROOT = Path(__file__).resolve().parent.parent
CASES = ((500, 200.0), (2000, 200.0), (2000, 0.0))
"""Scenarios, and the endpoint's latency in milliseconds."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one process: seconds, seconds, megabytes."""

    wall: float
    cpu: float
    peak: float


def lowest(costs: Sequence[Cost]) -> Cost:
    """Of each figure the lowest."""
    return Cost(*(min(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "peak")))


def measured(command: list[str], environment: dict[str, str]) -> Cost:
    """Runs a command to its end. Raises CalledProcessError when it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command, stderr=errors)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def scenario_file(folder: Path, count: int) -> Path:
    """So many single-turn scenarios."""
    path = folder / f"{count}.yaml"
    lines = ["category: basic_conversations", "scenarios:"]
    lines += [
        f"  - {{id: case-{number}, turns: ['I had a long day, number {number}.'], tags: [made], note: Warm.}}"
        for number in range(count)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def compare(folder: Path, count: int, latency: float, concurrency: int, rounds: int = 1) -> tuple[Cost, Cost]:
    """The bare loop and the main job, in turn, each round at a fresh endpoint and with an empty journal."""
    pairs = [_pair(folder / f"{number}", count, latency, concurrency) for number in range(rounds)]
    return lowest([loop for loop, _ in pairs]), lowest([job for _, job in pairs])


def _pair(folder: Path, count: int, latency: float, concurrency: int) -> tuple[Cost, Cost]:
    folder.mkdir(exist_ok=True)
    with rehearsal_endpoint(RehearsalOptions(latency_ms=latency)) as base_url:
        environment = {
            "PATH": os.environ["PATH"],
            "OPENAI_BASE_URL": base_url,
            "EVAL_MODEL": "rehearsal",
            "EVAL_JUDGE_MODEL": "rehearsal-judge",
            "EVAL_RUNS_DIR": str(folder / f"runs-{count}-{latency:g}"),
        }
        loop = ["-m", "benchmarks.bare_loop", "--scenarios", str(count), "--concurrency", str(concurrency)]
        job = ["-m", "scripts.evaluate_prompts", "--prompt", "v3", "--concurrency", str(concurrency)]
        job += ["--scenarios", str(scenario_file(folder, count))]
        return measured([sys.executable, *loop], environment), measured([sys.executable, *job], environment)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    concurrency = options.concurrency
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    print(f"concurrency {concurrency}, {os.cpu_count()} cores, {soft} open files, lowest of {options.rounds} rounds")
    print(f"{'case':24}{'bare loop':>24}{'main job':>24}{'x wall':>8}{'x CPU':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for count, latency in CASES:
            loop, job = compare(Path(folder), count, latency, concurrency, options.rounds)
            texts = [f"{cost.wall:.1f}s {cost.cpu:.1f}s {cost.peak:.0f}MB" for cost in (loop, job)]
            ratios = f"{job.wall / loop.wall:>8.2f}{job.cpu / loop.cpu:>8.2f}"
            print(f"{count} at {latency:g} ms".ljust(24) + f"{texts[0]:>24}{texts[1]:>24}{ratios}")


if __name__ == "__main__":
    main()
