"""What people give where a tool gives a value: the bins of a calibration plot (a reliability diagram)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.statistics.clusters import Scale, clustered_mean
from evaluation.statistics.scenario_scores import Estimate, estimate_scenarios, from_grid

BINS = 5
"""Equal parts of the scale."""


class RatedScore(NamedTuple):
    """One response that both have scored, on one scale."""

    cluster: str
    tool: float
    people: float
    """The mean over those who rated it."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The responses whose score by the tool lies in one part of the scale."""

    low: float
    high: float
    tool: float
    """Mean of the tool's scores."""
    people: Estimate
    """Of people's means, each response alike, clustered by situation."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """A tool against people: single responses, and what they come to in each part of the scale."""

    scores: tuple[RatedScore, ...]
    bins: tuple[Bin, ...]


def reliability(scores: Iterable[RatedScore], scale: Scale) -> Reliability:
    """The responses as they are given, and their bins."""
    kept = tuple(scores)
    return Reliability(kept, reliability_bins(kept, scale))


def reliability_bins(scores: Iterable[RatedScore], scale: Scale) -> tuple[Bin, ...]:
    """The bins that hold a response, from the low end. A score on a border counts above it, the highest one below."""
    low, high = scale
    width = (high - low) / BINS
    members: dict[int, list[RatedScore]] = {}
    for score in scores:
        place = math.floor((score.tool - low) / width + 1e-9)
        members.setdefault(min(BINS - 1, max(0, place)), []).append(score)
    return tuple(_bin(low + width * place, width, members[place], scale) for place in sorted(members))


def _bin(start: float, width: float, members: list[RatedScore], scale: Scale) -> Bin:
    tool = clustered_mean((each.cluster, each.tool) for each in members)
    assert tool is not None, "a bin holds a response"
    people = estimate_scenarios([from_grid(each.cluster, [each.people], 1, *scale) for each in members], scale)
    return Bin(start, start + width, tool.mean, people)
