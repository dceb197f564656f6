"""The session beside an evaluation, in its own thread, on the real clock; and a process that is killed."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.delivered import LangfuseReport
from evaluation.errors import UsageError
from evaluation.identity import trace_id
from evaluation.records import Cell
from evaluation.run import Run
from services.journal import Journal
from services.langfuse.session import LangfuseSession
from services.settings import Settings
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import (
    DELIVERING,
    FIGURES,
    ROOT,
    SINGLE,
    deliver,
    evaluated_run,
    journaled,
    kinds_of,
    results_of,
    scored,
    settings_for,
)
from tests.services.langfuse.test_faults import assert_exactly_one_of_everything, synced


def session_of(run: Run, settings: Settings, journal: Journal) -> LangfuseSession | None:
    session = LangfuseSession.configure(settings, journal, kinds_of(run))
    if session is not None:
        session.take([run])
    return session


def test_a_run_is_delivered_beside_its_evaluation(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)

    async def evaluate(journal: Journal) -> LangfuseReport | None:
        session = session_of(run, settings, journal)
        assert session is not None
        async with session:
            assert session.notes == ()
            for result in results_of(run):
                outbox = session.deliveries_for(run.run_id, result)
                await journal.record_result(run.run_id, result, outbox=outbox)
            return await session.finish(run.run_id, FIGURES, deadline_s=30.0)

    with Journal.open(tmp_path / "evals.db") as journal:
        journal.create_run(run)
        report = asyncio.run(evaluate(journal))
    assert report is not None
    assert report.complete
    assert_exactly_one_of_everything(double)
    block = report.to_json()
    assert {"url", "delivered", "pending", "rejected", "verified"} <= set(block)
    assert json.loads(json.dumps(block)) == block
    assert report.trace_ids[Cell(SINGLE.id, 1)] == trace_id(run.run_id, SINGLE.id, 1)


def test_delivery_begins_while_the_evaluation_goes_on(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()

    async def evaluate(journal: Journal) -> int:
        session = session_of(run, settings_for(double, tmp_path), journal)
        assert session is not None
        async with session:
            for result in results_of(run):
                outbox = session.deliveries_for(run.run_id, result)
                await journal.record_result(run.run_id, result, outbox=outbox)
            await asyncio.to_thread(double.wait_until, lambda _: len(double.spans()) == 22, 30)
            return len(double.spans())

    with Journal.open(tmp_path / "evals.db") as journal:
        journal.create_run(run)
        assert asyncio.run(evaluate(journal)) == 22


def test_an_unreachable_server_does_not_stop_the_evaluation(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    double.stop()

    async def evaluate(journal: Journal) -> LangfuseReport | None:
        session = session_of(run, settings, journal)
        assert session is not None
        async with session:
            assert "make sync" in session.notes[0]
            result = scored(SINGLE, 1, 1)
            await journal.record_result(run.run_id, result, outbox=session.deliveries_for(run.run_id, result))
            return await session.finish(run.run_id, FIGURES, deadline_s=5.0)

    with Journal.open(tmp_path / "evals.db") as journal:
        journal.create_run(run)
        report = asyncio.run(evaluate(journal))
    assert report is not None
    assert not report.complete
    assert report.traces.pending == 1


def test_a_wrong_key_stops_before_anything_is_paid_for(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    double.secret_key = "sk-lf-changed"

    async def enter(journal: Journal) -> None:
        session = session_of(run, settings, journal)
        assert session is not None
        async with session:
            raise AssertionError("the session was entered")

    with Journal.open(tmp_path / "evals.db") as journal, pytest.raises(UsageError, match="refuses the keys"):
        asyncio.run(enter(journal))


def test_a_loop_that_cannot_be_made_ends_the_evaluation_and_hangs_nothing(
    double: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(24, "Too many open files")

    async def enter(journal: Journal) -> None:
        session = session_of(evaluated_run(), settings_for(double, tmp_path), journal)
        assert session is not None
        async with session:
            raise AssertionError("the session was entered")

    monkeypatch.setattr(asyncio, "Runner", refuse)
    with Journal.open(tmp_path / "evals.db") as journal, pytest.raises(OSError, match="Too many open files"):
        asyncio.run(enter(journal))


def test_runs_without_keys_have_no_session(double: LangfuseDouble, tmp_path: Path) -> None:
    run = evaluated_run()
    settings = settings_for(double, tmp_path)
    with Journal.open(tmp_path / "evals.db") as journal:
        assert LangfuseSession.configure(settings, journal, kinds_of(run), enabled=False) is None
        for changed in ({"langfuse": None}, {"tracing_enabled": False}):
            off = settings_for(double, tmp_path, **changed)
            assert LangfuseSession.configure(off, journal, kinds_of(run)) is None


def test_importing_the_session_loads_neither_langfuse_nor_opentelemetry() -> None:
    code = "import services.langfuse.session, sys; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    heavy = {name.split(".")[0] for name in loaded.split()} & {"langfuse", "opentelemetry", "httpx"}
    assert heavy == set()


@pytest.mark.parametrize("stage", ["*/otel/v1/traces", "POST */scores", "POST */dataset-items", "POST */score-configs"])
def test_a_process_killed_between_stored_and_noted_leaves_nothing_twice(
    double: LangfuseDouble, tmp_path: Path, stage: str
) -> None:
    run = evaluated_run()
    with journaled(tmp_path, run):
        pass
    fault = double.fail(stage, "hang_after_store")
    arguments = [double.base_url, double.public_key, double.secret_key, str(tmp_path)]
    child = subprocess.Popen([sys.executable, "-c", DELIVERING, *arguments], cwd=ROOT)
    try:
        double.wait_until(lambda _: fault.fired > 0 and _stored(double, stage), timeout=60)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    double.heal()
    with Journal.open(tmp_path / "evals.db") as journal:
        synced(journal, run, settings_for(double, tmp_path))
        report = deliver(journal, run, settings_for(double, tmp_path))
    assert report.complete
    assert_exactly_one_of_everything(double)


def _stored(double: LangfuseDouble, stage: str) -> bool:
    found = {
        "*/otel/v1/traces": double.spans(),
        "POST */scores": double.scores(),
        "POST */dataset-items": double.store.items,
        "POST */score-configs": double.store.configs,
    }
    return bool(found[stage])
