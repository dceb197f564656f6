"""A damaged journal gives back every row that can be read and whose texts are what they were."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from evaluation.errors import JournalError
from services.journal import Journal, hold_run
from services.journal.recovery import is_whole, recover
from tests.services.journal.examples import a_run, reply, request, result

RUN = "run-1"


def made(folder: Path, results: int = 60) -> Path:
    """A journal with one finished run."""
    path = folder / "evals.db"
    with Journal.open(path) as journal:
        journal.create_run(a_run(RUN))
        for number in range(results):
            asyncio.run(journal.record_result(RUN, result(f"s{number}", text=f"answer {number} " * 90)))
            asyncio.run(journal.record_reply(RUN, f"key{number}", request(f"s{number}"), reply(f"reply {number}")))
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
