"""Group commit: what shares a transaction, who hears when, and what survives a kill."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.errors import JournalError
from services.journal import Journal, writer
from services.journal.rows import result_of
from services.journal.writer import Write
from tests.services.journal.examples import count_commits, result


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "evals.db") as opened:
        yield opened


def test_what_becomes_ready_in_one_tick_shares_one_commit(journal: Journal) -> None:
    commits = count_commits(journal)

    async def record() -> None:
        await asyncio.gather(*(journal.record_result("run-1", result(f"s{n:03}")) for n in range(200)))

    asyncio.run(record())
    assert len(commits) == 1
    assert len(journal.final_positions("run-1")) == 200


def test_the_thread_is_woken_at_the_end_of_the_tick_and_not_by_each_write(journal: Journal) -> None:
    waiting: list[tuple[int, bool]] = []

    async def look() -> None:
        waiting.append((len(journal.writer._items), journal.writer._wake.is_set()))

    async def record() -> None:
        writes = (journal.record_result("run-1", result(f"s{n}")) for n in range(2))
        await asyncio.gather(*(step for write in writes for step in (write, look())))

    asyncio.run(record())
    assert waiting == [(1, False), (2, False)]


def test_what_arrives_during_a_commit_shares_the_next(journal: Journal) -> None:
    commits = count_commits(journal)
    started, go_on = threading.Event(), threading.Event()

    def slow(cursor: sqlite3.Cursor) -> str:
        started.set()
        go_on.wait()
        return "slow"

    async def record() -> str:
        first = asyncio.create_task(journal.commit(Write(work=slow)))
        await asyncio.to_thread(started.wait)
        others = []
        for number in range(30):
            others.append(asyncio.create_task(journal.record_result("run-1", result(f"s{number:02}"))))
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(*others)
        return await first

    assert asyncio.run(record()) == "slow"
    assert len(commits) == 2


@pytest.mark.parametrize("how", ["a question", "a blocking caller", "company"])
def test_a_write_that_follows_closely_waits_for_others_unless_one_is_in_a_hurry(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(writer, "SPACING_S", 3600.0)
    commits = count_commits(journal)

    async def record() -> None:
        await journal.record_result("run-1", result("first"))
        waiting = [asyncio.create_task(journal.record_result("run-1", result(f"s{n:02}"))) for n in range(3)]
        await asyncio.sleep(0)
        if how == "a question":
            assert await journal.commit(Write(work=lambda cursor: cursor.execute("SELECT 7").fetchone()[0])) == 7
        elif how == "a blocking caller":
            await asyncio.to_thread(journal.learn_trait, "endpoint", "model", "trait", True)
        else:
            others = range(3, writer.COMPANY)
            waiting += [asyncio.create_task(journal.record_result("run-1", result(f"s{n:02}"))) for n in others]
        await asyncio.gather(*waiting)

    asyncio.run(record())
    assert len(commits) == 2


def test_nothing_is_reported_before_it_is_committed(journal: Journal) -> None:
    async def record() -> None:
        for number in range(20):
            await journal.record_result("run-1", result(f"s{number:02}"))
            other = sqlite3.connect(journal.path)
            seen = other.execute("SELECT count(*) FROM results").fetchone()[0]
            other.close()
            assert seen == number + 1

    asyncio.run(record())


def test_blocking_and_awaiting_callers_from_several_threads_and_loops(journal: Journal) -> None:
    async def awaiting(name: str) -> None:
        for number in range(20):
            await journal.record_result("run-1", result(f"{name}{number}"))

    def blocking(name: str) -> None:
        for number in range(20):
            journal.commit_now(result_of("run-1", result(f"{name}{number}")))

    threads = [threading.Thread(target=lambda n=name: asyncio.run(awaiting(n))) for name in ("a", "b")]
    threads += [threading.Thread(target=blocking, args=(name,)) for name in ("c", "d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal.final_positions("run-1")) == 80


def test_closing_commits_what_is_queued_and_refuses_what_comes_later(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "evals.db")

    async def leave_without_waiting() -> None:
        task = asyncio.create_task(journal.record_result("run-1", result()))
        await asyncio.sleep(0)
        journal.close()
        await task
        with pytest.raises(JournalError, match=r"evals\.db: the journal was closed"):
            await journal.record_result("run-1", result("s2"))

    asyncio.run(leave_without_waiting())
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.final_positions("run-1")
    with Journal.open(tmp_path / "evals.db") as again:
        assert list(again.results("run-1")) == [result()]


KILLED = """
import asyncio, sys
from pathlib import Path
from services.journal import Journal, writer
from tests.services.journal.examples import reply, request, result

async def main(path):
    journal = Journal.open(path)
    async def work(name):
        for number in range(1_000_000):
            scenario = f"{name}-{number}"
            await journal.record_reply("run-1", scenario, request(scenario), reply(scenario * 50))
            await journal.record_result("run-1", result(scenario, text=scenario * 50))
            print(scenario, flush=True)
    await asyncio.gather(*(work(name) for name in "abcdefgh"))

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_killed_process_has_lost_nothing_that_it_reported(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    reported = [process.stdout.readline().strip() for _ in range(300)]
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate()
    reported += [line for line in rest.split("\n")[:-1] if line]
    assert process.returncode == -signal.SIGKILL
    with Journal.open(path) as journal:
        assert journal.rows("PRAGMA integrity_check") == [("ok",)]
        stored = {each.exchange.cell.scenario_id: each for each in journal.results("run-1")}
        for scenario_id in reported:
            assert stored[scenario_id] == result(scenario_id, text=scenario_id * 50)
            assert journal.find_reply_elsewhere(scenario_id) is not None
