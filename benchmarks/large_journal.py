"""The cost of a run with 100,000 exchanges after it was played: resume, summary and files, report, comparison.

Plays two versions of a prompt without a judge first, which takes some minutes; that is not what is measured.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.main_job import measured, scenario_file
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint

REPEATS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=100_000)
    count = parser.parse_args().exchanges // REPEATS
    with tempfile.TemporaryDirectory() as name, rehearsal_endpoint(RehearsalOptions()) as base_url:
        folder = Path(name)
        runs = folder / "runs"
        environment = {
            "PATH": os.environ["PATH"],
            "OPENAI_BASE_URL": base_url,
            "EVAL_MODEL": "rehearsal",
            "EVAL_RUNS_DIR": str(runs),
        }
        play = ["scripts.evaluate_prompts", "--no-judge", "--quiet", "--concurrency", "50", "--repeats", str(REPEATS)]
        play += ["--scenarios", str(scenario_file(folder, count))]
        ids = []
        for prompt in ("v2", "v3"):
            measured([sys.executable, "-m", *play, "--prompt", prompt], environment)
            ids.append(json.loads((runs / "latest" / "summary.json").read_text(encoding="utf-8"))["run_id"])
        print(f"{count * REPEATS:,} exchanges; journal {(runs / 'evals.db').stat().st_size / 1e6:,.0f} MB")
        for what, command in (
            ("list the runs", ["scripts.manage_runs", "list"]),
            ("resume a finished run: summary, all files", ["scripts.evaluate_prompts", "--resume", ids[1], "--quiet"]),
            ("write the HTML report again", ["scripts.manage_runs", "report", ids[1]]),
            ("compare the two", ["scripts.compare_prompts", "--base", ids[0], "--prompt", ids[1], "--quiet"]),
        ):
            cost = measured([sys.executable, "-m", *command], environment)
            print(f"{what:44}{cost.wall:7.1f} s{cost.cpu:7.1f} s CPU{cost.peak:7.0f} MB", flush=True)


if __name__ == "__main__":
    main()
