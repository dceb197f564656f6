"""Reading back: what was acknowledged becomes verified once Langfuse can show it; the rest is named."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from services.journal import DeliveryEntry, Journal
from services.journal.outbox import entries
from services.langfuse.outbox_marks import refused_scores, settle
from services.langfuse.outgoing_run import FIGURES, SCORES, TRACE, OutgoingRun
from services.langfuse.projection import CellRef
from services.langfuse.readback import seen_items, seen_observations, seen_scores, trace_problem
from services.langfuse.rest import LangfuseRest, Rejected, Timing
from services.retrying import TryAgain

PAGE = 200
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 10.0


@dataclass(frozen=True, slots=True)
class Verification:
    """Reads one run back until all is there or the deadline has passed."""

    rest: LangfuseRest
    journal: Journal
    outgoing: OutgoingRun
    timing: Timing

    async def run(self, deadline: float, progress: Callable[[str], None]) -> tuple[str, ...]:
        """Marks what can be read as verified; returns what is still missing, in words. `deadline`: on the clock."""
        wait = _FIRST_WAIT_S
        while True:
            asked: float | None = None
            try:
                problems = await self._once() or await self._items()
            except TryAgain as failure:
                problems, asked = [f"reading back: {self.rest.where} {failure.message}"], failure.wait_s
            except Rejected as rejected:
                problems = [f"reading back: {self.rest.where} answers {rejected}"]
            left = deadline - self.timing.clock()
            if not problems or left <= (asked or 0):
                return tuple(problems)
            progress(f"Langfuse: waiting until everything can be read back ({len(problems)} to go)")
            await self.timing.sleep(asked or min(wait, left))
            wait = min(2 * wait, _LONGEST_WAIT_S)

    async def _once(self) -> list[str]:
        """One pass over what is not verified yet, page by page. Raises TryAgain and Rejected."""
        problems: list[str] = []
        refused = refused_scores(self.journal, self.outgoing.run.run_id)
        waiting = entries(self.journal.reader, ("acknowledged", "unconfirmed"), self.outgoing.run.run_id)
        for page in _pages(waiting, PAGE):
            problems += await self._traces([e for e in page if e.delivery.kind == TRACE])
            problems += await self._scores([e for e in page if e.delivery.kind in (SCORES, FIGURES)], refused)
        return problems

    async def _traces(self, page: Sequence[DeliveryEntry]) -> list[str]:
        expected = {entry.id: self.outgoing.observations(entry, r) for entry, r in self.outgoing.with_results(page)}
        spans = [span for spans in expected.values() for span in spans]
        seen = await seen_observations(self.rest, self.outgoing.environment, spans)
        problems = {entry.id: trace_problem(expected[entry.id], seen) for entry in page}
        await settle(self.journal, [entry for entry in page if not problems[entry.id]], "verified")
        return [
            f"trace of {_where(entry)}: {problems[entry.id]}{_because(entry)}" for entry in page if problems[entry.id]
        ]

    async def _scores(self, page: Sequence[DeliveryEntry], refused: frozenset[str]) -> list[str]:
        expected: dict[str, dict[str, str]] = {}
        for entry, results in self.outgoing.with_results(page):
            bodies = [] if self.outgoing.superseded(entry) else self.outgoing.bodies(entry, results)
            expected[entry.id] = {str(body["id"]): str(body["name"]) for body in bodies if body["id"] not in refused}
        seen = await seen_scores(self.rest, [score for scores in expected.values() for score in scores])
        missing = {
            entry.id: [name for score, name in expected[entry.id].items() if score not in seen] for entry in page
        }
        await settle(self.journal, [entry for entry in page if not missing[entry.id]], "verified")
        return [f"score {name} of {_where(entry)} cannot be read" for entry in page for name in missing[entry.id]]

    async def _items(self) -> list[str]:
        """Whether every verified trace of a played cell is an item of its experiment; asked once all else is there."""
        run = self.outgoing.run
        expected: dict[int, set[str]] = {}
        for entry in entries(self.journal.reader, ("verified",), run.run_id):
            if entry.delivery.kind == TRACE and not entry.delivery.payload["failed"]:
                trace = CellRef.from_json(entry.delivery.payload).trace_id(run.run_id)
                expected.setdefault(entry.delivery.payload["repeat"], set()).add(trace)
        problems = []
        for repeat, traces in sorted(expected.items()):
            seen = await seen_items(self.rest, run.experiments()[repeat - 1], run.record.created_at - 86_400)
            if not traces <= seen:
                problems.append(f"experiment r{repeat} shows {len(traces & seen)} of {len(traces)} items")
        return problems


def _where(entry: DeliveryEntry) -> str:
    payload = entry.delivery.payload
    return f"{payload.get('scenario_id', 'the run')} r{payload['repeat']}"


def _because(entry: DeliveryEntry) -> str:
    return f" ({entry.reason})" if entry.reason else ""


def _pages(found: Iterable[DeliveryEntry], size: int) -> Iterator[list[DeliveryEntry]]:
    iterator = iter(found)
    while page := list(islice(iterator, size)):
        yield page
