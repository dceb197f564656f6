"""Cost against quality: each run of a ranking a point, its mean upwards and the price of its replies across."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.comparison.ranking import Ranking
from evaluation.reports.html.figures import Axis, around, axis_of
from evaluation.statistics.clusters import Scale
from evaluation.statistics.scenario_scores import Estimate
from evaluation.text import numbers

PER = 1000
"""Replies in a price."""


@dataclass(frozen=True, slots=True)
class Priced:
    """One run."""

    number: int
    """Its rank, from 1."""
    name: str
    usd: float
    """Of `PER` replies of the evaluated model; the judge is not in it."""
    overall: Estimate


@dataclass(frozen=True, slots=True)
class CostPlot:
    """The runs whose price and mean are known."""

    x: Axis
    y: Axis
    runs: Sequence[Priced]
    unknown: Sequence[str]
    """Names of those of which one of the two is not known."""

    @property
    def said(self) -> str:
        """The points in words."""
        parts = (f"{each.name} {numbers.score(each.overall.mean)} at {numbers.money(each.usd)}" for each in self.runs)
        return f"Mean overall and price of {numbers.count(PER)} replies: {'; '.join(parts)}"


def cost_plot(result: Ranking, scale: Scale) -> CostPlot | None:
    """None where fewer than two prices are known, or all are the same: then there is nothing to weigh."""
    runs, unknown = [], []
    for number, run in enumerate(result.runs, 1):
        found, replies = result.overall_of(run), run.summary.replies
        cost = None if replies is None else replies.cost_usd
        if found is None or found.estimate.mean is None or cost is None:
            unknown.append(run.name)
        else:
            runs.append(Priced(number, run.name, cost * PER, found.estimate))
    prices = [each.usd for each in runs]
    if len(set(prices)) < 2:
        return None
    x = around([0.0, *prices], 0.0)
    return CostPlot(Axis(0.0, x.high), axis_of((each.overall for each in runs), scale), runs, unknown)
