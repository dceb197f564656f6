"""What there is to review: the responses of a stored run, or of a file of evaluation records from anywhere."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.eval_records.item import Item, read_item
from evaluation.review.form import Form
from evaluation.rubrics.rubric import Rubric
from scripts.reviewing.stored import tell_broken
from services.record_files import BrokenLine, read_records
from services.record_schema import Problem, record_problem
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class ReviewItems:
    """The items, and by which rubric each of them is reviewed."""

    items: tuple[Item, ...]
    rubric_of: Callable[[Item], Rubric]
    unread: int
    """Lines of a file that are no records."""
    name: str
    """What they are called in a command: "RUN=..." or "FILE=..."."""
    problem_of: Problem

    def form_of(self) -> Callable[[Item], Form]:
        """The form of an item, made once per suite."""
        forms: dict[str, Form] = {}

        def form(item: Item) -> Form:
            if item.suite not in forms:
                forms[item.suite] = Form.of(self.rubric_of(item))
            return forms[item.suite]

        return form


def review_items(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    """The items that the arguments name. Raises UsageError when there are none."""
    if (options.run is None) == (options.file is None):
        raise UsageError("name what is to be reviewed: RUN_ID, last, or --file FILE")
    found = _of_run(options, settings) if options.file is None else _of_file(Path(options.file), options.rubric)
    if not found.items:
        raise UsageError(f"{found.name}: holds no response that could be reviewed")
    return found


def _of_run(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    from evaluation.suites import SUITES
    from scripts.run.eval_records import run_records
    from scripts.run.load import build_suite, load_rubric
    from scripts.run.stored import stored_run
    from services.journal import Journal

    with Journal.in_folder(settings.runs_dir) as journal:
        run = stored_run(journal, options.run, SUITES)
        items = tuple(map(read_item, run_records(run, journal)))
    if options.rubric:
        rubric = load_rubric(options.rubric)
    else:
        rubric = build_suite(SUITES[run.suite.name], run.inputs["rubric"], f"rubric of {run.run_id}").rubric
    return ReviewItems(items, lambda _: rubric, 0, f"RUN={run.run_id}", record_problem())


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
    return ReviewItems(tuple(items.values()), rubrics(rubric), len(broken), f"FILE={path}", problem_of)


def rubrics(reference: str | None) -> Callable[[Item], Rubric]:
    """The rubric of an item: the one that is named, else that of its suite."""
    from evaluation.suites import SUITES
    from scripts.run.load import load_rubric

    known: dict[str, Rubric] = {}

    def rubric_of(item: Item) -> Rubric:
        if reference is None and item.suite not in SUITES:
            raise UsageError(f"suite {item.suite!r} is not known: there are {', '.join(SUITES)}; or name a --rubric")
        name = reference or SUITES[item.suite].rubric_file
        if name not in known:
            known[name] = load_rubric(name)
        return known[name]

    return rubric_of
