"""A mix laid over scenarios: shares, smoothing by hand, and what is refused."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.mix.weighing import MixWeights, weigh
from tests.evaluation.mix.examples import mix, scenarios

SET = scenarios(talk=12, grief=12)


def by_category(found: MixWeights) -> dict[str, float]:
    shares: defaultdict[str, float] = defaultdict(float)
    for _, (weight, stratum) in found.weights.scenarios.items():
        shares[stratum] += weight
    return dict(shares)


def test_categories_have_the_shares_of_the_mix_and_their_scenarios_count_alike() -> None:
    found = weigh(mix({"talk": 0.15, "grief": 0.45}), SET)
    assert isinstance(found, MixWeights)
    assert by_category(found) == pytest.approx({"talk": 0.25, "grief": 0.75})
    assert found.weights.of_scenario("talk-3").weight == pytest.approx(0.25 / 12)
    assert (found.by, found.situations, found.reached) == ("category", 24, 1.0)
    assert found.effective == pytest.approx(1 / (12 * (0.25 / 12) ** 2 + 12 * (0.75 / 12) ** 2))


def test_situations_are_told_apart_by_enough_responses_and_smoothed() -> None:
    # 100 independent responses, half of them of each category: 50 with a prior of 12, one for each situation.
    met = {"talk-0": 0.2, "talk-1": 0.15, "talk-2": 0.15}
    found = weigh(mix({"talk": 0.5, "grief": 0.5}, {"talk": met}, independent=100.0), SET)
    assert isinstance(found, MixWeights)
    assert found.by == "situation"
    talk = [found.weights.of_scenario(f"talk-{at}").weight / 0.5 for at in range(4)]
    assert talk == pytest.approx([(50 * 0.4 + 1) / 62, (50 * 0.3 + 1) / 62, (50 * 0.3 + 1) / 62, 1 / 62])
    assert found.weights.of_scenario("grief-0").weight == pytest.approx(0.5 / 12)
    assert (found.cells["talk-0"], found.cells["grief-0"]) == (("talk", "talk-0"), ("grief", ""))


def test_too_few_responses_tell_no_situations_apart() -> None:
    found = weigh(mix({"talk": 0.5, "grief": 0.5}, {"talk": {"talk-0": 0.5}}, independent=50.0), SET)
    assert isinstance(found, MixWeights)
    assert found.by == "category"
    assert found.weights.of_scenario("talk-0").weight == pytest.approx(0.5 / 12)


def test_shares_that_somebody_wrote_are_taken_as_they_are() -> None:
    met = {f"talk-{at}": 0.05 for at in range(10)}
    found = weigh(mix({"talk": 0.5, "grief": 0.5}, {"talk": met}), SET)
    assert isinstance(found, MixWeights)
    assert found.weights.of_scenario("talk-1").weight == pytest.approx(0.05)
    assert found.weights.of_scenario("talk-11").weight == 0


def test_variants_share_what_their_situation_stands_for() -> None:
    some = [*SET, *scenarios(talk=1)]
    some[-1] = type(some[-1])("talk-0-older", "talk", ("said",), situation="talk-0")
    found = weigh(mix({"talk": 0.5, "grief": 0.5}, {"talk": {f"talk-{at}": 0.05 for at in range(10)}}), some)
    assert isinstance(found, MixWeights)
    assert found.weights.of_scenario("talk-0").weight == pytest.approx(0.025)
    assert found.weights.of_scenario("talk-0-older").weight == pytest.approx(0.025)


def test_one_situation_that_would_carry_too_much_falls_back_to_categories() -> None:
    found = weigh(mix({"talk": 0.5, "grief": 0.5}, {"talk": {"talk-0": 0.5}}, independent=1000.0), SET)
    assert isinstance(found, MixWeights)
    assert found.by == "category" and found.heaviest[1] == pytest.approx(0.5 / 12)


@pytest.mark.parametrize(
    ("shares", "sizes", "said"),
    [
        ({"talk": 0.95, "grief": 0.05}, {"talk": 4, "grief": 40}, "they count like 4.4 of equal weight, 10 are needed"),
        (
            {"talk": 0.25, "grief": 0.75},
            {"talk": 1, "grief": 40},
            "situation 'talk-0' alone would carry 25% of the mean",
        ),
        ({"talk": 0.2, "grief": 0.8}, {"talk": 40}, "the categories of 20% of what the mix says"),
        ({"other": 1.0}, {"talk": 40}, "the categories of 0% of what the mix says"),
    ],
)
def test_what_is_too_uneven_is_refused_in_one_line(shares: dict[str, float], sizes: dict[str, int], said: str) -> None:
    found = weigh(mix(shares), scenarios(**sizes))
    assert isinstance(found, str) and said in found and "\n" not in found


def test_a_category_that_the_set_lacks_is_left_out_and_said() -> None:
    found = weigh(mix({"talk": 0.4, "grief": 0.4, "other": 0.2}), SET)
    assert isinstance(found, MixWeights)
    assert found.reached == pytest.approx(0.8)
    assert by_category(found) == pytest.approx({"talk": 0.5, "grief": 0.5})


@given(
    st.dictionaries(st.sampled_from([f"talk-{at}" for at in range(14)]), st.floats(0.001, 1), max_size=8),
    st.floats(1, 5000),
    st.floats(0.01, 0.99),
)
def test_weights_are_shares_of_one_whole(met: dict[str, float], independent: float, talk: float) -> None:
    found = weigh(mix({"talk": talk, "grief": 1 - talk}, {"talk": met}, independent=independent), SET)
    if isinstance(found, MixWeights):
        weights = [each.weight for each in found.weights.scenarios.values()]
        assert sum(weights) == pytest.approx(1.0)
        assert min(weights) >= 0
        assert by_category(found)["talk"] == pytest.approx(talk)
        assert found.effective <= found.situations + 1e-9
