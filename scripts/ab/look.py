"""A look: the plan, what production says today, what that means after all looks before it; kept, and left as files."""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from evaluation.ab.judge import ended, judge_look
from evaluation.ab.look import Look, Reading, last_tested
from evaluation.ab.outlook import Outlook, look_ahead
from evaluation.ab.plan import Plan
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.moments import iso
from evaluation.records import Json
from evaluation.reports.ab import describe_look
from evaluation.reports.document import Document
from evaluation.reports.markdown import to_markdown
from scripts.ab.asked import TESTS, Asked, asked_test, folder_of, keep_plan
from scripts.ab.reading import read_production
from scripts.run.output import print_report
from scripts.shell import DONE, notes_now_and_then, sigterm_interrupts
from services.journal import hold_run
from services.langfuse.asking import ask_langfuse, need_keys
from services.langfuse.observations import ObservationReader
from services.langfuse_access import LangfuseAccess
from services.record_files import AppendedFile, BrokenLine, numbered_records
from services.run_folder import write_json, write_text
from services.settings import Settings

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


def look_at_test(options: argparse.Namespace, settings: Settings) -> int:
    """Prints what the look says; the files of the test lie in the folder of runs."""
    access = need_keys(settings.langfuse, "there is no production to read")
    asked = asyncio.run(asked_test(options, settings, now()))
    with hold_run(settings.runs_dir / TESTS, asked.plan.name), sigterm_interrupts():
        looks = read_looks(folder_of(asked.plan.name, settings))
        reading = asyncio.run(_read(asked, last_tested(looks), options, settings, access))
        if asked.is_new:
            keep_plan(asked.plan, settings)
        _tell(asked, reading, looks, options, settings)
    return DONE


async def _read(
    asked: Asked, before: Look | None, options: argparse.Namespace, settings: Settings, access: LangfuseAccess
) -> Reading:
    """Raises LangfuseAway when Langfuse does not answer: nothing is kept of such a look."""
    until = asked.plan.reads_until(now())
    again = "the same command" if asked.is_new else write_command("ab", "--name", asked.plan.name)
    async with ask_langfuse(access, check="its version", otherwise=f": look again with {again}") as rest:
        reader = ObservationReader(rest, options.requests_per_minute)
        say = notes_now_and_then(quiet=options.quiet)
        return await read_production(asked.plan, until, before, reader, settings.tracing_environment, say)


def _tell(asked: Asked, reading: Reading, looks: list[Look], options: argparse.Namespace, settings: Settings) -> None:
    folder = folder_of(asked.plan.name, settings)
    over = ended(looks)
    if over is None and (fresh := judge_look(asked.plan, reading, looks, now())) is not None:
        keep_look(folder, fresh)
        looks.append(fresh)
    look: Look = over or looks[-1]
    ahead = look_ahead(asked.plan, reading, look, looks[:-1])
    document = describe_look(asked.plan, look, reading, looks, ahead, notes=asked.notes, folder=str(folder))
    data = summary_of(asked.plan, look, reading, looks, ahead)
    write_files(folder, document, data)
    print_report(document, data, as_json=options.json)


def now() -> str:
    """ISO 8601, UTC."""
    return iso(datetime.now(UTC))
