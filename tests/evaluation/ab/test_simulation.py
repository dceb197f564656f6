"""The simulated months against the tool's own sums, and the rate of false alarms over thirty daily looks."""

import math

import numpy as np
import pytest

from benchmarks.simulations.ab import DAYS, TRAFFICS, WINDOW, Month, cell, draw_month, look_at_whole_windows, look_daily
from evaluation.ab.plan import DAY_S
from evaluation.ab.tally import Generation, Tally
from evaluation.statistics.two_arms import covariance_of, difference_of

PLACE = {traffic.name: at for at, traffic in enumerate(TRAFFICS)}
DAY = 24


def small_month(name: str) -> Month:
    return draw_month(TRAFFICS[PLACE[name]], 0.3, np.random.default_rng(4), 1)


def tally_of(month: Month, until: int, cut: int) -> Tally:
    """The generations of the only trial up to the end of a day; each day's ones share its sum."""
    tally = Tally(cut * DAY_S)
    counts, sums = month.counts[0], month.sums[0]
    arm = month.arm[0] if month.arm.ndim == 3 else np.broadcast_to(month.arm[0][:, None], counts.shape)
    for user, day in zip(*np.nonzero(counts[:, :until]), strict=True):
        one = Generation(
            unit=f"{user} {day}" if month.arm.ndim == 3 else str(user),
            cluster=str(user),
            arm=int(arm[user, day]),
            at=float(day) * DAY_S + 1,
            failed=False,
            value=float(sums[user, day] / counts[user, day]),
        )
        for _ in range(int(counts[user, day])):
            tally.take(one)
    return tally


@pytest.mark.parametrize("name", ["few users", "sessions assigned"])
def test_a_simulated_look_is_one_of_the_tool(name: str) -> None:
    month = small_month(name)
    found = look_daily(month)
    tally = tally_of(month, DAY + 1, DAY)
    now, then = tally.by_response(), tally.by_response(before_cut=True)
    ours, before = difference_of(*now), difference_of(*then)
    assert ours is not None and before is not None
    assert found.difference[0, DAY] == pytest.approx(ours.difference)
    assert found.se[0, DAY] == pytest.approx(ours.se)
    assert found.freedom[0, DAY] == pytest.approx(ours.freedom)
    assert found.users[0, DAY] == ours.base.clusters + ours.other.clusters
    shared = covariance_of(then, now) / ours.se / before.se
    assert found.correlation[0, DAY] == pytest.approx(min(shared, ours.se / before.se))


def test_a_simulated_window_is_one_of_the_tool() -> None:
    month = small_month("alike users")
    found = look_at_whole_windows(month)
    ours = difference_of(*tally_of(month, DAYS, 0).by_user(WINDOW, DAYS * DAY_S)[0])
    assert ours is not None
    assert found.difference[0, -1] == pytest.approx(ours.difference)
    assert found.se[0, -1] == pytest.approx(ours.se)
    assert found.users[0, -1] == ours.base.clusters + ours.other.clusters


@pytest.mark.long
@pytest.mark.parametrize("name", ["uneven activity, linked to scores", "sessions assigned, all there, drifting far"])
def test_thirty_daily_looks_raise_a_false_alarm_in_five_of_a_hundred(name: str) -> None:
    trials = 800
    found = cell(PLACE[name], 0.0, 3, trials)
    assert found.daily > 0.12, "looking daily without a correction does harm"
    assert found.spending < 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / trials)
    assert found.sequence < 0.05
