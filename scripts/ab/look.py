"""The sequence of a look: the plan, what production says today, what that means after all looks before it, kept."""

import argparse
import asyncio
from datetime import UTC, datetime

from evaluation.ab.judge import ended, judge_look
from evaluation.ab.look import Look, Reading, last_tested
from evaluation.ab.outlook import look_ahead
from evaluation.commands import write_command
from evaluation.moments import iso
from evaluation.reports.ab import describe_look
from scripts.ab.asked import TESTS, Asked, asked_test, folder_of, keep_plan
from scripts.ab.files import keep_look, read_looks, summary_of, write_files
from scripts.ab.reading import read_production
from scripts.run.output import print_report
from scripts.shell import DONE, notes_now_and_then, sigterm_interrupts
from services.journal import hold_run
from services.langfuse.asking import ask_langfuse, need_keys
from services.langfuse.observations import ObservationReader
from services.langfuse_access import LangfuseAccess
from services.settings import Settings


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
