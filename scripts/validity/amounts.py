"""The amounts of a rubric, chosen on people's ratings, and how far each choice agrees with what it was not shown."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from evaluation.calibration.amounts import (
    AdjustmentKey,
    Choice,
    Scores,
    Strengths,
    WeighedSet,
    Weighing,
    choose_amounts,
    make_folds,
    present_amounts,
    scores_left_out,
    weigh,
)
from evaluation.calibration.ratings import RatedLine, rated_units
from evaluation.calibration.validity import BotOf, Pair, RatedSet, Validity, measure_validity, parse_pairs
from evaluation.errors import UsageError
from evaluation.metrics.adjustments import adjustment_strengths
from evaluation.metrics.utterance import Utterance
from evaluation.records import Json
from evaluation.reports.amounts import describe_amounts
from evaluation.reports.document import Document
from evaluation.reports.validity import describe_agreement
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.loaded import LoadedSuite
from scripts.calibration.agreement import read_ratings
from scripts.run.load import chosen_rubric, load_suite
from scripts.run.output import print_report
from scripts.shell import DONE, INCOMPLETE, need, note
from scripts.validity.people import bot_pattern, check_seed, rating_files, title_of
from services.settings import Settings
from services.workspace import RATED_PAIRS, read_named

StrengthsOf: TypeAlias = Callable[[Utterance], Strengths]


@dataclass(frozen=True, slots=True)
class Rated:
    """One file, as the choice and as the tables need it."""

    weighed: WeighedSet
    base: Mapping[str, Scores]
    """Unit id -> the scores of the rubric beside it."""


def print_amounts(options: argparse.Namespace, settings: Settings) -> int:
    """Chooses on all ratings and without each fold, and says how each part left out was scored."""
    need("scipy")
    check_seed(options.seed)
    looked_at = load_suite(options.suite, chosen_rubric(options.suite, options.rubric, settings))
    base = load_suite(options.suite, options.base)
    rubric = looked_at.rubric
    chosen = read_named("set of pairs", options.pairs, RATED_PAIRS)
    pairs, bot_of = parse_pairs(chosen.text, chosen.place), bot_pattern(options.bot)
    rated, unread = _read(options.folder, looked_at, base)
    weighing = Weighing(rubric, [each.weighed for each in rated], pairs)
    if not weighing.has_pairs:
        where = f"{chosen.place} ties no dimension of these files to a metric"
        raise UsageError(f"{options.folder}: {where}: name a file of pairs that does (--pairs)")
    folds = list(make_folds([each.weighed for each in rated], bot_of))
    choices = []
    for choice in choose_amounts(weighing, present_amounts(rubric), _movable(rubric, options.keep), folds):
        choices.append(choice)
        note(f"chosen without {choice.fold.kind} {choice.fold.name}" if choice.fold else "chosen on everything")
    left_out = {
        kind: _validity(rated, _out_of(choices, kind), weighing, rubric, pairs, bot_of, options.seed)
        for kind in dict.fromkeys(fold.kind for fold in folds)
    }
    document = _document(looked_at, base, choices, left_out)
    print_report(document, _to_json(rubric, choices), as_json=options.json)
    return INCOMPLETE if unread else DONE


def _read(folder: str, looked_at: LoadedSuite, base: LoadedSuite) -> tuple[list[Rated], int]:
    """The files with a unit that is no pair of responses, and how many lines could not be read."""
    strengths = adjustment_strengths(looked_at.rubric)
    found, unread = list[Rated](), 0
    for path in rating_files(folder):
        ratings = read_ratings(str(path), base)
        unread += ratings.unread
        found += _rated(path, [line for line, _ in ratings.scored], strengths, base)
    if not found:
        raise UsageError(
            f"{folder}: no line of its files could be used, as pairs of responses cannot: "
            "docs/calibration.md has the form"
        )
    return found, unread


def _rated(path: Path, lines: Sequence[RatedLine], strengths: StrengthsOf, base: LoadedSuite) -> Iterator[Rated]:
    """The file, where it has a unit that is no pair of responses."""
    if any(line.level != "pair" for line in lines):
        found = [
            strengths(Utterance(each.exchange.user_input, each.exchange.response, each.exchange.context))
            for each in lines
        ]
        weighed = weigh(path.name.removesuffix(".jsonl"), lines, found)
        scored = rated_units((line, base.suite.score(line.exchange)) for line in lines if line.level != "pair")
        units = {unit.id: unit for unit in scored}
        own = replace(weighed, units=[units[unit.id] for unit in weighed.units])
        yield Rated(own, {name: dict(unit.scores) for name, unit in units.items()})


def _movable(rubric: Rubric, keep: Sequence[str]) -> list[AdjustmentKey]:
    """The adjustments whose amount may move: those of all cues but the ones that keep theirs."""
    used = {each.when for metric in rubric.metrics.values() for each in metric.adjustments}
    if unknown := [name for name in keep if name not in used]:
        raise UsageError(f"--keep {unknown[0]}: rubric {rubric.name!r} adds nothing for such a cue")
    return [
        (name, place)
        for name, metric in rubric.metrics.items()
        for place, each in enumerate(metric.adjustments)
        if each.when not in keep
    ]


def _out_of(choices: Sequence[Choice], kind: str) -> list[Choice]:
    return [choice for choice in choices if choice.fold is not None and choice.fold.kind == kind]


def _validity(
    rated: Sequence[Rated],
    choices: Sequence[Choice],
    weighing: Weighing,
    rubric: Rubric,
    pairs: Sequence[Pair],
    bot_of: BotOf,
    seed: int,
) -> list[Validity]:
    """The chosen pairs, every unit scored by the amounts that were chosen without it."""
    scores = scores_left_out(weighing, rubric, choices)
    rows: list[Validity] = []
    for each in rated:
        name = each.weighed.name
        units = [
            replace(unit, scores={**unit.scores, **scores[name, unit.id]})
            for unit in each.weighed.units
            if (name, unit.id) in scores
        ]
        measured = measure_validity(RatedSet(name, units, each.base), pairs, rubric.overall, bot_of, seed=seed)
        rows += [row for row in measured if row.chosen]
    return rows


def _document(
    looked_at: LoadedSuite, base: LoadedSuite, choices: Sequence[Choice], left_out: Mapping[str, Sequence[Validity]]
) -> Document:
    parts = [describe_amounts(title_of(looked_at), looked_at.rubric, choices)]
    for kind, rows in left_out.items():
        parts.append(describe_agreement(f"{title_of(looked_at)}, {kind} left out", title_of(base), rows))
    return Document(tuple(section for part in parts for section in part.sections))


def _to_json(rubric: Rubric, choices: Sequence[Choice]) -> Json:
    return [
        {
            "left_out": None if choice.fold is None else f"{choice.fold.kind}: {choice.fold.name}",
            "agreement": choice.agreement,
            "amounts": [
                {"metric": metric, "cue": rubric.metrics[metric].adjustments[place].when, "add": add}
                for (metric, place), add in choice.amounts.items()
            ],
        }
        for choice in choices
    ]
