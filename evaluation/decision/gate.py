"""The gate: whether a pipeline may go on. It never passes on missing data, and it says why it does not."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, FiniteFloat

from evaluation.decision.critical import check_doubts, check_faults, critical_faults
from evaluation.decision.decide import FEW_CLUSTERS, FLOOR_COVERAGE, JUDGED, WITHHELD, Decision, too_few
from evaluation.decision.grounds import Choice
from evaluation.errors import UsageError
from evaluation.records import Json, Source
from evaluation.suites.suite import ROUNDING
from evaluation.summary.summary import SCHEMA_VERSION, Summary, item_figures
from evaluation.text import numbers
from evaluation.text.names import in_words

GateName: TypeAlias = Literal["deploy", "ab_test", "checks"]
"""checks: of a suite of checks, which has no means to decide on."""

RANK: dict[Choice, int] = {"held_back": -1, "needs_revision": 0, "ab_test": 1, "deploy": 2}


@dataclass(frozen=True, slots=True)
class GateResult:
    """Passed or not; at least one reason either way."""

    gate: GateName
    passed: bool
    reasons: tuple[str, ...]


def gate(decision: Decision, summary: Summary, gate: GateName = "deploy") -> GateResult:
    """Holds a decision against a gate.

    The gate on checks passes when no critical check fails, and each can tell; the others when the verdict reaches the
    gate, and still reaches it with all means at their lower ends. Each asks that at least `FLOOR_COVERAGE` of the
    applicable planned exchanges have a value for every mean that the rule looked at, that the overall rests on at least
    `FEW_CLUSTERS` situations, and that every critical expectation holds in every repeat or is waived.
    """
    faults = (
        *(check_faults(summary) if gate == "checks" else _verdict_faults(decision, gate)),
        *check_doubts(summary),
        *_coverage_faults(decision, summary),
        *_size_faults(summary),
        *critical_faults(summary),
    )
    open_by = f"the verdict is {in_words(decision.verdict or 'none')} and the gate asks for {in_words(gate)}"
    if gate == "checks":
        open_by = f"no critical check fails in {numbers.times(summary.checks.cases, 'case')}"
    return GateResult(gate, not faults, faults or (open_by,))


def coverage_below_floor(decision: Decision, summary: Summary) -> bool:
    """True when missing data alone keep a gate shut."""
    return any(_coverage_faults(decision, summary))


def decision_document(decision: Decision, summary: Summary, result: GateResult | None = None) -> dict[str, Json]:
    """The content of decision.json: the verdict, its grounds, and the gate where one was asked for."""
    deciding = summary.metric(decision.source, summary.overall) or summary.deciding()
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": summary.run_id,
        "suite": summary.suite,
        **decision.to_json(),
        "overall": None if deciding is None else deciding.to_json(),
        "counts": asdict(summary.counts),
        **item_figures(summary.expectations),
        "gate": None if result is None else asdict(result),
    }


class StoredMean(BaseModel):
    """The overall in a stored decision.json."""

    model_config = ConfigDict(frozen=True)

    mean: FiniteFloat | None = None
    ci95: tuple[FiniteFloat, FiniteFloat] | None = None
    n: int = 0
    clusters: int = 0


class StoredGate(BaseModel):
    """The gate's answer in a stored decision.json."""

    model_config = ConfigDict(frozen=True)

    passed: bool


class StoredDecision(BaseModel):
    """A stored decision.json as other pages show it, believed only where it is what the tool writes."""

    model_config = ConfigDict(frozen=True)

    verdict: Annotated[
        Choice | None, BeforeValidator(lambda value: value if isinstance(value, str) and value in RANK else None)
    ] = None
    """None also for "none", and for a verdict that this version does not know."""
    source: str = ""
    overall: StoredMean | None = None
    judge_fit: bool | None = None
    code: str = ""
    """Empty in files that were written before there was one, as is the headline."""
    headline: str = ""
    aside: str = ""
    """What stands beside the verdict: "HELD BACK: 2 critical expectations fail"."""
    gate: StoredGate | None = None

    def remark(self) -> str:
        """What stands beside the verdict, or in its place; empty where no judge decides, and before this was kept."""
        if self.judge_fit is False and self.source in JUDGED:
            return "judge unfit"
        known = "judge_fit" in self.model_fields_set and self.source in JUDGED
        return "judge not checked" if known and self.judge_fit is None and self.verdict else ""


