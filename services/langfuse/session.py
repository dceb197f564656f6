"""Langfuse beside a running evaluation: preflight, a thread that delivers, and the end of a run with its report."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from evaluation.commands import write_command
from evaluation.delivered import LangfuseReport
from evaluation.records import Result
from evaluation.run import Run
from services.journal import Delivery, Journal
from services.langfuse.delivery import Deliverer, Progress
from services.langfuse.outbox import OpenCells
from services.langfuse.preflight import check_settings
from services.langfuse.score_names import Figure, ScoreKind
from services.retrying import TryAgain
from services.settings import Settings

T = TypeVar("T")


class LangfuseSession:
    """An asynchronous context manager around playing and finishing some runs.

    Everything that talks to Langfuse happens in a thread of its own with a loop of its own; the caller's loop is never
    waited for and never waits, except where the session is entered and in `finish`.
    """

    def __init__(self, settings: Settings, journal: Journal, kinds: Iterable[ScoreKind]) -> None:
        self._journal = journal
        self._runs: dict[str, Run] = {}
        self._cells: dict[str, OpenCells] = {}
        self._delivery = Deliverer(settings, journal, self._runs, list(kinds))
        self._loop: asyncio.AbstractEventLoop | None = None
        """Of the thread; None while it does not run."""
        self.notes: tuple[str, ...] = ()
        """The messages for people before the first call, one line each."""

    @classmethod
    def configure(
        cls, settings: Settings, journal: Journal, kinds: Iterable[ScoreKind], *, enabled: bool = True
    ) -> "LangfuseSession | None":
        """A session for runs that may send scores of these kinds; None when there are no keys, or it is off.

        Nothing of Langfuse or OpenTelemetry is imported before the session is entered. Raises UsageError for settings
        that would lose results.
        """
        if settings.langfuse is None or not enabled or not settings.tracing_enabled:
            return None
        check_settings(settings)
        return cls(settings, journal, kinds)

    def take(self, runs: Iterable[Run]) -> None:
        """Delivers these runs from now on; to be called before anything of them is in the outbox."""
        for run in runs:
            self._cells[run.run_id] = OpenCells(run, self._journal)
            self._runs[run.run_id] = run

    async def __aenter__(self) -> Self:
        """Preflight, then delivery in the background. Raises UsageError: wrong keys, a server before 4.0, no Langfuse.

        A server that does not answer is no error: `notes` say so, and what there is to deliver waits.
        """
        started: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=_run_loop, args=(started,), name="langfuse-delivery", daemon=True)
        self._thread.start()
        self._loop = started.result()
        self._held = [self._call(self._delivery.serve())]  # a loop holds its tasks weakly
        try:
            self.notes = (await asyncio.wrap_future(self._call(self._delivery.preflight()))).notes
        except TryAgain as failure:
            away = f"{self._delivery.rest.where} {failure.message}"
            self.notes = (f"{away}: results wait in the journal; deliver them later with {write_command('sync')}",)
        except BaseException:
            self.close()
            raise
        self._held.append(self._call(self._delivery.background()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def deliveries_for(self, run_id: str, result: Result) -> tuple[Delivery, ...]:
        """The deliveries to commit with this result: the cell's deliveries once all its turns are final, else nothing.

        To be called for each result right before `Journal.record_result(run_id, result, outbox=...)`.
        """
        cells = self._cells.get(run_id)
        return () if cells is None else cells.deliveries_for(result)

    async def finish(
        self,
        run_id: str,
        figures: Sequence[Figure],
        *,
        ended: bool = True,
        deadline_s: float,
        progress: Progress | None = None,
    ) -> LangfuseReport | None:
        """Delivers the rest of a run, its failed cells and its figures, reads everything back, and reports.

        `ended` is False for a run that was stopped: its failed cells may still be played and are not shown. `progress`
        is called from the delivery thread, with one line. None for a run that is not delivered. Raises no error of
        Langfuse's: they are the report's problems.
        """
        cells = self._cells.get(run_id)
        if cells is None or self._loop is None:
            return None
        cells.enqueue_rest(failed=ended, figures=figures)
        finish = self._delivery.finish(run_id, deadline_s, progress or (lambda _: None))
        report = await asyncio.wrap_future(self._call(finish))
        return replace(report, trace_ids=cells.trace_ids())

    def close(self) -> None:
        """Ends the thread. What was not delivered stays in the outbox. May be called again."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(timeout=10)

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> "Future[T]":
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def _run_loop(started: "Future[asyncio.AbstractEventLoop]") -> None:
    """Runs a loop until it is stopped; what still runs on it then is cancelled and cleans up."""
    try:
        with asyncio.Runner() as runner:
            started.set_result(runner.get_loop())
            runner.get_loop().run_forever()
    except BaseException as error:
        if started.done():
            raise
        started.set_exception(error)
