"""Metrics that cluster, saturate or come in few steps are named; those that spread are not."""

import pytest

from evaluation.sweep.distribution import distribution

SPREAD = [place / 99 for place in range(100)]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (SPREAD, []),
        ([1.0] * 26 + SPREAD[:74], ["26% of the values are 1"]),
        ([1.0] * 20 + SPREAD[:80], []),
        ([0.0] * 60 + SPREAD[:40], ["61% of the values are 0, the low end"]),
        ([0.4] * 60 + SPREAD[:40], ["60% of the values are 0.4"]),
        ([0.2, 0.5, 0.8, 0.9] * 25, ["only 4 different values"]),
        ([1.0] * 100, ["100% of the values are 1, the high end", "only one value"]),
        ([0.5 + place / 5000 for place in range(100)], ["the middle half lies between 0.50 and 0.51"]),
        ([1.0] * 29, []),
        ([], []),
    ],
    ids=["spread", "saturated", "below", "floor", "dominant", "coarse", "constant", "narrow", "few", "none"],
)
def test_what_stands_out(values: list[float], named: list[str]) -> None:
    found = distribution("m", values, 0.0, 1.0)
    assert found.n == len(values)
    assert len(found.findings) == len(named), found.findings
    for finding, start in zip(found.findings, named, strict=True):
        assert finding.startswith(start)


def test_the_figures() -> None:
    found = distribution("m", [0.0, 0.25, 0.5, 0.75, 1.0], 0.0, 1.0)
    assert (found.n, found.distinct, found.at_low, found.at_high) == (5, 5, 0.2, 0.2)
    assert found.middle == (0.25, 0.75)
    assert found.stdev == pytest.approx((0.625 / 4) ** 0.5)
