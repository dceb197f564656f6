"""The gate: whether a pipeline may go on. It never passes on missing data, and it says why it does not."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from evaluation.decision.case import Choice
from evaluation.decision.decide import FEW_CLUSTERS, Decision
from evaluation.records import Json, Source
from evaluation.summary.summarise import ROUNDING, SCHEMA_VERSION, MetricSummary, Summary
from evaluation.text import numbers

GateName: TypeAlias = Literal["deploy", "ab_test"]

RANK: dict[Choice, int] = {"needs_revision": 0, "ab_test": 1, "deploy": 2}


@dataclass(frozen=True, slots=True)
class GateResult:
    """Passed or not; at least one reason either way."""

    gate: GateName
    passed: bool
    reasons: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def gate(
    decision: Decision,
    summary: Summary,
    floor_coverage: float = 0.98,
    gate: GateName = "deploy",
    *,
    borderline: bool = False,
    least_clusters: int = FEW_CLUSTERS,
) -> GateResult:
    """Holds a decision against a gate.

    It passes when the verdict reaches the gate, still reaches it with all means at their lower ends (unless
    `borderline` verdicts may pass), at least `floor_coverage` (0..1) of the applicable planned exchanges have a value
    for every mean that the rule looked at, and the overall rests on at least `least_clusters` situations.
    """
    faults = [
        *_verdict_faults(decision, gate, borderline),
        *_coverage_faults(decision, summary, floor_coverage),
        *_size_faults(summary, decision, least_clusters),
    ]
    if faults:
        return GateResult(gate, False, tuple(faults))
    return GateResult(gate, True, (f"the verdict is {decision.verdict} and the gate asks for {gate}",))


def coverage_below_floor(decision: Decision, summary: Summary, floor_coverage: float = 0.98) -> bool:
    """True when missing data alone keep a gate shut."""
    return bool(_coverage_faults(decision, summary, floor_coverage))


def decision_document(decision: Decision, summary: Summary, result: GateResult | None = None) -> dict[str, Json]:
    """The content of decision.json: the verdict, its grounds, and the gate where one was asked for."""
    deciding = _deciding(decision, summary)
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": summary.run_id,
        "suite": summary.suite,
        **decision.to_json(),
        "overall": None if deciding is None else deciding.to_json(),
        "counts": asdict(summary.counts),
        "gate": None if result is None else result.to_json(),
    }


def _verdict_faults(decision: Decision, gate: GateName, borderline: bool) -> Iterable[str]:
    if decision.verdict is None:
        yield f"there is no verdict: {decision.reasons[0]}"
    elif RANK[decision.verdict] < RANK[gate]:
        yield f"the verdict is {decision.verdict}, the gate asks for {gate}"
    elif borderline:
        return
    elif decision.lower is None:
        yield "the verdict has no interval to stand on"
    elif RANK[decision.lower] < RANK[gate]:
        yield f"borderline: at the lower ends of the intervals it is {decision.lower}, the gate asks for {gate}"


def _coverage_faults(decision: Decision, summary: Summary, floor: float) -> list[str]:
    faults = []
    bars: dict[str, Source] = {summary.overall: decision.source, **decision.floors}
    for metric, source in bars.items():
        found = summary.metrics.get(source, {}).get(metric)
        if found is None:
            faults.append(f"{metric} has no {source} value")
        elif found.planned and found.estimate.n / found.planned < floor - ROUNDING:
            faults.append(
                f"coverage of {metric} ({source}) is {numbers.percent(found.coverage)}, "
                f"{found.estimate.n} of {found.planned}: the floor is {numbers.percent(floor)}"
            )
    if not summary.counts.planned:
        faults.append("nothing was planned")
    return faults


def _size_faults(summary: Summary, decision: Decision, least: int) -> Iterable[str]:
    deciding = _deciding(decision, summary)
    clusters = 0 if deciding is None else deciding.estimate.clusters
    if clusters < least:
        yield f"too few scenarios: {numbers.times(clusters, 'situation')}, at least {least} are needed"


def _deciding(decision: Decision, summary: Summary) -> MetricSummary | None:
    return summary.metrics.get(decision.source, {}).get(summary.overall)
