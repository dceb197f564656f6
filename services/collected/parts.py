"""Which parts a collection has: files that are named, in folders or by patterns, cut into pieces of bounded size.

Files lie on this machine or wherever fsspec reaches (s3://, gs://, https://); what is local needs no package of the
extra.
"""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from evaluation.records import Json
from services.collected.addresses import is_remote, is_web, kept, shown, without_secrets
from services.collected.reaching import gives_pieces, opened_there, reached, system_of
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
QUOTES = "irregular quotes"
STREAM = "a server that gives no pieces of a file"
"""Reasons for which a file stays one part."""
PART_BYTES = 4_000_000
"""Of JSON lines and CSV, about so many go into a part."""
PART_ROWS = 20_000
"""Of a Parquet file, so many rows at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of one file."""

    number: int
    """Counts from 0 over the whole collection, in the order of the output."""
    file: str = field(repr=False)
    """As it is opened: an address may hold secrets."""
    form: str
    """jsonl, csv or parquet."""
    first: int = 0
    """Of JSON lines the byte from which on lines begin, of CSV that of its first row; of Parquet the first row."""
    end: int = 0
    """The byte before which the last line begins, or the row behind the last one. 0: to the end of the file."""
    stamp: str = ""
    """Size and time, or tag, of the file: a part of a file that has changed is done once more."""

    uncut: str = ""
    """Why it is the whole of a file that was to be cut; empty for every other part."""

    @property
    def key(self) -> str:
        """Names what is to be done."""
        return hashlib.sha256(repr(self.to_json()).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def file_name(self) -> str:
        """Of the file, without its folder."""
        return Path(shown(self.file)).name

    def to_json(self) -> dict[str, Json]:
        """Without what opens an address."""
        return {**asdict(self), "file": kept(self.file)}


@contextmanager
def opened(name: str, *, whole: bool = False) -> "Iterator[io.BufferedReader[Any]]":
    """The file for reading in binary, `whole` from its beginning on. Raises UsageError where it cannot be read."""
    if is_remote(name):
        with opened_there(name, whole=whole) as file:
            yield file
        return
    try:
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
            raise UsageError(f"{shown(name)}: there is no file of responses ({', '.join(FORMS)}) there")
        known = {kept(file) for file in found}
        found += [file for file in files if kept(file) not in known]
    for file in found:
        form_of(file)
    return found


def form_of(file: str) -> str:
    """Raises UsageError where the name of the file does not say its form."""
    form = _known_form(file)
    if form is None:
        raise UsageError(f"{shown(file)}: its name does not say what it is: give one that ends in {', '.join(FORMS)}")
    return form


def _known_form(file: str) -> str | None:
    return FORMS.get(Path(shown(file)).suffix.lower())


def plan_parts(files: Sequence[str], part_bytes: int = PART_BYTES, part_rows: int = PART_ROWS) -> list[Part]:
    """Every part, in order. Raises UsageError for a file that cannot be opened."""
    parts: list[Part] = []
    for file in files:
        form, (size, stamp) = form_of(file), _stamp(file)
        edges, uncut = _edges(file, form, size, part_bytes, part_rows)
        parts += [Part(len(parts) + place, file, form, *edge, stamp, uncut) for place, edge in enumerate(edges)]
    return parts


WHOLE = (0, 0)
"""Edges of a part that is a whole file."""


def _edges(
    file: str, form: str, size: int | None, part_bytes: int, part_rows: int
) -> tuple[list[tuple[int, int]], str]:
    """Where the parts of a file begin and end, and why it stays one where that is so."""
    if form == "parquet":
        rows = _rows_of(file)
        return [(first, min(rows, first + part_rows)) for first in range(0, rows, part_rows)], ""
    if size is None or (size > part_bytes and not gives_pieces(file, size)):
        return [WHOLE], STREAM
    if form == "jsonl":
        return [(first, min(size, first + part_bytes)) for first in range(0, size, part_bytes)], ""
    if size <= part_bytes:
        return [WHOLE], ""
    # A line break may stand inside of quotes: where a table may be cut, only who read all before knows.
    with opened(file) as source:
        cuts = cuts_of(source, part_bytes)
    return ([WHOLE], QUOTES) if cuts is None else (list(zip([0, *cuts], [*cuts, 0], strict=True)), "")


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
    if is_web(name) and _known_form(name) is not None:
        return [name]  # a signed address has a question mark, and a look for a folder would load the file
    system, path = system_of(name)
    with reached(name):
        if any(sign in path for sign in "*?["):
            listed = system.glob(path)
        elif system.isdir(path):
            listed = [each for each in system.find(path) if _known_form(each) is not None]
        elif _known_form(name) is not None:
            return [name]
        else:
            if is_web(name):
                system.info(path)  # a server that refuses a folder is said to have none
            return []
    before = (
        name.rstrip("/").removesuffix(path) if name.rstrip("/").endswith(path) else f"{name.partition('://')[0]}://"
    )
    return sorted(each if is_remote(each) else f"{before}{each}" for each in listed)


def _stamp(file: str) -> tuple[int | None, str]:
    """(bytes, what changes when the file does). None where its size is not known, or pieces of it are not given."""
    if not is_remote(file):
        try:
            stat = Path(file).stat()
        except OSError as error:
            raise UsageError(f"{file}: cannot be read ({error.strerror or error})") from None
        return stat.st_size, f"{stat.st_size} {stat.st_mtime_ns}"
    system, path = system_of(file)
    with reached(file):
        info: dict[str, Any] = system.info(path)
    size = None if info.get("size") is None or info.get("partial") is False else int(info["size"])
    signs = ("ETag", "etag", "mtime", "LastModified", "Last-Modified", "Content-MD5")
    return size, f"{info.get('size')} {next((info[sign] for sign in signs if info.get(sign)), '')}"


def _rows_of(file: str) -> int:
    import pyarrow.parquet as parquet

    with opened(file) as source:
        try:
            return int(parquet.ParquetFile(source).metadata.num_rows)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(f"{shown(file)}: is no Parquet file ({without_secrets(str(error))})") from None
