"""Runs, calls and results: what is found, what is replaced, and in which order things come."""

import asyncio
import os
import stat
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import JournalError
from evaluation.records import Cell, Position, Request, State
from services.journal import Journal, access, call_key
from services.journal.rows import reply_of, result_of
from tests.services.journal.examples import a_run, reply, request, result, stored


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "runs" / "evals.db") as opened:
        yield opened


def positions(
    journal: Journal, order: tuple[str, ...] = (), wanted: set[Position] | None = None
) -> list[tuple[str, int, int]]:
    return [
        (each.exchange.cell.scenario_id, each.exchange.cell.repeat, each.exchange.turn)
        for each in journal.results("run-1", order, wanted)
    ]


def test_files_and_directories_belong_to_their_owner_alone(journal: Journal) -> None:
    journal.create_run(a_run())
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in journal.path.parent.iterdir()}
    assert modes.keys() >= {"evals.db", "evals.db-wal", "evals.db-shm"}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


def test_every_commit_reaches_the_disk(
    synchronous_as_shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "SYNCHRONOUS", synchronous_as_shipped)
    with Journal.open(tmp_path / "evals.db") as journal:
        connection = journal.writer._connection
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_runs_are_listed_newest_first(journal: Journal) -> None:
    for run_id, created_at in (("b", 2.0), ("c", 3.0), ("a", 1.0), ("d", 3.0)):
        journal.create_run(a_run(run_id, created_at=created_at))
    assert [run.run_id for run in journal.runs()] == ["d", "c", "b", "a"]
    assert [run.run_id for run in journal.runs(limit=1)] == ["d"]


def test_a_run_ends_and_goes_on(journal: Journal) -> None:
    journal.create_run(a_run())
    journal.finish_run("run-1", "incomplete", 42.0)
    assert journal.run("run-1") == stored(a_run(), state="incomplete", finished_at=42.0)
    journal.resume_run("run-1")
    assert journal.run("run-1") == stored(a_run())
    journal.finish_run("run-1", "finished")
    finished_at = journal.run("run-1").finished_at
    assert finished_at is not None
    assert finished_at > a_run().created_at


def test_a_run_is_never_rewritten(journal: Journal) -> None:
    journal.create_run(a_run())
    with pytest.raises(JournalError, match=r"evals\.db: run 'run-1' is in the journal already"):
        journal.create_run(a_run(group_id="other"))
    assert journal.run("run-1").group_id == "group-1"


def test_unknown_runs_are_named(journal: Journal) -> None:
    with pytest.raises(JournalError, match=r"evals\.db: there is no run 'nope'"):
        journal.run("nope")
    with pytest.raises(JournalError, match=r"evals\.db: there is no run 'nope'"):
        journal.finish_run("nope", "finished")
    assert list(journal.results("nope")) == []
    assert journal.final_positions("nope") == set()
    assert journal.cost_usd("nope") == 0.0


BASE = request()
PARAMETERS: dict[str, Any] = {"temperature": 0.7, "seed": 1}


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, purpose="judge"),
        replace(BASE, model="model-b"),
        replace(BASE, messages=BASE.messages[:1]),
        replace(BASE, messages=BASE.messages[::-1]),
        replace(BASE, cell=Cell("s1", 2)),
        replace(BASE, turn=2),
        replace(BASE, sample=2),
    ],
)
def test_the_key_distinguishes_questions(changed: Request) -> None:
    assert call_key("e", changed, PARAMETERS) != call_key("e", BASE, PARAMETERS)


def test_the_key_is_of_the_question_and_the_parameters_as_sent() -> None:
    key = call_key("e", BASE, PARAMETERS)
    assert len(key) == 64
    assert call_key("f", BASE, PARAMETERS) != key
    assert call_key("e", BASE, {**PARAMETERS, "seed": 2}) != key
    assert call_key("e", BASE, {"seed": 1, "temperature": 0.7}) == key
    assert call_key("e", replace(BASE, parameters={}, cell=Cell("other", 1)), PARAMETERS) == key


