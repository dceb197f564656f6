"""A mix worked out from responses: by hand, and what their users and weights leave of their number."""

import pytest

from evaluation.mix.measure import Met, Response, meet, mix_of
from evaluation.records import Scenario
from evaluation.scenarios.nearest import Nearest
from evaluation.statistics.clusters import WeightedValue, weighted_estimate

SET = [Scenario("joke", "small_talk", ("tell me a good joke",)), Scenario("robot", "trust", ("are you a robot",))]


def test_a_message_belongs_to_the_scenario_that_is_like_it_or_to_none() -> None:
    said = ["Tell me a joke", "are you some robot?", "convert this invoice to XML", ""]
    met = meet([Response("v1", f"u{at}", 2.0, message) for at, message in enumerate(said)], Nearest(SET))
    assert [each[3:] for each in met] == [("small_talk", "joke"), ("trust", "robot"), ("", ""), ("", "")]
    assert met[0][:3] == ("v1", "u0", 2.0)


def test_shares_are_weighted_and_what_is_like_nothing_is_a_share_of_its_own() -> None:
    met = [
        *(Met("old", f"o{at}", 9.0, "small_talk", "joke") for at in range(6)),
        *(Met("new", f"n{at}", 4.0, "trust", "robot") for at in range(6)),
        *(Met("new", f"m{at}", 4.0, "", "") for at in range(3)),
    ]
    found = mix_of(met, "companion")
    assert list(found.categories) == ["small_talk", "trust"]
    assert found.categories["small_talk"].share == pytest.approx(54 / 90)
    assert found.categories["trust"].situations["robot"].responses == 6
    assert (found.uncovered, found.uncovered_share) == pytest.approx((12 / 90, 12 / 90))
    expected = weighted_estimate([WeightedValue(*each[:3], float(each.category == "trust")) for each in met], (0, 1))
    assert found.categories["trust"].ci95 == expected.ci95
    assert (found.responses, found.users) == (15, 15)


def test_users_who_never_change_their_subject_count_once_each() -> None:
    met = [Met("s", f"u{at % 10}", 1.0, "a" if at % 10 < 5 else "b", "x" if at % 10 < 5 else "y") for at in range(200)]
    found = mix_of(met, "companion")
    assert found.independent == pytest.approx(9.0, rel=0.01)  # of 10 users, by the n - 1 of their variance
    alone = mix_of([each._replace(cluster=str(at)) for at, each in enumerate(met)], "companion")
    assert alone.independent == pytest.approx(199.0, rel=0.01)


def test_one_user_says_as_much_as_one_response() -> None:
    met = [Met("s", "u", 1.0, "a", "x"), Met("s", "u", 1.0, "b", "y")]
    assert mix_of(met, "companion").independent == 1.0


def test_where_everything_is_one_category_the_responses_count() -> None:
    assert mix_of([Met("s", str(at), 1.0, "a", "x") for at in range(5)], "companion").independent == 5.0
