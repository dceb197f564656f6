"""People's labels of a run: the reviews that lie on disk or in EVAL_HUMAN, and the draws that chose the responses."""

from pathlib import Path

from evaluation.calibration.labels import read_labels
from evaluation.errors import ParseError, UsageError
from evaluation.records import Json
from evaluation.review.drawing import LabelDraw, parse_draw
from evaluation.rubrics.loader import parse_rubric
from evaluation.run import Run
from evaluation.summary.labels import NO_LABELS, Draw, Labels
from evaluation.text.forms import SourceText
from services.json_text import json_object
from services.record_files import REVIEWS, BrokenLine, read_reviews, review_files
from services.run_folder import run_folder
from services.settings import Settings

DRAWS = "draws"
"""Folder of the draws, in that of the reviews."""


def labels_of(run: Run, settings: Settings) -> Labels:
    """All labels of the run's suite, and all draws. Raises UsageError for an EVAL_HUMAN that holds none."""
    records = _records(settings)
    draws = read_draws(settings.runs_dir / REVIEWS, run.suite.name)
    if not records and not draws:
        return NO_LABELS
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


def read_draw(path: Path) -> LabelDraw | None:
    """The draw in a file; None where there is none. Raises ParseError for a file that is no draw."""
    if not path.exists():
        return None
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
