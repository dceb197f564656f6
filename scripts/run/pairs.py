"""The pairs of two stored runs: what both answered to the same, cell by cell, and what people said of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.expectations.human import content_digest
from evaluation.judging.pair_asking import Pair, make_pair
from evaluation.records import Cell, Scenario
from evaluation.review.pair_answers import PairAnswer, read_pair_answer
from evaluation.run import Run
from services.journal import Journal
from services.record_files import BrokenLine, numbered_records, review_files

AT_ONCE = 200
"""Cells that are read together."""
PAIRS = "pairs"
"""The folder of people's preferences in the folder of reviews."""


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair with its scenario."""

    scenario: Scenario
    pair: Pair
    contents: tuple[str, str]
    """Digests of what people are shown of the last response of base and candidate, which follows all others."""


def shared_cells(base: Run, candidate: Run) -> list[Cell]:
    """The cells that both runs planned, in the order of the candidate."""
    theirs = set(base.cells())
    return [cell for cell in candidate.cells() if cell in theirs]


def stored_pairs(base: Run, candidate: Run, journal: Journal) -> Iterator[StoredPair]:
    """Those of the shared cells in which both runs have all answers."""
    scenarios = {scenario.id: scenario for scenario in candidate.scenarios}
    shared = shared_cells(base, candidate)
    for start in range(0, len(shared), AT_ONCE):
        cells = shared[start : start + AT_ONCE]
        before, now = (journal.results_by_cell(run.run_id, cells) for run in (base, candidate))
        for cell in cells:
            scenario = scenarios[cell.scenario_id]
            first, second = (
                [result.exchange for result in found[cell] if result.scope == "response"] for found in (before, now)
            )
            if (pair := make_pair(first, second, scenario)) is not None:
                base_says, candidate_says = (
                    content_digest(run.suite.describe(found[-1]), scenario.audience)
                    for run, found in ((base, first), (candidate, second))
                )
                yield StoredPair(scenario, pair, (base_says, candidate_says))


def read_pair_answers(folder: Path) -> tuple[list[PairAnswer], list[tuple[Path, list[BrokenLine]]]]:
    """People's preferences below a folder of reviews, the newest of each person and pair; and lines that are none."""
    found: dict[tuple[str, str], PairAnswer] = {}
    broken = []
    for path in review_files(folder / PAIRS):
        answers, wrong = read_pair_file(path)
        found |= {(answer.reviewer, answer.pair): answer for answer in answers}
        broken += [(path, wrong)] if wrong else []
    return list(found.values()), broken


def read_pair_file(path: Path) -> tuple[list[PairAnswer], list[BrokenLine]]:
    """The lines of one person's file, in order, and those that are no preferences."""
    answers, broken = list[PairAnswer](), list[BrokenLine]()
    for number, line in numbered_records(path, checked=False) if path.exists() else ():
        if isinstance(line, BrokenLine):
            broken.append(line)
            continue
        try:
            answers.append(read_pair_answer(line))
        except ValueError as problem:
            broken.append(BrokenLine(number, str(problem), str(line).encode("utf-8", "backslashreplace")))
    return answers, broken