def _verdict_faults(decision: Decision, gate: Literal["deploy", "ab_test"]) -> Iterable[str]:
    if decision.code in WITHHELD:
        return  # size or coverage says so itself
    if decision.verdict is None:
        yield f"there is no verdict: {decision.reasons[0]}"
    elif RANK[decision.verdict] < RANK[gate]:
        yield f"the verdict is {in_words(decision.verdict)}, the gate asks for {in_words(gate)}"
    elif decision.lower is None:
        yield "the verdict has no interval to stand on"
    elif RANK[decision.lower] < RANK[gate]:
        lower = f"at the lower ends of the intervals it is {in_words(decision.lower)}"
        yield f"borderline: {lower}, the gate asks for {in_words(gate)}"


def _coverage_faults(decision: Decision, summary: Summary) -> Iterable[str]:
    bars: dict[str, Source] = {summary.overall: decision.source, **decision.floors}
    for metric, source in bars.items():
        found = summary.metric(source, metric)
        if found is None:
            yield f"{in_words(metric)} has no {source} value"
        elif found.planned and found.estimate.n / found.planned < FLOOR_COVERAGE - ROUNDING:
            yield (
                f"coverage of {in_words(metric)} ({source}) is {numbers.percent(found.coverage)}, "
                f"{found.estimate.n} of {found.planned}: the floor is {numbers.percent(FLOOR_COVERAGE)}"
            )
    if not summary.counts.planned:
        yield "nothing was planned"


def _size_faults(summary: Summary) -> Iterable[str]:
    deciding = summary.deciding()
    clusters = 0 if deciding is None else deciding.estimate.clusters
    if clusters < FEW_CLUSTERS:
        yield too_few(clusters)


@dataclass(frozen=True, slots=True)
class Limits:
    """None asks for nothing. Raises UsageError for a rate outside 0..1 and for a least overall that is not finite."""

    min_overall: float | None = None
    """In the units of the overall."""
    max_failure_rate: float | None = None
    max_fallback_rate: float | None = None

    def __post_init__(self) -> None:
        if self.min_overall is not None and not math.isfinite(self.min_overall):
            raise UsageError(f"min overall {self.min_overall!r}: give a finite number, such as 0.8")
        for name, rate in (("failure", self.max_failure_rate), ("fallback", self.max_fallback_rate)):
            if rate is not None and not 0 <= rate <= 1:
                raise UsageError(f"max {name} rate {rate!r}: a rate is from 0 to 1, such as 0.02")


def failure_rate(summary: Summary) -> float:
    """Share of the planned exchanges that got no answer, by their own failure or behind a failed turn; 1 of none."""
    counts = summary.counts
    return (counts.failed + counts.skipped) / counts.planned if counts.planned else 1.0


def fallback_rate(summary: Summary) -> float:
    """Share of the answered exchanges whose verdict could not be read; 0 where nothing was answered or judged."""
    answered = summary.counts.scored + summary.counts.unparsed
    return summary.fallbacks / answered if answered else 0.0


def limit_faults(summary: Summary, limits: Limits, who: str = "") -> Iterable[str]:
    """One sentence for each limit that the run does not keep; `who` names the run in front of it.

    A run without an overall does not keep a least overall.
    """
    prefix = f"{who}: " if who else ""
    yield from _overall_faults(summary, limits.min_overall, prefix)
    counts = summary.counts
    failed = failure_rate(summary)
    if limits.max_failure_rate is not None and failed > limits.max_failure_rate + ROUNDING:
        yield (
            f"{prefix}{numbers.percent(failed)} of the planned exchanges have no answer "
            f"({counts.failed} failed, {counts.skipped} skipped of {counts.planned}): "
            f"the limit is {numbers.percent(limits.max_failure_rate)}"
        )
    unread = fallback_rate(summary)
    if limits.max_fallback_rate is not None and unread > limits.max_fallback_rate + ROUNDING:
        yield (
            f"{prefix}{numbers.percent(unread)} of the verdicts could not be read ({summary.fallbacks}): "
            f"the limit is {numbers.percent(limits.max_fallback_rate)}"
        )


def _overall_faults(summary: Summary, least: float | None, prefix: str) -> Iterable[str]:
    if least is None:
        return
    deciding = summary.deciding()
    mean = None if deciding is None else deciding.estimate.mean
    if mean is None:
        yield f"{prefix}there is no {summary.source} {in_words(summary.overall)}: at least {least:g} is asked for"
    elif mean < least - ROUNDING:
        shown, bound = numbers.beside(mean, least)
        what = f"{summary.source} {in_words(summary.overall)}"
        yield f"{prefix}{what} {shown} is below {bound}, the least that is asked for"


def gate_within_limits(
    decision: Decision, summary: Summary, name: GateName, limits: Limits, faults: Sequence[str] = ()
) -> GateResult:
    """The gate with limits beside it; `faults` are further reasons that keep it shut."""
    result = gate(decision, summary, gate=name)
    further = (*limit_faults(summary, limits), *faults)
    if not further:
        return result
    return replace(result, passed=False, reasons=further if result.passed else (*result.reasons, *further))
