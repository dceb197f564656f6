"""Boundaries for looking several times at data that accumulate, with one error rate over all looks.

An error rate alpha is spent bit by bit (Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials"), on
each side of 0 as it is for boundaries of O'Brien and Fleming's kind, with t the share of the horizon that has passed:

    f(t) = 2 - 2 Phi(z(1 - alpha / 4) / sqrt(t))        for each side, alpha / 2 in all; t at least 1: all of it

The boundary b_k of look k is the one that a standardised difference without a true effect crosses for the first time
there with probability f(t_k) - f(t_k-1) on each side. The share t may be one of time or of users; only that it is fixed
beforehand matters (Lan and DeMets 1989).

The standardised differences Z_k are taken as normal, and Z_k given all before it as dependent on Z_k-1 alone. Where the
estimates are efficient, their correlation rho is sqrt(I_k-1 / I_k) with the information I = 1 / SE^2 (Jennison and
Turnbull 2000, "Group Sequential Methods", section 11.1). A mean over responses of users who come back is not efficient,
so that rho has to be estimated (Lee, Kim and Tsiatis 1996, "Repeated significance testing in longitudinal clinical
trials"). Users who keep their ways make two looks more alike than that, but looks far apart less so than the product of
the steps between them: the lower of both is the one to take, since less alike means wider boundaries.

The density of paths that crossed no boundary is carried from look to look (Armitage, McPherson and Rowe 1969), with
Gauss and Legendre's nodes y_i and weights w_i between the boundaries of look k - 1:

    density_k(z) = sum of w_i density_k-1(y_i) phi((z - rho y_i) / sqrt(1 - rho^2)) / sqrt(1 - rho^2)

Boundaries agree with published tables to three decimals. numpy is imported when something is computed.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

NODES = 256
FARTHEST = 8.5
"""Standard errors beyond which a path without an effect never is: P = 2e-17."""
MOST_ALIKE = 0.995
"""Correlation of two looks: what is more alike is taken to be so much, which widens the boundary."""
LEAST_SPENT = 1e-12
"""Beneath it a boundary lies seven standard errors out, where no asymptotic law says anything."""
MOST_STEPS = 60
EXACT = 1e-10


class EarlierLook(NamedTuple):
    """A look that was taken."""

    boundary: float
    """In standard errors; above 0."""
    correlation: float = 0.0
    """With the look before it, 0 to 1; of no matter for the first."""


def spent_by(share: float, alpha: float) -> float:
    """The error rate of both sides together that is spent when this share (0 or more) of the horizon has passed."""
    if share <= 0:
        return 0.0
    reach = NormalDist().inv_cdf(1 - alpha / 4) / math.sqrt(min(share, 1.0))
    return 2 * math.erfc(reach / math.sqrt(2))


def next_boundary(earlier: Sequence[EarlierLook], correlation: float, to_spend: float) -> float:
    """The boundary of one more look, in standard errors, that spends `to_spend` of the error rate on both sides.

    `correlation` is the new look's with the last one. Infinite where there is as good as nothing to spend: it is left
    for later.
    """
    if to_spend < LEAST_SPENT:
        return math.inf
    if not earlier:
        return -NormalDist().inv_cdf(to_spend / 2)
    return _boundary(_density(earlier), kept(correlation), to_spend / 2)


def crossing(looks: Sequence[EarlierLook]) -> list[float]:
    """The probability, without a true effect, that each of these looks is the first whose boundary is crossed."""
    first = math.erfc(looks[0].boundary / math.sqrt(2))
    later = [
        2 * _above(_density(looks[:at]), kept(look.correlation), look.boundary)[0]
        for at, look in enumerate(looks)
        if at > 0
    ]
    return [first, *later]


def kept(correlation: float) -> float:
    """Within what is taken for a correlation of two looks."""
    return min(max(correlation, 0.0), MOST_ALIKE)


class _Paths(NamedTuple):
    """The paths that crossed nothing so far: where they are, and how much of the probability is there."""

    places: "NDArray[float64]"
    mass: "NDArray[float64]"


def _density(looks: Sequence[EarlierLook]) -> _Paths:
    import numpy as np

    nodes, weights = _nodes()
    reach = min(looks[0].boundary, FARTHEST)
    places = reach * nodes
    mass = reach * weights * np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)
    for look in looks[1:]:
        rho = kept(look.correlation)
        spread = math.sqrt(1 - rho**2)
        reach = min(look.boundary, FARTHEST)
        onward = reach * nodes
        apart = (onward[:, None] - rho * places[None, :]) / spread
        density = np.exp(-(apart**2) / 2) @ mass / (spread * math.sqrt(2 * math.pi))
        places, mass = onward, reach * weights * density
    return _Paths(places, mass)


def _boundary(paths: _Paths, rho: float, side: float) -> float:
    """Where the paths cross upwards with the probability `side`: Newton's steps on the logarithm, within halvings."""
    low, high = 0.0, FARTHEST
    point = -NormalDist().inv_cdf(side)
    for _ in range(MOST_STEPS):
        above, density = _above(paths, rho, point)
        if above > side:
            low = point
        else:
            high = point
        if above <= 0 or density <= 0:
            point = (low + high) / 2
            continue
        step = math.log(above / side) * above / density
        if abs(step) < EXACT:
            return point + step
        point = point + step if low < point + step < high else (low + high) / 2
    return point


def _above(paths: _Paths, rho: float, boundary: float) -> tuple[float, float]:
    """The probability that the paths are above the boundary at the next look, and their density there."""
    import numpy as np

    spread = math.sqrt(1 - rho**2)
    apart = (boundary - rho * paths.places) / spread
    tails = np.array([math.erfc(each) for each in (apart / math.sqrt(2)).tolist()]) / 2
    density = np.exp(-(apart**2) / 2) / (spread * math.sqrt(2 * math.pi))
    return float(tails @ paths.mass), float(density @ paths.mass)


@lru_cache(maxsize=1)
def _nodes() -> "tuple[NDArray[float64], NDArray[float64]]":
    import numpy as np

    found: tuple[NDArray[float64], NDArray[float64]] = np.polynomial.legendre.leggauss(NODES)
    return found
