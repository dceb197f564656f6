"""Means of weighted samples: by hand, against what equal weights give, and by simulation."""

import math
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.production.observation import read_observation
from evaluation.production.sampling import Draw
from evaluation.statistics.clusters import WeightedValue, clustered_mean, weighted_estimate, weighted_mean
from tests.evaluation.production.rows import row


def test_a_stratified_mean_by_hand() -> None:
    # A stands for 20 of 30, B for 10: mean 2/3 * 0.3 + 1/3 * 0.8. Var = (2/3)^2 * 0.02 / 2 + (1/3)^2 * 0.08 / 2.
    sample = [
        WeightedValue("A", "a", 10, 0.2),
        WeightedValue("A", "b", 10, 0.4),
        WeightedValue("B", "c", 5, 1.0),
        WeightedValue("B", "d", 5, 0.6),
    ]
    found = weighted_mean(sample)
    assert found is not None and found.se is not None
    assert found.mean == pytest.approx(7 / 15)
    assert found.se == pytest.approx(math.sqrt(0.02 * 4 / 9 / 2 + 0.08 / 9 / 2))
    assert (found.clusters, found.scenarios) == (4, 4)


def test_a_group_by_hand() -> None:
    # Of stratum A one of two is in the group: what it stands for is then uncertain too, and it is left uncentred.
    sample = [
        WeightedValue("A", "a", 10, 0.2),
        WeightedValue("A", "b", 10, None),
        WeightedValue("B", "c", 5, 1.0),
        WeightedValue("B", "d", 5, 0.6),
    ]
    found = weighted_mean(sample)
    assert found is not None and found.se is not None
    assert found.mean == pytest.approx((10 * 0.2 + 5 * 1.6) / 20)  # 0.5
    of_a = (10 * (0.2 - 0.5) / 20) ** 2
    of_b = 2 * 2 * (5 * 0.2 / 20) ** 2
    assert found.se == pytest.approx(math.sqrt(of_a + of_b))


def test_users_that_return_count_together() -> None:
    alone = [WeightedValue("A", str(place), 1, value) for place, value in enumerate((0.2, 0.3, 0.7, 0.8))]
    pairs = [each._replace(cluster="low" if each.value is not None and each.value < 0.5 else "high") for each in alone]
    wide, narrow = weighted_mean(pairs), weighted_mean(alone)
    assert wide is not None and narrow is not None and wide.se is not None and narrow.se is not None
    assert wide.mean == narrow.mean == pytest.approx(0.5)
    assert wide.se > narrow.se


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 1)), min_size=1, max_size=30),
    st.floats(0.5, 50),
)
def test_one_stratum_and_equal_weights_are_the_unweighted_mean(pairs: list[tuple[str, float]], weight: float) -> None:
    found = weighted_mean(WeightedValue("all", cluster, weight, value) for cluster, value in pairs)
    plain = clustered_mean(pairs)
    assert found is not None and plain is not None
    assert found.mean == pytest.approx(plain.mean, abs=1e-12)
    assert (found.clusters, found.scenarios) == (plain.clusters, plain.scenarios)
    assert found.se == pytest.approx(plain.se, abs=1e-9)


def test_without_values_there_is_no_mean_and_with_one_user_no_interval() -> None:
    assert weighted_mean([]) is None
    assert weighted_mean([WeightedValue("A", "a", 1, None)]) is None
    one = weighted_estimate([WeightedValue("A", "a", 3, 0.5), WeightedValue("A", "a", 3, 0.7)], (0, 1))
    assert (one.n, one.clusters, one.se, one.ci95, one.stands_for) == (2, 1, None, None, 6)
    none = weighted_estimate([WeightedValue("A", "a", 1, None)], (0, 1))
    assert (none.n, none.mean, none.ci95) == (0, None, None)


def test_the_interval_stays_on_the_scale_and_uneven_weights_say_less() -> None:
    sample = [WeightedValue("A", str(place), 1 if place else 9, 1.0) for place in range(10)]
    found = weighted_estimate(sample, (0, 1))
    assert found.ci95 is not None and found.ci95[0] < 1.0 == found.ci95[1]
    assert found.effective_n == pytest.approx(18**2 / 90)


VERSIONS = {1: (1200, 0.75), 2: (300, 0.6), 3: (60, 0.45)}
"""Prompt version -> generations of two weeks, and the quality that its users meet."""


def simulated(trial: int) -> Iterator[tuple[str, bool]]:
    """(what is estimated, whether its interval holds the true quality) for one production with returning users."""
    chance = random.Random(trial)
    moods = [chance.gauss(0, 0.08) for _ in range(150)]
    draw, values = Draw(trial, 240), dict[str, float | None]()
    for version, (count, quality) in VERSIONS.items():
        for number in range(count):
            user = chance.randrange(len(moods))
            second = number * 14 * 86_400 // count
            observation = read_observation(
                row(second, id=f"{version}-{number}", promptVersion=version, userId=str(user))
            )
            draw.offer(observation)
            of_week = 0.05 if observation.week.endswith("47") else -0.05
            is_chat = chance.random() < 0.8
            value = min(1.0, max(0.0, quality + of_week + moods[user] + chance.gauss(0, 0.12)))
            values[observation.key] = round(value, 2) if is_chat else None
    sample = draw.sample(240)
    truths = {
        "all": sum(count * quality for count, quality in VERSIONS.values()) / sum(c for c, _ in VERSIONS.values())
    }
    truths |= {f"v{version}": quality for version, (_, quality) in VERSIONS.items()}
    for name, truth in truths.items():
        inside = [
            WeightedValue(
                each.stratum,
                each.observation.cluster,
                each.weight,
                values[each.observation.key] if name in ("all", each.observation.version[-2:]) else None,
            )
            for each in sample
        ]
        ends = weighted_estimate(inside, (0, 1)).ci95
        assert ends is not None
        yield name, ends[0] <= truth <= ends[1]


@pytest.mark.slow
@pytest.mark.parametrize("trials", [40, pytest.param(600, marks=pytest.mark.long)])
def test_the_interval_covers_the_true_quality(trials: int) -> None:
    covered: dict[str, int] = {}
    for trial in range(trials):
        for name, holds in simulated(trial):
            covered[name] = covered.get(name, 0) + holds
    shares = {name: count / trials for name, count in covered.items()}
    assert set(shares) == {"all", "v1", "v2", "v3"}
    low, high = (0.93, 0.97) if trials > 500 else (0.8, 1.0)
    assert {name: share for name, share in shares.items() if not low <= share <= high} == {}, shares
