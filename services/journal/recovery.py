"""Saving what can be read of a damaged journal into a new one.

Rows are read past the damaged pages. A text is kept when it still has the hash that names it, a call when its answer
is, a run or result when all its texts are. What a run is and was made of lies in its folder too, and is taken from
there. What is dropped is asked or scored again when its run is resumed; a new run can find the calls of a lost one.
"""

import calendar
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import JournalError, UsageError
from evaluation.runspec import RunSpec, digest
from services.journal.access import connect_for_reading, explain, hold, hold_run, is_of_the_file
from services.journal.batches import COLUMNS, lost_row
from services.journal.journal import Journal
from services.journal.pages import Cell, DamagedFile
from services.journal.rows import body_hashes, from_column, from_stored, to_stored
from services.journal.schema import ADDED_COLUMNS
from services.journal.writer import Write, insert_into
from services.json_text import to_json
from services.run_folder import INPUTS, MANIFEST, RUN_ID, read_json, run_folder

_SIDE_FILES = ("-wal", "-shm")
_TABLES = ("bodies", "runs", "calls", "results", "traits", "outbox")
"""In this order: what a row names has been copied before it."""
_KEY = re.compile("[0-9a-f]{64}")
_PROVENANCE = ("python", "platform", "packages", "git", "config_not_sent")
_NOT_OF_ITS_SHAPE = (TypeError, ValueError, KeyError, AttributeError, IndexError)
"""The errors raised by reading a row whose columns hold something else than was written."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The outcome of recovering a damaged journal."""

    set_aside: Path
    """The damaged file, under its new name."""
    saved: Mapping[str, int]
    """Table -> rows in the new journal."""
    known: Mapping[str, int]
    """Table -> rows of which the damaged file still tells, by themselves or by an index."""
    uncounted: frozenset[str]
    """Tables that may have had more rows than are known: no index tells of all of them."""
    dropped: Mapping[str, int]
    """Table -> rows that could be read and not be kept, because texts that they name are lost."""
    damaged_pages: int
    runs: tuple[str, ...]
    lost_runs: tuple[str, ...]
    """Runs that are lost, of which calls were saved."""

    @property
    def complete(self) -> bool:
        """True when nothing was lost with the damaged pages."""
        return not self.uncounted and all(self.saved[table] >= known for table, known in self.known.items())


def is_whole(path: Path) -> bool:
    """True when SQLite finds no damage in the file, and every text has its hash. Reads all of it."""
    try:
        with closing(connect_for_reading(path)) as connection:
            sound = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            bodies = connection.execute("SELECT hash, text FROM bodies")
            return sound and all(digest(from_stored(text)) == key for key, text in bodies)
    except (sqlite3.Error, ValueError):
        return False


def recover(path: Path) -> Recovered:
    """Puts a new journal with all that can be saved in the place of a damaged one, which is kept under another name.

    The damaged file is only read, and so is the log beside it, which may hold what was committed last. Raises
    JournalError when there is nothing to save, or a run is being played.
    """
    fresh = path.with_name(f"{path.name}.recovered")
    if not path.exists():
        raise JournalError(f"{path}: there is no journal: nothing can be saved")
    with hold(path.with_name(f"{path.name}.lock"), "the journal", wait=True), ExitStack() as stack:
        _remove(fresh)
        try:
            with Journal.open(fresh) as journal, closing(DamagedFile(path, _page_size(journal))) as damaged:
                source = _Source(damaged, journal)
                if source.of_another_program:
                    raise JournalError(f"{path}: is the database of another program: name another file for the journal")
                for run_id in source.running():
                    stack.enter_context(hold_run(path.parent, run_id))
                found = journal.commit_now(Write(work=lambda cursor: _Copy(source, path.parent, cursor)))
                pages = damaged.damaged()
            if not any(saved for table, saved in found.saved.items() if table != "runs"):
                raise JournalError(
                    f"{path}: nothing of a journal can be read in its {path.stat().st_size:,} bytes: "
                    "restore a copy, or move it away and start again"
                )
        except BaseException as error:
            _remove(fresh)
            if isinstance(error, OSError | sqlite3.Error):
                raise explain(path, error) from error
            raise
        aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
        for suffix in ("", *_SIDE_FILES):
            if (side := path.with_name(path.name + suffix)).exists():
                side.rename(aside.with_name(aside.name + suffix))
        fresh.rename(path)
        _remove(fresh)
    return Recovered(
        set_aside=aside,
        saved=found.saved,
        known={table: max(known, found.saved[table]) for table, known in source.known.items()},
        uncounted=frozenset(source.uncounted),
        dropped=found.dropped,
        damaged_pages=pages,
        runs=tuple(sorted(found.runs)),
        lost_runs=tuple(sorted(found.lost_runs)),
    )


