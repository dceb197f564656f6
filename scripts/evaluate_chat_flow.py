"""Evaluate a recipe assistant from end to end: play the cases over HTTP, check by code, judge, leave the evidence."""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.errors import UsageError
from evaluation.request import OF_CHECKS, EvaluationRequest
from evaluation.suites import DEFAULT_OF_APPLICATIONS
from scripts.arguments import add_application_arguments, add_output_arguments, request_from
from scripts.command_parser import CommandParser
from scripts.shell import run_command

if TYPE_CHECKING:
    from scripts.compare.sides import ComparisonRequest

NO_REGRESSION = "no_regression"
"""The gate that holds a run against an earlier one."""


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.compare.compare import compare_runs
        from scripts.compare.sides import check_candidate
        from scripts.run.opening import show_outcome
        from scripts.run.output import print_outcome
        from scripts.workflow import run_evaluation

        if (options.gate == NO_REGRESSION) != (options.base is not None):
            raise UsageError("--gate no_regression and --base RUN_ID go together: name both or neither")
        if options.base is None:
            return show_outcome(run_evaluation(_request(options)), options)
        asked = _comparison(options)
        outcome = run_evaluation(_request(options), before_paying=partial(check_candidate, asked))
        print_outcome(outcome, as_json=False, verbose=options.verbose)
        if outcome.exit_code != 0 or not outcome.runs:
            return outcome.exit_code
        joint = compare_runs(replace(asked, references=(*asked.references, outcome.runs[0].run.run_id)))
        return show_outcome(joint, options)

    return run_command(command)


def _request(options: argparse.Namespace) -> EvaluationRequest:
    """The evaluation itself has no gate but that on checks: it is held against its base when it is complete."""
    request = request_from(options)
    request = request if request.gate == OF_CHECKS else replace(request, gate=None)
    # On resume the suite comes from the run, like every other argument.
    return request if request.resume is not None else replace(request, suite=DEFAULT_OF_APPLICATIONS)


def _comparison(options: argparse.Namespace) -> "ComparisonRequest":
    """With the base alone, which is looked for before anything is played."""
    from scripts.compare.sides import OF_APPLICATIONS, ComparisonRequest, stored_id
    from services.settings import read_settings

    return ComparisonRequest(
        references=(stored_id(options.base, "--base", read_settings()),),
        run=EvaluationRequest(
            suite=DEFAULT_OF_APPLICATIONS, judge_fallback=options.judge_fallback, quiet=options.quiet
        ),
        by=OF_APPLICATIONS,
        gate=options.gate,
    )


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="evaluate_chat_flow",
        description="Evaluates a recipe assistant over HTTP: from the input over the options to the selection.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    add_application_arguments(parser)
    add_output_arguments(parser, "print the summary as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
