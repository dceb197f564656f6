"""The deliveries of a run, counted by state."""

from evaluation.delivered import Tally
from services.journal import DeliveryState, Journal
from services.journal.outbox import ALL, entries
from services.langfuse.outbox_marks import refused_scores
from services.langfuse.outgoing_run import FIGURES, SCORES, TRACE, OutgoingRun


def tally_scores_and_traces(journal: Journal, outgoing: OutgoingRun) -> tuple[Tally, Tally]:
    """Counts a run's deliveries by state."""
    scores: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    traces: dict[DeliveryState, int] = dict.fromkeys(ALL, 0)
    refused = refused_scores(journal, outgoing.run.run_id)
    scores["rejected"] = len(refused)
    for entry in entries(journal, ALL, outgoing.run.run_id, (TRACE,)):
        traces[entry.state] += not outgoing.superseded(entry)
    uncounted = []
    for entry in entries(journal, ALL, outgoing.run.run_id, (SCORES, FIGURES)):
        if outgoing.superseded(entry):
            continue
        if refused or entry.id not in outgoing.counts:
            uncounted.append(entry)
        else:
            scores[entry.state] += outgoing.counts[entry.id]
    for entry, results in outgoing.with_results(uncounted):
        scores[entry.state] += sum(str(body["id"]) not in refused for body in outgoing.bodies(entry, results))
    return Tally(**scores), Tally(**traces)
