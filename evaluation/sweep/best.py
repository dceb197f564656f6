"""The best setting on one metric, as far as the data say so: one, several, or no detectable effect."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.comparison.differences import MetricDifference
from evaluation.comparison.ranking import RankedPair, Ranking

Outcome: TypeAlias = Literal["best", "leaders", "equivalent", "no_effect", "untested"]


@dataclass(frozen=True, slots=True)
class Best:
    """The answer on one metric, as far as the data give one."""

    metric: str
    outcome: Outcome
    """best: one is better than every other. leaders: some are worse, and those that lead are not shown to differ.
    equivalent: all lie within the margin of one another. no_effect: no difference was found, which proves nothing.
    untested: too few situations, or no common data."""
    leaders: tuple[str, ...]
    """Names of the settings that no other is shown to be better than, highest first."""
    runner_up: str | None
    """The setting behind the highest."""
    lead: MetricDifference | None
    """The highest minus the runner-up."""
    detectable: float | None
    """The difference that would be found between any two settings, with 80% power; None where nothing is known."""
    overturnable: bool
    """True where missing values could change which setting is best."""


def best_of(ranking: Ranking) -> Best:
    """Reads a ranking of at least two settings."""
    lead = ranking.pair(0, 1)
    known = [pair.row.detectable for pair in ranking.pairs if pair.row.detectable is not None]
    apart = [pair for pair in ranking.pairs if pair.verdict in ("better", "worse")]
    return Best(
        metric=ranking.overall,
        outcome=_outcome(ranking, apart),
        leaders=tuple(ranking.runs[place].name for place in ranking.unbeaten()),
        runner_up=ranking.runs[1].name,
        lead=None if lead.no_data else lead.row,
        detectable=max(known, default=None),
        overturnable=any(pair.overturnable for pair in apart),
    )


def _outcome(ranking: Ranking, apart: list[RankedPair]) -> Outcome:
    if any(pair.verdict is None for pair in ranking.pairs):
        return "untested"
    if not apart:
        return "equivalent" if all(pair.verdict == "equivalent" for pair in ranking.pairs) else "no_effect"
    return "best" if ranking.best() is not None else "leaders"
