"""The output of commands on stdout when an evaluation has ended."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.document import Document
from evaluation.reports.run import describe_run
from evaluation.reports.terminal import to_terminal
from scripts.run.finish import Outcome


@dataclass(frozen=True, slots=True)
class JointAnswer:
    """The answer of a command to several runs together: as JSON, for people, and by its exit code."""

    data: Json
    report: Document
    files: tuple[str, ...]
    exit_code: int


def print_outcome(outcome: Outcome | JointAnswer, *, as_json: bool, verbose: bool) -> None:
    """The answer or the summary of each run, for people or as JSON; of a dry run the estimate.

    What fits a screen; with `verbose` all of it.
    """
    if isinstance(outcome, JointAnswer):
        report = to_terminal(outcome.report, color=use_color(), short=not verbose)
        print(json.dumps(outcome.data, ensure_ascii=False, indent=2) + "\n" if as_json else report, end="")
    elif outcome.estimate is not None:
        print(json.dumps(asdict(outcome.estimate)) if as_json else "\n".join(outcome.estimate.lines()))
    else:
        print_runs(outcome.runs, as_json=as_json, verbose=verbose)


def print_report(document: Document, data: Json, *, as_json: bool) -> None:
    """One report, for people or as JSON."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        print(to_terminal(document, color=use_color()), end="")


def print_runs(runs: Sequence[RunOutcome], *, as_json: bool, verbose: bool = True) -> None:
    """Run after run, all of it where `verbose`; as JSON one object, or a list of several."""
    if as_json:
        documents = [_document(run) for run in runs]
        print(json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2))
    else:
        color = use_color()
        print("\n".join(to_terminal(describe_run(run), color=color, short=not verbose) for run in runs), end="")


def _document(run: RunOutcome) -> dict[str, object]:
    """The summary and the decision, and where the run's files lie: other programs begin there."""
    return {**run.to_json(), "decision_document": run.decision_json(), "folder": str(Path(run.directory).resolve())}


def use_color() -> bool:
    """On a terminal, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
