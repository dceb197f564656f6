"""Reviews on disk: one file of evaluation records per reviewer, appended to one by one, each safe before the next."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Json
from services.journal.lock import hold
from services.record_files import AppendedFile, BrokenLine, read_records
from services.record_schema import Problem

FOLDER = "reviews"
"""In the runs folder, unless another is named."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")


def reviewer_name(name: str) -> str:
    """The name, if it can be a file's. Raises UsageError."""
    if not _NAME.fullmatch(name) or ".." in name:
        raise UsageError(f"reviewer {name[:80]!r}: use letters, digits, . _ @ and -, beginning with a letter or digit")
    return name


def review_file(folder: Path, reviewer: str) -> Path:
    """The file with the reviews of one reviewer."""
    return folder / f"{reviewer_name(reviewer)}.jsonl"


@contextmanager
def open_reviews(folder: Path, reviewer: str) -> Iterator[AppendedFile]:
    """The reviewer's file to append to, held against any other session of the same reviewer.

    Raises JournalError when another process holds it, UsageError when it cannot be written.
    """
    path = review_file(folder, reviewer)
    with hold(folder / f".{reviewer}.lock", f"the review of {reviewer}"), AppendedFile(path) as file:
        yield file


def read_reviews(path: Path, problem_of: Problem) -> tuple[list[dict[str, Json]], list[BrokenLine]]:
    """The newest human record of each eval_id, in the order in which they were first given, and broken lines."""
    found: dict[Json, dict[str, Json]] = {}
    broken: list[BrokenLine] = []
    if not path.exists():
        return [], []
    for line in read_records(path, problem_of):
        if isinstance(line, BrokenLine):
            broken.append(line)
        elif line.get("source") == "human":
            found[line["eval_id"]] = line
    return list(found.values()), broken


def review_files(folder: Path) -> list[Path]:
    """Every reviewer's file, by name."""
    return sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
