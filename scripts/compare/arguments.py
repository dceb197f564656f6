"""The arguments of a comparison: what is compared, and the run that evaluates what is missing."""

from scripts.argument_values import amount, share
from scripts.arguments import add_output_arguments, add_run_arguments
from scripts.command_parser import CommandParser

REUSE_DAYS = 7.0


def build_parser() -> CommandParser:
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
