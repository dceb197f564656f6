"""Servers before 4.59 take one score per request: several requests at a time, within what the server asks for."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.run import Run
from services.journal import Journal
from services.langfuse.rest import Timing
from services.langfuse.scores import AT_ONCE
from tests.langfuse_double import Kind, LangfuseDouble
from tests.langfuse_double.server import Request
from tests.scripts.forked import interruptible
from tests.services.langfuse.stories import (
    DELIVERING,
    ROOT,
    SCORES_OF_RUN,
    SCORES_OF_SINGLE,
    SCORES_OF_TALK,
    VirtualTime,
    deliver,
    evaluated_run,
    journaled,
    settings_for,
)

SCORES = 2 * (2 * SCORES_OF_SINGLE + SCORES_OF_TALK + SCORES_OF_RUN)
POST = "POST */scores"


class WallClock(VirtualTime):
    """The real one, for what is held against the double's own clock."""

    def timing(self) -> Timing:
        return Timing()


@pytest.fixture
def old() -> Iterator[LangfuseDouble]:
    """Checks no bodies: the SDK's models describe lists."""
    with LangfuseDouble(version="4.16.0", check_bodies=False) as running:
        yield running


@pytest.fixture
def run() -> Run:
    return evaluated_run()


def posts(double: LangfuseDouble) -> list[Request]:
    return [entry for entry in double.log if entry.method == "POST" and entry.path.endswith("/scores")]


def assert_all_there_once(double: LangfuseDouble) -> None:
    assert len(double.scores()) == SCORES
    assert not double.duplicates()


def test_so_many_posts_are_under_way_and_no_more(old: LangfuseDouble, tmp_path: Path, run: Run) -> None:
    old.fail(POST, "hang", times=None)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(old, tmp_path), deadline_s=0.5)
        assert "did not answer within 0.5 s" in report.problems[0]
        assert AT_ONCE["single"] > 1
        assert [entry.status for entry in posts(old)] == [None] * AT_ONCE["single"]
        old.heal()
        assert deliver(journal, run, settings_for(old, tmp_path)).complete
    assert_all_there_once(old)


def test_a_server_that_asks_for_patience_gets_it_from_all_of_them(
    old: LangfuseDouble, tmp_path: Path, run: Run
) -> None:
    old.fail(POST, "429", after=10, retry_after=1)
    old.fail(POST, "slow", times=None, seconds=0.05)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(old, tmp_path), time=WallClock())
    assert report.complete
    (refused,) = (entry for entry in posts(old) if entry.status == 429)
    waits = [(entry.at - refused.at).total_seconds() for entry in posts(old)]
    assert [wait for wait in waits if 0.2 < wait < 0.9] == []
    assert_all_there_once(old)


def test_a_small_plan_refuses_few_and_loses_none(old: LangfuseDouble, tmp_path: Path, run: Run) -> None:
    time = VirtualTime()
    bucket = old.limit(POST, requests=20, clock=time.clock)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(old, tmp_path), time=time, deadline_s=3600.0)
    assert report.complete
    assert 0 < bucket.refused <= AT_ONCE["single"] * SCORES / 20
    assert_all_there_once(old)


def test_one_refused_among_many_is_named_and_the_others_arrive(old: LangfuseDouble, tmp_path: Path, run: Run) -> None:
    old.fail(POST, "400", after=20)
    with journaled(tmp_path, run) as journal:
        report = deliver(journal, run, settings_for(old, tmp_path))
    assert (report.scores.verified, report.scores.rejected) == (SCORES - 1, 1)
    assert [problem for problem in report.problems if "Invalid request data" in problem]
    assert len(old.scores()) == SCORES - 1


@pytest.mark.parametrize("kind", ["500", "reset", "reset_after_store"])
def test_one_that_fails_among_many_is_sent_again(old: LangfuseDouble, tmp_path: Path, run: Run, kind: Kind) -> None:
    # Four times: more than one request is tried, so that the others are left for the next round.
    old.fail(POST, kind, after=20, times=4)
    with journaled(tmp_path, run) as journal:
        assert deliver(journal, run, settings_for(old, tmp_path)).complete
    assert_all_there_once(old)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_what_ends_it_in_the_midst_leaves_each_score_once(
    old: LangfuseDouble, tmp_path: Path, run: Run, number: signal.Signals
) -> None:
    with journaled(tmp_path, run):
        pass
    old.fail(POST, "hang_after_store", after=20, times=None)
    arguments = [old.base_url, old.public_key, old.secret_key, str(tmp_path)]
    command = [sys.executable, "-c", DELIVERING, *arguments]
    child = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, preexec_fn=interruptible)
    try:
        old.wait_until(lambda double: len(double.scores()) >= 20 + AT_ONCE["single"], timeout=60)
    finally:
        os.kill(child.pid, number)
        assert child.wait(timeout=10) != 0
    stored, sent = len(old.scores()), old.count(POST)
    old.heal()
    with Journal.open(tmp_path / "evals.db") as journal:
        assert deliver(journal, run, settings_for(old, tmp_path)).complete
    assert old.count(POST) - sent == SCORES - stored
    assert_all_there_once(old)
