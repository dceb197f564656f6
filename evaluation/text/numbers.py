"""The written form of figures. Nothing here computes; None is written as "-"."""

import math

NONE = "-"
SAME = 1e-9
"""Values this close are written alike."""


def score(value: float | None) -> str:
    """Two decimals: 0.74."""
    return NONE if value is None else f"{value:.2f}"


def interval(ends: tuple[float, float] | None) -> str:
    """[0.70, 0.78]."""
    return NONE if ends is None else f"[{ends[0]:.2f}, {ends[1]:.2f}]"


def percent(share: float | None) -> str:
    """97%; only a full share is written 100%, and only none at all 0%."""
    if share is None:
        return NONE
    rounded = round(share * 100)
    if rounded >= 100 and share < 1:
        return ">99%"
    if rounded <= 0 and share > 0:
        return "<1%"
    return f"{rounded}%"


def count(value: int | None) -> str:
    """12,345."""
    return NONE if value is None else f"{value:,}"


def money(usd: float | None) -> str:
    """$1.23, below one dollar with four decimals; "unknown" when a price is."""
    if usd is None:
        return "unknown"
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"


def duration(seconds: float | None) -> str:
    """8.4 s, 3 min 20 s, 2 h 5 min."""
    if seconds is None:
        return NONE
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def latency(ms: float) -> str:
    """380 ms; from one second up as a duration."""
    return f"{ms:.0f} ms" if ms < 999.5 else duration(ms / 1000)


def beside(value: float, bound: float) -> tuple[str, str]:
    """A value and the bound that it is held against, with enough decimals to distinguish them (2 to 10)."""
    shown = f"{bound:.2f}" if round(bound, 2) == bound else f"{bound:g}"
    if math.isclose(value, bound, rel_tol=0, abs_tol=SAME):
        return shown, shown
    texts = (f"{value:.{places}f}" for places in range(2, 11))
    return next((text for text in texts if float(text) != bound), shown), shown


def times(number: int, noun: str) -> str:
    """1 exchange, 2 exchanges."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def with_sign(value: float | None, places: int = 3) -> str:
    """+0.041; zero has no sign."""
    if value is None:
        return NONE
    text = f"{value:+.{places}f}"
    return text[1:] if float(text) == 0 else text


def span(ends: tuple[float, float] | None) -> str:
    """+0.022 to +0.060."""
    return NONE if ends is None else f"{with_sign(ends[0])} to {with_sign(ends[1])}"


def above(value: float) -> str:
    """A limit, rounded up, so that no more is promised than holds: 0.0213 is 0.022."""
    return f"{math.ceil(value * 1000 - 1e-6) / 1000:.3f}"


def p_value(p: float | None) -> str:
    """Three decimals; below these "<0.001"."""
    if p is None:
        return NONE
    return "<0.001" if p < 0.001 else f"{p:.3f}"
