"""A mix worked out from a sample of production: which scenario each message is like, and what the sample stands for."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evaluation.mix.mix import UNKNOWN, CategoryShare, Mix, Origin, SituationShare
from evaluation.scenarios.nearest import Nearest
from evaluation.statistics.clusters import WeightedEstimate, WeightedValue, weighted_estimate

SHARE = (0.0, 1.0)


class Response(NamedTuple):
    """One response of a sample, by what the user said."""

    stratum: str
    cluster: str
    """The user, else the session, else the trace."""
    weight: float
    """How many responses it stands for."""
    message: str


class Met(NamedTuple):
    """A response with the part of the mix that it belongs to."""

    stratum: str
    cluster: str
    weight: float
    category: str
    """Empty where no scenario is like what was said."""
    situation: str


def meet(responses: Sequence[Response], nearest: Nearest) -> list[Met]:
    """Each response with the situation of the scenario that is like what the user said."""
    found = []
    for each in responses:
        guess = nearest.of(each.message)
        part = (guess.category, guess.situation) if guess.is_covered else ("", "")
        found.append(Met(each.stratum, each.cluster, each.weight, *part))
    return found


def mix_of(met: Sequence[Met], suite: str, origin: Origin = UNKNOWN) -> Mix:
    """The mix that a sample of at least one response shows; categories by share, the largest first."""
    counts = Counter(each.category for each in met)
    of_situations = Counter((each.category, each.situation) for each in met)
    categories = {name: _share(met, [each.category == name for each in met]) for name in counts}
    cells = {cell: _share(met, [(each.category, each.situation) == cell for each in met]) for cell in of_situations}
    effect = max(_design_effect(list(found.values()), len(met)) for found in (categories, cells))
    shares = {
        name: CategoryShare(
            share=_mean(found),
            ci95=found.ci95,
            responses=counts[name],
            situations={
                cell[1]: SituationShare(_mean(cells[cell]), number)
                for cell, number in sorted(of_situations.items(), key=lambda each: (-_mean(cells[each[0]]), each[0]))
                if cell[0] == name
            },
        )
        for name, found in sorted(categories.items(), key=lambda each: (-_mean(each[1]), each[0]))
    }
    uncovered = shares.pop("", CategoryShare(0.0))
    return Mix(
        suite=suite,
        categories=shares,
        uncovered=uncovered.share,
        uncovered_ci95=uncovered.ci95,
        responses=len(met),
        users=len({each.cluster for each in met}),
        independent=len(met) / effect,
        origin=origin,
    )


def _share(met: Sequence[Met], inside: Sequence[bool]) -> WeightedEstimate:
    pairs = zip(met, inside, strict=True)
    return weighted_estimate(
        [WeightedValue(each.stratum, each.cluster, each.weight, float(is_inside)) for each, is_inside in pairs], SHARE
    )


def _mean(found: WeightedEstimate) -> float:
    return found.mean or 0.0


def _design_effect(shares: Sequence[WeightedEstimate], responses: int) -> float:
    """The mean over shares of their variance, over that of so many independent responses; at least 1.

    It is the ratio of their sums (Rao and Scott 1981). With one user alone nothing is known of it, so that the sample
    counts like one response.
    """
    if any(each.se is None for each in shares):
        return float(responses)
    alike = sum(_mean(each) * (1 - _mean(each)) for each in shares) / responses
    return max(1.0, sum((each.se or 0.0) ** 2 for each in shares) / alike) if alike > 0 else 1.0
