"""Means of what was drawn twice: by hand, against what one phase gives, and by simulation."""

import math
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.production.observation import read_observation
from evaluation.production.sampling import Draw
from evaluation.production.second_phase import Candidate, draw_again
from evaluation.statistics.clusters import WeightedValue, weighted_estimate
from evaluation.statistics.two_phase import TwoPhaseValue, second_weights, two_phase_estimate
from tests.evaluation.production.rows import row


def value(
    cluster: str, second: str | None, found: float | None = None, *, weight: float = 1.0, measured: bool | None = None
) -> TwoPhaseValue:
    return TwoPhaseValue("A", cluster, weight, second, found is not None if measured is None else measured, found)


SAMPLE = [
    value("a", "low", 0.2),
    value("b", "low", 0.4),
    value("c", "low"),
    value("d", "low"),
    value("e", "high", 0.8),
    value("f", "high", 1.0),
    value("g", None),
]


def test_what_was_measured_stands_for_all_of_its_stratum() -> None:
    assert second_weights(SAMPLE) == [2, 2, 0, 0, 1, 1, 0]
    uneven = [value("a", "low", 0.2, weight=3), value("b", "low", weight=1), value("c", "low", 0.4, weight=1)]
    assert second_weights(uneven) == pytest.approx([3 * 5 / 4, 0, 5 / 4])


def test_an_estimate_by_hand() -> None:
    # low: 4 turns, mean 0.3; high: 2 turns, mean 0.9, all measured. mean = (4 * 0.3 + 2 * 0.9) / 6 = 0.5.
    found = two_phase_estimate(SAMPLE, None)
    assert found.mean == pytest.approx(0.5)
    assert (found.n, found.clusters, found.stands_for) == (4, 4, 6)
    apart = math.sqrt(2) * 2 * 0.1  # f * w* * (y - 0.3) of the measured ones of low
    shares = [-0.2 - apart, -0.2 + apart, -0.2, -0.2, 0.3, 0.5, 0.0]
    assert sum(shares) == pytest.approx(0)
    assert found.se == pytest.approx(math.sqrt(6 / 5 * sum(share**2 for share in shares)) / 6)


def test_without_a_measured_value_there_is_no_mean_and_with_one_user_no_interval() -> None:
    assert two_phase_estimate([value("a", "low"), value("b", None)], (0, 1)).mean is None
    one = two_phase_estimate([value("a", "low", 0.5), value("a", "low", 0.7), value("b", "low")], (0, 1))
    assert one.mean == pytest.approx(0.6)
    assert (one.se, one.ci95) == (None, None)


def test_a_group_counts_what_is_outside_as_drawn() -> None:
    # Of low one of two measured is in the group, so half of the stratum is: the mean is that of the group alone.
    inside = [each._replace(value=None) if each.cluster == "b" else each for each in SAMPLE]
    found = two_phase_estimate(inside, None)
    assert found.mean == pytest.approx((2 * 0.2 + 0.8 + 1.0) / 4)
    assert found.stands_for == 4


@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.sampled_from("abcdef"), st.floats(0.5, 9), st.floats(0, 1)),
        min_size=1,
        max_size=20,
    )
)
def test_where_all_were_measured_it_is_the_estimate_of_one_phase(drawn: list[tuple[str, str, float, float]]) -> None:
    once = weighted_estimate([WeightedValue(*each) for each in drawn], None)
    seconds = [f"{place % 3}" for place in range(len(drawn))]
    twice = two_phase_estimate(
        [
            TwoPhaseValue(stratum, cluster, weight, second, True, found)
            for (stratum, cluster, weight, found), second in zip(drawn, seconds, strict=True)
        ],
        None,
    )
    assert twice.mean == pytest.approx(once.mean)
    assert twice.se == pytest.approx(once.se, abs=1e-9)
    assert twice.effective_n == pytest.approx(once.effective_n)
    assert twice.ci95 == pytest.approx(once.ci95)


VERSIONS = {1: (1200, 0.62), 2: (500, 0.55), 3: (240, 0.45)}
"""Prompt version -> generations of two weeks, and the quality that its users meet, as a judge sees it."""
CATEGORIES = {"advice": 0.09, "chat": 0.03, "grief": -0.03, "health": -0.09}


def simulated(trial: int, judged: int) -> Iterator[tuple[str, bool]]:
    """(what is estimated, whether its interval holds the true mean) for one production with returning users.

    Of 400 drawn generations a fifth is no chat; rules score the rest, with an error; `judged` are judged.
    """
    chance = random.Random(trial)
    moods = [chance.gauss(0, 0.08) for _ in range(150)]
    draw, truth, known = Draw(trial, 400), dict[str, float](), dict[str, tuple[str, float]]()
    for version, (count, quality) in VERSIONS.items():
        for number in range(count):
            user, second = chance.randrange(len(moods)), number * 14 * 86_400 // count
            seen = read_observation(row(second, id=f"{version}-{number}", promptVersion=version, userId=str(user)))
            draw.offer(seen)
            category = chance.choice(list(CATEGORIES))
            of_week = 0.05 if seen.week.endswith("47") else -0.05
            met = quality + of_week + moods[user] + CATEGORIES[category] + chance.gauss(0, 0.1)
            if chance.random() < 0.8:
                truth[seen.key] = min(1.0, max(0.0, met))
                rule = 0.3 + 0.5 * truth[seen.key] + chance.gauss(0, 0.07)
                known[seen.key] = category, round(min(1.0, max(0.0, rule)), 2)
    sample = draw.sample(400)
    chats = [each.observation for each in sample if each.observation.key in truth]
    again = draw_again([Candidate(each.key, each.version, *known[each.key]) for each in chats], judged, trial)
    total = sum(count for count, _ in VERSIONS.values())
    whole = sum(count * quality for count, quality in VERSIONS.values()) / total
    for name, true in {
        "all": whole,
        **{f"v{version}": quality for version, (_, quality) in VERSIONS.items()},
        "W47": whole + 0.05,
        "W48": whole - 0.05,
    }.items():
        values = [
            TwoPhaseValue(
                each.stratum,
                each.observation.cluster,
                each.weight,
                again.strata.get(each.observation.key),
                each.observation.key in again.drawn,
                truth.get(each.observation.key)
                if name in ("all", each.observation.version[-2:], each.observation.week[-3:])
                else None,
            )
            for each in sample
        ]
        ends = two_phase_estimate(values, (0, 1)).ci95
        assert ends is not None
        yield name, ends[0] <= true <= ends[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trials", "judged", "least"), [(6, 60, 0.75), pytest.param(200, 60, 0.93, marks=pytest.mark.long)]
)
def test_the_interval_covers_what_the_judge_would_say_of_all(trials: int, judged: int, least: float) -> None:
    covered = Counter(name for trial in range(trials) for name, holds in simulated(trial, judged) if holds)
    shares = {name: covered[name] / trials for name in ("all", "v1", "v2", "v3", "W47", "W48")}
    assert least <= sum(shares.values()) / 6 and (trials < 200 or sum(shares.values()) / 6 <= 0.97), shares
    assert all(share >= least - 0.25 * (trials < 200) - 0.015 for share in shares.values()), shares
