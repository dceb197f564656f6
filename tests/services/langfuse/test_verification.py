"""Reading back while a run goes on: what it finds, what it leaves for the end, and when it stops asking."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.run import Run
from services.journal import Journal
from services.journal.outbox import counts, entries
from services.langfuse import readback
from services.langfuse.masking import outgoing
from services.langfuse.outbox import Projection
from services.langfuse.preflight import preflight
from services.langfuse.readback import Verifier
from services.langfuse.rest import LangfuseRest
from services.langfuse.sender import Sender
from tests.langfuse_double import LangfuseDouble
from tests.services.langfuse.stories import SINGLE, SPEC, VirtualTime, evaluated_run, journaled, kinds_of, settings_for

PAGE = 4
"""Entries: two cells' traces and scores."""
CELLS = 5
READS = ("*/v2/observations", "*/v3/scores", "*/experiment-items")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(readback, "PAGE", PAGE)
    scenarios = [replace(SINGLE, id=f"case-{number}") for number in range(CELLS)]
    return evaluated_run(spec=replace(SPEC, repeats=1), scenarios=scenarios)


@asynccontextmanager
async def sent(journal: Journal, run: Run, double: LangfuseDouble, folder: Path) -> AsyncIterator[Verifier]:
    """All cells of the run sent and acknowledged, nothing read back."""
    settings = settings_for(double, folder)
    assert settings.langfuse is not None
    timing = VirtualTime().timing()
    async with LangfuseRest(settings.langfuse, timing=timing) as rest:
        ready = await preflight(rest, kinds_of(run))
        going = Projection(run, journal, settings.tracing_environment, outgoing(settings), ready.configs, "dataset")
        await Sender(rest, going, ready.score_mode, 0.0).send()
        yield Verifier(rest, going)


def verified(journal: Journal, run: Run) -> int:
    return counts(journal, run.run_id)["verified"]


def asked(double: LangfuseDouble) -> tuple[int, ...]:
    return tuple(double.count(path) for path in READS)


def test_full_pages_are_read_back_in_passing_and_the_end_asks_for_the_rest(
    double: LangfuseDouble, tmp_path: Path, run: Run
) -> None:
    async def story(journal: Journal) -> None:
        async with sent(journal, run, double, tmp_path) as check:
            await check.in_passing()
            assert verified(journal, run) == 2 * PAGE
            before = asked(double)
            await check.in_passing()
            assert asked(double) == before
            assert await check.run(60.0, lambda _: None) == ()
            assert verified(journal, run) == 2 * CELLS
            assert [now - then for now, then in zip(asked(double), before, strict=True)] == [1, 1, 0]

    with journaled(tmp_path, run) as journal:
        asyncio.run(story(journal))


def test_what_cannot_be_read_yet_is_asked_for_once_in_passing_and_found_at_the_end(
    double: LangfuseDouble, tmp_path: Path, run: Run
) -> None:
    async def story(journal: Journal) -> None:
        double.delay_reading(polls=4)
        async with sent(journal, run, double, tmp_path) as check:
            for _ in range(3):
                await check.in_passing()
            assert verified(journal, run) == 0
            assert asked(double) == (4, 2, 0)  # so few traces are asked for one by one
            assert await check.run(600.0, lambda _: None) == ()
            assert verified(journal, run) == 2 * CELLS

    with journaled(tmp_path, run) as journal:
        asyncio.run(story(journal))


@pytest.mark.parametrize("name", ["", None], ids=["empty", "null"])
def test_an_observation_without_a_prompt_reads_alike_whatever_stands_for_its_name(
    double: LangfuseDouble, tmp_path: Path, run: Run, name: str | None
) -> None:
    double.settings.name_without_prompt = name

    async def story(journal: Journal) -> None:
        async with sent(journal, run, double, tmp_path) as check:
            expected = check.projection.observations_of(list(entries(journal, kinds=("trace",))))
            spans = [span for trace in expected.values() for span in trace]
            seen = await readback.seen_observations(check.rest, check.projection.environment, spans)
            linked = {link for link in seen.values() if link[0] is not None}
            assert linked == {("penpal-companion", 3)}
            assert sum(link == (None, None) for link in seen.values()) == CELLS  # the judge's
            assert await check.run(60.0, lambda _: None) == ()

    with journaled(tmp_path, run) as journal:
        asyncio.run(story(journal))


@pytest.mark.parametrize("path", READS)
def test_a_server_that_does_not_answer_in_passing_is_left_alone_until_the_end(
    double: LangfuseDouble, tmp_path: Path, run: Run, path: str
) -> None:
    async def story(journal: Journal) -> None:
        async with sent(journal, run, double, tmp_path) as check:
            double.fail(path, "500", times=None)
            await check.in_passing()
            before = asked(double)
            assert double.count(path) > 0
            await check.in_passing()
            assert asked(double) == before
            double.heal()
            assert await check.run(600.0, lambda _: None) == ()
            assert verified(journal, run) == 2 * CELLS

    with journaled(tmp_path, run) as journal:
        asyncio.run(story(journal))
