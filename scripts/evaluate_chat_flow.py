"""Evaluate a recipe assistant from end to end: play the cases over HTTP, check by code, judge, leave the evidence."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest
from evaluation.suites import DEFAULT_OF_APPLICATIONS
from scripts.arguments import add_application_arguments, request_from
from scripts.shell import run_command


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)

    def command() -> int:
        from scripts.run.output import print_outcome
        from scripts.workflow import run_evaluation

        if (options.gate is None) != (options.base is None):
            raise UsageError("--gate no_regression and --base RUN_ID go together: name both or neither")
        outcome = run_evaluation(_request(options))
        print_outcome(outcome, as_json=options.json and options.gate is None)
        if options.gate is None or outcome.exit_code != 0 or not outcome.runs:
            return outcome.exit_code
        return _compare_with(options, outcome.runs[0].run.run_id)

    return run_command(command)


def _request(options: argparse.Namespace) -> EvaluationRequest:
    """The evaluation itself has no gate: the run is held against its base when it is complete."""
    request = replace(request_from(options), gate=None)
    # On resume the suite comes from the run, like every other argument.
    return request if request.resume is not None else replace(request, suite=DEFAULT_OF_APPLICATIONS)


def _compare_with(options: argparse.Namespace, run_id: str) -> int:
    from scripts.compare.compare import compare_runs
    from scripts.compare.sides import ComparisonRequest
    from scripts.run.output import print_outcome

    asked = ComparisonRequest(
        references=(options.base, run_id),
        run=EvaluationRequest(
            suite=DEFAULT_OF_APPLICATIONS, judge_fallback=options.judge_fallback, quiet=options.quiet
        ),
        gate=options.gate,
    )
    outcome = compare_runs(asked)
    print_outcome(outcome, as_json=options.json)
    return outcome.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="evaluate_chat_flow",
        description="Evaluates a recipe assistant over HTTP: from the input over the options to the selection.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    add_application_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument("--quiet", action="store_true", help="no progress and no notes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
