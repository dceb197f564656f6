"""Human review: score responses in the terminal, or offline in a spreadsheet; use what people said."""

import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.reviewing.arguments import build_parser
from scripts.shell import run_action

PAIRED = {
    "reviewing.session:walk": "reviewing.pairs:walk_pairs",
    "reviewing.sheets:write_sheet": "reviewing.sheets:write_pair_sheet",
}
"""What an action is where two versions are shown side by side."""


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["--pairs"]:
        given = ["walk", *given]
    parser = build_parser()
    options = parser.parse_args(given)
    if getattr(options, "pairs", None) and (
        options.run or options.file or options.rubric or getattr(options, "next", None) is not None
    ):
        parser.error("--pairs names both sides itself: leave out RUN_ID, --file, --rubric and --next")
    options.action = PAIRED.get(options.action, options.action) if getattr(options, "pairs", None) else options.action
    return run_action(options)


if __name__ == "__main__":
    sys.exit(main())
