"""The files of a test: its looks, one a line, and what the last one said."""

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
from services.record_files import AppendedFile, BrokenLine, numbered_records
from services.run_folder import write_json, write_text

LOOKS, SUMMARY, PAGE = "looks.jsonl", "summary.json", "summary.md"


def read_looks(folder: Path) -> list[Look]:
    """The looks so far. Raises UsageError where one is missing or cannot be read.

    A line that a crash tore off is passed over: its look was never shown, and its number was given again.
    """
    path = folder / LOOKS
    looks = list[Look]()
    for number, line in numbered_records(path, checked=False) if path.exists() else ():
        if isinstance(line, BrokenLine):
            continue
        try:
            look = Look.from_json(line)
            if look.number != len(looks) + 1:
                raise ValueError(f"its number is {look.number} and not {len(looks) + 1}")
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{path}: line {number} is not the next look ({error}): restore the file, for what was spent before is "
                "not known"
            ) from None
        looks.append(look)
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
