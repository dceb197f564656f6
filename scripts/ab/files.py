"""The files of a test: its looks, one a line, and what the last one said."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from evaluation.ab.look import Look, Reading
from evaluation.ab.outlook import Outlook
from evaluation.ab.plan import Plan
from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from services.record_files import AppendedFile, BrokenLine, read_records
from services.run_folder import write_json, write_text

LOOKS, SUMMARY, PAGE = "looks.jsonl", "summary.json", "summary.md"


def read_looks(folder: Path) -> list[Look]:
    """The looks so far. Raises UsageError for a line that is none, unless it is the last one and was torn off."""
    path = folder / LOOKS
    if not path.exists():
        return []
    lines = list(read_records(path, checked=False))
    if lines and isinstance(lines[-1], BrokenLine):
        lines.pop()  # a crash tore it off: its look was never shown
    looks = []
    for number, line in enumerate(lines, start=1):
        try:
            if isinstance(line, BrokenLine):
                raise ValueError(line.problem)
            looks.append(Look.from_json(line))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{path}: line {number} is no look ({error}): restore it, for what it spent is not known"
            ) from None
    return looks


def keep_look(folder: Path, look: Look) -> None:
    """On disk before anything of it is shown."""
    with AppendedFile(folder / LOOKS) as file:
        file.write(look.to_json())
        file.sync()


def summary_of(
    plan: Plan, look: Look, reading: Reading, looks: Sequence[Look], outlook: Outlook | None
) -> dict[str, Json]:
    """The last look as JSON. `look` is the one whose verdict stands."""
    arms = {version.title: asdict(arm) for version, arm in zip((plan.base, plan.candidate), reading.arms, strict=True)}
    rails = {
        rail.name: {
            "base": rail.found.base.mean,
            "candidate": rail.found.other.mean,
            "difference": rail.found.difference,
            "ci95": rail.ci95,
        }
        for rail in reading.guardrails
    }
    found: dict[str, Json] = {
        "schema_version": 1,
        "kind": "ab",
        "verdict": look.verdict,
        "look": look.to_json(),
        "plan": plan.to_json(),
        "arms": arms,
        "split": {"p": reading.split_p, "p_of_scored": reading.scored_p},
        "waiting": reading.waiting,
        "guardrails": rails,
        "left_out": dict(reading.left_out),
        "ahead": None if outlook is None else asdict(outlook),
        "looks": len(looks),
    }
    return found


def write_files(folder: Path, document: Document, data: Json) -> None:
    write_json(folder / SUMMARY, data)
    write_text(folder / PAGE, to_markdown(document))


def as_text(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)