def _remove(fresh: Path) -> None:
    for suffix in ("", *_SIDE_FILES, ".lock"):
        fresh.with_name(fresh.name + suffix).unlink(missing_ok=True)


def _page_size(journal: Journal) -> int:
    size: int = journal.rows("PRAGMA page_size")[0][0]
    return size


class _Source:
    """The tables of the damaged file: where they begin, as it says itself or as in every journal, and their rows."""

    def __init__(self, damaged: DamagedFile, journal: Journal) -> None:
        usual = journal.rows("SELECT name, tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0")
        found = damaged.roots()
        self.of_another_program = bool(found) and "bodies" not in found and not damaged.bad
        self._damaged = damaged
        self._roots = {name: root for name, _, root in usual} | found
        self._indices = {table: [name for name, of, _ in usual if of == table != name] for table in _TABLES}
        self.columns = {table: [row[1] for row in journal.rows(f"PRAGMA table_info({table})")] for table in _TABLES}
        self.known: dict[str, int] = {}
        self.uncounted: set[str] = set()
        self._runs = list(self._read("runs"))
        self._runs += [(row, False) for row in _rows_of_folders(journal.path.parent)]

    def running(self) -> Iterator[str]:
        """The runs that may be played just now. Nobody plays one whose id names no folder: that id is damaged."""
        states: dict[str, str] = {}
        for row, _ in self._runs:
            with suppress(*_NOT_OF_ITS_SHAPE):
                states.setdefault(from_stored(row["run_id"]), row["state"])
        yield from (run_id for run_id, state in states.items() if state == "running" and RUN_ID.fullmatch(run_id))

    def rows(self, table: str) -> Iterable[tuple[Mapping[str, Any], bool]]:
        """Every row that can be read, by column, and whether only its page was found and no way to it."""
        return self._runs if table == "runs" else self._read(table)

    def _read(self, table: str) -> Iterator[tuple[Mapping[str, Any], bool]]:
        """Takes note as well of how many rows there were, as far as that can be known."""
        columns, numbers, added = self.columns[table], set[Any](), ADDED_COLUMNS.get(table, ())
        by_number = columns[0] == "id"
        for (number, values), stray in self._cells(table):
            numbers.add(len(numbers) if number is None else number)
            missing = 0 if values is None else len(columns) - len(values)
            if values is not None and 0 < missing <= len(added):
                values = (*values, *added[-missing:])
            if values is not None and len(values) == len(columns):
                row = (number, *values[1:]) if by_number else values
                yield dict(zip(columns, row, strict=True)), stray
        for index in self._indices[table]:
            whole = table not in self.uncounted
            self.uncounted.discard(table)
            numbers |= {values[-1] for _, values in self._tree(table, index) if values is not None}
            if whole:
                self.uncounted.discard(table)
        self.known[table] = len(numbers)

    def _cells(self, table: str) -> Iterator[tuple[Cell, bool]]:
        yield from ((cell, False) for cell in self._tree(table, table))
        if table in self.uncounted:
            width = len(self.columns[table])
            widths = {width - missing for missing in range(len(ADDED_COLUMNS.get(table, ())) + 1)}
            yield from ((cell, True) for cell in self._damaged.strays(widths))

    def _tree(self, table: str, name: str) -> Iterator[Cell]:
        """The cells of the table or of an index of it; where pages of it are damaged, not all rows are counted."""
        before = len(self._damaged.bad)
        yield from self._damaged.cells(self._roots[name])
        if len(self._damaged.bad) > before:
            self.uncounted.add(table)


def _rows_of_folders(runs: Path) -> Iterator[dict[str, Any]]:
    """The runs that have a folder, as rows of the journal, by column: their manifests hold what these do."""
    for path in sorted(runs.glob(f"*/{MANIFEST}")):
        try:
            held = read_json(path)
            if held["run_id"] != path.parent.name or path.parent.is_symlink():
                continue
            yield {
                "id": None,
                **{name: held[name] for name in ("run_id", "group_id", "parent_run_id")},
                "suite": held["spec"]["suite"],
                "created_at": calendar.timegm(time.strptime(held["created_at"], "%Y-%m-%dT%H:%M:%SZ")),
                **{name: to_stored(to_json(held[name])) for name in ("spec", "arguments", "inputs")},
                "state": "running",
                "finished_at": None,
                "provenance": to_stored(to_json({name: held[name] for name in _PROVENANCE if name in held})),
            }
        except (OSError, *_NOT_OF_ITS_SHAPE):
            continue  # a manifest of an earlier version, or none


