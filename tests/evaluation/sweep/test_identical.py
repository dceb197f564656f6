"""Answers held beside one another: only those that exist everywhere, and only across the factor in question."""

from collections.abc import Sequence

import pytest

from evaluation.reports.sweep import headline
from evaluation.sweep.effects import Setting
from evaluation.sweep.identical import no_effect
from evaluation.sweep.sweep import Sweep, analyse
from tests.evaluation.sweep.examples import METRICS, setting, suite

TASKS = 12


def at(number: int, said: Sequence[str], missing: int = 0, **values: float) -> Setting:
    scores: list[float | None] = [0.5 + place / 100 for place in range(TASKS)]
    scores[:missing] = [None] * missing
    return setting(values, dict.fromkeys(METRICS, scores), number=number, said=said)


def swept(*settings: Setting) -> Sweep:
    return analyse(settings, suite=suite())


SAME = [f"task {place}" for place in range(TASKS)]


def test_answers_that_are_missing_somewhere_are_left_out() -> None:
    found = swept(at(1, SAME, temperature=0.1), at(2, SAME, 3, temperature=0.9))
    assert [(each.compared, each.same) for each in found.identical] == [(9, 9)]
    assert no_effect(found.identical).startswith("temperature had no effect at all: all 9 answers are identical")


def test_nothing_to_compare_is_no_finding() -> None:
    found = swept(at(1, SAME, temperature=0.1), at(2, SAME, TASKS, temperature=0.9))
    assert (found.identical[0].compared, no_effect(found.identical), found.identical[0].note) == (0, "", "")


def test_one_value_that_differs_is_an_effect() -> None:
    other = [f"{text}!" for text in SAME]
    found = swept(*(at(place, said, temperature=place / 10) for place, said in enumerate((SAME, SAME, other), 1)))
    assert (found.identical[0].compared, found.identical[0].same) == (TASKS, 0)


@pytest.mark.parametrize(
    ("differ", "note"),
    [
        (1, "11 of 12 answers (92%) are identical at 0.1 and 0.9"),
        (9, "3 of 12 answers (25%) are identical at 0.1 and 0.9"),
        (10, ""),
        (12, ""),
    ],
)
def test_a_part_is_a_note_from_a_quarter_on(differ: int, note: str) -> None:
    said = [f"{text}!" if place < differ else text for place, text in enumerate(SAME)]
    found = swept(at(1, SAME, temperature=0.1), at(2, said, temperature=0.9))
    assert (found.identical[0].note, no_effect(found.identical)) == (note, "")
    assert headline(found)


def test_texts_that_are_no_unicode_are_held_beside_one_another_too() -> None:
    odd = ["\ud800"] * TASKS
    assert swept(at(1, odd, temperature=0.1), at(2, odd, temperature=0.9)).identical[0].no_effect
