"""Rated lines and the units that they make."""

from typing import Any

import pytest

from evaluation.calibration.people import RatingScale, band_of, rating_scales
from evaluation.calibration.ratings import WORDS, RatedLine, rated_line, rated_units
from evaluation.errors import UsageError
from evaluation.records import Cell, Exchange, Reply, Score, Usage
from evaluation.rubrics.values import Band


def exchange(identity: str, response: str = "two words") -> Exchange:
    return Exchange(Cell(identity, 1), 1, (), "hi", Reply(response, "stop", "", {}, Usage(), 0.0, 0.0))


def line(identity: str, **fields: Any) -> RatedLine:
    return rated_line({"ratings": {"overall": 1}, **fields}, exchange(identity))


def score(value: float | None, *, applicable: bool = True) -> Score:
    return Score("m", "heuristic", value, applicable=applicable, reason="" if value is not None else "none")


@pytest.mark.parametrize(
    ("identity", "fields", "unit", "cluster"),
    [
        ("a", {}, "a", "a"),
        ("a", {"group": 7}, "a", "7"),
        ("a#1", {}, "a#1", "a"),
        ("a#1", {"level": "dialog"}, "a", "a"),
        ("a#1", {"level": "dialog", "group": "g"}, "a", "g"),
        ("a", {"level": "dialog", "group": "g"}, "g", "g"),
        ("a", {"level": "pair", "group": "g"}, "a", "g"),
    ],
)
def test_unit_and_cluster(identity: str, fields: dict[str, Any], unit: str, cluster: str) -> None:
    found = line(identity, **fields)
    assert (found.unit, found.cluster) == (unit, cluster)


def test_a_rating_is_the_mean_of_its_raters_unless_it_is_given() -> None:
    assert line("a", ratings=None, raters={"warm": [1, None, 4]}).ratings == {"warm": 2.5}
    found = line("a", ratings={"warm": 3, "kind": None}, raters={"warm": [1, 4], "kind": [None]})
    assert found.ratings == {"warm": 3}
    assert found.raters == {"warm": (1, 4)}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"level": "page"}, '"level"'),
        ({"level": []}, '"level"'),
        ({"level": "pair"}, '"group"'),
        ({"group": True}, '"group"'),
        ({"group": [1]}, '"group"'),
        ({"ratings": {}}, '"ratings"'),
        ({"ratings": []}, '"ratings"'),
        ({"ratings": {"x": None}}, '"ratings"'),
        ({"ratings": {"x": "4"}}, "rating 'x'"),
        ({"ratings": {"x": True}}, "rating 'x'"),
        ({"ratings": {"x": float("nan")}}, "rating 'x'"),
        ({"ratings": {"x": 10**400}}, "rating 'x'"),
        ({"raters": {"x": 4}}, '"raters"'),
        ({"raters": {"x": ["a"]}}, "rating 'x'"),
    ],
)
def test_a_line_that_is_not_rated_says_why(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        line("a", **fields)


def test_a_dialog_averages_the_scores_of_its_turns_that_have_one() -> None:
    turns = [line(f"d#{number}", level="dialog", ratings={"overall": 3}) for number in range(4)]
    scores = [score(0.2), score(0.6), score(None), score(1.0, applicable=False)]
    (unit,) = rated_units(zip(turns, [[value] for value in scores], strict=True))
    assert (unit.id, unit.ratings) == ("d", {"overall": 3})
    assert unit.scores == {("heuristic", "m"): pytest.approx(0.4), WORDS: 2.0}


def band(low: float, high: float) -> Band:
    return Band.model_validate({"from": low, "to": high, "label": "l", "text": "t"})


def test_bands_close_their_gaps_downwards() -> None:
    bands = [
        band(1, 1),
        band(0.8, 0.9),
        band(0.6, 0.7),
        band(0.4, 0.5),
        band(0, 0.3),
    ]
    expected = {
        -1: 0,
        0: 0,
        0.39: 0,
        0.4: 1,
        0.55: 1,
        0.6: 2,
        0.1 + 0.5: 2,
        0.75: 2,
        0.8: 3,
        0.7 + 0.1: 3,
        0.95: 3,
        1: 4,
    }
    assert {value: band_of(value, bands) for value in expected} == expected


def test_a_scale_may_run_downwards() -> None:
    rank = RatingScale(3, 1, given=True)
    assert [rank.on(0, 1, value) for value in (3, 2, 1)] == [0, 0.5, 1]
    assert RatingScale(1, 5, given=True).on(0, 10, 2) == 2.5
    assert RatingScale(2, 2, given=False).on(0, 1, 2) is None


def test_scales_are_given_or_found() -> None:
    units = rated_units((line(str(number), ratings={"a": number, "b": 1}), ()) for number in (2, 4))
    assert rating_scales(units, {"a": (1, 5)}) == {
        "a": RatingScale(1, 5, given=True),
        "b": RatingScale(1, 1, given=False),
    }


@pytest.mark.parametrize(
    ("name", "ends", "problem"), [("c", (1, 5), "no line"), ("a", (1, 1), "differ"), ("a", (1, 3), "a rating is 4")]
)
def test_a_scale_that_does_not_fit_is_refused(name: str, ends: tuple[float, float], problem: str) -> None:
    units = rated_units((line(str(number), ratings={"a": number}), ()) for number in (2, 4))
    with pytest.raises(UsageError, match=problem):
        rating_scales(units, {name: ends})
