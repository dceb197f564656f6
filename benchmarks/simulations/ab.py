"""A/B tests in production, looked at daily: how often they raise a false alarm, and how often they find a difference.

Users arrive over thirty days, come back, differ in how often they write, how well they are served and how that changes,
and meet weekdays on which all are served otherwise. Each is assigned an arm once, but for sessions, where each day of a
user is assigned by itself. The estimates are those of `evaluation/statistics/two_arms.py` for many trials at once; the
boundaries and the sequence are the tool's own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.statistics import confidence_sequence
from evaluation.statistics.spending import EarlierLook, next_boundary, spent_by
from evaluation.statistics.two_arms import in_t

Values = NDArray[np.float64]

DAYS, WINDOW, LEAST_USERS, ALPHA = 30, 7, 100, 0.05
TRIALS, TRIALS_OF_POWER = 10_000, 1_000
EFFECT = 2.8
"""What a single look at the end finds in about 80 of 100."""
AT_ONCE = 25
WEEKDAYS = np.array([1.2, 1.1, 1.0, 1.0, 0.9, 0.5, 0.6])
"""Responses of a weekday, as a share of the usual ones."""
SERVED = np.array([0.1, 0.0, 0.0, 0.0, -0.05, -0.2, -0.15])
"""What a weekday adds to a score."""


@dataclass(frozen=True)
class Traffic:
    """Users of a month. Scores have about the variance 1."""

    name: str
    users: int = 1_200
    """Of both arms."""
    alike: float = 0.3
    """The share of the variance that is the user's own."""
    daily: float = 0.7
    """Responses of a usual user on a usual day."""
    uneven: float = 0.0
    """Spread of the logarithm of users' activity."""
    linked: float = 0.0
    """Correlation of a user's activity with how well he is served."""
    drift: float = 0.0
    """Standard deviation of how much a user's level changes in a month."""
    heavy: bool = False
    """Users' own levels have tails like t with 3 degrees of freedom."""
    skewed: bool = False
    """Scores are 1, and fall by far for few users."""
    arriving: str = "evenly"
    """evenly, at once, or faster and faster."""
    by_session: bool = False
    """Each day of a user is assigned by itself."""
    planned: int | None = None
    """Users that are planned: the share of them is the clock."""


TRAFFICS: Sequence[Traffic] = (
    Traffic("alike users"),
    Traffic("few users", users=360),
    Traffic("alike users, clock of 1,000 users", planned=1_000),
    Traffic("uneven activity, linked to scores", uneven=1.2, linked=0.5, alike=0.5),
    Traffic("heavy tails, uneven activity", uneven=1.2, heavy=True, alike=0.5),
    Traffic("rare deep falls", uneven=0.8, skewed=True, alike=0.5),
    Traffic("all there at once, drifting far", arriving="at once", alike=0.5, drift=3.0),
    Traffic("faster and faster, drifting", arriving="faster and faster", uneven=0.8, drift=1.0),
    Traffic("sessions assigned", by_session=True, uneven=0.8, alike=0.5),
    Traffic("sessions assigned, all there, drifting far", by_session=True, arriving="at once", alike=0.5, drift=3.0),
)


@dataclass(frozen=True)
class Month:
    """Several trials of a month: by trial, user and day."""

    arrival: NDArray[np.int64]
    counts: Values
    sums: Values
    arm: NDArray[np.bool_]
    """By trial and user, or by trial, user and day."""


def draw_month(traffic: Traffic, effect: float, luck: np.random.Generator, trials: int) -> Month:
    shape = (trials, traffic.users)
    arrival = _arrivals(traffic, luck, shape)
    common, own = luck.standard_normal((2, *shape))
    level = traffic.linked * common + math.sqrt(1 - traffic.linked**2) * own
    if traffic.heavy:
        level = luck.standard_t(3, shape) / math.sqrt(3)
    if traffic.skewed:
        level = np.where(luck.random(shape) < 0.05, -(0.95**0.5) / 0.05**0.5, (0.05 / 0.95) ** 0.5)
    activity = traffic.daily * np.exp(traffic.uneven * common - traffic.uneven**2 / 2)
    first = luck.integers(0, 7, trials)
    days = np.arange(DAYS)
    weekday = (first[:, None] + days) % 7
    here = days >= arrival[:, :, None]
    counts = luck.poisson(activity[:, :, None] * WEEKDAYS[weekday][:, None, :]).astype(float)
    counts = np.where(days == arrival[:, :, None], counts + 1, counts) * here
    since = days - arrival[:, :, None]
    change = traffic.drift * luck.standard_normal(shape)[:, :, None] * since / DAYS
    mean = math.sqrt(traffic.alike) * (level[:, :, None] + change) + SERVED[weekday][:, None, :]
    noise = math.sqrt(1 - traffic.alike) * np.sqrt(counts) * luck.standard_normal(counts.shape)
    arm = luck.random(counts.shape if traffic.by_session else shape) < 0.5
    better = effect * (arm if traffic.by_session else arm[:, :, None])
    return Month(arrival, counts, counts * (mean + better) + noise, arm)


