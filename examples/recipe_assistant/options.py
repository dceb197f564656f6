"""The options of the assistant's command line."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from examples.recipe_assistant.defects import NAMES, Defects, read_defects


@dataclass(frozen=True, slots=True)
class Options:
    port: int = 0
    defects: Defects = field(default_factory=Defects)
    exit_with_stdin: bool = False


def parse_options(arguments: Sequence[str]) -> Options:
    """Reads the command line; a wrong one exits with 2 and one line, --list-defects prints them and exits with 0."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.recipe_assistant", description="A sample recipe assistant.", allow_abbrev=False
    )
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument(
        "--defect", action="append", default=[], metavar="NAME[=VALUE]", help="switch a defect on; may be repeated"
    )
    parser.add_argument("--list-defects", action="store_true", help="print the defects and exit")
    parser.add_argument(
        "--exit-with-stdin", action="store_true", help="end when stdin closes, whatever stdin is; a pipe always does so"
    )
    given = parser.parse_args(arguments)
    if given.list_defects:
        sys.stdout.write("".join(f"{name:<20} {text}\n" for name, text in NAMES.items()))
        parser.exit()
    if not 0 <= given.port <= 65_535:
        parser.error(f"--port is {given.port}; a port lies in 0..65535")
    try:
        return Options(given.port, read_defects(given.defect), given.exit_with_stdin)
    except ValueError as problem:
        parser.error(str(problem))
