"""Means in human units: hand-worked values, an independent computation, what always holds, and simulated coverage."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmarks.simulations.labels import BETA, BY_GAIN, BY_SITUATION, NORMAL, Labelling, cell
from evaluation.statistics.prediction import (
    CorrectedMean,
    Label,
    MeanInterval,
    Response,
    carried_mean,
    corrected_mean,
)
from evaluation.statistics.scenario_scores import Observation, estimate

UNIT = (0.0, 1.0)


def responses(*parts: tuple[str, float, float | None], probability: float = 0.5) -> list[Response]:
    """One for each (situation, machine's score, people's value): scenarios of one turn, each played once."""
    return [
        Response(cluster, f"{cluster}{at}", 1, 1, machine, people, probability)
        for at, (cluster, machine, people) in enumerate(parts)
    ]


def corrected(found: Sequence[Response], scale: tuple[float, float] | None = UNIT) -> CorrectedMean:
    result = corrected_mean(found, scale)
    assert result is not None
    return result


def test_a_constant_machine_leaves_people_alone() -> None:
    found = corrected(responses(("a", 0.5, 0.4), ("b", 0.5, 0.8), ("c", 0.5, 0.6), ("d", 0.5, None)))
    assert found.slope == 0.0 and found.raw == 0.5
    assert found.corrected == found.people
    plain = estimate(
        [Observation(name, name, 1, 1, value) for name, value in (("a", 0.4), ("b", 0.8), ("c", 0.6))], UNIT
    )
    assert plain.mean is not None and plain.se is not None
    # The jackknife of a mean is its clustered standard error; the interval is that of every mean.
    assert found.people.mean == pytest.approx(plain.mean) and found.people.se == pytest.approx(plain.se)
    assert found.people.ci95 == pytest.approx(plain.ci95)


def test_a_machine_that_is_off_by_the_same_everywhere_is_moved() -> None:
    # People give 0.2 less. lambda is 4/5 of its slope of 1, with four labelled situations.
    parts = [("a", 0.5, 0.3), ("b", 0.9, 0.7), ("c", 0.7, 0.5), ("d", 0.6, 0.4), ("e", 0.8, None), ("f", 0.4, None)]
    found = corrected(responses(*parts))
    people, labelled, whole = 0.475, 0.675, 0.65
    assert found.slope == pytest.approx(0.8)
    assert found.raw == pytest.approx(whole)
    assert found.corrected.mean == pytest.approx(people + 0.8 * (whole - labelled))
    assert (found.labels, found.clusters, found.responses) == (4, 4, 6)


def test_labels_weigh_as_much_as_they_were_unlikely_to_be_drawn() -> None:
    rare, often = Response("a", "a", 1, 1, 0.5, 0.2, 0.1), Response("b", "b", 1, 1, 0.5, 0.8, 0.5)
    assert corrected([rare, often]).people.mean == pytest.approx((10 * 0.2 + 2 * 0.8) / 12)


def test_turns_and_repeats_share_what_their_scenario_weighs() -> None:
    talk = [Response("a", "a", repeat, turn, 0.5, 0.2, 1.0) for repeat in (1, 2) for turn in (1, 2, 3)]
    assert corrected([*talk, Response("b", "b", 1, 1, 0.5, 0.8, 1.0)]).people.mean == pytest.approx(0.5)


def test_one_labelled_situation_has_a_mean_and_no_interval() -> None:
    found = corrected(responses(("a", 0.5, 0.4), ("a", 0.6, 0.8), ("b", 0.7, None)))
    assert found.corrected == MeanInterval(found.corrected.mean, None, None)
    assert found.people.ci95 is None


def test_no_label_gives_no_mean_and_an_impossible_probability_is_refused() -> None:
    assert corrected_mean(responses(("a", 0.5, None)), UNIT) is None
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(ValueError, match="probability"):
            corrected_mean(responses(("a", 0.5, 0.4), probability=wrong), UNIT)


PARTS = st.lists(
    st.tuples(st.sampled_from("abcdefg"), st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1)), st.floats(0.05, 1)),
    min_size=3, max_size=25,
).filter(lambda parts: len({cluster for cluster, _, people, _ in parts if people is not None}) > 1)  # fmt: skip


def drawn(parts: Sequence[tuple[str, float, float | None, float]]) -> list[Response]:
    return [
        Response(cluster, str(at), 1, 1, machine, people, chance)
        for at, (cluster, machine, people, chance) in enumerate(parts)
    ]


@given(PARTS)
def test_means_and_intervals_stay_on_their_scale(parts: list[tuple[str, float, float | None, float]]) -> None:
    found = corrected(drawn(parts))
    assert 0 <= found.slope <= 1
    for each in (found.corrected, found.people):
        assert each.ci95 is not None and 0 <= each.ci95[0] <= each.mean <= each.ci95[1] <= 1


@given(PARTS, st.randoms(use_true_random=False))
def test_the_order_of_responses_changes_nothing(
    parts: list[tuple[str, float, float | None, float]], luck: random.Random
) -> None:
    shuffled = drawn(parts)
    luck.shuffle(shuffled)
    before, after = corrected(drawn(parts)), corrected(shuffled)
    assert before.corrected.mean == pytest.approx(after.corrected.mean, abs=1e-12)
    assert before.corrected.se == pytest.approx(after.corrected.se, abs=1e-9)


def by_hand(found: Sequence[Response], without: str = "") -> tuple[float, float]:
    """The mean and lambda, step by step from the formulas, one situation left out."""
    kept = [each for each in found if each.cluster != without]
    names = sorted({each.cluster for each in kept})
    place = np.array([names.index(each.cluster) for each in kept])
    chance = np.array([0.0 if each.people is None else 1 / each.probability for each in kept])
    machine = np.array([each.machine for each in kept])
    people = np.array([each.people or 0.0 for each in kept])
    of_people, of_machine = (np.average(values, weights=chance) for values in (people, machine))
    whole = machine.mean()
    apart_people = np.bincount(place, chance * (people - of_people))
    apart = np.bincount(place, chance * (machine - of_machine))
    labelled = len({each.cluster for each in kept if each.people is not None})
    steepest = float((apart_people @ apart) / (apart @ apart)) * labelled / (labelled + 1)
    slope = min(1.0, max(0.0, steepest))
    return float(of_people + slope * (whole - of_machine)), slope


def test_the_jackknife_is_that_of_the_formulas() -> None:
    luck = np.random.default_rng(4)
    machine, people = luck.random((2, 36)).tolist()
    found = [
        Response(str(at % 12), str(at), 1, 1, machine[at], people[at] if at % 3 else None, 0.2 + 0.02 * at)
        for at in range(36)
    ]
    found += [Response(f"unlabelled {at}", f"more {at}", 1, 1, float(luck.random())) for at in range(7)]
    mean, slope = by_hand(found)
    labelled = {each.cluster for each in found if each.people is not None}
    names = {each.cluster for each in found}
    changes = {name: (by_hand(found, name)[0] - mean) ** 2 for name in names}
    n, size = len(labelled), len(names)
    variance = (n - 1) / n * sum(changes[name] for name in labelled)
    variance += (size - 1) / size * sum(changes[name] for name in names - labelled)
    result = corrected(found, None)
    assert result.corrected.mean == pytest.approx(mean)
    assert result.slope == pytest.approx(slope)
    assert result.corrected.se == pytest.approx(math.sqrt(variance))
    reach = stats.t.ppf(0.975, n - 1) * math.sqrt(variance)
    assert result.corrected.ci95 == pytest.approx((mean - reach, mean + reach))


def test_a_carried_mean_moves_the_machines_mean_by_its_error_elsewhere() -> None:
    now = responses(("a", 0.6, None), ("b", 0.8, None), ("c", 0.7, None))
    labels = [Label("a", 0.5, 0.6, 1.0), Label("d", 0.3, 0.6, 3.0)]
    found = carried_mean(now, labels, UNIT)
    assert found is not None and found.mean == pytest.approx(0.7 - (0.1 + 3 * 0.3) / 4)
    assert found.ci95 is not None and found.ci95[0] < found.mean < found.ci95[1]
    assert carried_mean(now, [], UNIT) is None


@pytest.mark.parametrize("labelled", [("b", "c"), ("a", "b")])
def test_a_single_situation_has_a_carried_mean_and_no_interval(labelled: tuple[str, str]) -> None:
    now = [Response("a", "one", 0, 0, 0.6)]
    labels = [Label(cluster, 0.7, 0.5, 1.0) for cluster in labelled]
    found = carried_mean(now, labels, UNIT)
    assert found is not None
    assert found.mean == pytest.approx(0.8)
    assert found.se is None and found.ci95 is None


@pytest.mark.long
@pytest.mark.parametrize(
    "labelling",
    [Labelling(NORMAL, 10), Labelling(BETA, 10), Labelling(BETA, 20, (1, 5)), Labelling(BETA, 10, (3, 5), BY_GAIN)],
    ids=str,
)
def test_the_interval_keeps_its_word(labelling: Labelling) -> None:
    """The standard error of 95% is 0.63 points with 1,200 trials: the bounds lie three of them away."""
    poor, good = (cell(labelling, correlation, 77, 1_200) for correlation in (0.2, 0.8))
    for found in (poor, good):
        assert 0.93 <= found.covered <= 0.97
        assert found.false_deploys <= 0.05
    assert poor.width <= 1.06 and good.width <= 0.75


@pytest.mark.slow
def test_the_raw_mean_is_off_and_the_corrected_one_is_not() -> None:
    found = cell(Labelling(NORMAL, 12, (2, 3), BY_SITUATION), 0.8, 5, 200)
    assert found.covered > 0.9
