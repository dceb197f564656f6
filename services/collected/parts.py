"""Which parts a collection has: files that are named, in folders or by patterns, cut into pieces of bounded size.

Files lie on this machine or wherever fsspec reaches (s3://, gs://, https://); what is local needs no package of the
extra.
"""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from evaluation.errors import UsageError
from evaluation.records import Json
from services.collected.tables import cuts_of

FORMS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Ending of a file -> its form."""
WEB = ("http", "https")
"""Protocols whose addresses name one file, and may have a query with signs of a pattern."""
READ_BYTES = 1_000_000
"""Of a file at an address, so many are asked of its buffer at a time."""
PART_BYTES = 4_000_000
"""Of JSON lines and CSV, about so many go into a part."""
PART_ROWS = 20_000
"""Of a Parquet file, so many rows at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of one file."""

    number: int
    """Counts from 0 over the whole collection, in the order of the output."""
    file: str
    form: str
    """jsonl, csv or parquet."""
    first: int = 0
    """Of JSON lines the byte from which on lines begin, of CSV that of its first row; of Parquet the first row."""
    end: int = 0
    """The byte before which the last line begins, or the row behind the last one. 0: to the end of the file."""
    stamp: str = ""
    """Size and time, or tag, of the file: a part of a file that has changed is done once more."""

    @property
    def key(self) -> str:
        """Names what is to be done."""
        return hashlib.sha256(repr(asdict(self)).encode("utf-8", "surrogatepass")).hexdigest()

    def to_json(self) -> Json:
        return asdict(self)


def is_remote(name: str) -> bool:
    return "://" in name


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """The file for reading in binary. Raises UsageError where it cannot be opened."""
    try:
        if is_remote(name):
            system, path = system_of(name)
            # Files of fsspec have no bound for the length of a line, as readers of hostile files need.
            with system.open(path, "rb") as file, io.BufferedReader(file, READ_BYTES) as buffered:
                yield buffered
        else:
            with Path(name).open("rb") as file:
                yield file
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror or error})") from None


def find_files(names: Sequence[str]) -> list[str]:
    """The files that are named: by themselves, by a pattern, or by their folder; each once, those of one name in order.

    Raises UsageError for a name that stands for none, and for a file of an unknown form.
    """
    found: list[str] = []
    for name in names:
        files = _remote_files(name) if is_remote(name) else _local_files(name)
        if not files:
            raise UsageError(f"{name}: there is no file of responses ({', '.join(FORMS)}) there")
        found += [file for file in files if file not in found]
    for file in found:
        form_of(file)
    return found


def form_of(file: str) -> str:
    """Raises UsageError where the name of the file does not say its form."""
    form = FORMS.get(Path(file.partition("?")[0]).suffix.lower())
    if form is None:
        raise UsageError(f"{file}: its name does not say what it is: give one that ends in {', '.join(FORMS)}")
    return form


def plan_parts(files: Sequence[str], part_bytes: int = PART_BYTES, part_rows: int = PART_ROWS) -> list[Part]:
    """Every part, in order. Raises UsageError for a file that cannot be opened."""
    parts: list[Part] = []
    for file in files:
        form, (size, stamp) = form_of(file), _stamp(file)
        if form == "parquet":
            rows = _rows_of(file)
            edges = [(first, min(rows, first + part_rows)) for first in range(0, rows, part_rows)]
        elif form == "jsonl":
            edges = [(first, min(size, first + part_bytes)) for first in range(0, size, part_bytes)]
        else:
            edges = _edges_of_table(file, size, part_bytes)
        parts += [Part(len(parts) + place, file, form, *edge, stamp) for place, edge in enumerate(edges)]
    return parts


def _edges_of_table(file: str, size: int, part_bytes: int) -> list[tuple[int, int]]:
    """A line break may stand inside of quotes: where a table may be cut, only who read all before knows."""
    if size <= part_bytes:
        return [(0, 0)]
    with opened(file) as source:
        cuts = cuts_of(source, part_bytes)
    return list(zip([0, *cuts], [*cuts, 0], strict=True))


def _local_files(name: str) -> list[str]:
    path = Path(name)
    if path.is_dir():
        return sorted(str(each) for each in path.rglob("*") if each.is_file() and each.suffix.lower() in FORMS)
    if path.exists():
        return [name]
    base = Path(path.anchor) if path.is_absolute() else Path()
    pattern = str(path.relative_to(base)) if path.is_absolute() else name
    return sorted(str(each) for each in base.glob(pattern) if each.is_file())


def _remote_files(name: str) -> list[str]:
    protocol = name.partition("://")[0]
    if protocol in WEB and Path(name.partition("?")[0]).suffix.lower() in FORMS:
        return [name]  # a signed address has a question mark, and a look for a folder would load the file
    system, path = system_of(name)
    try:
        if any(sign in path for sign in "*?["):
            listed = system.glob(path)
        elif system.isdir(path):
            listed = [each for each in system.find(path) if Path(each).suffix.lower() in FORMS]
        else:
            return [name] if Path(path).suffix.lower() in FORMS else []
    except OSError as error:
        raise UsageError(f"{name}: cannot be listed ({error})") from None
    return sorted(each if is_remote(each) else f"{protocol}://{each}" for each in listed)


def _stamp(file: str) -> tuple[int, str]:
    """(bytes, what changes when the file does)."""
    try:
        if not is_remote(file):
            stat = Path(file).stat()
            return stat.st_size, f"{stat.st_size} {stat.st_mtime_ns}"
        system, path = system_of(file)
        info: dict[str, Any] = system.info(path)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror or error})") from None
    size = int(info.get("size") or 0)
    return size, f"{size} {info.get('ETag') or info.get('etag') or info.get('mtime') or info.get('LastModified') or ''}"


def _rows_of(file: str) -> int:
    import pyarrow.parquet as parquet

    with opened(file) as source:
        try:
            return int(parquet.ParquetFile(source).metadata.num_rows)
        except Exception as error:
            raise UsageError(f"{file}: is no Parquet file ({error})") from None


def system_of(name: str) -> tuple[Any, str]:
    """Who reaches an address, and what it is called there. Raises UsageError where nobody installed does."""
    import fsspec

    shown = name.partition("?")[0]
    try:
        system, path = fsspec.core.url_to_fs(name)
    except ImportError as error:
        raise UsageError(f"{shown}: a package is missing that reaches it ({error}): install it beside fsspec") from None
    except ValueError as error:
        raise UsageError(f"{shown}: is no address ({error}): give a path, or one of s3://, gs://, https://") from None
    return system, str(path)
