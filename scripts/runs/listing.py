"""The list of stored runs: two lines a run, as their rows in the journal and their small files say; newest first."""

import argparse
import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.commands import write_command
from evaluation.decision.gate import StoredDecision
from evaluation.errors import EvaluationError, UsageError
from evaluation.moments import iso_seconds
from evaluation.records import Json, Source
from evaluation.reports.entries import Entry
from evaluation.suites.loaded import build_suite
from evaluation.suites.suite import Suite
from evaluation.text import numbers
from evaluation.text.forms import SourceText
from evaluation.text.names import in_words
from evaluation.text.page import WIDTH
from evaluation.text.safe_text import clip, pad, width, wrap
from scripts.run.index import samples_noted
from scripts.run.load import definition_of
from scripts.run.own_cues import load_own_cues
from scripts.run.own_packs import load_own_packs
from scripts.shell import DONE, note
from services.journal import Journal, StoredRun, is_held
from services.run_folder import MANIFEST, read_json, run_folder
from services.settings import Settings

HEAD = ("Run  verdict, marks", "  Made (UTC)        Size            Cost  Overall    State        Model")
"""Size: scenarios / exchanges."""
MOST_MODEL = WIDTH - 65
SAID = {"ab_test": "A/B test", "judge_unfit": "no verdict", "no_verdicts": "no verdict"}
"""Verdicts and codes that are not read as they are written."""


@dataclass
class Listing:
    """Rows of runs. Of each run two or three files are read, and no call and no result of the journal."""

    journal: Journal
    settings: Settings
    _suites: dict[tuple[str, str], Suite | None] = field(default_factory=dict)
    """Suite and hash of its rubric -> the suite under it; None for one that this version does not have."""

    def row(self, run: StoredRun) -> dict[str, Any]:
        """All that is known of a run; None where nothing is."""
        spec = run.spec
        decision, summary = self._decision(run), self._file(run, "summary.json")
        planned = self._file(run, MANIFEST).get("planned_exchanges")
        overall = decision.overall and decision.overall.mean
        return {
            "kind": "run",
            "run_id": run.run_id,
            "group_id": run.group_id,
            "created_at": iso_seconds(run.created_at),
            "suite": spec.suite,
            "prompt": None if spec.prompt is None else asdict(spec.prompt),
            "model": spec.answerer,
            "scenarios": int(spec.scenarios.version) if spec.scenarios.version.isdecimal() else None,
            "exchanges": planned if isinstance(planned, int) else None,
            "cost_usd": self._cost(run, summary),
            "state": self._state(run, decision),
            "overall": overall,
            "scale": None if overall is None else self._scale(run, decision.source),
            "verdict": decision.verdict,
            "code": decision.code,
            "judge_remark": decision.remark(),
            "rehearsal": spec.embedded or spec.rehearsed,
            "gate_passed": decision.gate and decision.gate.passed,
        }

    def _decision(self, run: StoredRun) -> StoredDecision:
        with suppress(ValueError):
            return StoredDecision.model_validate(self._file(run, "decision.json"))
        return StoredDecision()

    def _file(self, run: StoredRun, name: str) -> dict[str, Any]:
        """One file of the run; nothing where it is not there, or is no longer what the tool wrote."""
        with suppress(OSError, ValueError, UsageError):
            return read_json(run_folder(self.settings.runs_dir, run.run_id) / name)
        return {}

    def _cost(self, run: StoredRun, summary: dict[str, Any]) -> float | None:
        """US dollars; of a run that left no summary what its calls add up to so far. None where a price is unknown."""
        cost: Json = summary.get("cost_usd")
        if not summary:
            costs = [totals.cost_usd for totals in self.journal.call_totals(run.run_id).values()]
            cost = None if None in costs else sum(cost or 0.0 for cost in costs)
        return float(cost) if isinstance(cost, int | float) and math.isfinite(cost) else None

    def _state(self, run: StoredRun, decision: StoredDecision) -> str:
        """running, finished, incomplete, or interrupted, which says that nobody works on it any more."""
        if run.state == "running":
            return "running" if is_held(self.settings.runs_dir, run.run_id) else "interrupted"
        return "interrupted" if run.state == "incomplete" and decision.code == "interrupted" else run.state

    def _scale(self, run: StoredRun, source: str) -> tuple[float, float] | None:
        """Lowest and highest value of the overall."""
        key = run.spec.suite, run.spec.rubric.sha256
        if key not in self._suites:
            self._suites[key] = None
            with suppress(EvaluationError, KeyError):
                load_own_cues()
                load_own_packs()
                inputs = self.journal.run(run.run_id).inputs
                text = SourceText(inputs["rubric"], "the rubric")
                self._suites[key] = build_suite(definition_of(run.spec.suite, inputs), text).suite
        suite = self._suites[key]
        known: dict[str, Source] = {"check": "check", "judge": "judge"}
        return None if suite is None else suite.scale(known.get(source, "combined"))


