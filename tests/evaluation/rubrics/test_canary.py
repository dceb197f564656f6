"""Canaries that cannot tell a bad judge from a good one are refused, with the canary and what to do."""

from collections.abc import Sequence

import pytest

from evaluation.rubrics.canary import Canary, canary_faults


def made(number: int, **changes: object) -> Canary:
    """Ten exchanges and the same in more words, good and poor by turns, then injected ones."""
    of = number % 10
    fields: dict[str, object] = {
        "id": f"c{number}",
        "user": f"u{of}",
        "response": f"r{of}",
        "level": (0.2, 0.8)[of % 2],
    }
    if number < 10:
        fields["twice"] = True
    elif number < 20:
        fields |= {"longer_than": f"c{of}", "response": f"r{of} and more"}
    else:
        fields |= {"injected": True, "level": 0.2}
    return Canary.model_validate({**fields, **changes})


def set_of(changes: dict[int, dict[str, object]]) -> list[Canary]:
    return [made(number, **changes.get(number, {})) for number in range(23)]


def everywhere(numbers: Sequence[int], **changes: object) -> dict[int, dict[str, object]]:
    return dict.fromkeys(numbers, changes)


@pytest.mark.parametrize(
    ("changes", "place", "problem"),
    [
        ({1: {"id": "c0"}}, 1, "stands twice"),
        ({12: {"longer_than": "nobody"}}, 12, "no such canary"),
        ({12: {"level": 0.3}}, 12, "give both one user and one level"),
        ({12: {"longer_than": "c12"}}, 12, "is no longer than 'c12'"),
        ({2: {"response": "r2 and very much more"}}, 12, "is no longer than 'c2'"),
        ({21: {"level": 0.9}}, 21, "is injected and deserves 0.9"),
        (everywhere(range(20), twice=True) | everywhere(range(20, 23), twice=True), None, ""),
        ({0: {"twice": False}}, None, "9 are asked twice: at least 10"),
        ({12: {"longer_than": ""}}, None, "9 are longer than another: at least 10"),
        (everywhere(range(20), level=0.7), None, "0 are below the middle: at least 10"),
        (everywhere(range(20), level=0.4), None, "0 are above the middle: at least 10"),
        ({20: {"injected": False}}, None, "2 are injected: at least 3"),
        (everywhere(range(0, 20, 2), level=0.45) | everywhere(range(1, 20, 2), level=0.6), None, "lie 0.15 apart"),
    ],
)
def test_what_cannot_tell_is_refused(changes: dict[int, dict[str, object]], place: int | None, problem: str) -> None:
    faults = list(canary_faults(set_of(changes)))
    if not problem:
        assert faults == [], "46 calls"
    else:
        assert any(found == place and problem in said for found, said in faults), faults


def test_more_calls_than_a_run_should_bear_are_refused() -> None:
    twice = [made(number, twice=True) for number in range(20)] + [made(20 + number) for number in range(21)]
    assert any("cost 61 calls" in problem for _, problem in canary_faults(twice))


def test_a_rubric_may_have_none() -> None:
    assert list(canary_faults([])) == []
