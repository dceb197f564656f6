"""The reviews on disk: in which folder they lie, read from several files, broken lines named and kept aside."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from evaluation.records import Json
from scripts.shell import note, note_each
from services.record_files import REVIEWS, BrokenLine, keep_aside, read_reviews, record_problem
from services.settings import Settings


def reviews_folder(options: argparse.Namespace, settings: Settings) -> Path:
    """The folder of reviews."""
    return Path(options.reviews) if options.reviews else settings.runs_dir / REVIEWS


def all_reviews(paths: Iterable[Path]) -> tuple[list[dict[str, Json]], int]:
    """The reviews of several files, and how many lines were broken; these are named and kept aside."""
    problem_of = record_problem()
    found: dict[Json, dict[str, Json]] = {}
    unread = 0
    for path in paths:
        records, broken = read_reviews(path, problem_of)
        tell_broken(path, broken)
        unread += len(broken)
        found.update({record["eval_id"]: record for record in records})
    return list(found.values()), unread


def tell_broken(path: Path, broken: Iterable[BrokenLine]) -> None:
    """Says which lines are no records and why, and keeps them aside."""
    lines = list(broken)
    note_each([f"{path}:{each.number}: {each.problem}" for each in lines], "lines that are no records")
    aside = keep_aside(path, lines)
    if aside is not None:
        note(f"skipped {len(lines)} lines of {path}; they are kept as they are in {aside}")
