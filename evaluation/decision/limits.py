"""Limits that any gate may ask a run to keep: a least overall, a most of failures, a most of unread verdicts."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.summary.summarise import ROUNDING, Summary
from evaluation.text import numbers


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
        yield f"{prefix}there is no {summary.source} {summary.overall}: at least {least:g} is asked for"
    elif mean < least - ROUNDING:
        shown, bound = numbers.beside(mean, least)
        yield f"{prefix}{summary.source} {summary.overall} {shown} < {bound}, the least that is asked for"
