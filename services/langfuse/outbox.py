"""The deliveries of a run, as the outbox holds them: references to its cells and its figures, and what became of them.

Of a cell there is a `trace` delivery and one of its `scores`; the journal holds the rest. A failed cell that succeeds
later gets a trace of its own, the next attempt. Where a verdict that could not be read was asked for again, the trace
gets one more span, and the scores go out once more under their ids, which replaces them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from evaluation.identity import experiment_id
from evaluation.records import WHOLE, Cell, Json, Result
from evaluation.run import Run
from services.journal import Delivery, DeliveryEntry, DeliveryState, Journal
from services.journal.outbox import ALL, Mark, enqueue, entries, find, mark
from services.langfuse.masking import Outgoing
from services.langfuse.score_names import Figure
from services.langfuse.scores import ScoreProjection
from services.langfuse.spans import Observation
from services.langfuse.traces import CellRef, TraceProjection

TRACE, SCORES, FIGURES, REJECTED_SCORE = "trace", "scores", "figures", "score"
"""Kinds of deliveries: a cell's spans, its scores, a run's figures on one experiment, one score refused for good."""
_CELLS = 32
"""Whose results are read at a time: a reading costs several times a result, and a result may hold a megabyte."""
_NOT_STORED = re.compile(r"not stored by attempt ([0-9]+): ")


@dataclass
class OpenCells:
    """Follows one run's results. A cell is shown when all its turns are final, or as failed when its run has ended.

    Where its conversation is judged as a whole, it waits for that too, until the run has ended.
    """

    run: Run
    journal: Journal
    shown: dict[Cell, CellRef] = field(default_factory=dict)
    """The newest trace of each cell that has one in the outbox."""

    def __post_init__(self) -> None:
        """Takes up what the journal has: nothing for a new run."""
        judged = {scenario.id for scenario in self.run.judged_conversations}
        self._turns = {scenario.id: len(scenario.turns) for scenario in self.run.scenarios}
        self._expected = {name: turns + (name in judged) for name, turns in self._turns.items()}
        self._final: dict[Cell, set[int]] = {}
        self._figures: dict[int, Json] = {}
        """Repeat -> the newest delivery of the run's figures."""
        for entry in entries(self.journal, run_id=self.run.run_id, kinds=(TRACE, SCORES)):
            ref = CellRef.from_json(entry.delivery.payload)
            self.shown[ref.cell] = ref  # attempts stand in the order in which they were made
        for entry in entries(self.journal, run_id=self.run.run_id, kinds=(FIGURES,)):
            self._figures[entry.delivery.payload["repeat"]] = entry.delivery.payload
        for scenario_id, repeat, turn in self.journal.final_positions(self.run.run_id):
            self._final.setdefault(Cell(scenario_id, repeat), set()).add(turn)
        for cell in self.journal.final_conversations(self.run.run_id):
            self._final.setdefault(cell, set()).add(WHOLE)

    def trace_ids(self) -> dict[Cell, str]:
        """The trace that each cell is shown as, of those that have one."""
        return {cell: ref.trace_id(self.run.run_id) for cell, ref in self.shown.items()}

    def deliveries_for(self, result: Result) -> tuple[Delivery, ...]:
        """The cell's deliveries when this result makes it complete, or when the judge says more of what is shown."""
        cell, turn = result.exchange.cell, result.exchange.turn
        if result.state not in ("scored", "unparsed"):
            return ()
        known, final = self.shown.get(cell), self._final.setdefault(cell, set())
        shown = known is not None and not known.failed
        if known is not None and shown and (turn in final or turn == WHOLE):
            final.add(turn)
            return self._judged_again(known, turn)
        final.add(turn)
        return self._complete(cell) if self._is_complete(cell) else ()

    def enqueue_rest(self, *, failed: bool, figures: Sequence[Figure] = ()) -> None:
        """Puts into the outbox what is not there: complete cells, failed ones when they are to be shown, figures."""
        deliveries = list(self._rest(failed=failed))
        if figures:
            deliveries += self._changed_figures(figures)
        if deliveries:
            self.journal.commit_now(enqueue(deliveries))

    def _rest(self, *, failed: bool) -> Iterator[Delivery]:
        for cell in self.run.cells():
            if self._is_complete(cell) or (failed and self._is_answered(cell)):
                yield from self._complete(cell)
            elif failed and cell not in self.shown and self.journal.cell_results(self.run.run_id, cell):
                self.shown[cell] = CellRef(cell, failed=True)
                yield _trace_delivery(self.run.run_id, self.shown[cell])

    def _changed_figures(self, figures: Sequence[Figure]) -> Iterator[Delivery]:
        """The run's figures for each of its experiments, unless the last ones delivered say the same."""
        said = [[figure.name, figure.value, figure.comment] for figure in figures]
        for repeat in range(1, self.run.spec.repeats + 1):
            last = self._figures.get(repeat, {"n": 0, "figures": None})
            if last["figures"] != said:
                delivery = _figures_delivery(self.run.run_id, repeat, last["n"] + 1, said)
                self._figures[repeat] = delivery.payload
                yield delivery

    def _complete(self, cell: Cell) -> tuple[Delivery, ...]:
        known = self.shown.get(cell)
        if known is not None and not known.failed:
            return ()
        ref = CellRef(cell) if known is None else replace(known, attempt=known.attempt + 1, failed=False)
        self.shown[cell] = ref
        trace = _trace_delivery(self.run.run_id, ref)
        return (trace, replace(trace, kind=SCORES))

    def _judged_again(self, known: CellRef, turn: int) -> tuple[Delivery, ...]:
        """The new verdict and all scores of the cell; a trace that is still to go out shows the verdict itself."""
        first = find(self.journal, _trace_delivery(self.run.run_id, replace(known, verdict=1)))
        ref = self.shown[known.cell] = replace(known, verdict=known.verdict + 1, turn=turn)
        trace = _trace_delivery(self.run.run_id, ref)
        scores = replace(trace, kind=SCORES)
        return (scores,) if first is not None and _is_unsent(first) else (trace, scores)

    def _is_complete(self, cell: Cell) -> bool:
        """True when all turns are final, and the conversation as a whole where it is judged."""
        return len(self._final.get(cell, ())) == self._expected[cell.scenario_id]

    def _is_answered(self, cell: Cell) -> bool:
        """True when all turns are final, whatever became of the judge's call about the whole."""
        return len(self._final.get(cell, set()) - {WHOLE}) == self._turns[cell.scenario_id]


