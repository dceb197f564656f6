import math

import pytest
from scipy import stats

from evaluation.statistics.student_t import critical, quantile, upper_tail

DEGREES = [1, 1.5, 2, 3, 4, 5, 9, 10, 29, 59, 60, 61, 120, 999, 12_345, 100_000, 1_000_000]
TAILS = [1e-12, 1e-6, 1e-4, 0.001, 0.005, 0.025, 0.05, 0.0999, 0.1, 0.1001, 0.2, 0.3, 0.4]


POINTS = [0.01, 0.5, 1.0, 1.7, math.sqrt(3), 1.75, 2.5, 5.0, 12.0, 30.0]


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles_agree_with_scipy(df: float) -> None:
    assert [quantile(tail, df) for tail in TAILS] == pytest.approx([stats.t.ppf(tail, df) for tail in TAILS], rel=1e-9)
    tops = [1 - tail for tail in TAILS]
    assert [quantile(top, df) for top in tops] == pytest.approx([stats.t.isf(1 - top, df) for top in tops], rel=1e-9)


@pytest.mark.parametrize("df", DEGREES)
def test_tails_agree_with_scipy(df: float) -> None:
    upper = [upper_tail(t, df) for t in POINTS]
    assert upper == pytest.approx([stats.t.sf(t, df) for t in POINTS], rel=1e-9, abs=1e-290)
    assert [upper_tail(-t, df) for t in POINTS] == pytest.approx([stats.t.cdf(t, df) for t in POINTS], rel=1e-9)


@pytest.mark.parametrize("p", [1e-300, 1e-200, 0.2, 0.4999, 0.499999, 0.50001, 0.6])
def test_one_and_two_degrees_have_closed_forms(p: float) -> None:
    # df = 1: tan(pi (p - 1/2)), near its pole -1/(pi p);  df = 2: (2p - 1) / sqrt(2 p (1 - p)).
    one = -1 / (math.pi * p) if p < 1e-10 else math.tan(math.pi * (p - 0.5))
    assert quantile(p, 1) == pytest.approx(one, rel=1e-9)
    assert quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-9)


def test_printed_tables() -> None:
    assert critical(0.95, 4) == pytest.approx(2.776, abs=5e-4)
    assert critical(0.99, 10) == pytest.approx(3.169, abs=5e-4)
    assert quantile(0.5, 7) == 0.0
    assert upper_tail(0.0, 7) == 0.5


@pytest.mark.parametrize(("p", "df"), [(0, 3), (1, 3), (1.5, 3), (math.nan, 3), (0.9, 0), (0.9, math.nan)])
def test_what_has_no_quantile_is_refused(p: float, df: float) -> None:
    with pytest.raises(ValueError, match=r"is needed|needs"):
        quantile(p, df)
