"""Delivering runs of one journal: the lock, the rounds of sending and reading back, and the report of each run."""

import asyncio
import math
import os
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.delivered import LangfuseReport
from evaluation.errors import EvaluationError, JournalError, UsageError
from evaluation.records import Cell
from evaluation.run import Run
from services.journal import Journal, StoredRun, hold_named
from services.journal.outbox import open_runs
from services.langfuse.datasets import ensure_dataset
from services.langfuse.masking import outgoing as outgoing_text
from services.langfuse.names import ScoreKind, score_kinds
from services.langfuse.outbox import CellRef, OpenCells
from services.langfuse.preflight import LangfuseReady, LangfuseUnreachable, check_settings, preflight
from services.langfuse.projection import Projection
from services.langfuse.readback import Verifier
from services.langfuse.report import report_of
from services.langfuse.rest import QUICK, QUICK_SECONDS, LangfuseRest, Rejected
from services.langfuse.sender import Sender
from services.langfuse.timing import Timing, Waiting
from services.retrying import TryAgain
from services.settings import Settings

Progress: TypeAlias = Callable[[str], None]
Wanted: TypeAlias = Sequence[tuple[str, int]]
"""Scenario id and repeat of the cells whose address a report is to name."""

LOCK = "delivery"
BACKGROUND_PAUSE_S = 2.0
"""Between two rounds while an evaluation goes on: what was committed meanwhile shares requests."""
LONGEST_PAUSE_S = 30.0
OVERTIME_S = 3.0
"""The time that the request under way at the deadline may still take, in real time."""


class LangfuseAway(EvaluationError):
    """The server does not answer: everything waits in the journal."""

    exit_code = 3


class _LockTaken(EvaluationError):
    """Another process delivers at the moment."""


