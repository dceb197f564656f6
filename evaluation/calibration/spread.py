"""How much the metrics of a rubric move over a set of exchanges: a constant says nothing, whatever its value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.metrics.explained import Explained
from evaluation.statistics.clusters import average, stdev


@dataclass(frozen=True, slots=True)
class Spread:
    """One metric over the exchanges of one set to which it applies."""

    metric: str
    n: int
    mean: float
    stdev: float | None
    """None for a single exchange."""
    fired: float
    """Share of the exchanges in which a cue was found; 0 to 1."""


def measure_spread(explained: Iterable[Mapping[str, Explained]]) -> list[Spread]:
    """From the explained scores of each exchange, without metrics that do not apply; in the order of the metrics."""
    values: dict[str, list[float]] = {}
    fired: dict[str, int] = {}
    for scores in explained:
        for metric, found in scores.items():
            if found.value is not None:
                values.setdefault(metric, []).append(found.value)
                fired[metric] = fired.get(metric, 0) + any(term.findings for term in found.terms)
    return [
        Spread(metric, len(found), average(found), stdev(found), fired[metric] / len(found))
        for metric, found in values.items()
    ]
