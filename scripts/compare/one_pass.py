"""Prompts that were evaluated in one pass: what is printed of each, and how they compare. No call is made for that."""

from dataclasses import replace
from typing import Any, cast

from evaluation.errors import EvaluationError
from evaluation.reports.run import describe_verdicts
from evaluation.reports.terminal import to_terminal
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.text.page import WIDTH
from evaluation.text.safe_text import wrap
from scripts.run.finish import Outcome
from scripts.run.output import JointAnswer, print_outcome, use_color

MOST_LINES = 6
MOST_WHOLE = 2
"""Runs that are shown one whole after the other."""


def print_evaluated(
    outcome: Outcome, request: EvaluationRequest, *, as_json: bool, verbose: bool
) -> Outcome | JointAnswer:
    """Each run, and for people how they compare, where all of them came to their end.

    Two prompts are shown whole, with the first line of their comparison; of more runs, or of several models, each is a
    line and the comparison is shown. Returns what the page to look at is of: the comparison where there is one.
    """
    compared = len(outcome.runs) > 1 and not outcome.stop.reason and not as_json
    many = compared and (len(outcome.runs) > MOST_WHOLE or "model" in _varying(outcome))
    if verbose or not many:
        print_outcome(outcome, as_json=as_json, verbose=verbose)
    if not compared:
        return outcome
    if verbose or not many:
        print()
    answer = _compare(outcome, request)
    if isinstance(answer, str):
        _print_wrapped(f"not compared: {answer}")
    elif many:
        from scripts.compare.sides import name_side

        named = {name_side(each.run, _varying(outcome)): each for each in outcome.runs}
        print(to_terminal(describe_verdicts(named), color=use_color()))
        print_outcome(answer, as_json=False, verbose=verbose)
    else:
        _print_wrapped(cast("dict[str, Any]", answer.data)["headline"])
        print(f"  {answer.files[0]}")
    failed = [_title(each.run) for each in outcome.runs if each.gate is not None and not each.gate.passed]
    if failed:
        _print_wrapped(f"gate {request.gate}: FAILED for {' and '.join(failed)}")
    return outcome if isinstance(answer, str) else answer


def _compare(outcome: Outcome, request: EvaluationRequest) -> JointAnswer | str:
    """The comparison of the runs, or why there is none."""
    from scripts.compare.compare import compare_runs
    from scripts.compare.sides import ComparisonRequest

    run_ids = tuple(each.run.run_id for each in outcome.runs)
    asked = ComparisonRequest(run_ids, replace(request, gate=None, resume=None), by=_varying(outcome))
    try:
        answer = compare_runs(asked, evaluated=outcome)
    except EvaluationError as error:
        return str(error)
    assert isinstance(answer, JointAnswer), "nothing was left to be evaluated"
    return answer


def _print_wrapped(text: str) -> None:
    for line in wrap(text, WIDTH, MOST_LINES):
        print(line)


def _varying(outcome: Outcome) -> tuple[str, ...]:
    """The parts that are compared: the prompt and the model, as far as they differ."""
    specs = [each.run.spec for each in outcome.runs]
    prompts = len({spec.prompt and spec.prompt.sha256 for spec in specs})
    models = len({spec.model for spec in specs})
    return tuple(part for part, number in (("prompt", prompts), ("model", models)) if number > 1) or ("prompt",)


def _title(run: Run) -> str:
    return run.run_id if run.spec.prompt is None else run.spec.prompt.short_title
