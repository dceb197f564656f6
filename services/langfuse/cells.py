"""Which cells of a run are complete, and which trace of each is to be shown."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from evaluation.records import Cell, Result
from services.journal import Delivery, Journal
from services.journal.outbox import enqueue, entries
from services.langfuse.outgoing_run import TRACE, cell_deliveries, figures_deliveries
from services.langfuse.projection import CellRef
from services.langfuse.run_plan import EvaluatedRun, RunFigures


@dataclass
class OpenCells:
    """Follows one run's results. A cell is shown when all its turns are final, or as failed when its run has ended.

    A failed cell that succeeds later gets a trace of its own, the next attempt.
    """

    run: EvaluatedRun
    journal: Journal
    shown: dict[Cell, CellRef] = field(default_factory=dict)
    """The newest trace of each cell that has one in the outbox."""
    final: dict[Cell, set[int]] = field(default_factory=dict)
    """Final turns of the cells that are not complete yet."""

    @classmethod
    def of(cls, run: EvaluatedRun, journal: Journal) -> "OpenCells":
        """As the journal has them: empty for a new run."""
        cells = cls(run, journal)
        for entry in entries(journal, run_id=run.run_id, kinds=(TRACE,)):
            ref = CellRef.from_json(entry.delivery.payload)
            known = cells.shown.get(ref.cell)
            if known is None or known.attempt < ref.attempt:
                cells.shown[ref.cell] = ref
        for scenario_id, repeat, turn in journal.final_positions(run.run_id):
            cells.final.setdefault(Cell(scenario_id, repeat), set()).add(turn)
        return cells

    def deliveries_for(self, result: Result) -> tuple[Delivery, ...]:
        """The cell's deliveries when this result makes it complete."""
        cell = result.exchange.cell
        if result.state not in ("scored", "unparsed"):
            return ()
        turns = self.final.setdefault(cell, set())
        turns.add(result.exchange.turn)
        return self._complete(cell) if self._is_complete(cell) else ()

    def enqueue_rest(self, *, failed: bool, figures: RunFigures | None) -> None:
        """Puts into the outbox what is not there: complete cells, failed ones when they are to be shown, figures."""
        deliveries = list(self._rest(failed=failed))
        if figures is not None:
            deliveries += figures_deliveries(self.run, self.journal, figures)
        if deliveries:
            self.journal.commit_now(enqueue(deliveries))

    def _rest(self, *, failed: bool) -> Iterator[Delivery]:
        for cell in self.run.cells():
            if self._is_complete(cell):
                yield from self._complete(cell)
            elif failed and cell not in self.shown and self.journal.cell_results(self.run.run_id, cell):
                self.shown[cell] = CellRef(cell, failed=True)
                yield from cell_deliveries(self.run.run_id, self.shown[cell])

    def _complete(self, cell: Cell) -> tuple[Delivery, ...]:
        known = self.shown.get(cell)
        if known is not None and not known.failed:
            return ()
        ref = CellRef(cell) if known is None else replace(known, attempt=known.attempt + 1, failed=False)
        self.shown[cell] = ref
        return cell_deliveries(self.run.run_id, ref)

    def _is_complete(self, cell: Cell) -> bool:
        return len(self.final.get(cell, ())) == len(self.run.scenarios[cell.scenario_id].turns)
