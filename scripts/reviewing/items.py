"""The responses to review: those of a stored run, or of a file of evaluation records from anywhere."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.eval_records.item import Item, read_item
from evaluation.records import Json
from evaluation.review.form import Form
from evaluation.review.review import Review, review_record
from evaluation.rubrics.rubric import Rubric
from evaluation.suites import SUITES
from evaluation.suites.loaded import build_suite
from scripts.reviewing.stored import tell_broken
from scripts.run.eval_records import run_records
from scripts.run.load import load_rubric
from scripts.run.stored import stored_run
from services.journal import Journal
from services.record_files import BrokenLine, Problem, read_records, record_problem
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class ReviewItems:
    """The items, and the form by which each of them is reviewed."""

    items: tuple[Item, ...]
    form_of: Callable[[Item], Form]
    unread: int
    """Lines of a file that are no records."""
    name: str
    """Their name in a command: "RUN=..." or "FILE=..."."""
    problem_of: Problem

    def record(self, item: Item, review: Review) -> dict[str, Json]:
        """The record of a review. Raises ValueError for one that does not fit the schema."""
        record = review_record(item, review, self.form_of(item).rubric)
        if problem := self.problem_of(record):
            raise ValueError(problem)
        return record


def review_items(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    """The items that the arguments name. Raises UsageError when there are none."""
    if (options.run is None) == (options.file is None):
        raise UsageError("name what is to be reviewed: RUN_ID, last, or --file FILE")
    found = _of_run(options, settings) if options.file is None else _of_file(Path(options.file), options.rubric)
    if not found.items:
        raise UsageError(f"{found.name}: holds no response that could be reviewed")
    return found


def _of_run(options: argparse.Namespace, settings: Settings) -> ReviewItems:

    with Journal.in_folder(settings.runs_dir) as journal:
        run = stored_run(journal, options.run, SUITES)
        items = tuple(map(read_item, run_records(run, journal)))
    if options.rubric:
        rubric = load_rubric(options.rubric)
    else:
        rubric = build_suite(SUITES[run.suite.name], run.inputs["rubric"], f"rubric of {run.run_id}").rubric
    form = Form.of(rubric)
    return ReviewItems(items, lambda _: form, 0, f"RUN={run.run_id}", record_problem())


def _of_file(path: Path, rubric: str | None) -> ReviewItems:
    problem_of = record_problem()
    items: dict[str, Item] = {}
    broken: list[BrokenLine] = []
    for line in read_records(path, problem_of):
        if isinstance(line, BrokenLine):
            broken.append(line)
        else:
            item = read_item(line)
            items[item.id] = item
    tell_broken(path, broken)
    rubric_of = rubrics(rubric)
    form_of = cache(lambda suite: Form.of(rubric_of(suite)))
    found = tuple(items.values())
    return ReviewItems(found, lambda item: form_of(item.suite), len(broken), f"FILE={path}", problem_of)


def rubrics(reference: str | None) -> Callable[[str], Rubric]:
    """The rubric for items of a suite: the one that is named, else that of the suite."""

    @cache
    def rubric_of(suite: str) -> Rubric:
        if reference is None and suite not in SUITES:
            raise UsageError(f"suite {suite!r} is not known: there are {', '.join(SUITES)}; or name a --rubric")
        return load_rubric(reference or SUITES[suite].rubric_file)

    return rubric_of
