"""A stored run as a comparison reads it."""

from evaluation.comparison.runs import RunScores, read_run, with_judge_check
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.summary.columns import Columns, Fallback
from scripts.run.stored import judge_report
from services.journal import Journal


def run_scores(run: Run, name: str, journal: Journal, fallback: Fallback = "exclude") -> RunScores:
    """The run's scores from the journal; `name` is what people call it."""
    columns = Columns(run.suite, run.scenarios, run.spec.repeats, run.sources, fallback)
    results = journal.results(run.run_id, run.scenario_ids)
    scores = read_run(results, columns, spec=run.spec, run_id=run.run_id, name=name)
    return with_judge_check(scores, judge_report(run, journal))


def fallback_of(request: EvaluationRequest) -> Fallback:
    """The treatment that a request asks for verdicts that could not be read."""
    return "include" if request.judge_fallback == "include" else "exclude"
