"""`assert_prompt` for tests: a prompt version is evaluated and must pass a gate. Loaded by pytest by itself."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from prompt_evaluation.evaluating import GATE_FAILED, EvaluatedRun, evaluate

MOST_ITEMS = 10
"""Critical expectations that a failure names."""


class PromptNotGood(AssertionError):
    """The gate did not open; the text says why and where the report lies."""


def assert_prompt(prompt: str = "", *flags: str, gate: str = "deploy", **options: Any) -> EvaluatedRun:
    """Evaluates a prompt version, as `prompt_evaluation.evaluate` does, and returns the run where the gate opens.

    Raises PromptNotGood, an AssertionError, where the gate stays shut or the run is incomplete, and PromptEvalError
    where no run came of it.
    """
    __tracebackhide__ = True
    run = evaluate(prompt, *flags, gate=gate, **options)
    if run.exit_code:
        raise PromptNotGood("\n".join(_why(run, gate)))
    return run


def _why(run: EvaluatedRun, gate: str) -> list[str]:
    decision = run.decision
    shut = f"gate {gate} stays shut" if run.exit_code == GATE_FAILED else "the run is incomplete"
    lines = [f"{shut}: {decision.get('headline') or decision.get('verdict')}"]
    lines += [f"  {reason}" for reason in decision.get("reasons") or ()]
    items = (decision.get("critical") or {}).get("items") or []
    lines += [f"  critical: {_item_text(item)}" for item in items[:MOST_ITEMS]]
    if len(items) > MOST_ITEMS:
        lines.append(f"  ... and {len(items) - MOST_ITEMS} more critical expectations")
    return [*lines, f"  report: {run.report}"]


def _item_text(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    known = [
        str(item[key]) for key in ("id", "item", "scenario_id", "outcome", "question", "evidence") if item.get(key)
    ]
    return ", ".join(known) or json.dumps(item, ensure_ascii=False)


@pytest.fixture(name="assert_prompt")
def _assert_prompt() -> Callable[..., EvaluatedRun]:
    """`assert_prompt`, for a test that takes it as an argument."""
    return assert_prompt
