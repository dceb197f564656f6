"""The difference of two arms against the sandwich of a regression, and against one mean at a time."""

import random

import pytest

from evaluation.statistics.clusters import clustered_mean
from evaluation.statistics.two_arms import UserSum, covariance_of, difference_of, in_t


def sums(rows: list[tuple[int, float]]) -> dict[int, UserSum]:
    found: dict[int, list[float]] = {}
    for user, value in rows:
        found.setdefault(user, []).append(value)
    return {user: UserSum(len(values), sum(values)) for user, values in found.items()}


def drawn(users: range, seed: int) -> list[tuple[int, float]]:
    luck = random.Random(seed)
    return [(user, luck.gauss(user % 3, 1)) for user in users for _ in range(luck.randint(1, 5))]


def test_arms_without_a_common_user_are_two_clustered_means() -> None:
    base, other = drawn(range(12), 1), drawn(range(20, 45), 2)
    found = difference_of(sums(base), sums(other))
    first, second = (clustered_mean([(str(user), value) for user, value in rows]) for rows in (base, other))
    assert found is not None and first is not None and second is not None
    assert first.se is not None and second.se is not None
    assert found.difference == pytest.approx(second.mean - first.mean)
    assert found.se == pytest.approx((first.se**2 + second.se**2) ** 0.5)
    assert (found.base.clusters, found.other.clusters) == (12, 25)
    assert 11 <= found.freedom <= 35


def test_users_in_both_arms_bring_their_covariance() -> None:
    """The cluster-robust variance of a regression on the arm, with a factor of G / (G - 1)."""
    import numpy as np

    base, other = drawn(range(30), 3), drawn(range(30), 4)
    found = difference_of(sums(base), sums(other))
    rows = [(user, 0.0, value) for user, value in base] + [(user, 1.0, value) for user, value in other]
    design = np.array([[1.0, arm] for _, arm, _ in rows])
    values = np.array([value for _, _, value in rows])
    bread = np.linalg.inv(design.T @ design)
    residuals = values - design @ (bread @ design.T @ values)
    meat = np.zeros((2, 2))
    for user in range(30):
        mine = np.array([row[0] == user for row in rows])
        score = design[mine].T @ residuals[mine]
        meat += np.outer(score, score)
    sandwich = bread @ meat @ bread * 30 / 29
    assert found is not None
    assert found.se == pytest.approx(sandwich[1, 1] ** 0.5)
    apart = difference_of(sums(base), {user + 100: each for user, each in sums(other).items()})
    assert apart is not None and found.se < apart.se, "what a user brings to both arms cancels"


def test_weights_and_single_users() -> None:
    one = {1: UserSum(2.0, 3.0)}
    two = {2: UserSum(1.0, 1.0), 3: UserSum(3.0, 6.0)}
    assert difference_of(one, two) is None and difference_of({}, two) is None
    found = difference_of({**one, 4: UserSum(2.0, 3.0)}, two)
    assert found is not None
    assert (found.base.mean, found.other.mean) == (1.5, 1.75)
    alike = difference_of({**one, 4: UserSum(2.0, 3.0)}, {5: UserSum(1.0, 1.5), 6: UserSum(1.0, 1.5)})
    assert alike is not None and alike.se == 0


def test_two_looks_at_data_that_accumulate_share_what_the_first_one_saw() -> None:
    """Of independent values the covariance with a later mean is that mean's variance, and so it is about here."""
    base, other = drawn(range(400), 5), drawn(range(400, 800), 6)
    first = sums(base[: len(base) // 2]), sums(other[: len(other) // 2])
    whole = sums(base), sums(other)
    then, now = difference_of(*first), difference_of(*whole)
    assert then is not None and now is not None
    assert covariance_of(whole, whole) == pytest.approx(now.se**2)
    assert covariance_of(first, whole) == pytest.approx(now.se**2, rel=0.1)
    assert covariance_of(first, whole) / then.se / now.se == pytest.approx(0.5**0.5, abs=0.05)
    assert covariance_of(({}, {}), whole) == 0


def test_users_who_keep_their_ways_make_two_looks_more_alike() -> None:
    luck = random.Random(8)
    base, other = ({user: luck.gauss(0, 1) for user in users} for users in (range(200), range(200, 400)))
    first = tuple({user: UserSum(1.0, level) for user, level in arm.items()} for arm in (base, other))
    whole = tuple({user: UserSum(2.0, 2 * level) for user, level in arm.items()} for arm in (base, other))
    then, now = difference_of(*first), difference_of(*whole)
    assert then is not None and now is not None
    assert covariance_of((first[0], first[1]), (whole[0], whole[1])) == pytest.approx(then.se * now.se)


def test_a_boundary_of_the_normal_law_lies_farther_out_under_t() -> None:
    from scipy.stats import norm, t

    for boundary, freedom in ((1.96, 198.0), (4.877, 198.0), (6.9, 500.0)):
        found = in_t(boundary, freedom)
        assert found > boundary
        assert t.sf(found, freedom) == pytest.approx(norm.sf(boundary), rel=1e-6)
