"""The rows of a part, each a record or the reason why it is none."""

import csv
import io
import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from evaluation.errors import UsageError
from services.collected.addresses import shown, without_secrets
from services.collected.parts import STREAM, Part, opened
from services.json_text import bounded_lines, json_object

AT_ONCE = 2_000
"""Rows of a Parquet file that lie in memory at a time."""
LONGEST_FIELD = 32 * 1024 * 1024
_SKIPPED = 1_000_000
"""Bytes that are read at a time of a line that belongs to the part before."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the input."""

    place: int
    """Of JSON lines and CSV the byte at which it begins, else its number in the file, from 0."""
    record: dict[str, Any]
    """Empty where it could not be read."""
    problem: str = ""


def read_rows(part: Part, columns: Collection[str] | None = None) -> Iterator[Row]:
    """Every row of the part, in order. Of a Parquet file only these columns are read; None stands for all.

    Raises UsageError where the file cannot be read.
    """
    with opened(part.file, whole=part.uncut == STREAM) as file:
        if part.form == "jsonl":
            yield from _lines(file, part)
        elif part.form == "csv":
            yield from _records(file, part, columns)
        else:
            yield from _rows(file, part, columns)


def _lines(file: IO[bytes], part: Part) -> Iterator[Row]:
    """A line belongs to the part in which it begins."""
    at = part.first
    if at:
        file.seek(at - 1)
        while (rest := file.readline(_SKIPPED)) and not rest.endswith(b"\n"):
            pass
        at = file.tell()
    for line in bounded_lines(file):
        if part.end and at >= part.end:
            return
        place, at = at, file.tell()
        if not line.strip():
            continue
        try:
            yield Row(place, json_object(line, constants=True))
        except ValueError as error:
            yield Row(place, {}, str(error))


def _records(file: "io.BufferedReader[Any]", part: Part, columns: Collection[str] | None) -> Iterator[Row]:
    """A part behind the first has the names of its columns from the first line of the file."""
    csv.field_size_limit(LONGEST_FIELD)
    begins = len(BOM_UTF8) if file.peek(len(BOM_UTF8)).startswith(BOM_UTF8) else 0
    file.read(begins)
    names = None
    if part.first:
        with _text(file) as lines:
            names = next(csv.reader(lines, strict=True), [])
        file.seek(part.first)
    source = io.BytesIO(file.read(part.end - file.tell())) if part.end else file
    with _text(source) as lines:
        counted = _Counted(lines, part.first or begins)
        yield from _of_table(csv.DictReader(counted, names, strict=True), counted, columns)


@contextmanager
def _text(file: IO[bytes]) -> Iterator[io.TextIOWrapper]:
    """The file as text; it stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
    try:
        yield text
    finally:
        text.detach()


class _Counted:
    """Lines, and the byte behind the last one that was taken."""

    def __init__(self, lines: Iterator[str], at: int) -> None:
        self._lines, self.at = lines, at

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.at += len(line.encode("utf-8", "surrogateescape"))
            yield line


def _of_table(reader: "csv.DictReader[str]", counted: _Counted, columns: Collection[str] | None) -> Iterator[Row]:
    problem = _first_line(reader)
    if problem:
        yield Row(0, {}, problem)
    twice = _named_twice(reader.fieldnames or () if not problem else (), columns)
    while True:
        place = counted.at
        try:
            record = next(reader, None)
        except csv.Error as error:
            yield Row(place, {}, f"not CSV: {error}")
            continue
        if record is None:
            return
        if None in record or None in record.values():
            yield Row(place, {}, "has another number of fields than the first line")
            continue
        if problem := twice or _not_utf8(record.values()):
            yield Row(place, {}, problem)
            continue
        yield Row(place, {name: _value(name, value) for name, value in record.items()})


def _first_line(reader: "csv.DictReader[str]") -> str:
    """Has the names of the columns read, so that the first row begins behind them; says why they cannot be."""
    try:
        _ = reader.fieldnames
    except csv.Error as error:
        return f"not CSV: {error}"
    return ""


def _named_twice(names: Iterable[str], columns: Collection[str] | None) -> str:
    """Says of which column that is read there are two: nobody knows which one is meant."""
    twice = [name for name, number in Counter(names).items() if number > 1 and (columns is None or name in columns)]
    return f"has two columns of one name, {twice[0]!r}" if twice else ""


def _not_utf8(texts: Iterable[str]) -> str:
    """Says so of bytes that were read as lone surrogates, since a row takes no other with it."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return "not UTF-8"
    return ""


def _value(name: str, text: str) -> Any:
    """The context is a JSON list in its field; everything else is text."""
    if name != "context":
        return text
    try:
        return json.loads(text) if text else []
    except (ValueError, RecursionError):
        return text


def _rows(file: IO[bytes], part: Part, columns: Collection[str] | None) -> Iterator[Row]:
    import pyarrow.parquet as parquet

    source = parquet.ParquetFile(file)
    if problem := _named_twice(source.schema_arrow.names, columns):
        yield from (Row(place, {}, problem) for place in range(part.first, part.end))
        return
    # Of a file without any of them all is read: a batch without columns would have no rows.
    wanted = [name for name in source.schema_arrow.names if columns is not None and name in columns] or None
    before = 0
    for number in range(source.metadata.num_row_groups):
        size = source.metadata.row_group(number).num_rows
        if before + size > part.first and before < part.end:
            yield from _of_group(source, number, before, part, wanted)
        before += size


def _records_of(batch: Any, first: int) -> Iterator[Row]:
    """One that cannot be read (a text that is not UTF-8, a time finer than Python's) takes no other with it."""
    try:
        rows: list[Any] = batch.to_pylist()
    except ValueError as error:
        if batch.num_rows == 1:
            yield Row(first, {}, f"cannot be read ({error})")
            return
        for place in range(batch.num_rows):
            yield from _records_of(batch.slice(place, 1), first + place)
        return
    for place, record in enumerate(rows, start=first):
        yield Row(place, {name: value for name, value in record.items() if value is not None})


def _of_group(source: Any, number: int, before: int, part: Part, wanted: list[str] | None) -> Iterator[Row]:
    from pyarrow import ArrowException

    try:
        for batch in source.iter_batches(AT_ONCE, row_groups=[number], columns=wanted):
            first, last = max(0, part.first - before), min(batch.num_rows, part.end - before)
            if first < last:
                yield from _records_of(batch.slice(first, last - first), before + first)
            before += batch.num_rows
            if before >= part.end:
                return
    except (OSError, ArrowException) as error:
        said = without_secrets(str(error))
        raise UsageError(f"{shown(part.file)}: row group {number} cannot be read ({said})") from None
