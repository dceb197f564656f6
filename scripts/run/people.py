"""What people said of runs: their answers to expectations, which outrank rule and judge, and their labels.

Both are read from the folder of reviews, labels from EVAL_HUMAN where that is set; draws chose the responses.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.errors import ParseError, UsageError
from evaluation.expectations.human import HumanAnswers, outrank, read_human_answers
from evaluation.records import Json, Result
from evaluation.rubrics.loader import parse_rubric
from evaluation.run import Run
from evaluation.summary.labels import NO_LABELS, Draw, Labels
from evaluation.text.forms import SourceText
from services.json_text import json_object
from services.record_files import REVIEWS, BrokenLine, read_reviews, review_files
from services.run_folder import run_folder
from services.settings import Settings

if TYPE_CHECKING:
    from evaluation.review.drawing import LabelDraw


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


DRAWS = "draws"
"""Folder of the draws, in that of the reviews."""


def labels_of(run: Run, settings: Settings) -> Labels:
    """All labels of the run's suite, and all draws. Raises UsageError for an EVAL_HUMAN that holds none."""
    records = _records(settings)
    draws = read_draws(settings.runs_dir / REVIEWS, run.suite.name)
    if not records and not draws:
        return NO_LABELS
    from evaluation.calibration.labels import read_labels

    source = SourceText(run.inputs["rubric"], f"rubric of run {run.run_id}")
    return read_labels(records, draws, parse_rubric(source, lambda *_: None), run.suite.name)


def _records(settings: Settings) -> list[dict[str, Json]]:
    """The reviews; lines that are no records are the business of the commands that review, unless a file is named."""
    if settings.human is None:
        return [record for path in review_files(settings.runs_dir / REVIEWS) for record in read_reviews(path)[0]]
    if not settings.human.is_file():
        raise UsageError(f"EVAL_HUMAN={settings.human}: there is no such file: name a file of reviews, or unset it")
    records, broken = read_reviews(settings.human)
    if broken or not records:
        raise UsageError(f"EVAL_HUMAN={settings.human}: {_problem(broken)}: give a file as those in runs/reviews/")
    return records


def _problem(broken: list[BrokenLine]) -> str:
    return f"line {broken[0].number}: {broken[0].problem}" if broken else "it holds no review by a person"


def draw_file(folder: Path, run_id: str) -> Path:
    """The file of a run's draw, in a folder of reviews."""
    return folder / DRAWS / f"{run_folder(folder, run_id).name}.jsonl"


def read_draw(path: Path) -> "LabelDraw | None":
    """The draw in a file; None where there is none. Raises ParseError for a file that is no draw."""
    if not path.exists():
        return None
    from evaluation.review.drawing import parse_draw

    try:
        with path.open("rb") as file:
            lines = [json_object(line) for line in file]
    except (OSError, ValueError) as error:
        raise ParseError(str(path), f"cannot be read as a draw ({error})") from None
    return parse_draw(lines, str(path))


def read_draws(folder: Path, suite: str) -> list[Draw]:
    """All draws of a suite."""
    found = (read_draw(path) for path in sorted((folder / DRAWS).glob("*.jsonl")))
    return [draw.as_draw() for draw in found if draw is not None and draw.suite == suite]
