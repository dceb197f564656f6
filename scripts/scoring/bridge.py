"""A sample of a stored run judged again by the judge of another: a run of its own, found again and gone on with."""

from collections.abc import Sequence

from evaluation.comparison.bridge import Bridge, sampled_scenarios
from evaluation.comparison.carried import LEAST_EXCHANGES, Instead
from evaluation.estimate import NOTHING, Estimate
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import Suites
from evaluation.summary.columns import Fallback
from scripts.run.finish import Outcome
from scripts.run.scores import run_scores
from scripts.run.stored import restore_run, stored_run
from scripts.scoring.rescore import JUDGE, rescore
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.provenance import scorer_digest
from services.settings import Settings

ASIDE = {"expectations": "none", "conversations": "none", "canaries": False, "langfuse": False}
"""What a sample is not judged for; its judge was checked with the run that it comes from."""
MEANS = ("concurrency", "rpm", "tpm", "max_cost", "prices", "batch", "batch_hours", "quiet")
"""Fields of the command's own request that say how the sample is judged."""


def judge_sample(
    base_id: str, judged: Run, asked: EvaluationRequest, suites: Suites, settings: Settings
) -> Run | Outcome:
    """The sample of a stored run as the judge of `judged` scored it, now or before.

    The outcome where it was not judged to its end: what was judged is journaled and is not paid for again. `asked` is
    the command's request, whose cost limit holds for the sample by itself.
    """
    means = {name: getattr(asked, name) for name in MEANS}
    found, finished = find_sample(base_id, judged, suites, settings)
    if found is not None and finished:
        return found
    if found is not None:
        outcome = run_evaluation(EvaluationRequest(resume=found.run_id, langfuse=False, **means), suites)
    else:
        changes = {**{name: getattr(judged.request, name) for name in JUDGE}, **means, **ASIDE}
        outcome = rescore(base_id, changes, suites, sample=LEAST_EXCHANGES, like=judged)
    return outcome if outcome.exit_code else outcome.runs[0].run


def estimate_sample(
    base_id: str, judged: Run, asked: EvaluationRequest, suites: Suites, settings: Settings
) -> Estimate:
    """What is left to be asked for the sample."""
    means = {**{name: getattr(asked, name) for name in MEANS}, "dry_run": True}
    found, finished = find_sample(base_id, judged, suites, settings)
    if finished:
        return NOTHING
    if found is None:
        return _estimate(rescore(base_id, {**means, **ASIDE}, suites, sample=LEAST_EXCHANGES, like=judged))
    return _estimate(run_evaluation(EvaluationRequest(resume=found.run_id, langfuse=False, **means), suites))


def estimate_whole(base_id: str, judged: Run, asked: EvaluationRequest, suites: Suites) -> Estimate:
    """What it would take to have all of the stored run judged like `judged`."""
    means = {**{name: getattr(asked, name) for name in MEANS}, "dry_run": True}
    return _estimate(rescore(base_id, means, suites, like=judged))


def _estimate(outcome: Outcome) -> Estimate:
    assert outcome.estimate is not None, "a dry run has an estimate"
    return outcome.estimate


def find_sample(base_id: str, judged: Run, suites: Suites, settings: Settings) -> tuple[Run | None, bool]:
    """An earlier run that judged, or began to judge, the same sample by the same judge, and whether that is enough.

    It is not where it did not come to its end, or where so much could not be read that a bridge lacks exchanges.
    """
    with Journal.in_folder(settings.runs_dir) as journal:
        parent = stored_run(journal, base_id, suites)
        only = sampled_scenarios(parent.scenarios, parent.spec.repeats, parent.run_id, LEAST_EXCHANGES)
        scorer = scorer_digest(parent.suite.scored_by)
        for record in journal.runs():
            spec = record.spec
            ours = record.parent_run_id == parent.run_id and spec.judge == judged.spec.judge
            if ours and (spec.scorer, spec.rubric) == (scorer, parent.spec.rubric):
                run = restore_run(record, suites)
                if run.request.only == only:
                    read = len(journal.final_positions(run.run_id, ("scored",)))
                    return run, record.state == "finished" and read >= min(LEAST_EXCHANGES, run.planned_exchanges)
    return None, False


def read_bridge(
    sample: Run,
    scenarios: Sequence[Scenario],
    fallback: Fallback,
    journal: Journal,
    settings: Settings,
    instead: Instead | None = None,
) -> Bridge:
    """The bridge that a judged sample makes; `scenarios` are those of the whole base."""
    scores = run_scores(sample, sample.run_id, journal, settings, fallback)
    return Bridge(scores, len({scenario.cluster for scenario in scenarios}), instead)
