"""People's ratings on their own: their scale, and how well people agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.calibration.ratings import Given, RatedUnit, Raters, values_of
from evaluation.errors import UsageError
from evaluation.metrics.explained import Explained
from evaluation.metrics.scoring import weighted_sum
from evaluation.rubrics.rubric import Rubric
from evaluation.rubrics.values import Band
from evaluation.statistics.agreement import krippendorff_alpha, spearman
from evaluation.statistics.clusters import average

NEAR = 1e-9
"""Decimals do not sum to decimals in binary: this much below a bound is on it."""


@dataclass(frozen=True, slots=True)
class RatingScale:
    """One dimension's scale: `worst` may be the larger number, as in a ranking."""

    worst: float
    best: float
    given: bool
    """False where it is only the range of the ratings found, which a small file may not fill."""

    def on(self, low: float, high: float, value: float) -> float | None:
        """The rating's place on a scale from low to high; None where all ratings are the same."""
        if self.worst == self.best:
            return None
        return low + (value - self.worst) / (self.best - self.worst) * (high - low)


def rating_scales(units: Sequence[RatedUnit], given: Mapping[str, tuple[float, float]]) -> dict[str, RatingScale]:
    """Dimension -> scale, in order of appearance. Raises UsageError for a rating outside the scale given for it."""
    values: dict[str, list[float]] = {}
    for unit in units:
        for dimension, rating in unit.ratings.items():
            values.setdefault(dimension, []).extend((rating, *values_of(unit.raters.get(dimension, ()))))
    for dimension, (worst, best) in given.items():
        _check(dimension, worst, best, values)
    return {
        dimension: RatingScale(*given[dimension], given=True)
        if dimension in given
        else RatingScale(min(found), max(found), given=False)
        for dimension, found in values.items()
    }


def band_of(value: float, bands: Iterable[Band]) -> int:
    """The number of the highest band that begins at or below the value, counted from the lowest, 0.

    Between two printed bands (0.75 between 0.6-0.7 and 0.8-0.9) a value belongs to the lower one.
    """
    starts = sorted(band.low for band in bands)
    return max(0, sum(start <= value + NEAR for start in starts) - 1)


def overall_of_people(scores: Given, rubric: Rubric, *, in_context: bool) -> float | None:
    """The weighted overall of a person's scores on the scale of rules and judge.

    Without an earlier conversation a metric that needs one is not asked for. The rubric leaves it out of everybody's
    overall, or its base stands there, as it does with the rules. What a person says does not apply is left out.
    """
    counted = {name: rubric.metrics[name] for name in rubric.weights}
    stands = {name: each.base for name, each in counted.items() if each.needs_context and each.kind == "adjustments"}
    values = dict(scores)
    for name, base in {} if in_context else stands.items():
        values[name] = None if counted[name].leaves_overall else base
    explained = {name: Explained(values.get(name), (), "") for name in counted}
    return weighted_sum(rubric.weights, rubric.low, rubric.high)(explained).value


def on_scale_of_tool(scores: Given, rubric: Rubric, *, in_context: bool) -> Given:
    """The scores of a stored review with the overall that they have by now; it stays where it is open or was given."""
    if scores.get(rubric.overall) is None or not rubric.weights.keys() <= scores.keys():
        return scores
    return {**scores, rubric.overall: overall_of_people(scores, rubric, in_context=in_context)}


def _check(dimension: str, worst: float, best: float, values: Mapping[str, Sequence[float]]) -> None:
    if dimension not in values:
        raise UsageError(f"--scale {dimension}: no line rates it: there are {', '.join(values)}")
    if worst == best:
        raise UsageError(f"--scale {dimension}={worst:g}:{best:g}: the worst and the best rating must differ")
    outside = [value for value in values[dimension] if not min(worst, best) <= value <= max(worst, best)]
    if outside:
        raise UsageError(f"--scale {dimension}={worst:g}:{best:g}: a rating is {outside[0]:g}: give the whole scale")


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


def ceiling(dimension: str, units: Sequence[RatedUnit], scale: RatingScale, rubric: Rubric) -> Ceiling:
    """Over the units whose single ratings are known."""
    lists = [unit.raters[dimension] for unit in units if len(values_of(unit.raters.get(dimension, ()))) > 1]
    rated = [values_of(ratings) for ratings in lists]
    bands = rubric.metrics[rubric.overall].bands
    placed = [[scale.on(rubric.low, rubric.high, value) for value in ratings] for ratings in rated]
    banded = [[float(band_of(value, bands)) for value in ratings if value is not None] for ratings in placed]
    return Ceiling(
        dimension,
        len(rated),
        krippendorff_alpha(rated, "interval"),
        krippendorff_alpha(banded, "ordinal"),
        one_against_rest(lists),
    )


def one_against_rest(lists: Sequence[Raters]) -> float | None:
    """Spearman of one person against the mean of the others, averaged over the places; None where nothing pairs up."""
    found = []
    for place in range(max(map(len, lists), default=0)):
        pairs = [
            (one, average(rest))
            for ratings in lists
            if (one := values_of(ratings[place : place + 1]))
            and (rest := values_of((*ratings[:place], *ratings[place + 1 :])))
        ]
        value = spearman([one[0] for one, _ in pairs], [rest for _, rest in pairs])
        if value is not None:
            found.append(value)
    return average(found) if found else None
