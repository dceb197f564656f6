"""Delivering the runs of one process: the lock, the loop in the background, and the end of a run."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.delivered import LangfuseReport
from evaluation.errors import EvaluationError, JournalError
from evaluation.identity import experiment_id, trace_id
from evaluation.records import Cell
from services.journal import Journal, hold_named
from services.langfuse.datasets import ensure_dataset
from services.langfuse.delivery import Deliverer, Halted
from services.langfuse.links import Links
from services.langfuse.masking import outgoing as outgoing_text
from services.langfuse.names import score_kinds
from services.langfuse.outbox_marks import refusals, was_delivered
from services.langfuse.outgoing_run import OutgoingRun
from services.langfuse.preflight import LangfuseReady, LangfuseUnreachable, preflight
from services.langfuse.projection import CellRef
from services.langfuse.report import tally_scores_and_traces
from services.langfuse.rest import QUICK, QUICK_SECONDS, LangfuseRest, Rejected, Timing
from services.langfuse.run_plan import EvaluatedRun
from services.langfuse.verification import Verification
from services.retrying import TryAgain
from services.settings import Settings

Progress: TypeAlias = Callable[[str], None]

LOCK = "delivery"
BACKGROUND_PAUSE_S = 2.0
"""Between two rounds while an evaluation goes on: what was committed meanwhile shares requests."""
LONGEST_PAUSE_S = 30.0
OVERTIME_S = 3.0
"""How long the request that is under way at the deadline may still take, in real time."""
NAMED = 10
"""How many problems a report lists; it says how many more there are."""
_NO_SERVER = LangfuseReady("", "", "", "list", {})


@dataclass
class RunDelivery:
    """Delivers some runs of one journal. All methods but `stop` run on one loop, which `serve` keeps."""

    settings: Settings
    journal: Journal
    runs: Mapping[str, EvaluatedRun]
    timing: Timing = field(default_factory=Timing)
    pause_s: float = BACKGROUND_PAUSE_S

    def __post_init__(self) -> None:
        assert self.settings.langfuse is not None
        self._fit = outgoing_text(self.settings)
        self._rest = LangfuseRest(self.settings.langfuse, timing=self.timing)
        self._stopped = asyncio.Event()
        self._turn = asyncio.Lock()
        self._locks = ExitStack()
        self._holds_lock = False
        self._ready: LangfuseReady | None = None
        self._outgoing: dict[str, OutgoingRun] = {}
        self._verifications: dict[str, Verification] = {}
        self._deliverer: Deliverer | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["RunDelivery"]:
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
        kinds = [kind for run in self.runs.values() for kind in score_kinds(run)]
        quick = LangfuseRest(self.settings.langfuse, backoff=QUICK, timing=self.timing, attempt_seconds=QUICK_SECONDS)
        async with quick:
            found = await preflight(quick, kinds)
        if isinstance(found, LangfuseReady):
            self._ready = found
        return found

    async def background(self) -> None:
        """Delivers while the evaluation goes on, until stopped. Whatever fails is left for the end of the run."""
        pause = self.pause_s
        while not self._stopped.is_set():
            try:
                async with self._turn:
                    for run_id in self.runs:
                        if run_id in self._outgoing:
                            # Before anything is sent: what went out in the round before has had its pause to appear.
                            await self._verification(run_id).in_passing()
                        await self._round(run_id)
                pause = self.pause_s
            except Halted as halted:
                pause = halted.wait_s or min(2 * pause, LONGEST_PAUSE_S)
            except (EvaluationError, Rejected, TryAgain):
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
        traces_of: Sequence[tuple[str, int]] = (),
        shown: Mapping[Cell, CellRef] | None = None,
    ) -> LangfuseReport:
        """Delivers one run as far as the deadline allows, reads it back, and reports. Raises no error of Langfuse's."""
        deadline = self.timing.clock() + deadline_s
        problems: tuple[str, ...] = ()
        try:
            # A request that hangs must not keep the command for longer than was said.
            async with asyncio.timeout(deadline_s + OVERTIME_S), self._turn:
                problems = await self._drain(run_id, deadline, progress)
                if self._ready is not None and run_id in self._outgoing:
                    problems += await self._verification(run_id).run(deadline, progress)
        except TimeoutError:
            problems += (f"{self._rest.where} did not answer within {deadline_s:g} s; go on with make sync",)
        except (EvaluationError, Rejected, TryAgain) as error:
            problems += (str(error),)
        except Exception as error:  # a fault in delivery must not cost the run its report
            problems += (f"delivery stopped ({type(error).__name__}: {error}); go on with make sync",)
        return self._report(run_id, problems, traces_of, shown or {})

    async def _drain(self, run_id: str, deadline: float, progress: Progress) -> tuple[str, ...]:
        """Rounds until nothing is left or the deadline has passed; returns why something is left."""
        pause = 1.0
        while True:
            wait: float | None = None
            problem = ""
            try:
                await self._round(run_id)
                pause = 1.0
            except Halted as halted:
                if self._ready is None and halted.wait_s is None:
                    return (f"{self._rest.where} {halted.message}",)
                problem, wait = f"{self._rest.where} {halted.message}", halted.wait_s or pause
                pause = min(2 * pause, LONGEST_PAUSE_S)
            except _LockTaken as taken:
                problem, wait = str(taken), pause
            look = self._deliverer.next_look() if self._deliverer is not None else None
            if wait is None and look is None:
                return ()
            problem = problem or f"{self._rest.where} did not say whether it took the last spans"
            pauses = [seconds for seconds in (wait, look) if seconds is not None]
            left = deadline - self.timing.clock()
            if left <= min(pauses):
                return (problem,)
            progress(f"Langfuse: {problem}; going on in {min(pauses):.0f} s")
            await self.timing.sleep(max(0.05, min(pauses)))

    async def _round(self, run_id: str) -> None:
        """Sends what is pending and looks for what is doubtful; asks first whether the server is there, where that is
        not known. Raises Halted, _LockTaken and UsageError."""
        ready = self._ready or await self.preflight()
        if isinstance(ready, LangfuseUnreachable):
            raise Halted(ready.reason, ready.wait_s)
        self._take_lock()
        if run_id not in self._outgoing:
            self._outgoing[run_id] = await self._prepared(run_id, ready)
        if self._deliverer is None:
            claimer = f"{os.getpid()}-{secrets.token_hex(4)}"
            self._deliverer = Deliverer(self._rest, self.journal, self._of, ready.score_mode, claimer, self.timing)
        await self._deliverer.look()
        await self._deliverer.send(run_id)

    def _of(self, run_id: str) -> OutgoingRun:
        return self._outgoing[run_id]

    def _verification(self, run_id: str) -> Verification:
        if run_id not in self._verifications:
            self._verifications[run_id] = Verification(self._rest, self.journal, self._outgoing[run_id], self.timing)
        return self._verifications[run_id]

    async def _prepared(self, run_id: str, ready: LangfuseReady) -> OutgoingRun:
        """The run with its dataset in step. Raises Halted when the server does not answer."""
        run = self.runs[run_id]
        try:
            dataset = await ensure_dataset(self._rest, run.suite, list(run.scenarios.values()), self._fit)
        except TryAgain as failure:
            raise Halted(failure.message, failure.wait_s) from None
        return OutgoingRun(run, self.journal, ready, self.settings.tracing_environment, self._fit, dataset)

    def _take_lock(self) -> None:
        if self._holds_lock:
            return
        try:
            self._locks.enter_context(hold_named(self.settings.runs_dir, LOCK))
        except JournalError as error:
            raise _LockTaken(str(error)) from None
        self._holds_lock = True

    def _report(
        self,
        run_id: str,
        problems: tuple[str, ...],
        traces_of: Sequence[tuple[str, int]],
        shown: Mapping[Cell, CellRef],
    ) -> LangfuseReport:
        run = self.runs[run_id]
        environment = self.settings.tracing_environment
        known = self._outgoing.get(run_id) or OutgoingRun(run, self.journal, _NO_SERVER, environment, self._fit, "")
        scores, traces = tally_scores_and_traces(self.journal, known)
        links = self._ready.links if self._ready is not None else None
        problems += tuple(refusals(self.journal, run_id))
        named = problems[:NAMED]
        if len(problems) > NAMED:
            named = (*named, f"and {len(problems) - NAMED} more")
        return LangfuseReport(
            scores=scores,
            traces=traces,
            url=links.experiment(run.experiments()[0]) if links else None,
            experiments=tuple(map(links.experiment, run.experiments())) if links else (),
            comparison_url=self._comparison(run, links) if links else None,
            trace_urls=_trace_urls(run_id, links, traces_of, shown) if links else {},
            problems=named,
        )

    def _comparison(self, run: EvaluatedRun, links: Links) -> str | None:
        previous = previous_run(self.journal, run)
        return None if previous is None else links.comparison(previous, run.experiments()[0])


class _LockTaken(EvaluationError):
    """Another process delivers at the moment."""


def previous_run(journal: Journal, run: EvaluatedRun, newest: int = 200) -> str | None:
    """The first experiment of the newest earlier run of another version of the prompt that was delivered."""
    spec = run.record.spec
    if spec.prompt is None:
        return None
    for record in journal.runs(newest):
        prompt = record.spec.prompt
        if prompt is None or (record.spec.suite, prompt.name) != (spec.suite, spec.prompt.name):
            continue
        earlier = record.created_at <= run.record.created_at
        if earlier and prompt.sha256 != spec.prompt.sha256 and was_delivered(journal, record.run_id):
            return experiment_id(record.run_id, 1)
    return None


def _trace_urls(
    run_id: str, links: Links, cells: Sequence[tuple[str, int]], shown: Mapping[Cell, CellRef]
) -> dict[tuple[str, int], str]:
    urls = {}
    for scenario_id, repeat in cells:
        ref = shown.get(Cell(scenario_id, repeat))
        trace = trace_id(run_id, scenario_id, repeat) if ref is None else ref.trace_id(run_id)
        urls[scenario_id, repeat] = links.trace(trace)
    return urls
