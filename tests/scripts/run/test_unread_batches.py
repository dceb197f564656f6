"""Batches that a killed process left at work are named by whoever asks in batches next."""

import asyncio
from pathlib import Path

from scripts.run.batches import unread_elsewhere
from services.journal import Journal, JournaledBatches
from services.stored_batch import StoredBatch
from tests.services.journal.examples import a_run

HERE, THERE = "https://a.example/v1", "https://b.example/v1"


def test_the_run_of_each_unread_batch_is_named_with_its_calls_and_the_command(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "evals.db") as journal:
        killed = a_run("run-1")
        journal.create_run(killed)
        of_killed = JournaledBatches(journal, killed.group_id, HERE)
        mine = JournaledBatches(journal, "another pass", HERE)
        assert unread_elsewhere(mine) == []
        for intent, calls in (("one", ("a", "b")), ("two", ("c",))):
            asyncio.run(of_killed.intend(StoredBatch(intent, calls, "", "", 0.0)))
        asyncio.run(
            JournaledBatches(journal, "a pass without a run", HERE).intend(StoredBatch("x", ("d",), "", "", 0.0))
        )
        said = unread_elsewhere(mine)
        assert len(said) == 1
        assert said[0].startswith("run run-1 has 3 calls in batches that it has not read: ")
        assert "--resume run-1" in said[0]
        assert unread_elsewhere(of_killed) == []
        assert unread_elsewhere(JournaledBatches(journal, "another pass", THERE)) == []
        asyncio.run(of_killed.drop("one"))
        asyncio.run(of_killed.drop("two"))
        assert unread_elsewhere(mine) == []
