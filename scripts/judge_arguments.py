"""The arguments about who judges, and how. Kept free of heavy imports: --help must be immediate."""

import argparse

from evaluation.judging.forms import FORMS, OF_RUBRIC
from scripts.argument_values import positive, share


def add_judge(parser: argparse.ArgumentParser, otherwise: str) -> "argparse._ArgumentGroup":
    """Who judges, and how; `otherwise` says who does where nothing names a judge."""
    group = parser.add_argument_group("judge")
    _add_panel(group, otherwise)
    group.add_argument("--no-judge", dest="judge", action="store_false", help="heuristics or checks alone")
    group.add_argument(
        "--expectations",
        choices=("judge", "rules", "none"),
        default="judge",
        help="who answers what the scenarios expect: the judge and rules (default), rules alone, or nobody",
    )
    group.add_argument(
        "--conversations",
        choices=("judge", "none"),
        default="judge",
        help="whether the judge is asked about each conversation of several turns as a whole, one call each (default: "
        "it is, where the rubric has the question)",
    )
    group.add_argument(
        "--judge-format",
        choices=("auto", "schema", "json", "text"),
        default="auto",
        help="how the judge answers: JSON by schema, JSON, or the rubric's text line without scores per dimension "
        "(default: the best that the endpoint supports, found out before the run)",
    )
    group.add_argument(
        "--judge-form",
        choices=(OF_RUBRIC, *FORMS),
        help="what the judge is asked to write; rubric: as the rubric says (default: EVAL_JUDGE_FORM, else as the "
        "rubric says)",
    )
    group.add_argument(
        "--judge-samples",
        type=positive,
        default=1,
        metavar="N",
        help="ask the judge N times about each response, at some temperature, and take the median (form reasoned) or "
        "the mean",
    )
    group.add_argument(
        "--judge-prompt",
        metavar="REF",
        help="the judge's prompt: name@v3, name@label or a file; rubric: the rubric's own (default: EVAL_JUDGE_PROMPT, "
        "else the rubric's own)",
    )
    group.add_argument(
        "--judge-fallback",
        choices=("exclude", "include"),
        default="exclude",
        help="whether the rubric's value for an unreadable verdict enters the means (default: it does not)",
    )
    return group


def _add_panel(group: "argparse._ArgumentGroup", otherwise: str) -> None:
    group.add_argument(
        "--judge-model",
        dest="judge_models",
        action="append",
        default=[],
        metavar="NAME",
        help="the judge; given more than once, a panel whose mean counts; NAME@ENDPOINT asks at a further endpoint "
        f"(EVAL_ENDPOINT_...; default: EVAL_JUDGE_MODEL, {otherwise})",
    )
    group.add_argument(
        "--judge-escalate",
        metavar="NAME",
        help="judge whose verdict counts where the members of a panel lie too far apart (default: EVAL_JUDGE_ESCALATE, "
        "else people are to look)",
    )
    group.add_argument(
        "--judge-apart",
        type=share,
        metavar="SHARE",
        help="share of the scale beyond which they do (default: 0.3)",
    )


def add_moderation(group: "argparse._ArgumentGroup") -> None:
    """What else is asked about a response."""
    group.add_argument(
        "--no-canaries",
        dest="canaries",
        action="store_false",
        help="do not check the judge on exchanges whose quality is known",
    )
    group.add_argument(
        "--moderation",
        metavar="MODEL",
        help="also moderate each response at the endpoint's /moderations, e.g. by omni-moderation-latest "
        "(default: EVAL_MODERATION_MODEL, else none does)",
    )
    add_embedding_argument(group)


def add_embedding_argument(group: "argparse._ActionsContainer") -> None:
    """Of every command that scores what models say."""
    group.add_argument(
        "--embedding-model",
        metavar="MODEL",
        help="also measure meaning by vectors of this model, e.g. text-embedding-3-small, or model@name at a further "
        "endpoint (default: EVAL_EMBEDDING_MODEL, else none does)",
    )
