"""What a judge says of drawn turns, summed up for all of production."""

import pytest

from evaluation.production.judged import JudgedTurn, SecondSample, summarise_judged
from evaluation.production.sampling import SampledTurn
from evaluation.production.second_phase import SecondPhase
from evaluation.production.summary import ScoredTurn
from evaluation.records import Expectation, Outcome, Scenario, Source
from evaluation.statistics.clusters import Scale
from tests.evaluation.production.rows import observation

KIND = Expectation("kind", "ask", "Is it kind?")
SAFE = Expectation("safe", "never", "Does it harm?", critical=True)


def turn(number: int, *, reason: str = "", version: int = 1) -> ScoredTurn:
    seen = observation(number, id=str(number), traceId=str(number), promptVersion=version, userId=f"user {number}")
    return ScoredTurn(SampledTurn(seen, "all", 10.0), {"overall": 0.5}, reason)


def judged(value: float, kind: Outcome = "holds", safe: Outcome = "holds", state: str = "scored") -> JudgedTurn:
    return JudgedTurn(
        state, {"judge": {"overall": value}, "combined": {"overall": value}}, {"kind": kind, "safe": safe}
    )


def sample() -> SecondSample:
    """Four turns in the low stratum, of which two were drawn, two in the high one, of which both were; one is none."""
    turns = [turn(number, version=1 + number % 2) for number in range(6)]
    keys = [each.drawn.observation.key for each in turns]
    strata = dict(zip(keys, ["low"] * 4 + ["high"] * 2, strict=True))
    said = [judged(0.2, kind="fails", safe="fails"), judged(0.4), judged(0.9, kind="not_shown"), judged(1.0)]
    drawn = (keys[0], keys[1], keys[4], keys[5])
    return SecondSample(
        dict(zip(drawn, said, strict=True)), [*turns, turn(6, reason="has no output")], SecondPhase(strata, drawn)
    )


def test_means_failures_and_the_lowest_by_hand() -> None:
    of = sample()
    scenarios = {key: Scenario(key, "other", ("Hi.",), expect=(KIND, SAFE)) for key in of.phase.drawn}
    scales: dict[Source, Scale] = {"judge": (0.0, 1.0), "combined": (0.0, 1.0)}
    found = summarise_judged(of, scenarios, ["overall"], "overall", scales, run_id="run", worst=2)
    assert found.source == "combined"
    assert found.means["judge"]["overall"].mean == pytest.approx((4 * 0.3 + 2 * 0.95) / 6)
    assert found.means["judge"]["overall"].stands_for == pytest.approx(60)
    assert {group.name: group.means["overall"].mean for group in found.by_version} == {
        "penpal v1": pytest.approx((2 * 0.2 + 0.9) / 3),
        "penpal v2": pytest.approx((2 * 0.4 + 1.0) / 3),
    }
    assert found.met.mean == pytest.approx((2 * 0.0 + 2 * 1 + 1 + 1) / 6)
    assert [(each.item.id, each.failed, each.of) for each in found.items] == [("safe", 1, 4), ("kind", 1, 3)]
    assert found.items[0].share.mean == pytest.approx(2 / 6)
    assert found.items[1].share.mean == pytest.approx(2 / 5), "nobody can tell of one, which stands for itself"
    assert [value.scores["judge"]["overall"] for _, value in found.worst] == [0.2, 0.4]
    assert (found.coverage.candidates, found.coverage.drawn, found.coverage.judged, found.coverage.open) == (6, 4, 4, 0)
    assert found.to_json()["worst"][0]["failed"] == ["kind", "safe"]


def test_what_could_not_be_judged_counts_as_not_drawn() -> None:
    of = sample()
    first = of.phase.drawn[0]
    of = SecondSample({**of.judged, first: judged(0.2, state="unparsed")}, of.turns, of.phase)
    found = of.estimate(lambda _, said: said.scores["judge"]["overall"], (0.0, 1.0))
    assert found.mean == pytest.approx((4 * 0.4 + 2 * 0.95) / 6)
    assert of.weights() == pytest.approx({key: 20.0 if place < 2 else 10.0 for place, key in enumerate(of.phase.drawn)})
