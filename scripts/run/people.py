"""People's answers to expectations, read from the folder of reviews: they outrank those of rule and judge."""

from collections.abc import Callable, Iterable, Iterator

from evaluation.expectations.human import HumanAnswers, outrank, read_human_answers
from evaluation.records import Result
from evaluation.run import Run
from services.record_files import REVIEWS, read_reviews, review_files
from services.settings import Settings


def people_outrank(run: Run, settings: Settings) -> Callable[[Result], Result]:
    """Puts what people answered in the place of what rule and judge did; without reviews a result stays as it is."""
    human = _answers(settings) if run.expectations != "none" else {}
    scenarios = {scenario.id: scenario for scenario in run.scenarios}
    describe = run.suite.describe
    return lambda result: outrank(result, scenarios[result.exchange.cell.scenario_id], human, describe)


def with_peoples_answers(results: Iterable[Result], run: Run, settings: Settings) -> Iterator[Result]:
    """The results with what people answered in the place of what rule and judge did.

    Without reviews, and where nothing is expected, they pass as they are.
    """
    yield from map(people_outrank(run, settings), results)


def _answers(settings: Settings) -> HumanAnswers:
    """The answers in all reviews; lines that are no records are the business of the commands that review."""
    files = review_files(settings.runs_dir / REVIEWS)
    return read_human_answers(record for path in files for record in read_reviews(path)[0])
