"""Finished samples of production in the folder of runs, as other commands take them up."""

from pathlib import Path

from services.run_folder import MANIFEST, read_json

KIND, LINES = "production", "results.jsonl"


def is_sample(folder: Path) -> bool:
    """True for the folder of a sample, finished or not; the run that judges one is none."""
    try:
        return read_json(folder / MANIFEST).get("kind") == KIND
    except (OSError, ValueError):
        return False


def newest_sample(runs: Path) -> Path | None:
    """The folder of the finished sample that was begun last; None where there is none."""
    folders = sorted((path.parent for path in runs.glob(f"*-{KIND}-*/{LINES}")), key=lambda each: each.name)
    return next((folder for folder in reversed(folders) if is_sample(folder)), None)
