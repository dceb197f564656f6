"""The arguments of `review`, action by action."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

from evaluation.suites import DEFAULT_SUITE
from scripts.argument_values import positive, share
from scripts.command_parser import CommandParser

DESCRIPTION = "Human review: score responses in the terminal, or offline in a spreadsheet; use what people said."
EXIT_CODES = (
    "exit codes: 0 done, 2 wrong usage, 3 some lines could not be read (the rest was taken), 130 interrupted; whatever "
    "was answered is saved"
)
if TYPE_CHECKING:
    Actions: TypeAlias = argparse._SubParsersAction[CommandParser]


def build_parser() -> CommandParser:
    """The parser of the command; `action` of what it reads is the action that `scripts.shell.run_action` runs."""
    parser = CommandParser(prog="review", description=DESCRIPTION, epilog=EXIT_CODES)
    actions = parser.add_subparsers(
        required=True, metavar="walk | next | sheet | take | examples | ratings | queue | fetch | send"
    )
    _add_scoring(actions)
    _add_sheets(actions)
    _add_files(actions)
    _add_langfuse(actions)
    for action in actions.choices.values():
        action.add_argument(
            "--reviews", metavar="DIR", help="where reviews are kept (default: reviews/ in the runs folder)"
        )
    return parser


def _add_scoring(actions: "Actions") -> None:
    """In the terminal, and what is drawn for it."""
    walk = actions.add_parser("walk", help="score responses one by one in the terminal", epilog=EXIT_CODES)
    _source(walk)
    _reviewer(walk)
    walk.add_argument("--team", metavar="A,B,...", default="", help="all reviewers: what is not shared is dealt out")
    walk.add_argument("--overlap", type=share, default=0.2, metavar="S", help="share that all review (default 0.2)")
    walk.add_argument(
        "--seed", type=int, default=0, help="of order and dealing; the same for the whole team (default 0)"
    )
    walk.add_argument("--limit", type=positive, metavar="N", help="at most N of what is assigned")
    walk.add_argument("--show-judge", action="store_true", help="show what judge and rules gave; recorded as not blind")
    _pairs(walk)
    walk.set_defaults(action="reviewing.session:walk")
    _next(walk)
    draw = actions.add_parser("next", help="draw responses to be labelled, with known probabilities, and name them")
    draw.add_argument("run", metavar="RUN_ID|last", help="which run")
    draw.add_argument("--count", type=positive, metavar="N", help="draw about N more (default: 40 if none are drawn)")
    draw.add_argument("--seed", type=int, default=0, help="of the draw (default 0); another one makes a new draw")
    draw.set_defaults(action="reviewing.label_next:name_next")


def _add_sheets(actions: "Actions") -> None:
    """Offline, in a spreadsheet."""
    sheet = actions.add_parser("sheet", help="write the responses to a spreadsheet, to be filled in offline")
    _source(sheet)
    form = sheet.add_mutually_exclusive_group(required=True)
    form.add_argument("--csv", metavar="FILE", help="one row per response, with empty columns for the answers")
    form.add_argument("--jsonl", metavar="FILE", help="the same as JSON lines")
    _next(sheet)
    _pairs(sheet)
    sheet.add_argument(
        "--seed", type=int, default=0, help="of the draw of --next, and with --pairs of what comes first (default 0)"
    )
    sheet.set_defaults(action="reviewing.sheets:write_sheet")
    take = actions.add_parser("take", help="take a filled-in sheet back, or what a page exported", epilog=EXIT_CODES)
    take.add_argument(
        "sheet",
        metavar="FILE",
        help="what `sheet` wrote, filled in (.csv or .jsonl), or what report.html or comparison.html exported, which "
        "names its runs itself",
    )
    _source(take)
    _reviewer(take)
    _pairs(take)
    take.add_argument("--seed", type=int, default=0, help="with --pairs: that of the sheet (default 0)")
    take.set_defaults(action="reviewing.judgements:take_file")


def _add_files(actions: "Actions") -> None:
    """What reviews become."""
    examples = actions.add_parser("examples", help="write the exemplary reviews as examples for a judge (YAML)")
    examples.add_argument("--output", required=True, metavar="FILE", help="where they go")
    examples.set_defaults(action="reviewing.report:write_examples")
    ratings = actions.add_parser("ratings", help="write the reviews as ratings to calibrate with (JSON lines)")
    ratings.add_argument("--output", required=True, metavar="FILE", help="where they go")
    ratings.add_argument(
        "--suite", metavar="NAME|DIR", help=f"of which suite (default: EVAL_SUITE, else {DEFAULT_SUITE})"
    )
    ratings.set_defaults(action="reviewing.report:write_ratings")


def _add_langfuse(actions: "Actions") -> None:
    """In an annotation queue, and as scores there."""
    queue = actions.add_parser("queue", help="put the responses of a run into an annotation queue in Langfuse")
    queue.add_argument("run", metavar="RUN_ID|last", help="which run")
    queue.add_argument("--name", required=True, metavar="NAME", help="of the queue; made when missing")
    queue.add_argument("--limit", type=positive, metavar="N", help="at most N responses, drawn at random")
    queue.add_argument("--seed", type=int, default=0, help="of the draw (default 0)")
    _next(queue)
    _to_review(queue)
    queue.set_defaults(action="reviewing.langfuse:fill_queue")
    fetch = actions.add_parser("fetch", help="fetch what people scored in an annotation queue", epilog=EXIT_CODES)
    fetch.add_argument("run", metavar="RUN_ID|last", help="which run the queue holds")
    fetch.add_argument("--name", required=True, metavar="NAME", help="of the queue")
    fetch.set_defaults(action="reviewing.langfuse:fetch_queue")
    send = actions.add_parser("send", help="send the reviews as scores to the traces in Langfuse")
    send.set_defaults(action="reviewing.langfuse:send_reviews")


def _next(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--next", type=positive, nargs="?", const=0, metavar="N",
        help="only what is drawn for labels that count in corrected means; with N, draw about N more first",
    )  # fmt: skip


def _source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN_ID|last", help="a stored run")
    parser.add_argument("--file", metavar="FILE", help="evaluation records from elsewhere, as JSON lines")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="another rubric than the run's or the suite's")
    _to_review(parser)


def _to_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to-review",
        action="store_true",
        help="only what is marked for people: a check cannot tell, or the members of a panel lie too far apart",
    )


def _pairs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pairs",
        nargs=2,
        metavar=("BASE", "PROMPT"),
        help="two versions (v2 v3) or runs side by side, blind and shuffled: which answer is better",
    )


def _reviewer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reviewer", required=True, metavar="NAME", help="who reviews")
