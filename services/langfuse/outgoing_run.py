"""One run on its way to Langfuse: outbox entries in, spans and score bodies out, always made from the journal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from evaluation.identity import experiment_id
from evaluation.records import Json, Result
from services.journal import Delivery, DeliveryEntry, Journal
from services.journal.outbox import find
from services.langfuse.masking import Outgoing
from services.langfuse.observations import Observation
from services.langfuse.preflight import LangfuseReady
from services.langfuse.projection import CellRef, Projection
from services.langfuse.run_plan import EvaluatedRun, Figure, NightFigure, RunFigures
from services.langfuse.score_projection import ScoreProjection

TRACE, SCORES, FIGURES, REJECTED_SCORE = "trace", "scores", "figures", "score"
"""Kinds of deliveries: a cell's spans, its scores, a run's figures on one experiment, one score refused for good."""
_CELLS = 32
"""Whose results are read at a time: a reading costs several times a result, and a result may hold a megabyte."""


@dataclass(frozen=True)
class OutgoingRun:
    """A run with the server that it goes to."""

    run: EvaluatedRun
    journal: Journal
    ready: LangfuseReady
    environment: str
    fit: Outgoing
    dataset_id: str
    counts: dict[str, int] = field(default_factory=dict)
    """How many scores an entry has, of those that were made into bodies: counting them at the end costs as much."""

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
        return self._projection.trace(CellRef.from_json(entry.delivery.payload), results)

    def bodies(self, entry: DeliveryEntry, results: Sequence[Result]) -> list[dict[str, Json]]:
        """The scores of an entry of either kind that has some; those refused for good included."""
        payload = entry.delivery.payload
        if entry.delivery.kind == FIGURES:
            experiment = experiment_id(self.run.run_id, payload["repeat"])
            found = self.scores.whole(experiment, figures_from(payload["figures"]))
        else:
            found = self.scores.cell(CellRef.from_json(payload), results)
        self.counts[entry.id] = len(found)
        return found

    def superseded(self, entry: DeliveryEntry) -> bool:
        """Whether a later delivery shows the same thing anew, so that this one need not go out any more."""
        payload: Any = entry.delivery.payload
        if entry.delivery.kind == FIGURES:
            later = replace(entry.delivery, target=figures_target(self.run.run_id, payload["repeat"], payload["n"] + 1))
        elif payload["failed"]:
            ref = CellRef.from_json(payload)
            later = trace_delivery(self.run.run_id, replace(ref, attempt=ref.attempt + 1, failed=False))
        else:
            return False
        return find(self.journal, later) is not None

    @cached_property
    def scores(self) -> ScoreProjection:
        return ScoreProjection(self.run, self.environment, self.fit, self.ready.configs)

    @cached_property
    def _projection(self) -> Projection:
        return Projection(self.run, self.environment, self.fit, self.dataset_id)


OutgoingOf = Callable[[str], OutgoingRun]


def trace_delivery(run_id: str, ref: CellRef) -> Delivery:
    return Delivery(run_id, TRACE, ref.trace_id(run_id), ref.to_json())


def cell_deliveries(run_id: str, ref: CellRef) -> tuple[Delivery, ...]:
    """What a cell that is complete gives to deliver; references only, as the journal holds the rest."""
    trace = trace_delivery(run_id, ref)
    return (trace,) if ref.failed else (trace, replace(trace, kind=SCORES))


def figures_deliveries(run: EvaluatedRun, journal: Journal, figures: RunFigures) -> list[Delivery]:
    """The run's figures for each of its experiments, unless the last ones delivered say the same."""
    payload = figures_to_json(figures)
    deliveries = []
    for repeat in range(1, run.record.spec.repeats + 1):
        number, last = 0, None
        while True:
            target = figures_target(run.run_id, repeat, number + 1)
            delivery = Delivery(run.run_id, FIGURES, target, None)
            known = find(journal, delivery)
            if known is None:
                break
            number, last = number + 1, known.delivery.payload
        value = {"repeat": repeat, "n": number + 1, "figures": payload}
        if last is None or last["figures"] != payload:
            deliveries.append(replace(delivery, payload=value))
    return deliveries


def figures_target(run_id: str, repeat: int, number: int) -> str:
    return f"{experiment_id(run_id, repeat)}/{number}"


def figures_to_json(figures: RunFigures) -> Json:
    return {
        "means": [[f.source, f.metric, f.mean, f.comment] for f in figures.means],
        "coverage": figures.coverage,
        "failures": figures.failures,
        "fallbacks": figures.fallbacks,
        "decision": figures.decision,
        "reasons": figures.reasons,
        **({"night": [[f.name, f.value, f.comment] for f in figures.night]} if figures.night else {}),
    }


def figures_from(value: Any) -> RunFigures:
    """The inverse of `figures_to_json`."""
    means = tuple(Figure(*figure) for figure in value["means"])
    night = tuple(NightFigure(*figure) for figure in value.get("night", ()))
    return RunFigures(**{**value, "means": means, "night": night})
