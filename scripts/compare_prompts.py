"""Say which of several prompt versions, models or settings is better, by how much, and how sure that is."""

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.errors import UsageError
from scripts.arguments import add_output_arguments, add_run_arguments, amount, request_from, share
from scripts.command_parser import CommandParser
from scripts.shell import run_command

REUSE_DAYS = 7.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)

    def command() -> int:
        from scripts.compare.compare import compare_runs
        from scripts.compare.sides import ComparisonRequest
        from scripts.run.output import print_outcome

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
        outcome = compare_runs(asked)
        print_outcome(outcome, as_json=options.json, verbose=options.verbose)
        return outcome.exit_code

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


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="compare_prompts",
        description="Compares prompt versions (or stored runs, models, settings); evaluates what is missing.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or not comparable, 3 incomplete, 130 interrupted",
    )
    sides = parser.add_argument_group("what is compared")
    sides.add_argument("--base", metavar="REF|RUN_ID|last", help="what the others are held against")
    sides.add_argument(
        "--by",
        metavar="PART",
        help="prompt (default; of an application its address, version and defects), model, temperature, rubric, ...",
    )
    sides.add_argument(
        "--values", metavar="A,B", help="with --by model, temperature or max_tokens: evaluate each value"
    )
    sides.add_argument("--fresh", action="store_true", help="evaluate again, even where a run of equal digests exists")
    sides.add_argument(
        "--reuse-days", type=amount, default=REUSE_DAYS, metavar="D", help="reuse runs up to so old (default 7)"
    )
    sides.add_argument("--force", action="store_true", help="compare runs that differ in more; the report is marked")
    sides.add_argument("--margin", type=share, default=0.02, metavar="SHARE", help="differences that do not matter")
    sides.add_argument("--effect", type=share, metavar="SHARE", help="the difference that one wants to be able to see")
    sides.add_argument(
        "--head-to-head",
        action="store_true",
        help="also ask the judge, pair by pair and in both orders, which answer is better: it confirms or contradicts "
        "the verdict",
    )
    sides.add_argument(
        "--bridge",
        action="store_true",
        help="where another judge, or another form of its question, scored the base: have the candidate's judge score "
        "a random sample of the base's responses (60 exchanges in 20 situations), and carry the base over by it",
    )
    add_run_arguments(parser, gates=("no_regression", "deploy", "ab_test"))
    sides.add_argument("--rules", metavar="FILE", help="of --gate no_regression: margins per metric and limits")
    add_output_arguments(parser, "print the comparison as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
