"""Delivering runs of one journal: the lock, the rounds of sending and reading back, and the report of each run."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluation.commands import write_command
from evaluation.delivered import LangfuseReport, Tally
from evaluation.errors import EvaluationError, JournalError, UsageError
from evaluation.identity import experiment_id
from evaluation.run import Run
from services.journal import DeliveryState, Journal, StoredRun, hold_named
from services.journal.outbox import ALL, entries, open_runs
from services.langfuse.masking import outgoing as outgoing_text
from services.langfuse.outbox import FIGURES, SCORES, TRACE, Projection, experiments
from services.langfuse.preflight import LangfuseReady, Links, check_settings, ensure_dataset, preflight
from services.langfuse.readback import Verifier
from services.langfuse.rest import QUICK, QUICK_SECONDS, LangfuseRest, Rejected, Timing, Waiting
from services.langfuse.score_names import ScoreKind, kinds_of_run
from services.langfuse.sender import Sender
from services.retrying import TryAgain
from services.settings import Settings

Progress: TypeAlias = Callable[[str], None]

LOCK = "delivery"
BACKGROUND_PAUSE_S = 2.0
"""Between two rounds while an evaluation goes on: what was committed meanwhile shares requests."""
LONGEST_PAUSE_S = 30.0
OVERTIME_S = 3.0
"""The time that the request under way at the deadline may still take, in real time."""
NAMED = 10
"""The most problems that a report lists; it says how many more there are."""
NEWEST = 200
"""Among so many runs an earlier one of another version of the prompt is looked for."""


class LangfuseAway(EvaluationError):
    """The server does not answer: everything waits in the journal."""

    exit_code = 3


class _LockTaken(EvaluationError):
    """Another process delivers at the moment."""


@dataclass
class Deliverer:
    """Delivers some runs of one journal. All its methods run on one loop, while it is open."""

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
        self.rest = LangfuseRest(self.settings.langfuse, timing=self.timing)
        self._turn = asyncio.Lock()
        self._locks = ExitStack()
        self._held_since: float | None = None
        """When the lock was taken; None before."""
        self._ready: LangfuseReady | None = None
        self._senders: dict[str, Sender] = {}
        """Of the runs whose delivery has begun."""
        self._verifiers: dict[str, Verifier] = {}

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["Deliverer"]:
        """Holds the connection, and from the first round on the lock, until the block ends."""
        with self._locks:
            async with self.rest:
                yield self

    async def serve(self) -> None:
        """Stays open until it is cancelled."""
        async with self.connect():
            await asyncio.Event().wait()

    async def preflight(self) -> LangfuseReady:
        """See preflight.preflight; what it finds is kept for delivery."""
        assert self.settings.langfuse is not None
        quick = LangfuseRest(self.settings.langfuse, backoff=QUICK, timing=self.timing, attempt_seconds=QUICK_SECONDS)
        async with quick:
            self._ready = await preflight(quick, self.kinds)
        return self._ready

    async def background(self) -> None:
        """Delivers while the evaluation goes on, until cancelled. Whatever fails is left for the end of the run."""
        pause = BACKGROUND_PAUSE_S
        while True:
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
            await asyncio.sleep(pause)

    async def finish(self, run_id: str, deadline_s: float, progress: Progress) -> LangfuseReport:
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
            problems += (
                f"{self.rest.where} did not answer within {deadline_s:g} s; go on with {write_command('sync')}",
            )
        except (EvaluationError, Rejected, TryAgain) as error:
            problems += (str(error),)
        except Exception as error:  # a fault in delivery must not cost the run its report
            problems += (f"delivery stopped ({type(error).__name__}: {error}); go on with {write_command('sync')}",)
        sender = self._senders.get(run_id)
        projection = self._projection(run_id) if sender is None else sender.projection
        return report_of(projection, None if self._ready is None else self._ready.links, problems)

    async def _drain(self, run_id: str, deadline: float, progress: Progress) -> tuple[str, ...]:
        """Rounds until nothing is left or the deadline has passed; returns why something is left."""

        async def attempt() -> Waiting | None:
            problem, wait_s = "", None
            try:
                await self._round(run_id)
            except TryAgain as failure:
                problem, wait_s = f"{self.rest.where} {failure.message}", failure.wait_s
                if self._ready is None and wait_s is None:
                    wait_s = math.inf  # nobody is there: the end of a run does not wait for that to change
            except _LockTaken as taken:
                problem = str(taken)
            look = self._senders[run_id].next_look() if run_id in self._senders else None
            if not problem and look is not None:
                problem, wait_s = f"{self.rest.where} did not say whether it took the last spans", look
            return Waiting((problem,), problem, wait_s) if problem else None

        return await self.timing.until(attempt, deadline, LONGEST_PAUSE_S, progress)

    async def _round(self, run_id: str) -> None:
        """Sends what is pending and looks for what is doubtful; asks first whether the server is there, where that is
        not known. Raises TryAgain, _LockTaken and UsageError."""
        ready = self._ready or await self.preflight()
        held_since = self._take_lock()
        if run_id not in self._senders:
            run = self.runs[run_id]
            dataset = await ensure_dataset(self.rest, run.suite.name, run.scenarios, self._fit)
            projection = self._projection(run_id, ready.configs, dataset)
            self._senders[run_id] = Sender(self.rest, projection, ready.score_mode, held_since)
            self._verifiers[run_id] = Verifier(self.rest, projection)
        await self._senders[run_id].look()
        await self._senders[run_id].send()

    def _projection(self, run_id: str, configs: Mapping[str, str] | None = None, dataset: str = "") -> Projection:
        """Of one run; without more it knows nothing of the server."""
        environment = self.settings.tracing_environment
        return Projection(self.runs[run_id], self.journal, environment, self._fit, configs or {}, dataset)

    def _take_lock(self) -> float:
        """When it was taken, on the clock: now, where it is not held yet."""
        if self._held_since is None:
            try:
                self._locks.enter_context(hold_named(self.settings.runs_dir, LOCK))
            except JournalError as error:
                raise _LockTaken(str(error)) from None
            self._held_since = self.timing.clock()
        return self._held_since


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
    kinds = [kind for run in runs.values() for kind in kinds_of_run(run)]
    delivery = Deliverer(settings, journal, runs, kinds, timing or Timing())
    async with delivery.connect():
        try:
            ready = await delivery.preflight()
        except TryAgain as failure:
            away = f"{delivery.rest.where} {failure.message}"
            raise LangfuseAway(f"{away}: nothing was lost; when it answers, run {write_command('sync')}") from None
        for note in ready.notes:
            progress(note)
        return {run_id: await delivery.finish(run_id, deadline_s, progress) for run_id in runs}


# --- the report -------------------------------------------------------------------------------------------------------


def report_of(projection: Projection, links: Links | None, problems: Sequence[str]) -> LangfuseReport:
    """The report of one run. `links` is None where the server was not reached."""
    run, journal = projection.run, projection.journal
    scores, traces = tally_scores_and_traces(projection)
    listed = (*problems, *projection.refusals())
    more = (f"and {len(listed) - NAMED} more",) if len(listed) > NAMED else ()
    addresses = () if links is None else tuple(map(links.experiment, experiments(run)))
    previous = None if links is None else previous_run(journal, run)
    return LangfuseReport(
        scores=scores,
        traces=traces,
        url=addresses[0] if addresses else None,
        experiments=addresses,
        comparison_url=links.comparison(previous, experiments(run)[0]) if links and previous else None,
        problems=(*listed[:NAMED], *more),
    )


def tally_scores_and_traces(projection: Projection) -> tuple[Tally, Tally]:
    """Counts a run's deliveries by state."""
    scores: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    traces: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    refused = projection.refused_scores()
    scores["rejected"] = len(refused)
    for entry in projection.entries(kinds=(TRACE,)):
        # A verdict that was asked for again is no trace of its own, and counts while it is not there.
        further = entry.delivery.payload.get("verdict", 1) > 1 and entry.state == "verified"
        traces[entry.state] += not further and not projection.is_superseded(entry)
    uncounted = []
    for entry in projection.entries(kinds=(SCORES, FIGURES)):
        if projection.is_superseded(entry):
            continue
        if refused or entry.id not in projection.counts:
            uncounted.append(entry)
        else:
            scores[entry.state] += projection.counts[entry.id]
    for entry, results in projection.with_results(uncounted):
        scores[entry.state] += sum(str(body["id"]) not in refused for body in projection.bodies(entry, results))
    return Tally(**scores), Tally(**traces)


def previous_run(journal: Journal, run: Run) -> str | None:
    """The first experiment of the newest earlier run of another version of the prompt that was delivered."""
    if run.spec.prompt is None:
        return None
    for stored in journal.runs(NEWEST, inputs=False):
        prompt = stored.spec.prompt
        if prompt is None or (stored.spec.suite, prompt.name) != (run.spec.suite, run.spec.prompt.name):
            continue
        earlier = stored.created_at <= run.created_at and prompt.sha256 != run.spec.prompt.sha256
        if earlier and next(entries(journal, ("acknowledged", "verified"), stored.run_id), None) is not None:
            return experiment_id(stored.run_id, 1)
    return None
