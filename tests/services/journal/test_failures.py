"""A fault of the file is reported in one line that names the file and what to do."""

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evaluation.errors import JournalError, JournalGone
from services.journal import Journal
from services.journal.schema import MIGRATIONS
from services.journal.writer import Write
from tests.services.journal.examples import a_run, count_commits, result, stored


def line_of(error: object) -> str:
    assert isinstance(error, JournalError)
    line = str(error)
    assert "\n" not in line
    assert "evals.db" in line
    return line


def test_a_full_disk_fails_every_waiter_and_keeps_what_was_committed(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "evals.db") as journal:
        asyncio.run(journal.record_result("run-1", result("before")))
        pages = journal.commit_now(Write(work=lambda cursor: cursor.execute("PRAGMA page_count").fetchone()[0]))
        limit_pages = f"PRAGMA max_page_count = {pages + 4}"
        journal.commit_now(Write(work=lambda cursor: cursor.execute(limit_pages).fetchone()[0]))

        async def record() -> list[BaseException | None]:
            big = (result(f"s{n}", text=f"{n}" * 40_000) for n in range(5))
            return await asyncio.gather(*(journal.record_result("run-1", r) for r in big), return_exceptions=True)

        answers = asyncio.run(record())
        assert len(answers) == 5
        for answer in answers:
            assert "the disk is full: free some space" in line_of(answer)
        assert len({id(answer) for answer in answers}) == 5
        assert list(journal.results("run-1")) == [result("before")]

        journal.commit_now(Write(work=lambda cursor: cursor.execute("PRAGMA max_page_count = 100000").fetchone()[0]))
        asyncio.run(journal.record_result("run-1", result("s1", text="1" * 40_000)))
        assert len(journal.final_positions("run-1")) == 2
        assert list(journal.results("run-1"))[1] == result("s1", text="1" * 40_000)


READ_ONLY = """
import os, sys
from pathlib import Path
from evaluation.errors import JournalError, JournalGone
from services.journal import Journal
if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    Journal.open(Path(sys.argv[1]))
except JournalError as error:
    print(error)
"""


@pytest.mark.parametrize("existing", [True, False])
def test_a_read_only_directory_is_reported(existing: bool) -> None:
    with tempfile.TemporaryDirectory() as above:  # pytest's own directories are closed to the user that root becomes
        Path(above).chmod(0o755)
        directory = Path(above) / "runs"
        directory.mkdir(mode=0o755)
        path = directory / "evals.db"
        if existing:
            Journal.open(path).close()
            path.chmod(0o444)
            path.with_name("evals.db.lock").chmod(0o666)
        directory.chmod(0o555)
        try:
            command = [sys.executable, "-c", READ_ONLY, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        finally:
            directory.chmod(0o755)
    assert done.stdout.count("\n") == 1
    assert str(path) in done.stdout
    assert "access was refused: allow reading and writing for the file and its directory" in done.stdout


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\0" + b"\xff" * 5000, b"x"])
def test_a_file_that_is_no_journal_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "evals.db"
    path.write_bytes(content)
    with pytest.raises(JournalError) as caught:
        Journal.open(path)
    assert "move it away" in line_of(caught.value)
    assert path.read_bytes() == content


def test_pages_damaged_in_the_middle_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    with Journal.open(path) as journal:
        for number in range(3):
            asyncio.run(journal.record_result("run-1", result(f"s{number}", text=f"{number}" * 20_000)))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    with Journal.open(path) as journal:
        with pytest.raises(JournalError) as caught:
            list(journal.results("run-1"))
        assert "damaged" in line_of(caught.value)
        with pytest.raises(JournalError) as caught:
            journal.create_run(a_run())
        assert "damaged" in line_of(caught.value)


def test_a_missing_body_is_reported(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "evals.db") as journal:
        asyncio.run(journal.record_result("run-1", result()))
        journal.commit_now(Write(work=lambda cursor: cursor.execute("DELETE FROM bodies").rowcount))
        with pytest.raises(JournalError) as caught:
            list(journal.results("run-1"))
        line_of(caught.value)


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="belongs to another program"):
        Journal.open(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    Journal.open(path).close()
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    other.close()
    with pytest.raises(JournalError) as caught:
        Journal.open(path)
    assert f"has schema version {len(MIGRATIONS) + 1}" in line_of(caught.value)
    assert "update the program" in str(caught.value)


def test_a_directory_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "evals.db").mkdir()
    with pytest.raises(JournalError) as caught:
        Journal.open(tmp_path / "evals.db")
    line_of(caught.value)


def test_a_journal_that_stays_locked_is_reported(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "evals.db") as journal:
        journal.writer._connection.execute("PRAGMA busy_timeout = 1")
        other = sqlite3.connect(journal.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError) as caught:
            journal.create_run(a_run())
        assert "another process keeps the journal locked" in line_of(caught.value)
        other.execute("ROLLBACK")
        other.close()
        journal.create_run(a_run())
        assert journal.run("run-1") == stored(a_run())


def test_a_file_that_is_gone_takes_nothing_more(tmp_path: Path) -> None:
    """SQLite goes on writing to it; each of the writes of one commit is refused, and none of them written once more."""
    path = tmp_path / "runs" / "evals.db"
    with Journal.open(path) as journal:
        journal.create_run(a_run())
        journal.writer.check_place()
        path.parent.rename(tmp_path / "away")
        commits = count_commits(journal)

        async def write() -> list[object]:
            writes = (journal.record_result("run-1", result(f"s{number}")) for number in range(5))
            return list(await asyncio.gather(*writes, return_exceptions=True))

        refused = asyncio.run(write())
        assert [type(each) for each in refused] == [JournalGone] * 5
        assert all(str(each).startswith(f"{path}: was deleted or moved") for each in refused)
        assert len(commits) == 1
        with pytest.raises(JournalGone):
            journal.writer.check_place()
    (tmp_path / "away").rename(path.parent)
    with Journal.open(path) as journal:
        assert len(journal.final_positions("run-1")) == 5
