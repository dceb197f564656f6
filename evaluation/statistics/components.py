"""The sources of a comparison's noise: scenarios that react differently, answers drawn once more, the judge.

The difference of one repeat of one scenario varies for three reasons, taken to add up (one-way random effects, method
of moments; cf. Miller 2024):

    Var(d_sr) = scenario + sampling + judge

`sampling` + `judge` is the pooled variance between repeats of one scenario, hence known from 2 repeats on. `judge` is
the variance of a verdict on an unchanged text, known from 2 judge samples on. `scenario` is what is left of the
variance between scenario means: Var(d_s) - (sampling + judge) / repeats, cut at 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.statistics.clusters import average, squares
from evaluation.statistics.paired import ScenarioPair
from evaluation.statistics.student_t import critical


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference of one repeat of one scenario; None where the data cannot tell them."""

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


UNKNOWN = Components(None, None, None, None, None, None, None)


def split(pairs: Sequence[ScenarioPair], se: float | None, judge: float | None = None) -> Components:
    """Splits the variance of paired differences. `se` is their clustered standard error.

    `judge` is the judge's variance in the difference of one repeat, where several samples of each verdict tell it.
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