def test_a_run_can_be_read_without_its_inputs(journal: Journal) -> None:
    journal.create_run(a_run())
    assert journal.run("run-1").inputs == stored(a_run()).inputs
    assert journal.run("run-1", inputs=False) == replace(journal.run("run-1"), inputs={})
    assert list(journal.runs(inputs=False)) == [journal.run("run-1", inputs=False)]


def test_a_run_finds_its_own_reply_by_position_and_key(journal: Journal) -> None:
    asked, answer = request("s1"), reply()
    assert journal.find_reply("run-1", "key", asked) is None
    asyncio.run(journal.record_reply("run-1", "key", asked, answer))
    assert journal.find_reply("run-1", "key", asked) == answer
    assert journal.find_reply("run-1", "other key", asked) is None
    assert journal.find_reply("run-1", "key", request("s2")) is None
    assert journal.find_reply("run-2", "key", asked) is None


def test_a_journal_that_is_opened_again_finds_what_was_answered_before(tmp_path: Path) -> None:
    asked = [request(f"s{number}") for number in range(4)]
    with Journal.open(tmp_path / "evals.db") as first:
        for place, each in enumerate(asked[:2]):
            asyncio.run(first.record_reply("run-1", f"key-{place}", each, reply()))
    with Journal.open(tmp_path / "evals.db") as again:
        found = [again.find_reply("run-1", f"key-{place}", each) for place, each in enumerate(asked)]
        assert found == [reply(), reply(), None, None]
        assert again.find_reply("run-2", "key-0", asked[0]) is None


def test_looking_for_a_reply_that_cannot_be_there_asks_no_database(journal: Journal) -> None:
    journal.find_reply("run-1", "key", request())
    statements: list[str] = []
    journal._connection.set_trace_callback(statements.append)
    assert journal.find_reply("run-1", "key", request()) is None
    assert statements == []
    asyncio.run(journal.record_reply("run-1", "key", request(), reply()))
    assert journal.find_reply("run-1", "key", request()) is not None
    assert len(statements) == 1


def test_other_runs_lend_their_replies_as_cached(journal: Journal) -> None:
    asyncio.run(journal.record_reply("run-1", "key", request("s1"), reply()))
    assert journal.find_reply_elsewhere("key", "run-2") == reply(cached=True)
    assert journal.find_reply_elsewhere("key") == reply(cached=True)
    assert journal.find_reply_elsewhere("key", "run-1") is None
    assert journal.find_reply_elsewhere("other key", "run-2") is None


def test_a_cancelled_recording_is_still_found(journal: Journal) -> None:
    async def record_and_give_up() -> None:
        task = asyncio.create_task(journal.record_reply("run-1", "key", request(), reply()))
        await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    journal.find_reply("run-1", "key", request())
    asyncio.run(record_and_give_up())
    asyncio.run(journal.record_result("run-1", result()))
    assert journal.find_reply("run-1", "key", request()) == reply()


