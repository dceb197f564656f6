"""The cost that delivery to Langfuse adds to the main job: the same run without it and with it, beside a bare loop.

python -m benchmarks.beside_a_run [--scenarios 500 2000]

Single-turn scenarios at an endpoint that takes 200 ms, and a Langfuse double that stores everything and is read back,
both in processes of their own. The first run there also writes a dataset item per scenario; a later one finds them.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.main_job import Cost, measured, scenario_file
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint

PUBLIC, SECRET = "pk-lf-benchmark", "sk-lf-benchmark"


def serve(ports: Any, stop: Any) -> None:
    from tests.langfuse_double import LangfuseDouble

    with LangfuseDouble(public_key=PUBLIC, secret_key=SECRET, check_bodies=False) as double:
        ports.put(double.base_url)
        stop.wait()


@contextmanager
def langfuse() -> Iterator[dict[str, str]]:
    """The settings that name a fresh double."""
    context = multiprocessing.get_context("spawn")
    ports, stop = context.Queue(), context.Event()
    process = context.Process(target=serve, args=(ports, stop), daemon=True)
    process.start()
    try:
        base_url = ports.get(timeout=60)
        yield {"LANGFUSE_BASE_URL": base_url, "LANGFUSE_PUBLIC_KEY": PUBLIC, "LANGFUSE_SECRET_KEY": SECRET}
    finally:
        stop.set()
        process.join()


def job(scenarios: Path, runs: Path, endpoint: Mapping[str, str], keys: Mapping[str, str], concurrency: int) -> Cost:
    command = [sys.executable, "-m", "scripts.evaluate_prompts", "--prompt", "prompts/penpal-companion/v3.md"]
    command += ["--quiet", "--concurrency", str(concurrency), "--scenarios", str(scenarios)]
    return measured(command, {"PATH": os.environ["PATH"], "EVAL_RUNS_DIR": str(runs), **endpoint, **keys})


def compare(folder: Path, count: int, latency: float, concurrency: int) -> None:
    scenarios = scenario_file(folder, count)
    with rehearsal_endpoint(RehearsalOptions(latency_ms=latency)) as base_url, langfuse() as keys:
        endpoint = {"OPENAI_BASE_URL": base_url, "EVAL_MODEL": "rehearsal", "EVAL_JUDGE_MODEL": "rehearsal-judge"}
        loop = ["-m", "benchmarks.bare_loop", "--scenarios", str(count), "--concurrency", str(concurrency)]
        bare = measured([sys.executable, *loop], {"PATH": os.environ["PATH"], **endpoint})
        without = job(scenarios, folder / f"without-{count}", endpoint, {}, concurrency)
        costs = {}
        for name in ("first run", "later run"):
            # A journal of its own, as the run without Langfuse has: another would find its verdicts in the first.
            runs = folder / f"{name}-{count}"
            costs[name] = job(scenarios, runs, endpoint, keys, concurrency)
    sent = json.loads((runs / "latest" / "summary.json").read_text())["langfuse"]
    print(f"{count} at {latency:g} ms: {sent['verified']:,} scores and {sent['traces']['verified']:,} traces verified")
    for name, cost in {"bare loop": bare, "without Langfuse": without, **costs}.items():
        line = f"  {name:18}{cost.wall:7.1f} s wall {cost.cpu:7.1f} s CPU {cost.peak:6.0f} MB"
        if name in costs:
            more = cost.cpu - without.cpu
            line += (
                f"   adds {more:.1f} s CPU ({more / bare.cpu:.2f} x bare loop), {cost.wall - without.wall:.1f} s wall"
            )
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures delivery beside a run.")
    parser.add_argument("--scenarios", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--concurrency", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for count in options.scenarios:
            compare(Path(folder), count, 200.0, options.concurrency)


if __name__ == "__main__":
    main()
