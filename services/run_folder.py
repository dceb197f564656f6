"""The files of one run: written whole or not at all, readable by their owner only."""

import json
import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.records import Json
from services.json_text import to_line

_LARGEST_DOCUMENT = 8_000_000
MANIFEST, INPUTS = "manifest.json", "inputs.json"
"""What a run is, and the texts that it was made of."""
LATEST = "latest"
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


def run_folder(runs: Path, run_id: str) -> Path:
    """`runs/<run_id>`. Raises UsageError for an id that is not one plain folder name, and for a link in its place."""
    if not RUN_ID.fullmatch(run_id) or ".." in run_id:
        raise UsageError(f"run id {run_id!r} is not a run's name: take one from {write_command('runs')}")
    folder = runs / run_id
    if folder.is_symlink():
        raise UsageError(f"{folder}: is a link, and a run's files lie in a folder of their own: remove the link")
    return folder


def why_unread(error: Exception) -> str:
    """Why a document of a run cannot be used, in words, from what reading it and its fields raised."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, OSError):
        return error.strerror or "cannot be read"
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def read_json(path: Path) -> dict[str, Json]:
    """The object in a file of a run, which may hold anything by now.

    Raises OSError when it cannot be read, ValueError when it is no JSON object of at most 8 MB.
    """
    with path.open("rb") as file:
        content = file.read(_LARGEST_DOCUMENT + 1)
    if len(content) > _LARGEST_DOCUMENT:
        raise ValueError(f"{path}: is larger than {_LARGEST_DOCUMENT:,} bytes")
    try:
        value = json.loads(content)
    except RecursionError:
        raise ValueError(f"{path}: is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path}: holds no JSON object")
    return value


def write_text(path: Path, text: str) -> None:
    """Writes through a temporary neighbour, so that a reader sees the old file or the new one."""
    write_bytes(path, text_bytes(text))


def text_bytes(text: str) -> bytes:
    """A text as `write_text` writes it."""
    # A lone surrogate from a model's broken JSON escape has no UTF-8 form: it is written as its escape.
    return text.encode("utf-8", "backslashreplace")


def write_bytes(path: Path, content: bytes) -> None:
    """The same for what is no text."""
    with _replacing(path) as file:
        file.write(content)


def write_json(path: Path, value: Json) -> None:
    """Indented JSON; text in other scripts stays readable."""
    write_bytes(path, json_bytes(value))


def json_bytes(value: Json) -> bytes:
    """A value as `write_json` writes it."""
    return text_bytes(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_documents(folder: Path, documents: Mapping[str, Json]) -> tuple[str, ...]:
    """Writes each under its name: a text as it is, anything else as indented JSON. Returns where they are, in order."""
    for name, document in documents.items():
        if isinstance(document, str):
            write_text(folder / name, document)
        else:
            write_json(folder / name, document)
    return tuple(str(folder / name) for name in documents)


@contextmanager
def jsonl_file(path: Path) -> Iterator[Callable[[Json], None]]:
    """Yields what writes one JSON value as the next line; the file takes its place when the block ends well."""
    with _replacing(path) as file:

        def write(value: Json) -> None:
            file.write((to_line(value) + "\n").encode("utf-8", "backslashreplace"))

        yield write


def write_jsonl(path: Path, values: Iterable[Json]) -> int:
    """One JSON value per line, streaming. Returns how many."""
    count = 0
    with jsonl_file(path) as write:
        for value in values:
            write(value)
            count += 1
    return count


def latest_problem(runs: Path) -> str:
    """Why `runs/latest` cannot lead to the newest run, and what to do; empty where it can."""
    link = runs / LATEST
    if link.is_symlink() or not link.is_dir():
        return ""
    return f"{link}: is a folder, so it cannot lead to the newest run: move it away (mv {link} {link}-old)"


def point_latest(runs: Path, run_id: str) -> None:
    """Makes `runs/latest` a link to the run; where links cannot be made, a file that holds the run id.

    A folder in its place stays as it is: see `latest_problem`.
    """
    link = runs / LATEST
    if latest_problem(runs):
        return
    temporary = runs / f".latest-{os.getpid()}"
    try:
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(run_id)
        temporary.replace(link)
    except OSError:
        write_text(link, run_id + "\n")


def make_private_directory(path: Path) -> None:
    """Creates the directory and its missing parents for their owner only; existing ones stay as they are."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    temporary = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}")
    try:
        make_private_directory(path.parent)
        # A new file, never what a link of that name leads to.
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):  # where a file stands in the place of the folder there is nothing to take away
            temporary.unlink(missing_ok=True)
        raise UsageError(
            f"{path}: cannot be written ({error.strerror}): free space or choose another EVAL_RUNS_DIR"
        ) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
