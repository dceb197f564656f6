"""Say how temperature and other parameters move the quality of a model's texts, and which setting is best."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.request import EvaluationRequest
from evaluation.suites import DEFAULT_OF_SWEEPS
from scripts.arguments import add_output_arguments, add_sweep_arguments, request_from
from scripts.command_parser import CommandParser
from scripts.shell import need, run_command

FIXED = ("model", "temperature", "max_tokens")
"""Parameters with a flag of their own."""


def main(arguments: list[str] | None = None) -> int:
    options = build_parser().parse_args(arguments)

    def command() -> int:
        from scripts.run.opening import show_outcome
        from scripts.sweep.sweep import run_sweep

        need("scipy")
        return show_outcome(run_sweep(_request(options)), options)

    return run_command(command)


def _request(options: argparse.Namespace) -> EvaluationRequest:
    """One run for each setting. On resume all of it comes from the runs, like every other argument."""
    from scripts.sweep.sweep import parse_grid

    typed = options.vary
    del options.vary
    request = request_from(options)
    if request.resume is not None:
        usual = EvaluationRequest().suite
        return replace(request, suite=usual, sweep=True, vary=tuple((text, ()) for text in typed))
    fixed = [name for name in FIXED if getattr(request, name) is not None]
    grid = parse_grid(typed, request.prompts, fixed, large=options.large)
    return replace(request, judge=False, sweep=True, vary=grid)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="sweep_parameters",
        description="Runs tasks under every setting of a grid and says how the settings move the suite's metrics.",
        epilog="exit codes: 0 done, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    add_sweep_arguments(parser, DEFAULT_OF_SWEEPS)
    add_output_arguments(parser, "print the result as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
