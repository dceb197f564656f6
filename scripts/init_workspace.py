"""Write a workspace of one's own that runs at once: prompt, rubric, scenarios, canaries, settings and a CI workflow."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_command

TEMPLATES = ("companion", "recipes", "support", "text")
"""Folders of scripts/starting/templates."""


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.starting.init import init_workspace

        return init_workspace(options)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="init_workspace",
        description="Writes a workspace that runs at once. Asks nothing, and never writes over a file that exists.",
        epilog="exit codes: 0 written, 2 the folder is a workspace already, or cannot be written",
    )
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER", help="where to (default: here)")
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        default=TEMPLATES[0],
        help="what is evaluated: a companion to talk to, a support bot, texts, or recipes (default: companion)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
