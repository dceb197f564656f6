"""People's ratings on their own: how well people agree with one another, and which of two responses they prefer."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.calibration.items import RatedUnit, Raters, ScoreKey, given
from evaluation.calibration.scales import NEAR, RatingScale, band_of
from evaluation.rubrics.rubric import Rubric
from evaluation.statistics.agreement import Figure, krippendorff_alpha, mean_figure, spearman
from evaluation.statistics.clusters import average

PREFERRED = 1.0
TIED = 0.5


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The agreement of people with people on one dimension, which no metric can be expected to exceed by much."""

    dimension: str
    units: int
    """With the ratings of at least two people; 0 where the file gives only means, and then nothing is known."""
    alpha: float | None
    """Krippendorff's, interval, on the ratings as given."""
    alpha_bands: float | None
    """Ordinal, on the bands of the rubric's overall: to be held beside the tool's alpha."""
    one_against_rest: float | None
    """Spearman of one person against the mean of the others, averaged over the persons' places in the lists."""


@dataclass(frozen=True, slots=True)
class PairAccuracy:
    """The share of pairs on which a metric prefers the response that people prefer; guessing gives 0.5."""

    dimension: str
    source: str
    metric: str
    pairs: int
    """On which people had a preference."""
    undecided: int
    """Pairs on which people had none; left out."""
    tool_ties: int
    """Of `pairs`, those where the metric has the same value twice; each counts half."""
    accuracy: Figure


def ceiling(dimension: str, units: Sequence[RatedUnit], scale: RatingScale, rubric: Rubric) -> Ceiling:
    """Over the units whose single ratings are known."""
    lists = [unit.raters[dimension] for unit in units if len(given(unit.raters.get(dimension, ()))) > 1]
    known = [given(ratings) for ratings in lists]
    bands = rubric.metrics[rubric.overall].bands
    placed = [[scale.on(rubric.low, rubric.high, value) for value in ratings] for ratings in known]
    banded = [[float(band_of(value, bands)) for value in ratings if value is not None] for ratings in placed]
    return Ceiling(
        dimension,
        len(known),
        krippendorff_alpha(known, "interval"),
        krippendorff_alpha(banded, "ordinal"),
        _one_against_rest(lists),
    )


def pair_accuracy(
    dimension: str, key: ScoreKey, units: Sequence[RatedUnit], scale: RatingScale, *, seed: int, resamples: int
) -> PairAccuracy:
    """Over the groups of exactly two units that both have a rating and a score."""
    groups: dict[str, list[RatedUnit]] = {}
    for unit in units:
        if dimension in unit.ratings and key in unit.scores:
            groups.setdefault(unit.cluster, []).append(unit)
    undecided = ties = 0
    hits: list[float] = []
    clusters: list[str] = []
    better = 1 if scale.best >= scale.worst else -1
    for name, members in groups.items():
        if len(members) != 2:
            continue
        first, second = members
        people = better * (first.ratings[dimension] - second.ratings[dimension])
        tool = first.scores[key] - second.scores[key]
        if abs(people) <= NEAR:
            undecided += 1
            continue
        tied = abs(tool) <= NEAR
        ties += tied
        hits.append(TIED if tied else PREFERRED if tool * people > 0 else 0.0)
        clusters.append(name)
    found = mean_figure(hits, clusters, seed=seed, resamples=resamples)
    return PairAccuracy(dimension, *key, len(hits), undecided, ties, found)


def _one_against_rest(lists: Sequence[Raters]) -> float | None:
    found = []
    for place in range(max(map(len, lists), default=0)):
        pairs = [
            (one, average(rest))
            for ratings in lists
            if (one := given(ratings[place : place + 1])) and (rest := given((*ratings[:place], *ratings[place + 1 :])))
        ]
        value = spearman([one[0] for one, _ in pairs], [rest for _, rest in pairs])
        if value is not None:
            found.append(value)
    return average(found) if found else None