@dataclass
class Deliverer:
    """Delivers some runs of one journal. All methods but `stop` run on one loop, which `serve` keeps."""

    settings: Settings
    journal: Journal
    runs: Mapping[str, Run]
    """Run id -> run; more may be added while it is served."""
    kinds: Sequence[ScoreKind]
    """Every score that the runs may send."""
    timing: Timing = field(default_factory=Timing)

    def __post_init__(self) -> None:
        assert self.settings.langfuse is not None
        self._fit = outgoing_text(self.settings)
        self._rest = LangfuseRest(self.settings.langfuse, timing=self.timing)
        self._stopped = asyncio.Event()
        self._turn = asyncio.Lock()
        self._locks = ExitStack()
        self._holds_lock = False
        self._ready: LangfuseReady | None = None
        self._verifiers: dict[str, Verifier] = {}
        """Of the runs whose delivery has begun, each with its projection."""
        self._sender: Sender | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Deliverer"]:
        """Holds the connection, and from the first round on the lock, until the block ends."""
        with self._locks:
            async with self._rest:
                yield self

    async def serve(self) -> None:
        """Stays open until `stop` is called."""
        async with self.opened():
            await self._stopped.wait()

    def stop(self) -> None:
        self._stopped.set()

    async def preflight(self) -> LangfuseReady | LangfuseUnreachable:
        """See preflight.preflight; what it finds is kept for delivery."""
        assert self.settings.langfuse is not None
        quick = LangfuseRest(self.settings.langfuse, backoff=QUICK, timing=self.timing, attempt_seconds=QUICK_SECONDS)
        async with quick:
            found = await preflight(quick, self.kinds)
        if isinstance(found, LangfuseReady):
            self._ready = found
        return found

    async def background(self) -> None:
        """Delivers while the evaluation goes on, until stopped. Whatever fails is left for the end of the run."""
        pause = BACKGROUND_PAUSE_S
        while not self._stopped.is_set():
            try:
                async with self._turn:
                    for run_id in list(self.runs):
                        if run_id in self._verifiers:
                            # Before anything is sent: what went out in the round before has had its pause to appear.
                            await self._verifiers[run_id].in_passing()
                        await self._round(run_id)
                pause = BACKGROUND_PAUSE_S
            except TryAgain as failure:
                pause = failure.wait_s or min(2 * pause, LONGEST_PAUSE_S)
            except (EvaluationError, Rejected):
                pause = LONGEST_PAUSE_S
            try:
                async with asyncio.timeout(pause):
                    await self._stopped.wait()
            except TimeoutError:
                continue

    async def finish(
        self,
        run_id: str,
        deadline_s: float,
        progress: Progress,
        traces_of: Wanted = (),
        shown: Mapping[Cell, CellRef] | None = None,
    ) -> LangfuseReport:
        """Delivers one run as far as the deadline allows, reads it back, and reports. Raises no error of Langfuse's."""
        deadline = self.timing.clock() + deadline_s
        problems: tuple[str, ...] = ()
        try:
            # A request that hangs must not keep the command for longer than was said.
            async with asyncio.timeout(deadline_s + OVERTIME_S), self._turn:
                problems = await self._drain(run_id, deadline, progress)
                if run_id in self._verifiers:
                    problems += await self._verifiers[run_id].run(deadline, progress)
        except TimeoutError:
            problems += (f"{self._rest.where} did not answer within {deadline_s:g} s; go on with make sync",)
        except (EvaluationError, Rejected, TryAgain) as error:
            problems += (str(error),)
        except Exception as error:  # a fault in delivery must not cost the run its report
            problems += (f"delivery stopped ({type(error).__name__}: {error}); go on with make sync",)
        links = None if self._ready is None else self._ready.links
        return report_of(self._projection(run_id), links, problems, traces_of, shown or {})

    async def _drain(self, run_id: str, deadline: float, progress: Progress) -> tuple[str, ...]:
        """Rounds until nothing is left or the deadline has passed; returns why something is left."""

        async def attempt() -> Waiting | None:
            problem, wait_s = "", None
            try:
                await self._round(run_id)
            except TryAgain as failure:
                problem, wait_s = f"{self._rest.where} {failure.message}", failure.wait_s
                if self._ready is None and wait_s is None:
                    wait_s = math.inf  # nobody is there: the end of a run does not wait for that to change
            except _LockTaken as taken:
                problem = str(taken)
            look = self._sender.next_look() if self._sender is not None else None
            if not problem and look is not None:
                problem, wait_s = f"{self._rest.where} did not say whether it took the last spans", look
            return Waiting((problem,), problem, wait_s) if problem else None

        return await self.timing.until(attempt, deadline, LONGEST_PAUSE_S, progress)

    async def _round(self, run_id: str) -> None:
        """Sends what is pending and looks for what is doubtful; asks first whether the server is there, where that is
        not known. Raises TryAgain, _LockTaken and UsageError."""
        ready = self._ready or await self.preflight()
        if isinstance(ready, LangfuseUnreachable):
            raise TryAgain("unreachable", ready.reason, wait_s=ready.wait_s)
        self._take_lock()
        if run_id not in self._verifiers:
            self._verifiers[run_id] = await self._begun(run_id, ready)
        if self._sender is None:
            claimer = f"{os.getpid()}-{secrets.token_hex(4)}"
            self._sender = Sender(self._rest, self.journal, self._projection, ready.score_mode, claimer, self.timing)
        await self._sender.look()
        await self._sender.send(run_id)

    def _projection(self, run_id: str) -> Projection:
        """Of a run whose delivery has begun; else one that knows nothing of the server."""
        if run_id in self._verifiers:
            return self._verifiers[run_id].projection
        return Projection(self.runs[run_id], self.journal, self.settings.tracing_environment, self._fit)

    async def _begun(self, run_id: str, ready: LangfuseReady) -> Verifier:
        """Brings the run's dataset in step. Raises TryAgain when the server does not answer."""
        run, environment = self.runs[run_id], self.settings.tracing_environment
        dataset = await ensure_dataset(self._rest, run.suite.name, run.scenarios, self._fit)
        projection = Projection(run, self.journal, environment, self._fit, ready.configs, dataset)
        return Verifier(self._rest, self.journal, projection, self.timing)

    def _take_lock(self) -> None:
        if self._holds_lock:
            return
        try:
            self._locks.enter_context(hold_named(self.settings.runs_dir, LOCK))
        except JournalError as error:
            raise _LockTaken(str(error)) from None
        self._holds_lock = True


async def sync(
    settings: Settings,
    journal: Journal,
    read_run: Callable[[StoredRun], Run],
    *,
    deadline_s: float,
    progress: Progress,
    timing: Timing | None = None,
) -> Mapping[str, LangfuseReport]:
    """Delivers and verifies everything that earlier runs left open; run id -> report, empty when nothing is open.

    Raises UsageError without keys, with refused keys and for a server that is too old, LangfuseAway for one that does
    not answer.
    """
    if settings.langfuse is None:
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: there is nowhere to deliver to")
    check_settings(settings)
    runs = {run_id: read_run(journal.run(run_id)) for run_id in open_runs(journal)}
    if not runs:
        return {}
    kinds = [kind for run in runs.values() for kind in score_kinds(run.suite, judged=run.spec.judge is not None)]
    delivery = Deliverer(settings, journal, runs, kinds, timing or Timing())
    reports: dict[str, LangfuseReport] = {}
    async with delivery.opened():
        found = await delivery.preflight()
        if isinstance(found, LangfuseUnreachable):
            raise LangfuseAway(f"{found.message}: nothing was lost; run make sync again when it answers")
        for note in found.notes:
            progress(note)
        for run_id, run in runs.items():
            shown = OpenCells(run, journal).shown
            reports[run_id] = await delivery.finish(run_id, deadline_s, progress, (), shown)
    return reports
