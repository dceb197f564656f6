"""A run as Langfuse is shown it: entries of the outbox in, spans and score bodies out, always made from the journal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from evaluation.identity import experiment_id
from evaluation.records import Json, Result
from evaluation.run import Run
from services.journal import DeliveryEntry, Journal
from services.langfuse.masking import Outgoing
from services.langfuse.outbox import FIGURES, CellRef, Figure
from services.langfuse.scores import ScoreProjection
from services.langfuse.traces import Observation, TraceProjection

_CELLS = 32
"""Whose results are read at a time: a reading costs several times a result, and a result may hold a megabyte."""


@dataclass(frozen=True)
class Projection:
    """One run with the server that it goes to."""

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
        iterator = iter(entries)
        while group := list(islice(iterator, _CELLS)):
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
