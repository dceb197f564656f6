"""Prompts that were evaluated in one pass: what is printed of each, and how they compare. No call is made for that."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from evaluation.errors import EvaluationError
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.text.page import WIDTH
from evaluation.text.safe_text import wrap
from scripts.run.finish import Outcome
from scripts.run.output import print_outcome

MOST_LINES = 6


def print_evaluated(outcome: Outcome, request: EvaluationRequest, *, as_json: bool, verbose: bool) -> None:
    """Each run, and for people what the last prompt is against the first, where all of them came to their end."""
    print_outcome(outcome, as_json=as_json, verbose=verbose)
    if not as_json and len(outcome.runs) > 1 and not outcome.stop.reason:
        print()
        for line in _comparison(outcome, request):
            print(line)


def _comparison(outcome: Outcome, request: EvaluationRequest) -> Iterator[str]:
    """The first line of the comparison and where its page lies, or why there is none."""
    from scripts.compare.compare import compare_runs
    from scripts.compare.sides import ComparisonRequest

    run_ids = tuple(each.run.run_id for each in outcome.runs)
    asked = ComparisonRequest(run_ids, replace(request, gate=None, resume=None), by=("prompt",))
    try:
        answer = compare_runs(asked, evaluated=outcome)
    except EvaluationError as error:
        yield from wrap(f"not compared: {error}", WIDTH, MOST_LINES)
        return
    assert not isinstance(answer, Outcome), "nothing was left to be evaluated"
    yield from wrap(cast("dict[str, Any]", answer.data)["headline"], WIDTH, MOST_LINES)
    yield f"  {answer.files[0]}"
    failed = [_title(each.run) for each in outcome.runs if each.gate is not None and not each.gate.passed]
    if failed:
        yield from wrap(f"gate {request.gate}: FAILED for {' and '.join(failed)}", WIDTH, MOST_LINES)


def _title(run: Run) -> str:
    return run.run_id if run.spec.prompt is None else run.spec.prompt.short_title