@dataclass(frozen=True)
class Projection:
    """One run with the server that it goes to: what it is shown as there, and what became of its deliveries."""

    run: Run
    journal: Journal
    environment: str
    fit: Outgoing
    configs: Mapping[str, str] = field(default_factory=dict)
    """Score name -> the server's config id."""
    dataset_id: str = ""
    """The server's id of the suite's dataset."""
    counts: dict[str, int] = field(default_factory=dict)
    """The number of scores of an entry, of those that were made into bodies: counting them at the end costs as much."""

    def with_results(self, entries: Iterable[DeliveryEntry]) -> Iterator[tuple[DeliveryEntry, list[Result]]]:
        """The same entries, each with the results of its cell by turn; none for figures."""
        for group in pages(entries, _CELLS):
            cells = {e.id: CellRef.from_json(e.delivery.payload).cell for e in group if e.delivery.kind != FIGURES}
            results = self.journal.results_by_cell(self.run.run_id, list(cells.values()))
            for entry in group:
                yield entry, results[cells[entry.id]] if entry.id in cells else []

    def observations(self, entry: DeliveryEntry, results: Sequence[Result]) -> list[Observation]:
        """The spans of a trace entry."""
        return self._traces.trace(CellRef.from_json(entry.delivery.payload), results)

    def observations_of(self, entries: Iterable[DeliveryEntry]) -> dict[str, list[Observation]]:
        """Entry id -> its spans, of trace entries."""
        return {entry.id: self.observations(entry, results) for entry, results in self.with_results(entries)}

    def bodies(self, entry: DeliveryEntry, results: Sequence[Result]) -> list[dict[str, Json]]:
        """The scores of an entry of either kind that has some; those refused for good included."""
        payload = entry.delivery.payload
        if entry.delivery.kind == FIGURES:
            experiment = experiment_id(self.run.run_id, payload["repeat"])
            found = self.scores.whole(experiment, [Figure(*figure) for figure in payload["figures"]])
        else:
            found = self.scores.cell(CellRef.from_json(payload), results)
        self.counts[entry.id] = len(found)
        return found

    def entries(self, states: Sequence[DeliveryState] = ALL, kinds: Sequence[str] = ()) -> Iterator[DeliveryEntry]:
        """Its deliveries in any of the states, oldest first."""
        return entries(self.journal, states, self.run.run_id, kinds)

    def is_superseded(self, entry: DeliveryEntry) -> bool:
        """True when a later delivery shows the same thing, so that this one need not go out any more."""
        payload, run_id = entry.delivery.payload, entry.delivery.run_id
        if entry.delivery.kind == FIGURES:
            later = _figures_delivery(run_id, payload["repeat"], payload["n"] + 1)
        elif payload["failed"]:
            ref = CellRef.from_json(payload)
            later = _trace_delivery(run_id, replace(ref, attempt=ref.attempt + 1, failed=False))
        elif entry.delivery.kind == SCORES:
            ref = CellRef.from_json(payload)
            later = replace(_trace_delivery(run_id, replace(ref, verdict=ref.verdict + 1)), kind=SCORES)
        else:
            return False
        return find(self.journal, later) is not None

    async def put_back(self, returned: Iterable[DeliveryEntry], message: str, *, stored: bool) -> None:
        """Makes entries pending again; those that are certainly not `stored` may go out at once the next time."""
        await self.journal.commit(
            mark(
                (entry.id, "pending", message if stored else f"not stored by attempt {entry.attempts}: {message}")
                for entry in returned
            )
        )

    async def settle(self, done: Iterable[DeliveryEntry], state: DeliveryState, reason: str = "") -> None:
        """Records what became of entries."""
        await self.journal.commit(mark((entry.id, state, reason) for entry in done))

    async def settle_scores(self, done: Sequence[DeliveryEntry], refused: Mapping[str, tuple[str, str]]) -> None:
        """Acknowledges score entries, and keeps each refused score (id -> name and reason) as an entry."""
        kept = [Delivery(self.run.run_id, REJECTED_SCORE, score, {"name": n}) for score, (n, _) in refused.items()]
        marks: list[Mark] = [(entry.id, "acknowledged", "") for entry in done]
        for delivery, (name, why) in zip(kept, refused.values(), strict=True):
            marks.append((delivery.id, "rejected", f"{name}: {why}"))
        await self.journal.commit(mark(marks, kept))

    def refused_scores(self) -> frozenset[str]:
        """Ids of the scores that were refused for good."""
        return frozenset(entry.delivery.target for entry in self.entries(("rejected",), (REJECTED_SCORE,)))

    def refusals(self) -> Iterator[str]:
        """Everything that was refused for good, each in one line with the reason."""
        for entry in self.entries(("rejected",)):
            kind = entry.delivery.kind
            what = "score" if kind == REJECTED_SCORE else f"{kind} of {place_of(entry)}:"
            yield f"refused: {what} {entry.reason}"

    @cached_property
    def scores(self) -> ScoreProjection:
        """Its scores, with what is known of their names."""
        return ScoreProjection(self.run, self.environment, self.fit, self.configs)

    @cached_property
    def _traces(self) -> TraceProjection:
        return TraceProjection(self.run, self.environment, self.fit, self.dataset_id)


