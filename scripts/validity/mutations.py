"""The mutation test: edits on bases, scored by the rules of a rubric, and what moved."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.errors import UsageError
from evaluation.metrics.scoring import rubric_rules
from evaluation.mutations.base import parse_bases
from evaluation.mutations.edit import make_edits, parse_edits, parse_other_half
from evaluation.mutations.swaps import make_swaps, parse_swaps
from evaluation.mutations.tally import Shift, Tally, measure_swaps, tally_edits
from evaluation.records import Json
from evaluation.reports.document import Document
from evaluation.reports.mutations import describe_mutations
from evaluation.text.forms import did_you_mean
from scripts.run.load import chosen_rubric, load_suite
from scripts.run.output import print_report
from scripts.shell import DONE
from scripts.validity.material import note_whose, read_material, scorer
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Moves:
    """What the edits and swaps did to the scores of one rubric."""

    rubric: str
    """Name and version."""
    wordings: Literal["open", "shut"]
    bases: int
    tallies: Sequence[Tally]
    still: Sequence[Shift]
    fair: Sequence[Shift]


def run_mutations(options: argparse.Namespace, settings: Settings) -> int:
    """Prints how often each kind of edit moved its metrics the right way."""
    rubric = chosen_rubric(options.suite, options.rubric, settings)
    moves = measure_moves(options.suite, rubric, shut=options.shut)
    note_whose(options.suite)
    kinds = tuple(dict.fromkeys(tally.kind for tally in moves.tallies))
    if options.misses and options.misses not in kinds:
        hint = did_you_mean(options.misses, kinds) or f"; there are {', '.join(kinds)}"
        raise UsageError(f"there is no kind of edit {options.misses!r}{hint}")
    print_report(report_moves(moves, options.misses), _to_json(moves), as_json=options.json)
    return DONE


def report_moves(moves: Moves, misses: str = "") -> Document:
    """The report; `misses` names the kind of edit whose misses are shown one by one."""
    title = f"rules of {moves.rubric}, {moves.wordings} wordings"
    return describe_mutations(title, moves.bases, moves.tallies, moves.still, moves.fair, misses)


def measure_moves(suite: str, reference: str | None, *, shut: bool = False) -> Moves:
    """Every edit with the open wordings, or the shut ones, and every swap, scored by the rules of the rubric.

    Raises UsageError for a rubric whose rules score none of the metrics that the edits should move.
    """
    rubric = load_suite(suite, reference).rubric
    score = scorer(rubric_rules(rubric))
    bases = parse_bases(*read_material("bases"))
    kinds = parse_edits(*read_material("edits"))
    if shut:
        kinds = parse_other_half(*read_material("edits-shut"), kinds)
    swaps = parse_swaps(*read_material("swaps"))
    tallies = tally_edits(make_edits(kinds, bases), score)
    if not tallies:
        raise UsageError(
            f"the rules of rubric {rubric.name!r} score none of the metrics that edits of a companion's replies should "
            "move: name a rubric of the companion suite"
        )
    still = measure_swaps(make_swaps(swaps.still, bases), score, rubric.overall)
    fair = measure_swaps(make_swaps(swaps.fair, bases), score, rubric.overall)
    return Moves(f"{rubric.name} {rubric.version}", "shut" if shut else "open", len(bases), tallies, still, fair)


def _to_json(moves: Moves) -> Json:
    return {
        "rubric": moves.rubric,
        "wordings": moves.wordings,
        "bases": moves.bases,
        "edits": [
            {
                "kind": tally.kind,
                "metric": tally.metric,
                "expected": tally.direction,
                "edits": tally.edits,
                "right": tally.right,
                "wrong": tally.wrong,
                "ties": tally.ties,
            }
            for tally in moves.tallies
        ],
        "still": [_shift_json(shift) for shift in moves.still],
        "fair": [_shift_json(shift) for shift in moves.fair],
    }


def _shift_json(shift: Shift) -> Json:
    return {
        "group": shift.group,
        "exchanges": shift.exchanges,
        "within_still": shift.still,
        "largest": {"metric": shift.largest[0], "move": shift.largest[1]},
        "overall": shift.overall,
    }