def _arrivals(traffic: Traffic, luck: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.int64]:
    match traffic.arriving:
        case "at once":
            return luck.integers(0, 3, shape)
        case "faster and faster":
            return (DAYS * np.sqrt(luck.random(shape))).astype(np.int64)
    return luck.integers(0, DAYS, shape)


@dataclass(frozen=True)
class Daily:
    """What each day's look sees: by trial and day. NaN before the first look."""

    difference: Values
    se: Values
    freedom: Values
    users: Values
    """Of both arms."""
    correlation: Values
    """Of each day's difference with that of the day before."""


def look_daily(month: Month) -> Daily:
    """Difference of the means over responses, clustered by user."""
    by_arm, squares, numbers = [], [], []
    parts = []
    for side in (False, True):
        mine = month.arm == side
        mine = mine if mine.ndim == 3 else mine[:, :, None]
        size, total = np.cumsum(month.counts * mine, axis=2), np.cumsum(month.sums * mine, axis=2)
        all_size = size.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = total.sum(axis=1) / all_size
            number = (size > 0).sum(axis=1).astype(float)
            influence = (total - mean[:, None, :] * size) / all_size[:, None, :]
            influence *= np.sqrt(number / np.maximum(number - 1, 1))[:, None, :]
        by_arm.append(mean)
        numbers.append(number)
        parts.append(influence)
        squares.append((influence**2).sum(axis=1))
    together = np.nan_to_num(parts[1] - parts[0])
    variance = (together**2).sum(axis=1)
    correlation = np.zeros_like(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        shared = (together[:, :, 1:] * together[:, :, :-1]).sum(axis=1)
        of_efficient = np.sqrt(variance[:, 1:] / variance[:, :-1])
        correlation[:, 1:] = np.minimum(shared / np.sqrt(variance[:, 1:] * variance[:, :-1]), of_efficient)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (squares[0] + squares[1]) ** 2 / (
            squares[0] ** 2 / (numbers[0] - 1) + squares[1] ** 2 / (numbers[1] - 1)
        )
    early = np.minimum(*numbers) < LEAST_USERS
    variance[early] = math.nan
    return Daily(by_arm[1] - by_arm[0], np.sqrt(variance), freedom, numbers[0] + numbers[1], correlation)


def look_at_whole_windows(month: Month) -> Daily:
    """Difference of the means over users, each with his first days once these have passed."""
    since = np.arange(DAYS) - month.arrival[:, :, None]
    inside = (since >= 0) & (since < WINDOW)
    value = (month.sums * inside).sum(axis=2) / (month.counts * inside).sum(axis=2)
    done = month.arrival + WINDOW - 1
    means, variances, numbers = [], [], []
    for side in (False, True):
        mine = (month.arm == side)[:, :, None] & (np.arange(DAYS) >= done[:, :, None])
        number = mine.sum(axis=1).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (value[:, :, None] * mine).sum(axis=1) / number
            square = ((value[:, :, None] - mean[:, None, :]) ** 2 * mine).sum(axis=1)
            variances.append(square / (number - 1) / number)
        means.append(mean)
        numbers.append(number)
    variance = variances[0] + variances[1]
    variance[np.minimum(*numbers) < LEAST_USERS] = math.nan
    return Daily(means[1] - means[0], np.sqrt(variance), variance, numbers[0] + numbers[1], variance)


def crossed_boundaries(found: Daily, planned: int | None) -> NDArray[np.int64]:
    """The day on which each trial crosses a boundary that spends the error rate over the month; -1 for none."""
    shares = np.broadcast_to((np.arange(DAYS) + 1) / DAYS, found.se.shape).copy()
    if planned is not None:
        shares[:, :-1] = np.minimum(1.0, found.users[:, :-1] / planned)
    days = np.full(len(shares), -1)
    standard = np.abs(found.difference / found.se)
    for trial, of_trial in enumerate(shares):
        last = int(np.argmax(of_trial >= 1)) + 1  # what comes after all is spent tests nothing
        spent = np.array([spent_by(share, ALPHA) for share in of_trial[:last].tolist()])
        # A boundary lies no lower than that of all that is spent by then, so most trials need none.
        may_cross = np.flatnonzero(standard[trial, :last] >= [_floor(each) for each in spent.tolist()])
        if len(may_cross):
            until = int(may_cross[-1]) + 1
            days[trial] = _crossed(standard[trial, :until], found.correlation[trial], found.freedom[trial], spent)
    return days


@lru_cache(maxsize=100_000)
def _floor(spent: float) -> float:
    return -NormalDist().inv_cdf(max(spent, 1e-15) / 2)


def _crossed(standard: Values, correlation: Values, freedom: Values, spent: Values) -> int:
    looks: list[EarlierLook] = []
    used = 0.0
    for day, reached in enumerate(standard.tolist()):
        if math.isnan(reached):
            continue
        boundary = next_boundary(looks, float(correlation[day]), float(spent[day]) - used)
        used = float(spent[day]) if boundary < math.inf else used
        looks.append(EarlierLook(boundary, float(correlation[day])))
        if reached >= boundary and reached >= in_t(boundary, float(freedom[day])):
            return day
    return -1


def left_sequence(found: Daily, tightest_at: int) -> NDArray[np.int64]:
    """The day on which each trial's sequence leaves out 0; -1 for none."""
    reach = np.array([[_reach(int(users), tightest_at) for users in row] for row in found.users])
    out = np.abs(found.difference / found.se) >= reach
    return np.where(out.any(axis=1), out.argmax(axis=1), -1)


def _reach(users: int, tightest_at: int) -> float:
    return confidence_sequence.reach(users, tightest_at, ALPHA) if users else math.inf


def left_daily(found: Daily) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The day on which an interval that knows of no other look leaves out 0: of all days, and of the last alone."""
    out = np.abs(found.difference / found.se) >= NormalDist().inv_cdf(1 - ALPHA / 2)
    return np.where(out.any(axis=1), out.argmax(axis=1), -1), np.where(out[:, -1], DAYS - 1, -1)


@dataclass(frozen=True)
class Calls:
    """Shares of trials that called a difference, and the median day of those."""

    daily: float
    """By an interval of each day that knows nothing of the others."""
    at_the_end: float
    """By such an interval of the last day alone."""
    spending: float
    sequence: float
    day_of_spending: float
    day_of_sequence: float


def cell(place: int, effect: float, seed: int, trials: int) -> Calls:
    """`effect` is in standard errors of the last day's difference."""
    luck, traffic = np.random.default_rng(seed), TRAFFICS[place]
    if effect:
        effect *= float(np.nanmean(look_daily(draw_month(traffic, 0.0, luck, AT_ONCE)).se[:, -1]))
    kinds: tuple[list[NDArray[np.int64]], ...] = ([], [], [], [])
    for start in range(0, trials, AT_ONCE):
        month = draw_month(traffic, effect, luck, min(AT_ONCE, trials - start))
        found = look_daily(month)
        daily, at_the_end = left_daily(found)
        sequence = np.full(len(daily), -1)
        if not traffic.by_session:
            sequence = left_sequence(look_at_whole_windows(month), traffic.users)
        for kind, days in zip(
            kinds, (daily, at_the_end, crossed_boundaries(found, traffic.planned), sequence), strict=True
        ):
            kind.append(days)
    called = [np.concatenate(kind) for kind in kinds]
    shares = [float((days >= 0).mean()) for days in called]
    medians = [float(np.median(days[days >= 0])) + 1 if (days >= 0).any() else math.nan for days in called[2:]]
    return Calls(*shares, *medians)


def read_ab_tests(draws: Draws) -> Table:
    trials, of_power = draws.count(TRIALS), draws.count(TRIALS_OF_POWER)
    places = [(at, effect) for at in range(len(TRAFFICS)) for effect in (0.0, EFFECT)]
    jobs = [(*at, draws.cell("ab", TRAFFICS[at[0]].name, at[1]), of_power if at[1] else trials) for at in places]
    cells = iter(list(spread(cell, jobs)))
    rows = []
    for traffic in TRAFFICS:
        none, some = next(cells), next(cells)
        sequence = ["-"] * 3 if traffic.by_session else [
            percent(none.sequence), percent(some.sequence), f"{some.day_of_sequence:.0f}"
        ]  # fmt: skip
        rows.append(
            [
                traffic.name, percent(none.daily), percent(none.spending), sequence[0],
                percent(some.at_the_end), percent(some.spending), f"{some.day_of_spending:.0f}", *sequence[1:],
            ]
        )  # fmt: skip
    return Table(
        "A/B tests looked at daily for thirty days",
        [
            "users", "false: no correction", "false: spending", "false: sequence",
            "found: at the end alone", "found: spending", "its day", "found: sequence", "its day",
        ],
        rows,
        f"Seed {draws.seed}, {trials:,} tests without a difference a row, standard error {error(trials, ALPHA)} points "
        f"at 5%; {of_power:,} with one of {EFFECT} standard errors of the last day, {error(of_power, 0.8)} points at "
        "80%. In percent; days are medians of the tests that found it. First look from 100 users a version; the "
        f"sequence counts users once, by their first {WINDOW} days.",
    )  # fmt: skip