def test_spent_is_what_was_paid(journal: Journal) -> None:
    async def record() -> None:
        await journal.record_reply("run-1", "a", request("s1"), reply(cost_usd=0.25))
        await journal.record_reply("run-1", "b", request("s2"), reply(cost_usd=0.5))
        await journal.record_reply("run-1", "c", request("s3"), reply(cost_usd=None))
        await journal.record_reply("run-1", "d", request("s4"), reply(cost_usd=4.0, cached=True))
        await journal.record_reply("run-2", "e", request("s1"), reply(cost_usd=8.0))

    asyncio.run(record())
    assert journal.cost_usd("run-1") == 0.75


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("failed", "scored", "scored"),
        ("failed", "unparsed", "unparsed"),
        ("failed", "skipped", "skipped"),
        ("skipped", "scored", "scored"),
        ("scored", "failed", "scored"),
        ("scored", "unparsed", "scored"),
        ("unparsed", "failed", "unparsed"),
        ("unparsed", "scored", "unparsed"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_only_scored_and_unparsed_are_final(
    journal: Journal, first: State, second: State, kept: State, together: bool
) -> None:
    async def record() -> None:
        writes = [journal.record_result("run-1", result(state=state, text=state)) for state in (first, second)]
        if together:
            await asyncio.gather(*writes)
        else:
            for write in writes:
                await write

    asyncio.run(record())
    assert list(journal.results("run-1")) == [result(state=kept, text=kept)]
    assert journal.final_positions("run-1") == ({("s1", 1, 1)} if kept in ("scored", "unparsed") else set())


def test_results_come_in_the_same_order_however_they_were_written(journal: Journal) -> None:
    written = [("b", 1, 2), ("a", 2, 1), ("b", 1, 1), ("c", 1, 1), ("a", 1, 10), ("a", 1, 9), ("\ud800", 1, 1)]

    async def record() -> None:
        for scenario_id, repeat, turn in written:
            await journal.record_result("run-1", result(scenario_id, repeat, turn))
        await journal.record_result("run-2", result("z"))

    asyncio.run(record())
    a, b = [("a", 1, 9), ("a", 1, 10), ("a", 2, 1)], [("b", 1, 1), ("b", 1, 2)]
    c, broken = [("c", 1, 1)], [("\ud800", 1, 1)]
    assert positions(journal) == a + b + c + broken
    assert positions(journal, ("c", "absent", "a")) == c + a + b + broken
    wanted = {("c", 1, 1), ("a", 1, 10), ("a", 1, 1), ("\ud800", 1, 1)}
    assert positions(journal, ("c",), wanted) == [*c, ("a", 1, 10), *broken]
    assert positions(journal, (), set()) == []


def test_traits_are_learned_and_relearned(journal: Journal) -> None:
    journal.learn_trait("e", "m", "refuses", ["temperature"])
    journal.learn_trait("e", "m", "limit", "max_tokens")
    journal.learn_trait("e", "m", "limit", "max_completion_tokens")
    journal.learn_trait("e", "other", "limit", None)
    assert journal.traits("e") == {
        "m": {"limit": "max_completion_tokens", "refuses": ["temperature"]},
        "other": {"limit": None},
    }
    assert journal.traits("f") == {}


def test_many_results_stream_in_little_memory(journal: Journal) -> None:
    total, text = 5_000, "x" * 1_000

    async def record() -> None:
        for start in range(0, total, 1_000):
            writes = (result(f"s{start + n:05}", text=f"{start + n} {text}") for n in range(1_000))
            await asyncio.gather(*(journal.commit(result_of("run-1", each)) for each in writes))

    asyncio.run(record())
    tracemalloc.start()
    try:
        count = sum(1 for _ in journal.results("run-1"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == total
    assert peak < 1_000_000, f"{total} results of 1 KB took {peak} bytes at once"


def test_two_journals_write_one_file(journal: Journal) -> None:
    with Journal.open(journal.path) as other:

        async def record() -> None:
            await asyncio.gather(
                *(journal.record_result("run-1", result(f"s{n}")) for n in range(50)),
                *(other.record_result("run-2", result(f"s{n}")) for n in range(50)),
            )

        asyncio.run(record())
        assert len(list(journal.results("run-2"))) == 50
        assert len(list(other.results("run-1"))) == 50


def test_a_refused_value_takes_no_other_write_down(journal: Journal) -> None:
    huge = replace(reply(), attempts=2**70)

    async def record() -> tuple[BaseException | None, ...]:
        return await asyncio.gather(
            journal.commit(result_of("run-1", result("s1"))),
            journal.commit(reply_of("run-1", "key", request(), huge)),
            journal.commit(result_of("run-1", result("s2"))),
            return_exceptions=True,
        )

    first, refused, last = asyncio.run(record())
    assert (first, last) == (None, None)
    assert isinstance(refused, JournalError)
    assert "cannot store" in str(refused)
    assert [each.exchange.cell.scenario_id for each in journal.results("run-1")] == ["s1", "s2"]


def test_the_process_umask_does_not_open_the_files(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Journal.open(tmp_path / "open" / "deep" / "evals.db") as journal:
            journal.create_run(a_run())
            assert {stat.S_IMODE(path.stat().st_mode) for path in journal.path.parent.iterdir()} == {0o600}
        assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o700
        assert stat.S_IMODE((tmp_path / "open" / "deep").stat().st_mode) == 0o700
    finally:
        os.umask(before)
