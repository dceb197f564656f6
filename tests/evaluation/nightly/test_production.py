"""Tonight's sample of production against the approved one: when it is an alarm, where it comes from, and the file."""

import random
from dataclasses import replace
from typing import Any

import pytest

from evaluation.comparison.gate import RegressionRules
from evaluation.errors import ParseError
from evaluation.nightly.alarm import LEVEL, NightGate
from evaluation.nightly.production import (
    SHORT,
    KindShare,
    ProductionWatch,
    Selection,
    hold,
    kind_of,
    kind_shares,
    split,
)
from evaluation.nightly.production_cause import explain
from evaluation.nightly.sample_file import ApprovedSample, parse_sample, sample_text
from evaluation.production.observation import Observation
from evaluation.production.sampling import SampledTurn
from evaluation.production.summary import ScoredTurn
from evaluation.statistics.clusters import WeightedEstimate, WeightedValue, effective_clusters, weighted_estimate
from evaluation.statistics.unpaired import unpaired_difference
from tests.evaluation.comparison.examples import SUITE
from tests.evaluation.nightly.samples import METRICS, OVERALL, mean, sample

RULES = RegressionRules(margins={OVERALL: 0.02})
HELD = NightGate(True, True, (), ())
FELL = replace(HELD, passed=False)


def held(overall: float, **more: Any) -> ProductionWatch:
    return hold(sample(), sample(overall, **more), SUITE, RULES)


def test_a_fall_that_is_sure_and_large_raises_the_alarm() -> None:
    found = held(0.62)
    assert found.state == "lower"
    assert [check.metric for check in found.raised] == [OVERALL]
    overall = found.checks[0]
    assert overall.difference == pytest.approx(-0.08) == found.difference
    assert overall.p is not None and overall.p < LEVEL and overall.floor is None
    assert overall.ci95 is not None and overall.ci95[0] < -0.08 < overall.ci95[1]


@pytest.mark.parametrize(
    ("overall", "se", "why"),
    [
        (0.7, 0.01, "no difference"),
        (0.685, 0.001, "within the margin, however sure the tests were"),
        (0.66, 0.02, "not sure at 0.5%"),
        (0.78, 0.01, "better"),
    ],
)
def test_what_is_small_unsure_or_better_raises_nothing(overall: float, se: float, why: str) -> None:
    found = held(overall, se=se)
    assert (found.state, found.raised) == ("holds", ()), why


def test_users_who_write_most_of_it_count_as_few() -> None:
    many, few = held(0.655), held(0.655, users=5.2)
    assert many.state == "lower" and few.state == "holds"
    assert few.checks[0].difference == many.checks[0].difference


def test_components_are_corrected_together() -> None:
    metric = METRICS[0]
    p = unpaired_difference(mean(0.8), mean(0.755, 0.01))
    assert p is not None and p.p is not None and LEVEL / len(METRICS) < p.p <= LEVEL
    alone = held(0.7, others={metric: mean(0.755, 0.01)})
    assert alone.state == "holds", "sure by itself, and not among so many"
    sure = held(0.7, others={metric: mean(0.7, 0.01)})
    assert [check.metric for check in sure.raised] == [metric]


def test_a_small_sample_raises_nothing_and_a_small_component_is_not_tested() -> None:
    for few in ({"n": 29}, {"clusters": 9}):
        found = held(0.3, **few)
        assert found.state == "small" and not found.raised and "it raises no alarm" in found.reason
        assert found.difference == pytest.approx(-0.4), "it is shown all the same"
    component = held(0.7, others={METRICS[0]: mean(0.2, 0.01, n=10)})
    assert component.state == "holds"
    assert next(check.p for check in component.checks if check.metric == METRICS[0]) is None


def test_a_night_without_a_single_response_is_a_small_sample() -> None:
    nothing = {metric: mean(None, None, 0, 0) for metric in METRICS}
    found = hold(sample(), replace(sample(), means={**nothing, OVERALL: mean(None, None, 0, 0)}), SUITE, RULES)
    assert (found.state, found.checks, found.difference) == ("small", (), None)
    assert explain(found, HELD) == ()


def test_what_measures_otherwise_is_refused() -> None:
    rules = hold(sample(), sample(0.3, scored_by="others"), SUITE, RULES)
    assert rules.state == "refused" and "was scored by other rules than those of tonight" in rules.reason
    live = Selection("penpal", ("live",), "voice")
    other = hold(sample(), sample(0.3, selection=live), SUITE, RULES)
    assert other.state == "refused" and "environment any, tag any, tonight environment live, tag voice" in other.reason


@pytest.mark.parametrize(
    ("overall", "gate", "said"),
    [
        (0.6, HELD, "production's responses fell and the invented scenarios hold"),
        (0.6, replace(FELL, lost=()), "production's responses fell and the invented scenarios hold"),
        (0.6, None, "nothing can be said of the cause"),
        (0.6, replace(HELD, measured=False), "nothing can be said of the cause"),
    ],
)
def test_the_cause_follows_from_both(overall: float, gate: NightGate | None, said: str) -> None:
    (first,) = explain(held(overall), gate)
    assert said in first


