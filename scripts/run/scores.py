"""A stored run as a comparison reads it."""

from collections.abc import Iterable, Iterator

from evaluation.comparison.runs import RunScores, read_run
from evaluation.records import Reply, Result
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.summary.columns import Columns, Fallback
from services.journal import Journal


def run_scores(run: Run, name: str, journal: Journal, fallback: Fallback = "exclude") -> RunScores:
    """The run's scores from the journal; `name` is what people call it."""
    return read_scores(run, name, journal.results(run.run_id, run.scenario_ids), fallback)


def fallback_of(request: EvaluationRequest) -> Fallback:
    """The treatment that a request asks for verdicts that could not be read."""
    return "include" if request.judge_fallback == "include" else "exclude"


def scores_and_models(
    run: Run, name: str, journal: Journal, fallback: Fallback = "exclude"
) -> tuple[RunScores, tuple[str, ...]]:
    """The scores, and the models that the endpoint said answered, sorted."""
    models: set[str] = set()

    def watched() -> Iterator[Result]:
        for result in journal.results(run.run_id, run.scenario_ids):
            if isinstance(result.exchange.outcome, Reply):
                models.add(result.exchange.outcome.model)
            yield result

    return read_scores(run, name, watched(), fallback), tuple(sorted(models))


def read_scores(run: Run, name: str, results: Iterable[Result], fallback: Fallback = "exclude") -> RunScores:
    """The scores in some results of the run."""
    columns = Columns(run.suite, run.scenarios, run.spec.repeats, run.sources, fallback)
    return read_run(results, columns, spec=run.spec, run_id=run.run_id, name=name)
