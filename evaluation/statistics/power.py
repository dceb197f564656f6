"""The noise of a comparison, the smallest difference that it can find, and the effort that a smaller one takes.

The difference of one repeat of one scenario varies for three reasons, taken to add up (one-way random effects, method
of moments; cf. Miller 2024): scenarios react differently, answers are drawn once more, the judge reads once more:

    Var(d_sr) = scenario + sampling + judge

`sampling` + `judge` is the pooled variance between repeats of one scenario, hence known from 2 repeats on. `judge` is
the variance of a verdict on an unchanged text, known from 2 judge samples on. `scenario` is what is left of the
variance between scenario means: Var(d_s) - (sampling + judge) / repeats, cut at 0.

The minimum detectable effect is the true difference that is found in 80 of 100 comparisons (Bloom 1995, "Minimum
Detectable Effects"; Miller 2024 for evaluations):

    MDE = (t(1 - level / 2, G - 1) + t(power, G - 1)) * SE
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.statistics.clusters import average, squares
from evaluation.statistics.paired import ScenarioPair
from evaluation.statistics.student_t import critical, quantile


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference of one repeat of one scenario; None where the data cannot show them."""

    scenario: float | None
    """Between scenarios: more scenarios help, more repeats do not."""
    sampling: float | None
    """Between answers to the same question; holds the judge's part where that is not known."""
    judge: float | None
    """Between verdicts on the same answers, both runs together."""
    repeats: float | None
    """Per scenario: the harmonic mean, which is the one that counts for errors."""
    fixed: float | None
    """The part of the squared standard error that stays, however many repeats."""
    per_repeat: float | None
    """Divided by the number of repeats: the rest of the squared standard error."""
    floor: float | None
    """95 of 100 comparisons of a process with itself differ by less than this."""


def split(pairs: Sequence[ScenarioPair], se: float | None, judge: float | None = None) -> Components:
    """Splits the variance of paired differences. `se` is their clustered standard error.

    `judge` is the judge's variance in the difference of one repeat, where several samples of each verdict show it.
    """
    known = [pair for pair in pairs if pair.difference is not None]
    freedom = sum(len(pair.cells) - 1 for pair in known if pair.cells)
    if not known or freedom < 1 or any(not pair.cells for pair in known):
        return Components(None, None, judge, None, None, None, None)
    within = math.fsum(squares(pair.cells) for pair in known) / freedom
    share = average([1 / len(pair.cells) for pair in known])
    noise = within * share / len(known)
    scenario = None
    if len(known) > 1:
        means = [pair.difference for pair in known if pair.difference is not None]
        scenario = max(0.0, squares(means) / (len(means) - 1) - within * share)
    return Components(
        scenario=scenario,
        sampling=within if judge is None else max(0.0, within - judge),
        judge=judge,
        repeats=1 / share,
        fixed=None if se is None else max(0.0, se**2 - noise),
        per_repeat=within / len(known),
        floor=critical(0.95, freedom) * math.sqrt(noise),
    )


LEVEL = 0.05
POWER = 0.8
MOST_CLUSTERS = 1_000_000
MOST_REPEATS = 1_000
"""Beyond these a plan is no plan: the answer is None."""


def reach(clusters: int, level: float = LEVEL) -> float:
    """The minimum detectable effect in standard errors; `clusters` >= 2."""
    return quantile(1 - level / 2, clusters - 1) + quantile(POWER, clusters - 1)


def detectable(se: float, clusters: int, level: float = LEVEL) -> float:
    """The minimum detectable effect, in the units of `se`; 0 where nothing varies."""
    return reach(clusters, level) * se


def clusters_needed(effect: float, se: float, clusters: int, *, least: int = 2, level: float = LEVEL) -> int | None:
    """Situations that make `effect` > 0 detectable, of the kind and size of those that gave `se`.

    SE is taken to shrink with the root of their number. At least `least` (>= 2); None beyond `MOST_CLUSTERS`.
    """

    def enough(number: int) -> bool:
        return detectable(se * math.sqrt(clusters / number), number, level) <= effect

    return smallest(enough, least)


def smallest(enough: Callable[[int], bool], least: int) -> int | None:
    """The smallest number from `least` on that is enough, as every larger one then is; None beyond `MOST_CLUSTERS`."""
    high = least
    while not enough(high):
        if high >= MOST_CLUSTERS:
            return None
        high = min(high * 2, MOST_CLUSTERS)
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def repeats_needed(
    effect: float, fixed: float, per_repeat: float, clusters: int, *, level: float = LEVEL
) -> int | None:
    """Repeats that make `effect` > 0 detectable with the same scenarios; None when no number of repeats can.

    The squared standard error is `fixed` + `per_repeat` / repeats: what differs between scenarios, and what differs
    between repeats of one.
    """
    room = (effect / reach(clusters, level)) ** 2 - fixed
    if per_repeat <= 0:
        return 1 if room >= 0 else None
    if room <= 0:
        return None
    number = max(1, math.ceil(per_repeat / room - 1e-9))
    return number if number <= MOST_REPEATS else None
