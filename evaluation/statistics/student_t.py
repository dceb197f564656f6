"""Student's t: tail probability and quantile, in plain Python so that a run need not load scipy.

The tail is half the regularised incomplete beta function I_x(df/2, 1/2) with x = df / (df + t^2), evaluated by its
continued fraction (Abramowitz & Stegun 26.5.8, Lentz's method). Agrees with scipy to 1e-9 (relative) for degrees of
freedom from 1 to a million.
"""

import math
from functools import lru_cache
from statistics import NormalDist

SMALLEST = 1e-300
PRECISION = 1e-16
MOST_TERMS = 20_000
SERIES_FROM = 30.0
HALF_STEP_SERIES = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304, 39325 / 33554432)
"""Of Gamma(a + 1/2) / (Gamma(a) sqrt(a)) in powers of 1/a."""


def upper_tail(t: float, df: float) -> float:
    """P(T > t) for `df` > 0 degrees of freedom; keeps its relative precision far into the tail."""
    _check_df(df)
    if t < 0:
        return 1.0 - upper_tail(-t, df)
    if t == 0:
        return 0.5
    ratio = t / math.sqrt(df)
    if ratio * ratio * df > 3:
        return math.exp(_log_front(df / 2, ratio)) * _tail_fraction(df, ratio) / df
    square = ratio * ratio
    return 0.5 - math.exp(_log_front(df / 2, ratio)) * _continued_fraction(0.5, df / 2, square / (1 + square))


@lru_cache(maxsize=4096)
def quantile(p: float, df: float) -> float:
    """The t below which a share `p` lies: 0 < p < 1, `df` >= 1. Raises ValueError outside these ranges."""
    _check_df(df)
    if not 0 < p < 1:
        raise ValueError(f"p is {p!r}; a quantile needs 0 < p < 1")
    if p == 0.5:
        return 0.0
    tail = min(p, 1 - p)
    t = _from_the_left(tail, df) if tail > 0.1 else _in_log_scale(tail, df)
    return -t if p < 0.5 else t


def critical(confidence: float, df: float) -> float:
    """Half-width of a two-sided interval, in standard errors: 2.776 for 0.95 and 4 degrees of freedom."""
    return quantile(0.5 + confidence / 2, df)


def _check_df(df: float) -> None:
    if not df >= 1:
        raise ValueError(f"degrees of freedom are {df!r}; at least 1 is needed")


def _from_the_left(tail: float, df: float) -> float:
    """Newton on the tail itself: it is convex, and the normal quantile lies to the left of the root."""
    t = NormalDist().inv_cdf(1 - tail)
    scale = _half_step(df / 2) / math.sqrt(math.pi * df)
    for _ in range(100):
        density = scale * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
        step = (upper_tail(t, df) - tail) / density
        t += step
        if abs(step) <= 1e-15 * t:
            break
    return t


def _in_log_scale(tail: float, df: float) -> float:
    """Newton on log tail over log t: concave, and nearly a straight line where the tail is heavy.

    The slope is -df / F, F being the continued fraction: density and tail share all their other factors.
    """
    u = math.log(-NormalDist().inv_cdf(tail))
    wanted = math.log(tail)
    before = math.inf
    for _ in range(200):
        ratio = math.exp(u) / math.sqrt(df)
        fraction = _tail_fraction(df, ratio)
        step = (_log_front(df / 2, ratio) + math.log(fraction / df) - wanted) * fraction / df
        u += step
        # A small step that is no smaller than the one before it is rounding: more of them lead nowhere.
        if abs(step) <= 1e-15 or before <= abs(step) < 1e-12:
            break
        before = abs(step)
    return math.exp(u)


def _half_step(a: float) -> float:
    """Gamma(a + 1/2) / Gamma(a): by series for large a, where the difference of logarithms loses its digits."""
    if a < SERIES_FROM:
        return math.gamma(a + 0.5) / math.gamma(a)
    return math.sqrt(a) * math.fsum(term / a**power for power, term in enumerate(HALF_STEP_SERIES))


def _log_one_plus_square(ratio: float) -> float:
    return math.log1p(ratio * ratio) if ratio < 1e8 else 2 * math.log(ratio)


def _log_front(a: float, ratio: float) -> float:
    """log of x^a (1-x)^(1/2) / B(a, 1/2), with x = 1 / (1 + ratio^2); ratio > 0."""
    return math.log(ratio * _half_step(a) / math.sqrt(math.pi)) - (a + 0.5) * _log_one_plus_square(ratio)


def _tail_fraction(df: float, ratio: float) -> float:
    return _continued_fraction(df / 2, 0.5, math.exp(-_log_one_plus_square(ratio)))


def _continued_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = _inverse(1 + even * d)
        c = _away_from_zero(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = _inverse(1 + odd * d)
        c = _away_from_zero(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) <= PRECISION:
            break
    return value


def _inverse(value: float) -> float:
    return 1 / _away_from_zero(value)


def _away_from_zero(value: float) -> float:
    return value if abs(value) > SMALLEST else SMALLEST
