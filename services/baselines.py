"""Where the approved baselines lie: one file per prompt, under version control."""

import json
import re
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.runspec import digest
from services.run_folder import write_text
from services.text_files import read_text

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_LARGEST = 50_000_000


def baseline_path(folder: Path, prompt: str) -> Path:
    """The file of a prompt's baseline; names that are no plain file name get one that cannot be mistaken."""
    if _PLAIN.fullmatch(prompt):
        return folder / f"{prompt}.json"
    return folder / f"{_OTHER.sub('-', prompt).strip('-.')[:60]}-{digest(prompt)[:8]}.json"


def sample_path(folder: Path, prompt: str) -> Path:
    """The file of a prompt's approved sample of production; no baseline of a prompt has such a name."""
    path = baseline_path(folder, prompt)
    return path.with_name(f"{path.stem}@production.json")


def read_baseline(path: Path) -> str | None:
    """The file's text; None where there is none. Raises UsageError for one that cannot be read."""
    return read_text(path, _LARGEST).text if path.exists() else None


def write_baseline(path: Path, text: str) -> None:
    """Writes the file, readable by everyone who may read the project: it holds scores, no texts."""
    write_text(path, text)
    path.chmod(0o644)


def baseline_run_ids(folder: Path) -> set[str]:
    """The runs that baselines were made of, whatever else is in the files."""
    found = set()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            value = json.loads(read_baseline(path) or "{}")
        except (ValueError, RecursionError, UsageError):
            continue
        if isinstance(value, dict) and isinstance(value.get("run_id"), str):
            found.add(value["run_id"])
    return found
