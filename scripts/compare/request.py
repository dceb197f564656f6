"""A comparison as it was asked for, and the evaluation that its sides need."""

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluation.comparison.compare import MARGIN
from evaluation.comparison.gate import RegressionRules, parse_regression_rules
from evaluation.errors import UsageError
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from scripts.arguments import LIMITS, positive, temperature
from services.catalog import GATE_RULES, read_named

RUN_ID = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+")
"""Tells a reference to a stored run from a prompt."""
VARIABLE: Mapping[str, Callable[[str], Any]] = {"model": str, "temperature": temperature, "max_tokens": positive}
"""The parts that --values may vary, and what reads a value."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The arguments of a comparison."""

    references: tuple[str, ...]
    """Prompts or run ids; the first is the base."""
    run: EvaluationRequest
    """The evaluation of the sides that are prompts."""
    by: tuple[str, ...] = ()
    """Empty means what is usual: the prompt, or the application's address, defects and version."""
    values: tuple[str, ...] = ()
    """Of the one part in `by`: every prompt is evaluated with each."""
    reuse_days: float | None = None
    margin: float = MARGIN
    effect: float | None = None
    force: bool = False
    gate: str | None = None
    rules: str | None = None

    @property
    def of_stored_runs(self) -> bool:
        """True where every side is a run of the journal, so that nothing has to be evaluated."""
        return all(RUN_ID.fullmatch(reference) for reference in self.references)


def evaluation_request(asked: ComparisonRequest) -> EvaluationRequest:
    """The evaluation of the sides that are prompts; every one under each value of what varies. It has no gate."""
    prompts = tuple(reference for reference in asked.references if not RUN_ID.fullmatch(reference))
    request = replace(asked.run, prompts=prompts, reuse_days=asked.reuse_days, gate=None)
    request = replace(request, min_overall=None, max_failure_rate=None, max_fallback_rate=None)
    if not asked.values:
        return request
    part = asked.by[0]
    if len(asked.by) != 1 or part not in VARIABLE:
        raise UsageError(f"--values goes with --by {', --by '.join(VARIABLE)}, not {', '.join(asked.by)!r}")
    try:
        values = tuple(VARIABLE[part](value) for value in asked.values)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--values {','.join(asked.values)}: {error}") from None
    except ValueError:
        raise UsageError(f"--values {','.join(asked.values)}: {part} takes numbers") from None
    if len(set(values)) < 2:
        raise UsageError(f"--values {','.join(asked.values)}: name at least two that differ")
    return replace(request, vary=((part, values),))


def decision_request(run: Run, asked: ComparisonRequest) -> EvaluationRequest:
    """The terms on which the candidate itself is decided: by this command's gate, under its own limits."""
    limits = {name: getattr(asked.run, name) for name in LIMITS}
    own = run.request
    return replace(own, gate=asked.gate, strict=asked.run.strict, judge_fallback=asked.run.judge_fallback, **limits)


def regression_rules(asked: ComparisonRequest) -> RegressionRules:
    """The margins and limits of the no-regression gate; flags go before the file."""
    file = read_named("gate", asked.rules or "no_regression", GATE_RULES)
    rules = parse_regression_rules(file.text, file.place)
    return rules.model_copy(update={name: limit for name in LIMITS if (limit := getattr(asked.run, name)) is not None})
