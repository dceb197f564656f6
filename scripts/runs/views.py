"""Looking at stored runs: the summary and the page of one, and tables of it."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.outcome import RunOutcome
from evaluation.result_line import LineHead, result_line
from evaluation.run import Run
from evaluation.runspec import PromptPin
from evaluation.suites import SUITES
from scripts.run.conclude import conclude_run
from scripts.run.eval_records import append_records
from scripts.run.files import write_conclusion
from scripts.run.index import note_run, write_index
from scripts.run.output import print_runs
from scripts.run.people import with_peoples_answers
from scripts.run.stored import open_stored, stored_run
from scripts.shell import DONE
from services.journal import Journal
from services.settings import Settings
from services.tables import write_csv

PLAIN = ("run_id", "scenario_id", "situation", "category", "audience", "tags", "repeat", "turn", "state", "model")


TEXTS = ("prompt", "input", "response", "finish_reason", "latency_ms", "cost_usd")
"""Columns of an exported exchange, before its scores."""

HELD = ("expectations_met", "failed_expectations", "failed_critical")
"""Columns behind the scores: the share of answered expectations that hold, and the ids of those that fail."""


def show_run(options: argparse.Namespace, settings: Settings) -> int:
    """The summary, as when the run ended."""
    with open_stored(settings, options.run) as journal:
        print_runs([_conclude(options, journal, settings)], as_json=options.json)
    return DONE


def report_run(options: argparse.Namespace, settings: Settings) -> int:
    """Writes the page of a stored run in its folder once more, and what follows from labels that people gave since.

    The other files stay as they are.
    """
    with open_stored(settings, options.run) as journal:
        outcome = _conclude(options, journal, settings)
        path = str(write_conclusion(outcome, journal, settings))
        note_run(outcome, journal)
        write_index(journal, settings)
    print(json.dumps({"file": path}) if options.json else path)
    return DONE


def _conclude(options: argparse.Namespace, journal: Journal, settings: Settings) -> RunOutcome:
    run = stored_run(journal, options.run, SUITES)
    request = run.request if options.mix is None else replace(run.request, mix=options.mix)
    return conclude_run(run, journal, settings, request)


def export_run(options: argparse.Namespace, settings: Settings) -> int:
    """One row per exchange: what was said, every score, the judge's words. Spreadsheets see text, never formulas."""
    with open_stored(settings, options.run) as journal:
        run = stored_run(journal, options.run, SUITES)
        if options.records is not None:
            return _export_records(run, options, journal)
        head = LineHead(run)
        results = with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings)
        rows = (flat(result_line(result, head)) for result in results)
        scores = [f"{source}.{metric}" for source in run.sources for metric in run.suite.metrics_of(source)]
        scores += [f"measure.{name}" for name in run.suite.measures]
        count = write_csv(Path(options.csv), (*PLAIN, *TEXTS, *scores, *HELD, "judge.reasoning", "error"), rows)
    print(json.dumps({"rows": count, "file": options.csv}) if options.json else f"{count} rows in {options.csv}")
    return DONE


def _export_records(run: Run, options: argparse.Namespace, journal: Journal) -> int:
    """Appends the run's evaluation records; those that are there already are not written twice."""
    added, there = append_records(run, journal, Path(options.records))
    if options.json:
        print(json.dumps({"added": added, "there": there, "file": options.records}))
    else:
        print(f"{added} records added to {options.records}, {there} were there")
    return DONE


def flat(line: dict[str, Any]) -> dict[str, Any]:
    """A line of results.jsonl as one row: a column per source and metric, and plain texts beside."""
    row: dict[str, Any] = {name: line[name] for name in (*PLAIN, *TEXTS)}
    row["tags"] = " ".join(line["tags"])
    row["prompt"] = "" if line["prompt"] is None else PromptPin(**line["prompt"]).title
    for source, scores in line["scores"].items():
        row.update({f"{source}.{metric}": value for metric, value in scores.items()})
    row.update(zip(HELD, _held(line["expectations"]), strict=True))
    row["judge.reasoning"] = line["judge"]["reasoning"] if line["judge"] else ""
    row["error"] = line["error"]["message"] if line["error"] else ""
    return row


def _held(answers: Sequence[Mapping[str, Any]]) -> tuple[float | None, str, str]:
    """No share where nothing is answered: what is not shown counts neither way."""
    failed = [answer for answer in answers if answer["outcome"] == "fails"]
    holds = sum(answer["outcome"] == "holds" for answer in answers)
    share = holds / (holds + len(failed)) if holds or failed else None
    critical = (answer["id"] for answer in failed if answer["critical"])
    return share, " ".join(answer["id"] for answer in failed), " ".join(critical)
