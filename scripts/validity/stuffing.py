"""The stuffing table: replies that are made for the score, beside plain good ones, under one rubric or two."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from evaluation.errors import UsageError
from evaluation.metrics.rewarded import rewarded_phrases
from evaluation.metrics.scoring import rubric_rules
from evaluation.mutations.base import Base, parse_bases
from evaluation.mutations.edit import make_edits, parse_edits
from evaluation.mutations.stuffing import Made, made_kinds, tally_made
from evaluation.reports.stuffing import describe_stuffing
from evaluation.rubrics.rubric import Rubric
from scripts.run.load import chosen_rubric, load_suite
from scripts.run.output import print_report
from scripts.shell import DONE
from scripts.validity.material import NO_OVERALL, note_whose, read_material, scorer
from services.settings import Settings


def run_stuffing_table(options: argparse.Namespace, settings: Settings) -> int:
    """Prints how often replies that are made for the score stay below plain good ones."""
    bases, found = measure_stuffing(options.suite, chosen_rubric(options.suite, options.rubric, settings))
    note_whose(options.suite)
    made = {title: [asdict(each) for each in own] for title, own in found.items()}
    print_report(describe_stuffing(bases, found), {"bases": bases, "made": made}, as_json=options.json)
    return DONE


def measure_stuffing(suite: str, reference: str | None) -> tuple[int, Mapping[str, Sequence[Made]]]:
    """How many bases there are; name and version of each rubric -> made replies under it.

    Rubrics are the suite's own and, where another is named, that too.

    Raises UsageError for a rubric whose rules have no overall.
    """
    bases = parse_bases(*read_material("bases"))
    own = load_suite(suite).rubric
    rubrics = {_title(own): own}
    if reference is not None:
        named = load_suite(suite, reference).rubric
        title = _title(named)
        if named.sha256 != own.sha256:
            rubrics[title if title not in rubrics else f"{title} of {reference}"] = named
    return len(bases), {title: _measure(each, bases) for title, each in rubrics.items()}


def _title(rubric: Rubric) -> str:
    return f"{rubric.name} {rubric.version}"


def _measure(rubric: Rubric, bases: Sequence[Base]) -> list[Made]:
    rules = rubric_rules(rubric)
    if rules.overall_rule is None:
        raise UsageError(NO_OVERALL.format(rubric.name))
    file, edits = parse_edits(*read_material("stuffing")), parse_edits(*read_material("edits"))
    kinds = tuple(made_kinds(file, edits, rewarded_phrases(rubric)))
    return tally_made(make_edits(kinds, bases), scorer(rules), rubric.overall)
