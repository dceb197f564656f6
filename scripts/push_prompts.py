"""Publish the prompt folder to Langfuse: shows what would change first, and makes no version twice."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.commands import write_command
from scripts.command_parser import CommandParser
from scripts.shell import DONE, GATE_FAILED, note, printable, run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        import asyncio

        return asyncio.run(_push(options.names, yes=options.yes, move_labels=options.move_labels))

    return run_command(command)


async def _push(names: list[str], *, yes: bool, move_labels: bool) -> int:
    from evaluation.errors import UsageError
    from services.langfuse.prompts import push, push_plan
    from services.langfuse.rest import LangfuseRest
    from services.prompt_versions import DirectoryPrompts
    from services.retrying import TryAgain
    from services.settings import read_settings

    settings = read_settings()
    if settings.langfuse is None:
        raise UsageError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set: there is nowhere to publish to")
    folder = DirectoryPrompts(settings.prompts_dir)
    async with LangfuseRest(settings.langfuse) as rest:
        try:
            plans = [await push_plan(rest, folder, name, move_labels=move_labels) for name in names or folder.names()]
            for problem in (problem for plan in plans for problem in plan.problems):
                note(problem)
            for line in (line for plan in plans for line in plan.lines()):
                print(printable(line))
            if all(plan.empty for plan in plans):
                print("nothing to publish: Langfuse has the folder's versions")
                return DONE
            if not yes and not _confirm():
                again = ([*names, "--move-labels"] if move_labels else names) + ["--yes"]
                print(f"nothing was changed; publish with: {write_command('push-prompts', *again)}")
                return GATE_FAILED
            for plan in plans:
                await push(rest, plan)
        except TryAgain as failure:
            raise UsageError(f"{rest.where} {failure.message}: check LANGFUSE_BASE_URL and the server") from None
    print("published")
    return DONE


def _confirm() -> bool:
    """True when a person at the terminal agrees; nobody there is a no."""
    if not sys.stdin.isatty():
        return False
    print("publish this? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="push_prompts",
        description="Publishes the prompt folder to Langfuse: new versions and moved labels, shown before.",
        epilog="exit codes: 0 published or nothing to do, 1 not confirmed, 2 configuration or refused",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="prompts to publish (default: all of the folder)")
    parser.add_argument(
        "--move-labels", action="store_true", help="also move labels that stand on another version in Langfuse"
    )
    parser.add_argument("--yes", action="store_true", help="publish without asking")
    return parser


if __name__ == "__main__":
    sys.exit(main())
