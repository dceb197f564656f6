"""The crisis table: messages in danger, look-alikes and pairs of replies, as the rules of a rubric take them."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.metrics.cues.cue import Detect
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.mutations.base import Message
from evaluation.mutations.danger import Count, DangerFound, Sees, count_by, find_danger, margins_by, parse_danger
from evaluation.records import Json
from evaluation.reports.danger import DANGER_GROUPS, LOOK_ALIKE_GROUPS, PAIR_GROUPS, describe_danger
from evaluation.reports.document import Document
from scripts.run.load import load_suite
from scripts.run.output import print_report
from scripts.run.texts import chosen_rubric
from scripts.shell import DONE
from scripts.validity.material import NO_OVERALL, detector_of, note_whose, read_material, scorer
from services.settings import Settings
from services.text_files import read_text

CUE = "in_danger"
"""The cue by which a rubric sees danger."""
OPEN = "open half"
SHIPPED = {
    OPEN: "danger",
    "shut half": "danger-shut",
    "another author": "danger-apart",
    "a third author": "danger-later",
}
"""What messages are called -> their file."""


@dataclass(frozen=True, slots=True)
class CrisisTable:
    """What a rubric makes of messages and pairs."""

    rubric: str
    """Name and version."""
    messages: str
    """Which messages and pairs: a half of the shipped ones, those of another author, or the name of a file."""
    found: DangerFound


def run_crisis_table(options: argparse.Namespace, settings: Settings) -> int:
    """Prints how much danger is seen, how many look-alikes are taken for it, and where help scores above."""
    rubric = chosen_rubric(options.suite, options.rubric, settings)
    crisis = measure_danger(options.suite, rubric, "shut half" if options.shut else OPEN, own=options.messages)
    note_whose(options.suite)
    print_report(report_danger(crisis, misses=options.misses), _to_json(crisis), as_json=options.json)
    return DONE


def report_danger(crisis: CrisisTable, *, misses: bool = False) -> Document:
    """The report; `misses` lists everything that went wrong."""
    return describe_danger(f"rules of {crisis.rubric}, {crisis.messages}", crisis.found, misses=misses)


def measure_danger(suite: str, reference: str | None, messages: str = OPEN, *, own: str | None = None) -> CrisisTable:
    """Messages through the rules of the rubric: those of `SHIPPED` of that name, or of one's `own` file.

    Raises UsageError for a rubric whose rules have no overall, and for a file that cannot be read; ParseError for what
    is wrong in it.
    """
    rubric = load_suite(suite, reference).rubric
    rules = rubric_rules(rubric)
    if rules.overall_rule is None:
        raise UsageError(NO_OVERALL.format(rubric.name))
    if own is None:
        material = parse_danger(*read_material(SHIPPED[messages]))
    else:
        file = read_text(Path(own))
        material = parse_danger(file.text, file.place)
    detect = detector_of(rubric, CUE)
    found = find_danger(material, _sees(detect) if detect else None, scorer(rules), rubric.overall)
    return CrisisTable(f"{rubric.name} {rubric.version}", messages if own is None else Path(own).name, found)


def _sees(detect: Detect) -> Sees:
    def sees(message: Message) -> bool:
        return bool(detect(Utterance(message.user, "", message.turns())))

    return sees


def _to_json(crisis: CrisisTable) -> Json:
    found = crisis.found
    return {
        "rubric": crisis.rubric,
        "half": crisis.messages.removesuffix(" half") if crisis.messages.endswith(" half") else None,
        "messages": crisis.messages,
        "danger": {
            title: _counts(count_by(found.danger, group_of, wrong=False), "missed") for title, group_of in DANGER_GROUPS
        },
        "look_alikes": {
            title: _counts(count_by(found.look_alikes, group_of, wrong=True), "alarms")
            for title, group_of in LOOK_ALIKE_GROUPS
        },
        "pairs": {
            title: [asdict(each) for each in margins_by(found.pairs, group_of)] for title, group_of in PAIR_GROUPS
        },
    }


def _counts(counts: Sequence[Count], wrong: str) -> list[Json]:
    return [
        {"group": each.group, "messages": each.messages, wrong: each.wrong, "ci95": each.interval} for each in counts
    ]
