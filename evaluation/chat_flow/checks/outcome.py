"""A check: the flow that it looks at, and its finding."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.chat_flow.case import Constraints, FlowCase
from evaluation.chat_flow.flow_run import FlowRun, Recipe
from evaluation.food.lexicon import Lexicon
from evaluation.metrics.explained import excerpt

Ending: TypeAlias = Literal["passed", "failed", "not_known", "not_applicable"]
MOST_QUOTED = 5
"""Findings that an evidence sentence lists; the rest is counted."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The ending of a check, and the sentence that says what was found."""

    ending: Ending
    evidence: str


@dataclass(frozen=True, slots=True)
class CheckSubject:
    """A flow ready to be checked."""

    run: FlowRun
    case: FlowCase
    asked: Constraints
    """The constraints that the application could know from the messages of this flow."""
    options: tuple[Recipe, ...]
    lexicon: Lexicon


@dataclass(frozen=True, slots=True)
class Check:
    """One deterministic check."""

    name: str
    title: str
    meaning: str
    """When it passes, in a sentence."""
    applies: str
    """Its precondition; else it is not applicable."""
    run: Callable[[CheckSubject], CheckResult]


def subject(run: FlowRun, case: FlowCase, lexicon: Lexicon) -> CheckSubject:
    return CheckSubject(run, case, case.constraints_after(run.messages), run.recipes(), lexicon)


def pass_with(evidence: str) -> CheckResult:
    return CheckResult("passed", evidence)


def fail_with(evidence: str) -> CheckResult:
    return CheckResult("failed", evidence)


def not_known(evidence: str) -> CheckResult:
    """The finding of a check that cannot tell: it never counts as passed."""
    return CheckResult("not_known", evidence)


def not_applicable(reason: str) -> CheckResult:
    return CheckResult("not_applicable", reason)


def option(number: int, recipe: Recipe) -> str:
    """An option as evidence names it: option 2 "Fried rice"."""
    return f'option {number} "{excerpt(recipe.title)}"' if recipe.title else f"option {number}"


def list_findings(findings: Iterable[str]) -> str:
    """Findings one after another, the first few of them."""
    found = list(findings)
    more = len(found) - MOST_QUOTED
    return "; ".join(found[:MOST_QUOTED]) + (f"; and {more} more" if more > 0 else "")


def amount(value: float) -> str:
    """A number without needless decimals."""
    return f"{value:.6g}"


def no_options(subject: CheckSubject) -> CheckResult:
    """The finding of a check of the options where there are none; another check reports that."""
    return not_applicable("there are no options" if subject.run.fault is None else "the flow broke off before options")
