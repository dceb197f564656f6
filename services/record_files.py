"""Files of evaluation records, reviews among them: read line by line, appended to without writing anything twice.

A record is held against its published schema; what is wrong with one is said in one line.
"""

import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from evaluation.records import Json
from services.journal.access import hold
from services.json_text import bounded_lines, json_object
from services.run_folder import make_private_directory

SCHEMA = Path(__file__).resolve().parent.parent / "evaluation" / "eval_records" / "eval_record.schema.json"
"""The same text is published as docs/eval_record.schema.json."""
LONGEST = 200
"""Characters of a complaint."""

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


def read_records(path: Path, *, checked: bool = True) -> Iterator[dict[str, Json] | BrokenLine]:
    """Every line in order, blank ones left out; unless `checked`, any object is taken for a record.

    Raises UsageError when the file cannot be read.
    """
    return (record for _, record in numbered_records(path, checked=checked))


def numbered_records(path: Path, *, checked: bool = True) -> Iterator[tuple[int, dict[str, Json] | BrokenLine]]:
    """The same with the number of each line, which counts from 1."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(bounded_lines(file), start=1):
                if line.strip():
                    yield number, _record(number, line, checked)
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


def append_new(path: Path, records: Iterable[dict[str, Json]]) -> tuple[int, int]:
    """Appends the records whose eval_id the file does not hold yet; (how many were new, how many were there).

    Raises ValueError for a record that does not fit the schema, before it is written.
    """
    with _writing(path):
        make_private_directory(path.parent)
    with hold(path.with_name(f".{path.name}.lock"), str(path), wait=True):
        lines = read_records(path, checked=False) if path.exists() else ()
        known = {line["eval_id"] for line in lines if isinstance(line, dict) and "eval_id" in line}
        added = there = 0
        with AppendedFile(path) as file:
            for record in records:
                if record["eval_id"] in known:
                    there += 1
                    continue
                if problem := record_problem(record):
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
        with _writing(path):
            make_private_directory(path.parent)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            size = os.fstat(self._descriptor).st_size
            if size and os.pread(self._descriptor, 1, size - 1) != b"\n":
                os.write(self._descriptor, b"\n")

    def __enter__(self) -> "AppendedFile":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def write(self, record: Json) -> None:
        """One line, in one write where the system permits."""
        data = (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "backslashreplace")
        with _writing(self._path):
            while data:
                data = data[os.write(self._descriptor, data) :]

    def sync(self) -> None:
        """Returns when all that was written would survive a loss of power."""
        with _writing(self._path):
            os.fsync(self._descriptor)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Names the file in the error when the system refuses to write."""
    try:
        yield
    except OSError as error:
        why = f"{path}: cannot be written ({error.strerror})"
        raise UsageError(f"{why}: free space or choose another folder") from None


def _record(number: int, line: bytes, checked: bool) -> dict[str, Json] | BrokenLine:
    try:
        record = json_object(line)
        problem = record_problem(record) if checked else ""
    except ValueError as error:
        problem = str(error)
    return BrokenLine(number, problem, line) if problem else record


# --- the schema -------------------------------------------------------------------------------------------------------


def record_problem(record: Json) -> str:
    """Says what is wrong with a record, field first; empty when it fits."""
    fault = next(iter(_validator().iter_errors(record)), None)
    return _beyond_the_schema(record) if fault is None else _complaint(fault)


@cache
def _validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _complaint(fault: Any) -> str:
    """The deepest complaint that says something, with its place."""
    place = ".".join(str(part) for part in fault.instance_path)
    if "anyOf" in fault.schema_path:
        return f"{place or 'record'}: needs options and selected, or text"
    message = " ".join(str(fault.message).split())
    if len(message) > LONGEST:
        message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 2 :]}"
    return f"{place}: {message}" if place else message


def _beyond_the_schema(record: Any) -> str:
    """Checks that no schema makes: real days, finite numbers, scores between the ends of the record's own scale."""
    for name in ("timestamp", "reviewed_at"):
        try:
            datetime.fromisoformat(record.get(name, "2000-01-01T00:00:00Z"))
        except ValueError:
            return f"{name}: {record[name]!r} is no day of the calendar"
    for metric, value in record["scores"].items():
        if value is not None and not math.isfinite(value):
            return f"scores.{metric}: {value!r} is no finite number"
    scale = record.get("scale")
    if scale is None:
        return ""
    low, high = scale["low"], scale["high"]
    if not low < high:
        return f"scale: low {low:g} is not below high {high:g}"
    outside = [
        (name, value) for name, value in record["scores"].items() if value is not None and not low <= value <= high
    ]
    return "".join(f"scores.{name}: {value:g} is outside {low:g} to {high:g}" for name, value in outside[:1])


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


def read_reviews(path: Path) -> tuple[list[dict[str, Json]], list[BrokenLine]]:
    """The newest human record of each eval_id, in the order in which they were first given, and broken lines."""
    found: dict[Json, dict[str, Json]] = {}
    broken: list[BrokenLine] = []
    if not path.exists():
        return [], []
    for line in read_records(path):
        if isinstance(line, BrokenLine):
            broken.append(line)
        elif line.get("source") == "human":
            found[line["eval_id"]] = line
    return list(found.values()), broken


def review_files(folder: Path) -> list[Path]:
    """Every reviewer's file, by name."""
    return sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
