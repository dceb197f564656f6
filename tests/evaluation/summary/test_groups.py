"""Groups of scenarios: their own means, and audiences paired over the situations that stand in both."""

from dataclasses import replace

import pytest

from evaluation.records import Scenario
from evaluation.summary.columns import Columns
from evaluation.summary.groups import Groups, summarise_groups
from tests.evaluation.made_runs import scenario, scored, suite

BY = replace(suite(), audiences=("younger", "older"))


def spoken_by(audience: str, situation: str, *tags: str) -> Scenario:
    return replace(scenario(f"{situation}-{audience}", situation=situation), tags=(audience, *tags))


def groups_of(*values: tuple[Scenario, float]) -> Groups:
    columns = Columns(BY, [each for each, _ in values], 1, ("heuristic",))
    for each, value in values:
        columns.add(scored(each.id, value))
    return summarise_groups(columns, None)


def test_audiences_are_paired_over_the_situations_that_both_have() -> None:
    found = groups_of(
        (spoken_by("younger", "moved"), 0.5),
        (spoken_by("older", "moved"), 0.7),
        (spoken_by("younger", "lost"), 0.6),
        (spoken_by("older", "lost"), 0.9),
        (spoken_by("older", "alone"), 0.1),
    )
    assert {name: (each.scenarios, each.overall.estimate.mean) for name, each in found.by_audience.items()} == {
        "younger": (2, 0.55),
        "older": (3, pytest.approx(0.5667, abs=1e-4)),
    }
    (pair,) = found.audiences_paired
    assert (pair.first, pair.second, pair.figure, pair.situations) == ("younger", "older", "overall", 2)
    assert pair.difference == pytest.approx(0.25)
    # t(0.975, 1) = 12.706 times the standard error of 0.2 and 0.3, which is 0.05.
    assert pair.ci95 == pytest.approx((0.25 - 12.706 * 0.05, 0.25 + 12.706 * 0.05), abs=1e-3)


def test_tags_are_listed_with_those_of_the_most_scenarios_first() -> None:
    found = groups_of((spoken_by("younger", "a", "work"), 0.5), (spoken_by("older", "b", "work"), 0.7))
    assert list(found.by_tag) == ["work", "older", "younger"]
    assert found.by_tag["work"].overall.estimate.mean == pytest.approx(0.6)
    assert found.audiences_paired == ()


def test_a_suite_without_audiences_has_tags_alone() -> None:
    columns = Columns(suite(), [spoken_by("younger", "a")], 1, ("heuristic",))
    columns.add(scored("a-younger", 0.5))
    found = summarise_groups(columns, None)
    assert (found.by_audience, list(found.by_tag)) == ({}, ["younger"])
