"""Evaluate prompt versions: generate over the scenarios, score by rule and by judge, decide, and leave the evidence."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.records import Turn
from evaluation.request import GATES
from scripts.arguments import add_output_arguments, add_run_arguments, request_from
from scripts.command_parser import CommandParser
from scripts.run.rules import shipped_rules
from scripts.shell import run_command

NO_GATE = "none"
"""Of --gate: none, even where the workspace names one."""


def main(arguments: list[str] | None = None) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.shard and options.gate not in (None, NO_GATE):
        parser.error("--gate does not go with --shard: the means of a share are not those of the whole")

    def command() -> int:
        from scripts.compare.one_pass import print_evaluated
        from scripts.run.opening import open_page_of
        from scripts.run.suites import check_plays_prompts
        from scripts.workflow import run_evaluation
        from services.settings import read_settings

        options.gate = None if options.gate == NO_GATE or options.shard else options.gate or read_settings().gate
        request = request_from(options)
        check_plays_prompts(request.suite)
        outcome = run_evaluation(request)
        shown = print_evaluated(outcome, request, as_json=options.json, verbose=options.verbose)
        if options.open:
            open_page_of(shown)
        return outcome.exit_code

    return run_command(command)


def build_parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="evaluate_prompts",
        description="Evaluates prompt versions over scenario sets and says whether they may be deployed.",
        epilog="exit codes: 0 done, 1 gate failed, 2 usage or configuration, 3 incomplete, 130 interrupted",
    )
    add_run_arguments(parser, gates=(*GATES, NO_GATE), several_models=True)
    add_output_arguments(parser, "print the summary as JSON")
    return parser


def _value(metric: str, user_input: str, response: str, context: Sequence[Turn]) -> float | None:
    from evaluation.metrics.utterance import Utterance

    return shipped_rules("companion").score(metric, Utterance(user_input, response, context)).value


def evaluate_appropriateness(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    """Fitness for voice and for the conversation, 0 to 1, by the shipped rubric; so are the six that follow.

    None where the exchange is in a language without a pack.
    """
    return _value("appropriateness", user_input, response, context)


def evaluate_conversational_quality(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("conversational_quality", user_input, response, context)


def evaluate_helpfulness(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("helpfulness", user_input, response, context)


def evaluate_emotional_intelligence(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("emotional_intelligence", user_input, response, context)


def evaluate_personalization_continuity(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("personalization_continuity", user_input, response, context)


def evaluate_trust_boundaries(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("trust_boundaries", user_input, response, context)


def evaluate_overall_quality(user_input: str, response: str, context: Sequence[Turn] = ()) -> float | None:
    return _value("overall_quality", user_input, response, context)


if __name__ == "__main__":
    sys.exit(main())
