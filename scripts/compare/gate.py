"""The gate of a comparison: its answer, the exit code, and the answer where runs may not be compared at all."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from evaluation.comparison.compare import Comparison
from evaluation.comparison.gate import RegressionResult, RegressionRules, no_regression, refused
from evaluation.comparison.ranking import Ranking
from evaluation.decision.gate import GateResult, decision_document
from evaluation.errors import UsageError
from evaluation.outcome import RunOutcome
from evaluation.run import Run
from scripts.compare.request import ComparisonRequest
from scripts.run.stored import conclude_run
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE
from services.journal import Journal
from services.run_folder import run_folder, write_json
from services.settings import Settings

Gate: TypeAlias = RegressionResult | GateResult


def hold_gate(
    result: Comparison | Ranking, candidate: RunOutcome, asked: ComparisonRequest, rules: RegressionRules
) -> Gate | None:
    """The gate's answer on the last side named; None without a gate.

    The gates of one run hold in a comparison too, and it can only close them: see `_closing`.
    """
    if asked.gate is None:
        return None
    if asked.gate == "no_regression":
        if isinstance(result, Ranking):
            raise UsageError("--gate no_regression holds one candidate against one base: name two sides")
        faults = () if candidate.canaries is None else tuple(candidate.canaries.faults())
        return _close(no_regression(result, candidate.run.suite, rules), faults)
    assert candidate.gate is not None
    return _close(candidate.gate, tuple(_closing(result)))


def _closing(result: Comparison | Ranking) -> Iterator[str]:
    """Why no gate of one run opens: the comparison was forced, comes to no verdict, or shows the candidate worse."""
    if result.forced:
        yield "the runs differ in more than what is compared (--force)"
    if isinstance(result, Comparison) and result.verdict is None:
        yield "the comparison comes to no verdict"
        yield from result.reasons
    if isinstance(result, Comparison) and result.verdict == "worse":
        yield f"{result.candidate.name} is worse than {result.base.name}"


def _close(gate: Gate, faults: tuple[str, ...]) -> Gate:
    """The gate, shut where there is a fault."""
    if not faults:
        return gate
    return replace(gate, passed=False, reasons=faults if gate.passed else (*gate.reasons, *faults))


def exit_code(gate: Gate | None, result: Comparison | Ranking, rules: RegressionRules, *, incomplete: bool) -> int:
    """The first that applies: gate short of data, incomplete, gate failed, done."""
    failed = gate is not None and not gate.passed
    primary = result.primary if isinstance(result, Comparison) else None
    if failed and primary is not None and (primary.coverage or 0.0) < rules.min_coverage:
        return GATE_FAILED
    if incomplete:
        return INCOMPLETE
    return GATE_FAILED if failed else DONE


def write_refusal(
    error: UsageError, candidate: Run, asked: ComparisonRequest, journal: Journal, settings: Settings
) -> None:
    """Answers the gate also where the runs may not be compared: an older "passed" must not stay behind."""
    folder = run_folder(settings.runs_dir, candidate.run_id)
    if asked.gate is None or not folder.is_dir():
        return
    concluded = conclude_run(candidate, journal, settings, candidate.request)
    decision = decision_document(concluded.decision, concluded.summary)
    write_json(folder / "decision.json", {**decision, "gate": {**refused(str(error)).to_json(), "gate": asked.gate}})
