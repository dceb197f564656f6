"""From people's scale to the rubric's, and from there to the bands of its criteria."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.calibration.items import RatedUnit
from evaluation.calibration.items import given as given_by
from evaluation.errors import UsageError
from evaluation.rubrics.rubric import Band

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
            values.setdefault(dimension, []).extend((rating, *given_by(unit.raters.get(dimension, ()))))
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


def _check(dimension: str, worst: float, best: float, values: Mapping[str, Sequence[float]]) -> None:
    if dimension not in values:
        raise UsageError(f"--scale {dimension}: no line rates it: there are {', '.join(values)}")
    if worst == best:
        raise UsageError(f"--scale {dimension}={worst:g}:{best:g}: the worst and the best rating must differ")
    outside = [value for value in values[dimension] if not min(worst, best) <= value <= max(worst, best)]
    if outside:
        raise UsageError(f"--scale {dimension}={worst:g}:{best:g}: a rating is {outside[0]:g}: give the whole scale")
