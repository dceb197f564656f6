"""A stored run as rows of a table, or as evaluation records in a file that holds those of many runs."""

import argparse
import json
from pathlib import Path
from typing import Any

from evaluation.result_line import LineHead, result_line
from evaluation.run import Run
from evaluation.runspec import PromptPin
from evaluation.suites import SUITES
from scripts.run.eval_records import append_records
from scripts.run.stored import stored_run
from scripts.shell import DONE
from services.journal import Journal
from services.settings import Settings
from services.tables import write_csv

PLAIN = ("run_id", "scenario_id", "situation", "category", "audience", "tags", "repeat", "turn", "state", "model")
TEXTS = ("prompt", "input", "response", "finish_reason", "latency_ms", "cost_usd")
"""Columns of an exported exchange, before its scores."""


def export_run(options: argparse.Namespace, settings: Settings) -> int:
    """One row per exchange: what was said, every score, the judge's words. Spreadsheets see text, never formulas."""
    with Journal.in_folder(settings.runs_dir) as journal:
        run = stored_run(journal, options.run, SUITES)
        if options.records is not None:
            return _export_records(run, options, journal)
        head = LineHead(run)
        rows = (flat(result_line(result, head)) for result in journal.results(run.run_id, run.scenario_ids))
        scores = [f"{source}.{metric}" for source in run.sources for metric in run.suite.metrics_of(source)]
        count = write_csv(Path(options.csv), (*PLAIN, *TEXTS, *scores, "judge.reasoning", "error"), rows)
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
    row["judge.reasoning"] = line["judge"]["reasoning"] if line["judge"] else ""
    row["error"] = line["error"]["message"] if line["error"] else ""
    return row
