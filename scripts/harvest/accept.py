"""The command that goes through drafts and carries out what was decided of them."""

import argparse
from functools import partial
from pathlib import Path

from evaluation.request import EvaluationRequest
from scripts.arguments import usual_suite
from scripts.harvest.acceptance import USUAL_NAME, Acceptance
from scripts.harvest.session import walk_drafts
from scripts.harvest.sets import read_loaded_sets
from scripts.run.load import load_suite
from scripts.run.texts import chosen_rubric
from scripts.shell import DONE
from services.journal.access import hold
from services.settings import Settings
from services.text_files import show_path


def accept_drafts(options: argparse.Namespace, settings: Settings) -> int:
    """Walks through the drafts where a reviewer is named, and carries out what is decided in their file."""
    suite = usual_suite(options.suite)
    request = EvaluationRequest(suite=suite, rubric=options.rubric, scenarios=tuple(options.scenarios))
    loaded = load_suite(suite, chosen_rubric(suite, options.rubric, settings))
    path = Path(options.drafts)
    work = Acceptance(path, _target(options.into), loaded, partial(read_loaded_sets, request, loaded, settings))
    with hold(path.with_name(f".{path.name}.lock"), show_path(path)):
        if options.reviewer:
            walk_drafts(work, options.reviewer)
        else:
            work.carry_out()
    work.tell()
    return DONE


def _target(named: str | None) -> Path | None:
    if named is None:
        return None
    path = Path(named).expanduser()
    return path / USUAL_NAME if path.is_dir() else path
