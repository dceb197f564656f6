"""A damaged journal gives back every row that can be read and whose texts are what they were."""

import asyncio
import sqlite3
import tempfile
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import JournalError
from evaluation.runspec import digest
from services.journal import Journal, hold_run
from services.journal.pages import DamagedFile
from services.journal.recovery import is_whole, recover
from tests.services.journal.examples import a_run, reply, request, result

RUN = "run-1"


def at_once() -> AbstractContextManager[object]:
    """Inside, each of the commits that follow one another closely is made alone and at once."""
    return patch("services.journal.writer.SPACING_S", 0.0)


def made(folder: Path, results: int = 60) -> Path:
    """A journal with one finished run."""
    path = folder / "evals.db"
    with at_once(), Journal.open(path) as journal:
        journal.create_run(a_run(RUN))
        for number in range(results):
            asyncio.run(journal.record_result(RUN, result(f"s{number}", text=f"answer {number} " * 90)))
            asyncio.run(
                journal.record_reply(RUN, digest(f"key{number}"), request(f"s{number}"), reply(f"reply {number}"))
            )
        journal.finish_run(RUN, "finished")
    return path


def damage(path: Path, table: str, which: slice) -> None:
    """Overwrites some of the leaves of a table."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
        pages = [page for (page,) in connection.execute(query, (table,))]
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    for page in pages[which]:
        content[(page - 1) * size : page * size] = b"\x5a" * size
    path.write_bytes(content)


@pytest.mark.parametrize("table", ["bodies", "results", "calls"])
def test_what_lies_on_other_pages_is_saved(tmp_path: Path, table: str) -> None:
    path = made(tmp_path)
    damage(path, table, slice(1, 3))
    assert not is_whole(path)
    found = recover(path)
    assert found.set_aside.exists()
    assert is_whole(path)
    assert found.runs == (RUN,)
    assert 0 < found.saved["results"] <= 60
    assert (found.saved["results"], found.saved["calls"]) != (60, 60)
    with Journal.open(path) as journal:
        kept = list(journal.results(RUN))
        assert len(kept) == found.saved["results"]
        for each in kept:
            number = each.exchange.cell.scenario_id.removeprefix("s")
            assert each == result(f"s{number}", text=f"answer {number} " * 90)
        asyncio.run(journal.record_result(RUN, result("later")))
        assert len(journal.final_positions(RUN)) == len(kept) + 1


def test_rows_far_from_the_first_number_are_saved_where_the_last_cannot_be_read(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE results SET rowid = rowid + 5000000")
    damage(path, "results", slice(-1, None))
    assert 0 < recover(path).saved["results"] < 60


def test_a_text_that_changed_on_disk_is_not_believed(tmp_path: Path) -> None:
    path = made(tmp_path, results=3)
    content = path.read_bytes()
    assert content.count(b"answer 2 answer 2") > 0
    path.write_bytes(content.replace(b"answer 2 answer 2", b"answer 9 answer 9", 1))
    assert not is_whole(path)
    found = recover(path)
    assert found.dropped["bodies"] == 1
    assert found.saved["results"] == 2


@pytest.mark.parametrize(("column", "text"), [("key", "?" * 64), ("run_id", "run~1")])
def test_a_call_that_could_never_be_found_is_not_counted_as_saved(tmp_path: Path, column: str, text: str) -> None:
    path = made(tmp_path, results=3)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE calls SET {column} = ? WHERE id = 2", (text,))
    lose(path, 0, 100)
    found = recover(path)
    assert (found.saved["calls"], found.known["calls"], found.lost_runs) == (2, 3, ())


def test_a_whole_journal_is_distinguished_from_a_damaged_one(tmp_path: Path) -> None:
    assert is_whole(made(tmp_path, results=2))


def test_a_run_that_is_being_played_keeps_its_journal(tmp_path: Path) -> None:
    path = made(tmp_path, results=2)
    with Journal.open(path) as journal:
        journal.resume_run(RUN)
    before = path.read_bytes()
    with hold_run(tmp_path, RUN), pytest.raises(JournalError, match="in use by process"):
        recover(path)
    assert path.read_bytes() == before
    assert not path.with_name("evals.db.recovered").exists()


@pytest.mark.parametrize("content", [b"", b"no database at all " * 300, b"SQLite format 3\0" + b"\xff" * 9000])
def test_where_nothing_can_be_saved_nothing_is_moved(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "evals.db"
    path.write_bytes(content)
    with pytest.raises(JournalError) as caught:
        recover(path)
    assert "evals.db" in str(caught.value)
    assert path.read_bytes() == content
    assert sorted(tmp_path.glob("evals.db*")) == [path, tmp_path / "evals.db.lock"]


PAGE = 4096


def after_a_crash(folder: Path) -> Path:
    """A journal as a killed process leaves it: its last commits stand in the log beside it."""
    path = made(folder / "before", results=20)
    with at_once(), Journal.open(path) as journal:
        for number in range(20, 40):
            asyncio.run(journal.record_result(RUN, result(f"s{number}", text=f"answer {number} " * 90)))
        left = folder / "evals.db"
        for suffix in ("", "-wal"):
            left.with_name(f"evals.db{suffix}").write_bytes(path.with_name(f"evals.db{suffix}").read_bytes())
    assert left.with_name("evals.db-wal").stat().st_size > 20 * PAGE
    return left


def lose(path: Path, first: int, length: int, filling: bytes = b"\0") -> None:
    content = bytearray(path.read_bytes())
    content[first : first + length] = (filling * length)[:length]
    path.write_bytes(content)


@pytest.mark.parametrize("length", [16, 100, PAGE], ids=["magic", "header", "first-page"])
@pytest.mark.parametrize("filling", [b"\0", b"\xd7\x0d\x05\x99"], ids=["zeros", "noise"])
def test_a_lost_beginning_loses_nothing(tmp_path: Path, length: int, filling: bytes) -> None:
    path = made(tmp_path)
    lose(path, 0, length, filling)
    damaged = path.read_bytes()
    found = recover(path)
    assert found.complete
    assert (found.saved["runs"], found.saved["calls"], found.saved["results"]) == (1, 60, 60)
    assert is_whole(path)
    assert found.set_aside.read_bytes() == damaged, "the damaged file is only read"


def readable_by_sqlite(path: Path, size: int, scratch: Path) -> int:
    """The calls that SQLite reads one by one, with their answers, once the file has its old size again."""
    scratch.write_bytes(path.read_bytes().ljust(size, b"\0"))
    one = "SELECT hash, text FROM calls JOIN bodies ON hash = response WHERE calls.id = ?"
    count = 0
    with closing(sqlite3.connect(scratch)) as connection:
        for number in range(1, 61):
            with suppress(sqlite3.Error, TypeError):
                key, text = connection.execute(one, (number,)).fetchone()
                count += digest(text) == key
    return count


@pytest.mark.parametrize("share", [0.5, 0.6, 0.75, 0.9, 0.97])
def test_what_lies_before_the_cut_is_saved_and_counted(tmp_path: Path, share: float) -> None:
    path = made(tmp_path)
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: int(size * share)])
    readable = readable_by_sqlite(path, size, tmp_path / "padded.db")
    found = recover(path)
    assert not found.complete
    assert found.damaged_pages >= size * (1 - share) // PAGE
    assert max(10, readable) <= found.saved["calls"] < 60
    assert found.known["calls"] == 60 or "calls" in found.uncounted
    assert is_whole(path)


@pytest.mark.parametrize("table", ["bodies", "runs", "calls", "results"])
def test_a_table_whose_root_is_lost_is_found_by_its_pages(tmp_path: Path, table: str) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = connection.execute(query, (table,)).fetchone()
        leaf = connection.execute("SELECT count(*) FROM dbstat WHERE name = ?", (table,)).fetchone() == (1,)
    lose(path, (root - 1) * PAGE, PAGE, b"\x5a")
    found = recover(path)
    assert found.damaged_pages == 1
    assert found.complete is not leaf
    assert (found.saved["calls"], found.saved["results"]) == (60, 0 if leaf else 60)


def test_what_the_log_holds_is_saved_as_well(tmp_path: Path) -> None:
    path = after_a_crash(tmp_path)
    lose(path, 0, PAGE)
    assert recover(path).saved["results"] == 40


def test_a_log_that_was_cut_off_or_changed_gives_what_was_committed_before(tmp_path: Path) -> None:
    path = after_a_crash(tmp_path)
    log = path.with_name("evals.db-wal")
    lose(log, log.stat().st_size // 2, 9, b"?")
    lose(path, 0, 100)
    found = recover(path)
    assert 20 < found.saved["results"] < 40
    assert is_whole(path)


def test_pages_of_rows_that_were_removed_are_not_taken_for_lost_ones(tmp_path: Path) -> None:
    path = made(tmp_path)
    with Journal.open(path) as journal:
        journal.create_run(a_run("run-2"))
        journal.remove_runs([RUN])
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'calls'").fetchone()
    lose(path, (root - 1) * PAGE, PAGE, b"\x5a")
    found = recover(path)
    assert (found.runs, found.saved["calls"]) == (("run-2",), 0)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    with pytest.raises(JournalError, match="another program"):
        recover(path)
    assert path.exists()


def test_every_row_is_read_as_sqlite_reads_it(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection, closing(DamagedFile(path, 512)) as file:
        assert file.size == PAGE
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master"))
        assert file.roots() == roots
        for table in ("bodies", "calls", "results", "runs", "migrations"):
            rows = [(row, *values) for row, *values in connection.execute(f"SELECT rowid, * FROM {table}")]
            own = table == "bodies"
            read = [
                (row, *(values or ())) if own else (row, row, *(values or ())[1:])
                for row, values in file.cells(roots[table])
            ]
            assert read == rows
        assert (file.bad, file.damaged()) == (set(), 0)


@given(st.binary(max_size=3 * PAGE), st.integers(0, 40 * PAGE))
@settings(max_examples=25)
def test_noise_anywhere_raises_nothing_else(noise: bytes, at: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = made(Path(folder), results=3)
        content = path.read_bytes()
        path.write_bytes(content[:at] + noise + content[at + len(noise) :])
        with suppress(JournalError):
            assert recover(path).saved["calls"] <= 3


BEFORE_TOOLS = (
    "DROP TABLE batches",
    "DROP TABLE entries",
    "ALTER TABLE calls DROP COLUMN http",
    "ALTER TABLE calls DROP COLUMN tool_calls",
    "DELETE FROM migrations WHERE version > 5",
    "PRAGMA user_version = 5",
)
BEFORE_ODDS = (
    *BEFORE_TOOLS,
    "ALTER TABLE calls DROP COLUMN numbers",
    "DELETE FROM migrations WHERE version > 3",
    "PRAGMA user_version = 3",
)
BEFORE_CACHING = (
    *BEFORE_ODDS,
    "ALTER TABLE calls DROP COLUMN saved_usd",
    "ALTER TABLE calls DROP COLUMN cached_input_tokens",
    "UPDATE results SET record = json_remove(record, '$.reply[12]', '$.reply[11]')",
    "DELETE FROM migrations WHERE version > 2",
    "PRAGMA user_version = 2",
)


@pytest.mark.parametrize("statements", [BEFORE_CACHING, BEFORE_ODDS, BEFORE_TOOLS])
def test_what_was_written_before_a_column_came_is_read_and_saved(tmp_path: Path, statements: tuple[str, ...]) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    with Journal.open(path) as journal:
        kept = journal.find_reply(RUN, digest("key1"), request("s1"))
        assert kept == reply("reply 1")
        assert [each.exchange.outcome for each in journal.results(RUN)][:1] == [reply("answer 0 " * 90)]
        asyncio.run(journal.record_reply(RUN, digest("later"), request("later"), reply("later")))
    damage(path, "calls", slice(1, 2))
    found = recover(path)
    assert found.dropped["calls"] == 0
    assert 40 < found.saved["calls"] < 61
    with Journal.open(path) as journal:
        totals = journal.call_totals(RUN)["generation"]
        assert (totals.paid, totals.cached_input_tokens, totals.saved_usd) == (found.saved["calls"], 0, 0.0)