def test_a_fall_of_the_scenarios_alone_and_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NightGate, "alarmed", property(lambda _: True))
    assert "both fell: the cause is what they share, the prompt or the model" in explain(held(0.6), FELL)[0]
    (alone,) = explain(held(0.7), FELL)
    assert "hold where the invented scenarios fell: they are of 2026-11-13 to 2026-11-20" in alone


def test_another_version_and_the_mix_are_named() -> None:
    before = sample(kinds={"a": KindShare(0.5, 0.8, 150), "b": KindShare(0.5, 0.6, 150)})
    tonight = sample(0.62, version=4, kinds={"a": KindShare(0.1, 0.8, 30), "b": KindShare(0.9, 0.6, 270)})
    said = explain(hold(before, tonight, SUITE, RULES), HELD)
    assert said[0] == "users heard penpal v4; the approved sample is of penpal v3"
    assert "-0.080 goes with other shares of kinds of messages" in said[2] and "0.000 is within the kinds" in said[2]


def test_the_mix_and_what_is_within_add_up_to_the_difference() -> None:
    luck = random.Random(3)
    for _ in range(50):
        sides = []
        for _ in range(2):
            names = luck.sample(["a", "b", "c", "d"], luck.randint(1, 4))
            weights = [luck.random() + 0.01 for _ in names]
            sides.append(
                {
                    name: KindShare(weight / sum(weights), luck.random(), 10)
                    for name, weight in zip(names, weights, strict=True)
                }
            )
        found = split(*sides)
        before, after = (sum(kind.share * kind.mean for kind in side.values()) for side in sides)
        assert found is not None and found.mix + found.within == pytest.approx(after - before)
    assert split({}, sides[0]) is None


def test_kinds_are_distinguished_by_place_and_length() -> None:
    assert kind_of("hi there", 0) == "first, short message"
    assert kind_of("word " * SHORT, 2) == "later, short message"
    assert kind_of("word " * (SHORT + 1), 1) == "later, longer message"


def test_the_shares_of_kinds_are_weighted() -> None:
    drawn = [turn(0, 1.0, 0.4), turn(1, 3.0, 0.8), turn(2, 4.0, None)]
    kinds = {each.drawn.observation.key: kind for each, kind in zip(drawn, ("a", "b", "b"), strict=True)}
    found = kind_shares(drawn, kinds, OVERALL, (0, 1))
    assert {kind: (each.share, each.mean, each.n) for kind, each in found.items()} == {
        "a": (0.25, 0.4, 1),
        "b": (0.75, 0.8, 1),
    }


def turn(number: int, weight: float, value: float | None) -> ScoredTurn:
    time = "2026-11-16T08:00:00Z"
    observation = Observation(
        f"o{number}", "t", time, time, "answer", "", "default", f"u{number}", "", "penpal", 3, (), "", ""
    )
    return ScoredTurn(SampledTurn(observation, "s", weight), {OVERALL: value}, "" if value is not None else "no chat")


def test_the_file_gives_the_sample_back_and_holds_nobody() -> None:
    kept = ApprovedSample("2026-11-20T03:00:00Z", sample(kinds={"a": KindShare(1.0, 0.7, 300)}))
    assert parse_sample(sample_text(kept), "file") == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file: "),
        ("[1]", "the file: "),
        ('{"schema_version": 1, "kind": "run"}', "kind: "),
        (sample_text(ApprovedSample("x", sample())).replace('"scored_by"', '"other"'), "sample.scored_by: "),
        (sample_text(ApprovedSample("x", replace(sample(), overall="gone"))), "there is no gone with its error"),
    ],
)
def test_a_broken_file_is_named(text: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_sample(text, "baselines/x@production.json")
    assert str(caught.value).startswith("baselines/x@production.json: ") and said in str(caught.value)
    assert "make it again with make approve-baseline RUN=SAMPLE_ID" in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize("users", [15, 60])
def test_unchanged_production_seldom_raises_the_alarm(users: int) -> None:
    """Two samples of one production, 2,000 times: users differ, come back and write in bursts; values are skewed.

    One side of a test at 0.5% is 5 of 2,000. No user of before is there any more, which is the harder case.
    """
    luck = random.Random(11)
    raised = 0
    for _ in range(2_000):
        before, tonight = (_side(luck, users) for _ in range(2))
        found = unpaired_difference(before, tonight)
        assert found is not None and found.p is not None
        raised += found.p <= LEVEL and found.value < 0
    assert raised <= 12, "beyond what chance makes of 5"


def _side(luck: random.Random, users: int) -> WeightedEstimate:
    """The mean of a sample of other users, with the effective number of them as a night takes it."""
    drawn = _drawn(luck, [luck.betavariate(6, 2) for _ in range(users)])
    return replace(weighted_estimate(drawn, (0, 1)), clusters=max(2, int(effective_clusters(drawn))))


def _drawn(luck: random.Random, levels: list[float]) -> list[WeightedValue]:
    """A hundred responses from two strata drawn at different rates; most good, some bad."""
    drawn = []
    for _ in range(100):
        user = min(int(luck.expovariate(3 / len(levels))), len(levels) - 1)
        stratum = luck.choice(("first week", "second week"))
        value = 1.0 if luck.random() < levels[user] else luck.random() / 2
        drawn.append(WeightedValue(stratum, str(user), 4.0 if stratum == "first week" else 1.0, value))
    return drawn
