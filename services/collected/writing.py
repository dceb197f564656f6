"""The output of a part: its rows, and then a record that says that they are whole."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from services.collected.output import OutputFolder
from services.json_text import to_line
from services.tables import to_cell

TEXTS = frozenset({"id", "error", "explanations"})
"""Columns of a table that hold texts; all others hold numbers."""
OUTPUT = {"jsonl": "jsonl", "csv": "csv", "parquet": "parquet"}
"""Form -> ending of its files."""


@dataclass(frozen=True, slots=True)
class PartFiles:
    """Where the output of one part lies."""

    folder: OutputFolder
    number: int
    form: str

    @property
    def rows(self) -> str:
        """Name of the file of the rows."""
        return f"part-{self.number:05d}.{OUTPUT[self.form]}"

    @property
    def record(self) -> str:
        """Name of the file that says that the rows are whole."""
        return f"done/part-{self.number:05d}.json"

    def done(self, key: str) -> dict[str, Any] | None:
        """What is on record of the part; None where it is not done, or was done to something else."""
        content = self.folder.read(self.record)
        try:
            found = json.loads(content or b"null")
        except ValueError:
            return None
        return found if isinstance(found, dict) and found.get("key") == key else None

    def write(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], record: Mapping[str, Any]) -> None:
        """The rows, then the record. A process that dies between the two leaves a part that is done once more."""
        content = {"jsonl": _lines, "csv": _table, "parquet": _parquet}[self.form](rows, columns)
        self.folder.write(self.rows, content)
        self.folder.write(self.record, to_line(dict(record)).encode("utf-8", "backslashreplace"))


def _lines(rows: Sequence[Mapping[str, Any]], _columns: Sequence[str]) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: to_cell(row.get(name)) for name in columns} for row in rows)
    return out.getvalue().encode("utf-8", "backslashreplace")


def _parquet(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bytes:
    import pyarrow
    import pyarrow.parquet as parquet

    schema = pyarrow.schema([(name, pyarrow.string() if name in TEXTS else pyarrow.float64()) for name in columns])
    cleaned = [{name: _plain(row.get(name)) if name in TEXTS else row.get(name) for name in columns} for row in rows]
    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(cleaned, schema), sink, compression="zstd")
    return sink.getvalue()


def _plain(value: Any) -> str | None:
    """Text without lone surrogates, which UTF-8 cannot hold."""
    return None if value is None else str(value).encode("utf-8", "backslashreplace").decode()
