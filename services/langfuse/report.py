"""The outcome of a run's deliveries: counted by state, with the addresses where they can be seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.delivered import LangfuseReport, Tally
from evaluation.identity import experiment_id, trace_id
from evaluation.records import Cell
from evaluation.run import Run
from services.journal import DeliveryState, Journal
from services.journal.outbox import ALL, entries
from services.langfuse.links import Links
from services.langfuse.outbox import FIGURES, SCORES, TRACE, CellRef, refusals, refused_scores, superseded
from services.langfuse.projection import Projection, experiments

NAMED = 10
"""The most problems that a report lists; it says how many more there are."""
NEWEST = 200
"""Among so many runs an earlier one of another version of the prompt is looked for."""


def report_of(
    projection: Projection,
    links: Links | None,
    problems: Sequence[str],
    traces_of: Sequence[tuple[str, int]],
    shown: Mapping[Cell, CellRef],
) -> LangfuseReport:
    """The report of one run. `links` is None where the server was not reached; `shown`: the newest trace of cells."""
    run, journal = projection.run, projection.journal
    scores, traces = tally_scores_and_traces(projection)
    listed = (*problems, *refusals(journal, run.run_id))
    more = (f"and {len(listed) - NAMED} more",) if len(listed) > NAMED else ()
    report = LangfuseReport(scores=scores, traces=traces, problems=(*listed[:NAMED], *more))
    if links is None:
        return report
    addresses = tuple(map(links.experiment, experiments(run)))
    previous = previous_run(journal, run)
    return replace(
        report,
        url=addresses[0],
        experiments=addresses,
        comparison_url=None if previous is None else links.comparison(previous, experiments(run)[0]),
        trace_urls={cell: links.trace(_trace_of(run.run_id, Cell(*cell), shown)) for cell in traces_of},
    )


def tally_scores_and_traces(projection: Projection) -> tuple[Tally, Tally]:
    """Counts a run's deliveries by state."""
    journal, run_id = projection.journal, projection.run.run_id
    scores: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    traces: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    refused = refused_scores(journal, run_id)
    scores["rejected"] = len(refused)
    for entry in entries(journal, ALL, run_id, (TRACE,)):
        traces[entry.state] += not superseded(journal, entry)
    uncounted = []
    for entry in entries(journal, ALL, run_id, (SCORES, FIGURES)):
        if superseded(journal, entry):
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


def _trace_of(run_id: str, cell: Cell, shown: Mapping[Cell, CellRef]) -> str:
    ref = shown.get(cell)
    return trace_id(run_id, cell.scenario_id, cell.repeat) if ref is None else ref.trace_id(run_id)
