"""The sequence of a look: the plan, what production says today, what that means after all looks before it, kept."""

import argparse
import asyncio
from datetime import UTC, datetime

from evaluation.ab.judge import ended, judge_look
from evaluation.ab.look import Look, Reading, last_tested
from evaluation.ab.outlook import look_ahead
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.reports.ab import describe_look
from evaluation.reports.terminal import to_terminal
from scripts.ab.asked import TESTS, Asked, asked_test, folder_of, keep_plan
from scripts.ab.files import as_text, keep_look, read_looks, summary_of, write_files
from scripts.ab.reading import read_production
from scripts.run.output import use_color
from scripts.shell import DONE, note_now_and_then, sigterm_interrupts
from services.journal import hold_run
from services.langfuse.delivery import LangfuseAway
from services.langfuse.observations import ObservationReader
from services.langfuse.rest import READING, LangfuseRest, Rejected
from services.langfuse_access import LangfuseAccess
from services.retrying import TryAgain
from services.settings import Settings


def look_at_test(options: argparse.Namespace, settings: Settings) -> int:
    """Prints what the look says; the files of the test lie in the folder of runs."""
    access = settings.langfuse
    if access is None:
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: there is no production to read")
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
    async with LangfuseRest(access, backoff=READING) as rest:
        reader = ObservationReader(rest, options.requests_per_minute)
        say = note_now_and_then(options.quiet)
        try:
            return await read_production(asked.plan, until, before, reader, settings.tracing_environment, say)
        except TryAgain as failure:
            raise LangfuseAway(f"{rest.where} {failure.message}: look again with {again}") from None
        except Rejected as rejected:
            raise UsageError(f"{rest.where} refuses ({rejected}): check its version") from None


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
    print(as_text(data) if options.json else to_terminal(document, color=use_color()), end="\n" if options.json else "")


def now() -> str:
    """ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
