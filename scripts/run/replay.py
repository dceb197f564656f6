"""Playing a run whose replies exist: each exchange comes from the journal, as another run had it."""

from collections.abc import AsyncIterator
from dataclasses import replace

from evaluation.ports import Complete
from evaluation.records import Exchange, Reply
from evaluation.suites.suite import CellPlan, Play
from services.journal import Journal


def replay(journal: Journal, parent_run_id: str) -> Play:
    """Plays a cell from the journal: every exchange as the parent run had it, at no cost."""

    async def play(part: CellPlan, _complete: Complete) -> AsyncIterator[Exchange]:
        for result in journal.cell_results(parent_run_id, part.cell):
            outcome = result.exchange.outcome
            if isinstance(outcome, Reply):
                outcome = replace(outcome, cached=True, cost_usd=0.0)
            yield replace(result.exchange, outcome=outcome)

    return play
