"""The outbox: enqueued once, claimed in order, marked with what became of it."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings

from evaluation.errors import JournalError
from evaluation.records import Json
from services.journal import Delivery, Journal, outbox
from services.journal.writer import Write
from tests.services.journal import examples
from tests.services.journal.examples import result


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "evals.db") as opened:
        yield opened


def delivery(target: str, kind: str = "score", run_id: str = "run-1", payload: Json = None) -> Delivery:
    return Delivery(run_id, kind, target, payload)


def claimed(journal: Journal, claimer: str, limit: int = 10, **narrowed: object) -> list[tuple[str, int]]:
    entries = journal.commit_now(outbox.claim(claimer, limit, **narrowed))  # type: ignore[arg-type]
    return [(entry.delivery.target, entry.attempts) for entry in entries]


def test_enqueuing_twice_is_enqueuing_once(journal: Journal) -> None:
    journal.commit_now(outbox.enqueue([delivery("a", payload=1), delivery("a", payload=2)]))
    journal.commit_now(
        outbox.enqueue([delivery("a", payload=3), delivery("a", kind="trace"), delivery("a", run_id="2")])
    )
    entries = list(outbox.entries(journal, ["pending"]))
    assert [(e.delivery.run_id, e.delivery.kind, e.delivery.payload) for e in entries] == [
        ("run-1", "score", 1),
        ("run-1", "trace", None),
        ("2", "score", None),
    ]
    assert entries[0].id == delivery("a", payload="whatever").id


def test_a_result_and_its_deliveries_are_committed_together_or_not_at_all(journal: Journal) -> None:
    asyncio.run(journal.record_result("run-1", result("s1"), [delivery("a")]))
    assert outbox.counts(journal)["pending"] == 1
    journal.commit_now(
        Write(
            work=lambda cursor: (
                cursor.execute(
                    "CREATE TRIGGER refuse BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'refused'); END"
                ).rowcount
            )
        )
    )
    with pytest.raises(JournalError, match="refused"):
        asyncio.run(journal.record_result("run-1", result("s2"), [delivery("b")]))
    assert journal.final_positions("run-1") == {("s1", 1, 1)}


def test_claims_come_in_order_and_exclude_each_other_within_a_process(journal: Journal) -> None:
    journal.commit_now(outbox.enqueue([delivery(target) for target in "cab"]))
    assert claimed(journal, "process-1", 2) == [("c", 1), ("a", 1)]
    assert claimed(journal, "process-1", 2) == [("b", 1)]
    assert claimed(journal, "process-1", 2) == []
    assert claimed(journal, "process-2") == [("c", 2), ("a", 2), ("b", 2)]


def test_claims_can_be_narrowed(journal: Journal) -> None:
    journal.commit_now(outbox.enqueue([delivery("a"), delivery("b", kind="trace"), delivery("c", run_id="run-2")]))
    assert claimed(journal, "p", kinds=["trace"]) == [("b", 1)]
    assert claimed(journal, "p", run_id="run-2") == [("c", 1)]
    assert claimed(journal, "p") == [("a", 1)]


def test_marks_are_kept_counted_and_listed(journal: Journal) -> None:
    items = {target: delivery(target) for target in "abcde"}
    journal.commit_now(outbox.enqueue([*items.values(), delivery("x", run_id="run-2")]))
    claimed(journal, "p")
    journal.commit_now(outbox.mark([(items["a"].id, "acknowledged", ""), (items["b"].id, "acknowledged", "")]))
    journal.commit_now(outbox.mark([(items["b"].id, "verified", "")]))
    journal.commit_now(outbox.mark([(items["c"].id, "rejected", "400: no such trace")]))
    journal.commit_now(outbox.mark([(items["d"].id, "unconfirmed", "timed out, not found a minute later")]))
    journal.commit_now(outbox.mark([(items["e"].id, "pending", "")]))
    assert outbox.counts(journal, "run-1") == {
        "pending": 1,
        "acknowledged": 1,
        "verified": 1,
        "rejected": 1,
        "unconfirmed": 1,
    }
    assert outbox.counts(journal)["pending"] == 2
    assert [(e.delivery.target, e.state, e.reason) for e in outbox.entries(journal, ["rejected", "verified"])] == [
        ("b", "verified", ""),
        ("c", "rejected", "400: no such trace"),
    ]
    assert claimed(journal, "p") == [("e", 2)]


def test_a_long_outbox_is_listed_page_by_page(journal: Journal) -> None:
    journal.commit_now(outbox.enqueue([delivery(f"{number:04}") for number in range(450)]))
    listed = [entry.delivery.target for entry in outbox.entries(journal, ["pending"], "run-1")]
    assert listed == [f"{number:04}" for number in range(450)]


def test_payloads_come_back_equal(journal: Journal) -> None:
    runs = count()

    @settings(max_examples=60, deadline=None)
    @given(examples.texts, examples.texts, examples.texts, examples.values)
    def come_back(run_id: str, kind: str, target: str, payload: Json) -> None:
        item = Delivery(f"{next(runs)} {run_id}", kind, target, payload)
        journal.commit_now(outbox.enqueue([item]))
        assert [entry.delivery for entry in outbox.entries(journal, ["pending"], item.run_id)] == [item]
        found = outbox.find(journal, item)
        assert found is not None
        assert found.delivery == item

    come_back()
