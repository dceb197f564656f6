"""How much the metrics of a rubric move over a set of exchanges: a constant says nothing, whatever its value."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.metrics.explained import Explained
from evaluation.rubrics.rubric import Rubric
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
    without: float
    """Share of all exchanges of the set to which the metric does not apply: they have no earlier turns."""
    cues: Mapping[str, float]
    """Cue of the metric -> share of the exchanges in which it was found, the commonest first."""


def cues_of(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """Metric -> the cues of its adjustments, each once."""
    return {
        name: tuple(dict.fromkeys(each.when for each in metric.adjustments)) for name, metric in rubric.metrics.items()
    }


def measure_spread(explained: Iterable[Mapping[str, Explained]], cues: Mapping[str, Sequence[str]]) -> list[Spread]:
    """From the explained scores of each exchange, without metrics that do not apply; in the order of the metrics.

    `cues` are those that each metric has, found or not.
    """
    values: dict[str, list[float]] = {}
    fired: Counter[str] = Counter()
    found_by: dict[str, Counter[str]] = {}
    total = 0
    for scores in explained:
        total += 1
        for metric, found in scores.items():
            if found.value is not None:
                values.setdefault(metric, []).append(found.value)
                seen = {term.findings[0].cue for term in found.terms if term.findings}
                fired[metric] += bool(seen)
                found_by.setdefault(metric, Counter()).update(seen)
    return [
        Spread(
            metric,
            len(found),
            average(found),
            stdev(found),
            fired[metric] / len(found),
            1 - len(found) / total,
            _shares(found_by[metric], cues.get(metric, ()), len(found)),
        )
        for metric, found in values.items()
    ]


def _shares(counts: Mapping[str, int], cues: Sequence[str], n: int) -> dict[str, float]:
    shares = {cue: counts.get(cue, 0) / n for cue in cues}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
