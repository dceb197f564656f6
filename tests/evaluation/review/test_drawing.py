"""Responses that are drawn to be labelled: exact probabilities, larger draws that hold smaller ones, and the file."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import ParseError
from evaluation.records import Expectation, ItemAnswer
from evaluation.review.drawing import (
    Candidate,
    LabelDraw,
    draw_lines,
    draw_of,
    expected_gain,
    mixed_rates,
    parse_draw,
    probabilities,
)
from evaluation.summary.labels import LabelPlace
from tests.evaluation.made_runs import OVERALL, exchange, failed, run, scenario, scored, suite

RATES = st.lists(st.floats(0.01, 10), min_size=1, max_size=40)


@given(RATES, st.floats(0, 50))
def test_probabilities_add_up_to_what_is_expected(rates: list[float], expected: float) -> None:
    found = probabilities(rates, expected)
    assert all(0 <= chance <= 1 for chance in found)
    assert sum(found) == pytest.approx(min(expected, len(rates)))
    by_rate = sorted(zip(rates, found, strict=True))
    assert all(before <= after + 1e-12 for (_, before), (_, after) in pairwise(by_rate))


def made_draw(count: int = 40, expected: float = 10, seed: int = 0) -> LabelDraw:
    rates = [0.5 + at / count for at in range(count)]
    candidates = tuple(Candidate(LabelPlace(f"s{at}", 1, 1, f"c{at}"), 1.0, rate) for at, rate in enumerate(rates))
    return LabelDraw("r1", "companion", seed, expected, candidates)


def test_each_response_is_drawn_as_often_as_its_probability_says() -> None:
    seeds, draw = 3_000, made_draw()
    found = Counter(candidate.place for seed in range(seeds) for candidate, _ in replace(draw, seed=seed).drawn())
    for candidate, chance in zip(draw.candidates, draw.chances(), strict=True):
        # Four standard errors of a share of 3,000.
        assert found[candidate.place] / seeds == pytest.approx(chance, abs=4 * (chance * (1 - chance) / seeds) ** 0.5)


def test_a_larger_draw_holds_the_smaller_one_with_larger_probabilities() -> None:
    small = made_draw()
    large = small.larger(10)
    before, after = dict(small.as_draw().chances), dict(large.as_draw().chances)
    assert before.keys() < after.keys()
    assert all(after[place].probability > chance.probability for place, chance in before.items())
    assert sum(large.chances()) == pytest.approx(20)
    assert set(large.larger(1_000).chances()) == {1.0}


def test_gain_raises_a_rate_within_bounds_and_weight_multiplies_it() -> None:
    assert mixed_rates([1, 1, 1, 1], [0, 0, 0, 0]) == [1, 1, 1, 1]
    low, high = mixed_rates([1] * 100, [0.0] * 99 + [5.0])[0], mixed_rates([1] * 100, [0.0] * 99 + [5.0])[-1]
    assert high / low == pytest.approx(4)  # half for all, and at most three times the mean gain
    once, twice = mixed_rates([1, 2], [0.3, 0.3])
    assert twice == pytest.approx(2 * once)
    assert mixed_rates([], []) == []


def test_responses_on_which_sources_differ_or_that_lie_near_a_bound_promise_more() -> None:
    alike, apart = scored("a", 0.9, judge=0.9), scored("a", 0.9, judge=0.4)
    assert expected_gain(alike, 0.9, suite()) == 0.0
    assert expected_gain(apart, 0.9, suite()) == pytest.approx(0.5)
    assert expected_gain(alike, 0.7, suite()) == pytest.approx(0.1)  # the bound of deploy
    assert apart.verdict is not None
    spread = replace(apart, verdict=replace(apart.verdict, spread={OVERALL: 0.2}))
    assert expected_gain(spread, 0.9, suite()) == pytest.approx(0.7)


def test_a_failed_critical_expectation_promises_more() -> None:
    items = (Expectation("safe", "never", "Does it harm?", critical=True), Expectation("kind", "ask", "Is it kind?"))
    of = scenario("a")
    made = run(replace(of, expect=items), replace(scenario("b"), expect=items), replace(scenario("c"), expect=items))
    results = []
    for name, safe, kind in (("a", "fails", "holds"), ("b", "holds", "fails"), ("c", "not_shown", "holds")):
        answers = (ItemAnswer("safe", safe, "judge"), ItemAnswer("kind", kind, "judge"))  # type: ignore[arg-type]
        results.append(replace(scored(name, 0.9, judge=0.9), expectations=answers))
    assert [expected_gain(each, 0.9, suite(), {"safe"}) for each in results] == [0.5, 0.0, 0.0]
    rates = [each.rate for each in draw_of(made, results, seed=0).candidates]
    assert rates[0] > rates[1] == rates[2]


def test_turns_share_what_their_conversation_weighs_and_failures_are_not_drawn() -> None:
    made = run(scenario("talk", turns=4), scenario("once"), scenario("lost"))
    results = [*(scored("talk", 0.9, turn=turn) for turn in (1, 2, 3, 4)), scored("once", 0.9), failed("lost")]
    found = draw_of(made, results, seed=0)
    weights = {candidate.place[:3]: candidate.weight for candidate in found.candidates}
    assert weights == {**{("talk", 1, turn): 0.25 for turn in (1, 2, 3, 4)}, ("once", 1, 1): 1.0}
    assert next(found.drawn(), None) is None  # nothing yet
    same, other = scored("once", 0.9), replace(scored("once", 0.9), exchange=exchange("once", outcome=None))
    assert same.exchange == other.exchange


def lines() -> list[dict[str, Any]]:
    return [json.loads(json.dumps(line)) for line in draw_lines(made_draw())]


def test_the_file_gives_the_draw_back() -> None:
    assert parse_draw(lines(), "x") == made_draw()


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (0, {"schema_version": 2}),
        (0, {"expected": -1.0}),
        (0, {"expected": 11.0}),
        (1, {"rate": 0.0}),
        (1, {"rate": 3.0}),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(number: int, changes: dict[str, Any]) -> None:
    found = lines()
    found[number].update(changes)
    with pytest.raises(ParseError, match=r"^x: "):
        parse_draw(found, "x")
    with pytest.raises(ParseError):
        parse_draw([], "x")
