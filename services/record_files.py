"""Files of evaluation records, reviews among them: read line by line, appended to without writing anything twice."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.records import Json
from services.journal.access import hold
from services.json_text import bounded_lines, json_object
from services.record_schema import Problem
from services.run_folder import make_private_directory

REVIEWS = "reviews"
"""The folder of reviews in the runs folder, unless another is named."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that is no record."""

    number: int
    """Counts from 1."""
    problem: str
    text: bytes
    """As it is; the beginning of one that is too long."""


def read_records(path: Path, problem_of: Problem) -> Iterator[dict[str, Json] | BrokenLine]:
    """Every line in order, blank ones left out. Raises UsageError when the file cannot be read."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(bounded_lines(file), start=1):
                if line.strip():
                    yield _record(number, line, problem_of)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}): give a file of JSON lines") from None


def keep_aside(path: Path, broken: Iterable[BrokenLine]) -> Path | None:
    """Writes broken lines, as they are, to `<name>.rejected` beside their file; None when there are none."""
    lines = [each.text.rstrip(b"\r\n") + b"\n" for each in broken]
    if not lines:
        return None
    aside = path.with_name(path.name + ".rejected")
    try:
        known = aside.read_bytes().splitlines(keepends=True) if aside.exists() else []
        with aside.open("ab") as file:
            file.writelines(line for line in lines if line not in set(known))
    except OSError as error:
        raise UsageError(f"{aside}: cannot be written ({error.strerror}): broken lines stay in {path}") from None
    return aside


def append_new(path: Path, records: Iterable[dict[str, Json]], problem_of: Problem) -> tuple[int, int]:
    """Appends the records whose eval_id the file does not hold yet; (how many were new, how many were there).

    Raises ValueError for a record that does not fit the schema, before it is written.
    """
    _make_folder(path)
    with hold(path.with_name(f".{path.name}.lock"), str(path), wait=True):
        known: set[Json] = set()
        if path.exists():
            known = {
                line["eval_id"]
                for line in read_records(path, lambda _: "")
                if isinstance(line, dict) and "eval_id" in line
            }
        added = there = 0
        with AppendedFile(path) as file:
            for record in records:
                if record["eval_id"] in known:
                    there += 1
                    continue
                if problem := problem_of(record):
                    raise ValueError(f"record {record['eval_id']}: {problem}")
                file.write(record)
                known.add(record["eval_id"])
                added += 1
            file.sync()
    return added, there


class AppendedFile:
    """Appends lines to a file of JSON lines, readable by its owner only. A line torn by a crash is ended first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        _make_folder(path)
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            size = os.fstat(self._descriptor).st_size
            if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
                os.write(self._descriptor, b"\n")
        except OSError as error:
            raise self._explained(error) from None

    def __enter__(self) -> "AppendedFile":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def write(self, record: Json) -> None:
        """One line, in one write where the system permits."""
        data = (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "backslashreplace")
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise self._explained(error) from None

    def sync(self) -> None:
        """Returns when all that was written would survive a loss of power."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._explained(error) from None

    def _explained(self, error: OSError) -> UsageError:
        return UsageError(f"{self._path}: cannot be written ({error.strerror}): free space or choose another folder")


def _make_folder(path: Path) -> None:
    try:
        make_private_directory(path.parent)
    except OSError as error:
        raise UsageError(f"{path.parent}: cannot be made ({error.strerror}): choose another folder") from None


def _record(number: int, line: bytes, problem_of: Problem) -> dict[str, Json] | BrokenLine:
    try:
        record = json_object(line)
        problem = problem_of(record)
    except ValueError as error:
        problem = str(error)
    return BrokenLine(number, problem, line) if problem else record


# --- reviews: one file per reviewer, each record safe before the next -------------------------------------------------


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
