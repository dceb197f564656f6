"""The responses to review, of a run or a file, those that are drawn for labels that count, and the reviews on disk."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from evaluation.calibration.labels import place_of
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item, read_item
from evaluation.records import Json
from evaluation.review.drawing import LabelDraw, draw_lines, draw_of
from evaluation.review.form import ReviewForm
from evaluation.review.review import Review, review_record
from evaluation.rubrics.rubric import Rubric
from evaluation.run import Run
from evaluation.suites import SUITES
from evaluation.suites.loaded import build_suite
from evaluation.text.forms import SourceText
from scripts.run.files import run_records
from scripts.run.kept_suites import suite_of_records
from scripts.run.labels import draw_file, read_draw
from scripts.run.load import load_rubric
from scripts.run.stored import open_stored, stored_run
from scripts.shell import note, note_each
from services.journal import Journal
from services.record_files import REVIEWS, BrokenLine, keep_aside, read_records, read_reviews, record_problem
from services.run_folder import write_jsonl
from services.settings import Settings

USUAL = 40
"""Responses that are expected of a first draw: as many as are needed, nearly always."""


def draw_more(run: Run, journal: Journal, folder: Path, count: int, seed: int) -> LabelDraw:
    """The draw of a run, larger by `count` and written; as it is for 0, unless there is none.

    Another seed than that of the file makes a new draw in its place.
    """
    path = draw_file(folder, run.run_id)
    before = read_draw(path)
    fresh = draw_of(run, journal.results(run.run_id, run.scenario_ids), seed=seed)
    if not fresh.candidates:
        raise UsageError(f"run {run.run_id} has no response that could be drawn: none was answered and scored")
    if before is not None and before.seed == seed:
        if {each.place for each in before.candidates} != {each.place for each in fresh.candidates}:
            again = next_command(run.run_id, "--seed", str(seed + 1))
            raise UsageError(
                f"run {run.run_id} holds other responses than when some were drawn: draw from all of them: {again}"
            )
        if not count:
            return before
        fresh = before
    found = fresh.larger(count or USUAL)
    write_jsonl(path, draw_lines(found))
    return found


def next_command(run_id: str, *words: str) -> str:
    """The command that draws, and names what to label next."""
    return write_command("review", "next", run_id, *words)


def marked(items: Sequence[Item], draw: LabelDraw | None) -> list[Item]:
    """The items, each drawn one with its probability, which the record of its review then bears."""
    chances = {} if draw is None else draw.as_draw().chances
    found = []
    for item in items:
        chance = chances.get(place_of(item))
        if chance is not None and draw is not None:
            inclusion = {"draw": draw.run_id, "probability": chance.probability, "weight": chance.weight}
            item = replace(item, record={**item.record, "inclusion": inclusion})
        found.append(item)
    return found


def drawn(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if "inclusion" in item.record]


@dataclass(frozen=True, slots=True)
class ReviewItems:
    """The items, and the form by which each of them is reviewed."""

    items: tuple[Item, ...]
    form_of: Callable[[Item], ReviewForm]
    unread: int
    """Lines of a file that are no records."""
    name: str
    """Their name in a command: "RUN=..." or "FILE=..."."""

    def record(self, item: Item, review: Review) -> dict[str, Json]:
        """The record of a review. Raises ValueError for one that does not fit the schema."""
        record = review_record(item, review, self.form_of(item).rubric)
        if problem := record_problem(record):
            raise ValueError(problem)
        return record


def review_items(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    """The items that the arguments name. Raises UsageError when there are none."""
    if options.file is not None and getattr(options, "next", None) is not None:
        raise UsageError("--next draws from the responses of a run: name it in the place of --file")
    if (options.run is None) == (options.file is None):
        raise UsageError("name what is to be reviewed: RUN_ID, last, or --file FILE")
    found = _of_run(options, settings) if options.file is None else _of_file(options, settings)
    marked = getattr(options, "to_review", False)
    if marked:
        found = replace(found, items=tuple(item for item in found.items if item.is_marked))
    if not found.items and marked:
        problem = "neither the judge nor a check marked a response for people: leave out --to-review"
        raise UsageError(f"{found.name}: {problem}")
    if not found.items:
        raise UsageError(f"{found.name}: holds no response that could be reviewed")
    return found


def _of_run(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    folder = reviews_folder(options, settings)
    with open_stored(settings, options.run) as journal:
        run = stored_run(journal, options.run, SUITES)
        asked = getattr(options, "next", None)
        draw = read_draw(draw_file(folder, run.run_id))
        if asked is not None:
            draw = draw_more(run, journal, folder, asked, options.seed)
        items = marked(list(map(read_item, run_records(run, journal))), draw)
        items = items if asked is None else drawn(items)
    if options.rubric:
        rubric = load_rubric(options.rubric)
    else:
        rubric = build_suite(run.suite, SourceText(run.inputs["rubric"], f"rubric of {run.run_id}")).rubric
    form = ReviewForm.of(rubric)
    return ReviewItems(tuple(items), lambda _: form, 0, f"RUN={run.run_id}")


def _of_file(options: argparse.Namespace, settings: Settings) -> ReviewItems:
    path = Path(options.file)
    broken: list[BrokenLine] = []
    items: dict[str, Item] = {}
    for line in read_records(path):
        if isinstance(line, BrokenLine):
            broken.append(line)
        else:
            item = read_item(line)
            items[item.id] = item
    note_broken(path, broken)
    rubric_of = rubrics(options.rubric, settings)
    form_of = cache(lambda suite: ReviewForm.of(rubric_of(suite)))
    return ReviewItems(tuple(items.values()), lambda item: form_of(item.suite), len(broken), f"FILE={path}")


def rubrics(reference: str | None, settings: Settings) -> Callable[[str], Rubric]:
    """The rubric for items of a suite: the one that is named, else that of the settings or of the suite."""

    @cache
    def rubric_of(suite: str) -> Rubric:
        return suite_of_records(suite, reference, settings).rubric

    return rubric_of


def reviews_folder(options: argparse.Namespace, settings: Settings) -> Path:
    """The folder of reviews."""
    return Path(options.reviews) if options.reviews else settings.runs_dir / REVIEWS


def all_reviews(paths: Iterable[Path]) -> tuple[list[dict[str, Json]], int]:
    """The reviews of several files, and how many lines were broken; these are named and kept aside."""
    found: dict[Json, dict[str, Json]] = {}
    unread = 0
    for path in paths:
        records, broken = read_reviews(path)
        note_broken(path, broken)
        unread += len(broken)
        found.update({record["eval_id"]: record for record in records})
    return list(found.values()), unread


def note_broken(path: Path, broken: Sequence[BrokenLine]) -> None:
    """Says which lines are no records and why, and keeps them aside."""
    note_each([f"{path}:{each.number}: {each.problem}" for each in broken], "lines that are no records")
    aside = keep_aside(path, broken)
    if aside is not None:
        note(f"skipped {len(broken)} lines of {path}; they are kept as they are in {aside}")