class _Copy:
    """The rows copied so far, and what may follow."""

    def __init__(self, source: _Source, runs_dir: Path, cursor: sqlite3.Cursor) -> None:
        self._runs_dir = runs_dir
        self._bodies: set[str] = set()
        self.runs: set[str] = set()
        self.lost_runs: set[str] = set()
        self.saved: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        self._open: dict[str, float] = {}
        """Passes with a run that was not finished -> when the oldest such run began."""
        for table in _TABLES:
            self._copy(table, source, cursor)
        # The batches that were under way are at the endpoint, which knows more of them than a damaged file.
        cursor.executemany(insert_into("batches", COLUMNS), [lost_row(*each) for each in self._open.items()])

    def _copy(self, table: str, source: _Source, cursor: sqlite3.Cursor) -> None:
        insert = insert_into(table, source.columns[table], "ON CONFLICT DO NOTHING")
        self.saved[table] = self.dropped[table] = 0
        for row, stray in source.rows(table):
            if table == "runs" and row["run_id"] in self.runs:
                continue
            try:
                kept = self._keeps(table, row, cursor, stray=stray)
                inserted = kept and cursor.execute(insert, tuple(row.values())).rowcount == 1
            except (sqlite3.Error, *_NOT_OF_ITS_SHAPE) as error:
                if is_of_the_file(error):
                    raise
                inserted = False
            self.saved[table] += inserted
            self.dropped[table] += not inserted

    def _keeps(self, table: str, row: Mapping[str, Any], cursor: sqlite3.Cursor, *, stray: bool) -> bool:
        """True when the row is whole, and so is everything that it names."""
        if table == "bodies":
            kept: bool = digest(from_stored(row["text"])) == row["hash"]
            self._bodies.update([row["hash"]] if kept else [])
            return kept
        if table == "runs":
            parsed = [from_column(row[name]) for name in ("spec", "arguments", "provenance")]
            RunSpec.from_json(parsed[0])
            named = from_column(row["inputs"])
            inputs = {*named.values(), named["rubric"], named["scenarios"]}
            self._take_inputs(from_stored(row["run_id"]), inputs - self._bodies, cursor)
            kept = all(isinstance(value, dict) for value in parsed) and self._has(inputs)
            if kept:
                self.runs.add(from_stored(row["run_id"]))
                self._note_open(row)
            return kept
        if table == "traits":
            return from_column(row["value"]) is not None
        run_id = from_stored(row["run_id"])
        if table == "calls":
            # The key is that of the question, whose words are not needed again. A page without a way to it may be of a
            # run that was removed long ago.
            named = run_id in self.runs or (not stray and RUN_ID.fullmatch(run_id) is not None)
            kept = named and row["response"] in self._bodies and _KEY.fullmatch(row["key"]) is not None
            self.lost_runs.update({run_id} - self.runs if kept else ())
            return kept
        if run_id not in self.runs:
            return False
        if table == "results":
            return self._has(body_hashes(from_column(row["record"])))
        return from_column(row["payload"]) is not None

    def _note_open(self, row: Mapping[str, Any]) -> None:
        """Takes note of the pass of a run that may go on."""
        if row["state"] == "finished":
            return
        with suppress(*_NOT_OF_ITS_SHAPE):
            group, began = from_stored(row["group_id"]), float(row["created_at"])
            self._open[group] = min(began, self._open.get(group, began))

    def _take_inputs(self, run_id: str, wanted: set[str], cursor: sqlite3.Cursor) -> None:
        """Takes texts that the run was made of from its folder, where they lie as well; their hash is checked."""
        if not wanted:
            return
        with suppress(OSError, UsageError, *_NOT_OF_ITS_SHAPE):
            texts = read_json(run_folder(self._runs_dir, run_id) / INPUTS)["inputs"].values()
            found = {key: to_stored(text) for text in texts if (key := digest(text)) in wanted}
            cursor.executemany(insert_into("bodies", ("hash", "text")), found.items())
            self._bodies.update(found)

    def _has(self, keys: Iterable[Any]) -> bool:
        return all(key in self._bodies for key in keys)
