"""Cases over their repeats: each by itself, and on average."""

import pytest

from evaluation.summary.repeated_checks import repeated_checks


def test_cases_and_their_mean() -> None:
    found = repeated_checks({"steady": [True] * 3, "shaky": [True, False, True], "broken": [False] * 3})
    assert found is not None
    assert [case.scenario_id for case in found.unsteady] == ["shaky"]
    assert found.cases[1].pass_hat == pytest.approx({1: 2 / 3, 2: 1 / 3, 3: 0.0})
    assert found.pass_hat == pytest.approx({1: 5 / 9, 2: 4 / 9, 3: 1 / 3})
    written = found.to_json()
    assert written["cases"][0] == {
        "scenario_id": "steady",
        "repeats": 3,
        "passed": 3,
        "pass_hat": {"1": 1.0, "2": 1.0, "3": 1.0},
    }
    assert list(written["pass_hat"]) == ["1", "2", "3"]


def test_a_case_with_fewer_repeats_counts_as_far_as_they_reach() -> None:
    found = repeated_checks({"whole": [True, True], "cut-off": [False]})
    assert found is not None and found.pass_hat == {1: 0.5, 2: 1.0}


def test_without_repeats_there_is_none() -> None:
    assert repeated_checks({"once": [True], "too": [False]}) is None
    assert repeated_checks({}) is None
