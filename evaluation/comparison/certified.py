"""What a certificate says of a comparison: the difference, and each metric that the gate held."""

from evaluation.comparison.compare import Comparison
from evaluation.comparison.gate import RegressionResult
from evaluation.records import Json

OF_CHECK = ("metric", "source", "difference", "low", "margin", "passed")
"""Fields of a metric that was held against its margin."""


def comparison_figures(comparison: Comparison, gate: RegressionResult) -> dict[str, Json]:
    """Verdict, overall difference with its interval, the bounds of the gate, and whether it passed."""
    primary = comparison.primary
    return {
        "source": comparison.source,
        "overall": comparison.overall,
        "verdict": comparison.verdict or "none",
        "difference": None if primary is None else primary.estimate.figures(),
        "checks": [{name: getattr(each, name) for name in OF_CHECK} for each in gate.checks],
        "gate": {"gate": gate.gate, "passed": gate.passed},
    }
