"""The share of a permitted rate that a run uses, and the calls that it wastes, against a token bucket on loopback.

The bucket holds a second's worth and refuses the rest with 429. Each row is one run of the main job.
"""

import json
import os
import sys
import tempfile
import urllib.request
from pathlib import Path

from benchmarks.main_job import measured, scenario_file
from services.rehearsal.options import RehearsalOptions
from services.rehearsal.process import rehearsal_endpoint

CASES: tuple[tuple[str, RehearsalOptions, list[str]], ...] = (
    ("3,000 requests", RehearsalOptions(latency_ms=50, rpm_limit=3000), ["--rpm", "3000"]),
    ("600,000 tokens", RehearsalOptions(latency_ms=50, tpm_limit=600_000), ["--tpm", "600000"]),
    ("3,000 requests, no --rpm", RehearsalOptions(latency_ms=50, rpm_limit=3000), []),
)


def row(folder: Path, name: str, options: RehearsalOptions, flags: list[str]) -> str:
    """One run: its name, the share of the permitted rate that it used, the share of its calls that were refused."""
    with rehearsal_endpoint(options) as base_url:
        environment = {
            "PATH": os.environ["PATH"],
            "OPENAI_BASE_URL": base_url,
            "EVAL_MODEL": "rehearsal",
            "EVAL_RUNS_DIR": str(folder / name),
        }
        job = ["-m", "scripts.evaluate_prompts", "--prompt", "v3", "--quiet", "--no-judge", "--concurrency", "50"]
        job += ["--scenarios", str(scenario_file(folder, 500)), *flags]
        measured([sys.executable, *job], environment)
        with urllib.request.urlopen(base_url.removesuffix("/v1") + "/stats") as answer:
            stats = json.load(answer)
    lines = (folder / name / "latest" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    played_s = json.loads((folder / name / "latest" / "summary.json").read_text())["wall_seconds"]
    used = len(results) if options.rpm_limit else sum(sum(each["usage"].values()) for each in results)
    permitted = (options.rpm_limit or options.tpm_limit) / 60 * played_s
    arrived = stats["completions"]
    return f"{name:28}{used / permitted:>12.0%}{(arrived - len(results)) / arrived:>14.1%}"


def main() -> None:
    print(f"{'permitted a minute':28}{'rate used':>12}{'calls wasted':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for name, options, flags in CASES:
            print(row(Path(folder), name, options, flags), flush=True)


if __name__ == "__main__":
    main()
