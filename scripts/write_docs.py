"""Write the documents that come from the code, or say with --check which of them have drifted."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.command_parser import CommandParser
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.documents.writing import write_documents

        return write_documents(check=options.check)

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="write_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a document has drifted")
    return parser


if __name__ == "__main__":
    sys.exit(main())
