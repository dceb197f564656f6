"""What people judged in the page of a run or of a comparison, taken from the file that the page exported."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.calibration.labels import place_of
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item
from evaluation.identity import eval_id
from evaluation.records import Json
from evaluation.review.judgements import (
    AGAIN,
    Given,
    GivenJudgement,
    GivenPreference,
    JudgedItem,
    check_content,
    check_runs,
    commonest_runs,
    is_given,
    read_given,
)
from evaluation.review.pair_items import Compared, PairItem, answer_record
from evaluation.review.review import Review
from scripts.reviewing.items import ReviewItems, review_items, reviews_folder
from scripts.reviewing.pairs import pairs_of
from scripts.reviewing.sheets import LINES, known_reviews, read_rows, take_pair_sheet, take_rows, take_sheet
from scripts.run.pairs import PAIRS, StoredPair
from scripts.shell import DONE, INCOMPLETE, note
from services.record_files import reviewer_name
from services.settings import Settings

Place = tuple[str, int, int]
"""Scenario id, repeat, turn."""


def take_file(options: argparse.Namespace, settings: Settings) -> int:
    """Takes a filled-in sheet, or what a page exported; lines with a fault are named and left out."""
    given, problem = _given(Path(options.sheet))
    if not given and not problem:
        return take_pair_sheet(options, settings) if options.pairs else take_sheet(options, settings)
    runs = commonest_runs(given)
    if runs is None:
        raise UsageError(f"{options.sheet}: no line can be taken; the first: {problem}")
    if options.file:
        raise UsageError(f"{options.sheet}: was exported from the page of a run, so leave out --file {options.file}")
    if len(runs) == 1:
        return _take_judgements(options, settings, runs[0])
    return _take_preferences(options, settings, (runs[0], runs[1]))


def _given(path: Path) -> tuple[list[Given], str]:
    """The lines of a page's export that can be read, and the first problem with one that cannot."""
    given: list[Given] = []
    problem = ""
    for number, row in read_rows(path) if path.suffix.lower() == LINES else ():
        try:
            if is_given(row):
                given.append(read_given(row))
        except ValueError as error:
            problem = problem or f"line {number}: {error}"
    return given, problem


# --- single responses -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Judging:
    """One run, and what its reviewer said before."""

    run_id: str
    items: Mapping[Place, Item]
    source: ReviewItems
    reviewer: str
    before: dict[str, Review]
    """eval_id -> the reviewer's newest review; those that are taken replace it."""

    def record(self, row: dict[str, Json]) -> dict[str, Json]:
        """The review in a line. Raises ValueError for a line with a fault."""
        given = read_given(row)
        if not isinstance(given, GivenJudgement):
            raise ValueError("kind: 'preference' is of a comparison: export each page into a file of its own")
        check_runs(given, (self.run_id,))
        item = self.items.get((given.scenario_id, given.repeat, given.turn))
        if item is None:
            raise ValueError(
                f"scenario_id {given.scenario_id[:60]!r}, repeat {given.repeat}, turn {given.turn}: "
                f"{self.source.name} has no such response: leave the line out"
            )
        judged, form = JudgedItem(given, item), self.source.form_of(item)
        judged.check(form.rubric)
        known = eval_id(item.id, self.reviewer)
        review = judged.review(form, self.reviewer, self.before.get(known))
        self.before[known] = review
        return self.source.record(item, review)


def _take_judgements(options: argparse.Namespace, settings: Settings, run_id: str) -> int:
    """Takes judgements of the responses of one run as reviews of one reviewer, each in the place of an earlier one."""
    if options.pairs:
        raise UsageError(f"{options.sheet}: holds judgements of single responses, so leave out --pairs")
    reviewer, folder = reviewer_name(options.reviewer), reviews_folder(options, settings)
    options.run = options.run or run_id
    source = review_items(options, settings)
    items = {place_of(item)[:3]: item for item in source.items}
    before = known_reviews(folder, reviewer)
    judging = _Judging(source.name.removeprefix("RUN="), items, source, reviewer, before)
    return DONE if _take(options.sheet, folder, reviewer, "judgements", judging.record) else INCOMPLETE


# --- two responses side by side ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Preferring:
    """Two runs whose responses were compared."""

    run_ids: tuple[str, str]
    compared: Compared
    pairs: Mapping[tuple[str, int], StoredPair]
    reviewer: str

    def record(self, row: dict[str, Json]) -> dict[str, Json]:
        """The answer in a line. Raises ValueError for a line with a fault."""
        given = read_given(row)
        if not isinstance(given, GivenPreference):
            raise ValueError("kind: 'judgement' is of a single run: export each page into a file of its own")
        check_runs(given, self.run_ids)
        stored = self.pairs.get((given.scenario_id, given.repeat))
        if stored is None or stored.pair.identical:
            raise ValueError(
                f"scenario_id {given.scenario_id[:60]!r}, repeat {given.repeat}: the runs have no two different "
                "answers there: leave the line out"
            )
        for side, held, run_id in zip(("base", "candidate"), stored.contents, self.run_ids, strict=True):
            check_content(f"{side}_sha256", getattr(given, f"{side}_sha256"), held, run_id)
        item = PairItem(stored.scenario, stored.pair, given.shown_first)
        remark = given.comment.strip()
        return answer_record(
            item, self.compared, given.answer, remark, reviewer=self.reviewer, at=given.at, blind=given.blind
        )


def _take_preferences(options: argparse.Namespace, settings: Settings, run_ids: tuple[str, str]) -> int:
    """Takes preferences between the responses of two runs as answers of one reviewer."""
    if options.run:
        raise UsageError(f"{options.sheet}: holds preferences between two runs, so leave out {options.run}")
    reviewer, folder = reviewer_name(options.reviewer), reviews_folder(options, settings) / PAIRS
    compared, pairs = pairs_of(options.pairs or run_ids, settings)
    places = {(each.scenario.id, each.pair.cell.repeat): each for each in pairs}
    preferring = _Preferring(run_ids, compared, places, reviewer)
    return DONE if _take(options.sheet, folder, reviewer, "preferences", preferring.record) else INCOMPLETE


def _take(
    file: str, folder: Path, reviewer: str, kind: str, record_of: Callable[[dict[str, Json]], dict[str, Json]]
) -> bool:
    whole = take_rows(file, folder, reviewer, kind, record_of, broken=f": {AGAIN}")
    if not whole:
        note("the other lines were taken; a file that is taken again replaces what it gave before")
    return whole