def list_runs(options: argparse.Namespace, settings: Settings) -> int:
    """The newest runs under a head, newest first; as JSON all that is known of each."""
    with Journal.in_folder(settings.runs_dir) as journal:
        listing = Listing(journal, settings)
        rows = [listing.row(run) for run in journal.runs(options.limit, inputs=False)]
        rows += map(_sample, samples_noted(journal))
    rows = sorted(rows, key=lambda row: row["created_at"], reverse=True)[: options.limit]
    if options.json:
        print(json.dumps(rows, indent=2))
        return DONE
    if not rows:
        note(f"there is no run yet: start one with {write_command('eval')}")
        return DONE
    print("\n".join([*HEAD, *(line for row in rows for line in _lines(row))]))
    return DONE


def _sample(entry: Entry) -> dict[str, Any]:
    """The row of a sample of production; what a run alone has is None. What its judge costs is that of its run."""
    return {
        "kind": entry.kind,
        "run_id": entry.name,
        "group_id": entry.name,
        "created_at": iso_seconds(entry.made_at),
        "suite": entry.suite,
        "prompt": None,
        "model": " ".join(filter(None, ("of production:", entry.subject, entry.version))),
        "scenarios": None,
        "exchanges": None,
        "cost_usd": 0.0,
        "state": "incomplete" if "incomplete" in entry.marks else "finished",
        "overall": entry.figure,
        "scale": entry.scale,
        "verdict": None,
        "code": "",
        "judge_remark": "judge unfit" if "judge unfit" in entry.marks else "",
        "rehearsal": "rehearsal" in entry.marks,
        "gate_passed": None,
    }


def _lines(row: dict[str, Any]) -> Iterator[str]:
    """A run: its id, which is never cut, with the verdict and its marks, and below what it was and cost."""
    said = _said(row)
    if len(row["run_id"]) + 2 + width(said) <= WIDTH:
        yield f"{row['run_id']}  {said}"
    else:
        yield row["run_id"]
        yield from (f"    {line}" for line in wrap(said, WIDTH - 4, 3))
    size = f"{numbers.count(row['scenarios'])} / {numbers.count(row['exchanges'])}"
    made = row["created_at"][:16].replace("T", " ")
    of_scale = "" if row["scale"] is None else f" of {row['scale'][1]:g}"
    overall = f"{numbers.score(row['overall'])}{of_scale}"
    cells = [f"  {made}", pad(size, 12), f"{numbers.money(row['cost_usd']):>8}", pad(overall, 9), f"{row['state']:11}"]
    yield "  ".join([*cells, clip(row["model"], MOST_MODEL)])


def _said(row: dict[str, Any]) -> str:
    """The verdict, or why there is none, with its marks behind it."""
    verdict = row["verdict"] or (row["code"] if row["code"] not in ("incomplete", "interrupted") else "")
    if row["kind"] != "run":
        verdict = row["kind"]
    nothing = "-" if row["overall"] is None and not row["code"] else "no verdict"
    words = SAID.get(verdict, in_words(verdict)) or nothing
    gate = {None: "", True: "gate passed", False: "gate FAILED"}[row["gate_passed"]]
    remark = f" ({row['judge_remark']})" if row["judge_remark"] else ""
    marks = ("rehearsal" if row["rehearsal"] else "", gate)
    return ", ".join([clip(words, 40) + remark, *filter(None, marks)])
