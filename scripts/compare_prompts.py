"""Say which of several prompt versions, models or settings is better, by how much, and how sure that is."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.errors import UsageError
from scripts.arguments import request_from
from scripts.compare.arguments import build_parser
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.compare.compare import compare_runs
        from scripts.compare.sides import ComparisonRequest
        from scripts.run.opening import show_outcome

        asked = ComparisonRequest(
            references=references(options),
            flags=(*["--base"] * (options.base is not None), *["--prompt"] * len(options.prompts)),
            by=tuple(options.by.split(",")) if options.by else (),
            values=tuple(options.values.split(",")) if options.values else (),
            run=request_from(options),
            reuse_days=None if options.fresh else options.reuse_days,
            margin=options.margin,
            effect=options.effect,
            force=options.force,
            gate=options.gate,
            rules=options.rules,
            head_to_head=options.head_to_head,
            bridge=options.bridge,
            typed=tuple(sys.argv[1:] if arguments is None else arguments),
        )
        return show_outcome(compare_runs(asked), options)

    return run_command(command)


def references(options: argparse.Namespace) -> tuple[str, ...]:
    """The base first, then the candidates. Raises UsageError when there is nothing to compare."""
    found = ([] if options.base is None else [options.base]) + options.prompts
    if not found and options.values:
        from services.settings import read_settings

        return (read_settings().prompt_reference,)
    if len(found) < (1 if options.values else 2):
        raise UsageError(
            "name two sides: --base v2 --prompt v3, two run ids, or the values of one prompt: --by model --values a,b"
        )
    return tuple(found)


if __name__ == "__main__":
    sys.exit(main())