def experiments(run: Run) -> tuple[str, ...]:
    """The ids of a run's experiments, one per repeat."""
    return tuple(experiment_id(run.run_id, repeat) for repeat in range(1, run.spec.repeats + 1))


# --- entries of the outbox -----------------------------------------------------------------------------------------


def pages(entries: Iterable[DeliveryEntry], size: int) -> Iterator[list[DeliveryEntry]]:
    """The entries in order, so many at a time."""
    iterator = iter(entries)
    while page := list(islice(iterator, size)):
        yield page


def place_of(entry: DeliveryEntry) -> str:
    """The cell of a delivery for people, or the run."""
    payload = entry.delivery.payload
    return f"{payload.get('scenario_id', 'the run')} r{payload['repeat']}"


def may_be_stored(entry: DeliveryEntry) -> bool:
    """True when an earlier attempt may have arrived: every one before this that does not say otherwise."""
    match = _NOT_STORED.match(entry.reason)
    return entry.attempts > 1 and (match is None or int(match[1]) != entry.attempts - 1)


def _is_unsent(entry: DeliveryEntry) -> bool:
    """True while nobody has claimed it since it certainly did not arrive, if anybody ever did."""
    match = _NOT_STORED.match(entry.reason)
    return entry.state == "pending" and entry.attempts == (0 if match is None else int(match[1]))


def _trace_delivery(run_id: str, ref: CellRef) -> Delivery:
    target = ref.trace_id(run_id) if ref.verdict == 1 else f"{ref.trace_id(run_id)}/{ref.verdict}"
    return Delivery(run_id, TRACE, target, ref.to_json())


def _figures_delivery(run_id: str, repeat: int, number: int, figures: Json = None) -> Delivery:
    target = f"{experiment_id(run_id, repeat)}/{number}"
    return Delivery(run_id, FIGURES, target, {"repeat": repeat, "n": number, "figures": figures})
