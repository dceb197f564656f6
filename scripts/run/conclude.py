"""A stored run concluded from all that the journal holds of it."""

from evaluation.canary_check import canary_report
from evaluation.conclude import Evidence, conclude
from evaluation.outcome import RunOutcome
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from services.journal import Journal
from services.run_folder import run_folder
from services.settings import Settings


def conclude_run(
    run: Run,
    journal: Journal,
    settings: Settings,
    request: EvaluationRequest | None = None,
    *,
    wall_seconds: float | None = None,
    stop_reason: str = "",
) -> RunOutcome:
    """Summary, decision and gate; under the run's own request unless another is given. Writes nothing."""
    totals = journal.call_totals(run.run_id)
    evidence = Evidence(
        results=journal.results(run.run_id, run.scenario_ids),
        totals=totals,
        spent_usd=journal.spent(run.run_id),
        canaries=canary_report(run, journal.replies(run.run_id, "canary"), heard="judge" in totals),
    )
    return conclude(
        run,
        evidence,
        run.request if request is None else request,
        directory=str(run_folder(settings.runs_dir, run.run_id)),
        wall_seconds=wall_seconds,
        stop_reason=stop_reason,
    )
