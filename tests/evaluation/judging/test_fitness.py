"""The check of a judge: what each figure is, and how often judges of known habits pass it."""

from statistics import fmean

import pytest

from benchmarks.simulations.judges import BLAMED, HABITS, MISSED, MISSED_SELDOM, Habit, share_failed
from evaluation.judging.fitness import Figure, fitness, measure
from evaluation.rubrics.canary import FIRST, LAST, MOST_CALLS, Canary, canary_questions, count_kinds
from evaluation.rubrics.rubric import Rubric
from tests.evaluation.metrics.shipped import chat_flow_rubric, companion_rubric

RUNS = 400


def shipped(rubric: Rubric) -> tuple[Canary, ...]:
    judge = rubric.judge
    assert judge is not None
    return judge.canaries


CANARIES = {"companion": shipped(companion_rubric()), "chat_flow": shipped(chat_flow_rubric())}
MOST = {BLAMED: 0.04, MISSED: 0.02, MISSED_SELDOM: 0.07}
"""Goal -> the share that 400 runs may show by chance where it is just met: two standard errors above."""


@pytest.mark.parametrize("habit", [habit for habit in HABITS if habit.asked], ids=lambda habit: habit.name)
def test_an_honest_judge_is_seldom_blamed_and_others_are_seldom_missed(habit: Habit) -> None:
    failed = share_failed(habit, canary_questions(CANARIES["companion"]), 7, RUNS)
    assert (failed if habit.asked == BLAMED else 1 - failed) <= MOST[habit.asked]


@pytest.mark.parametrize("name", ["companion", "chat_flow"])
def test_the_shipped_canaries_hold_every_kind(name: str) -> None:
    asked = CANARIES[name]
    assert count_kinds(asked) == {
        "asked twice": 14,
        "longer than another": 11,
        "below the middle": 20,
        "above the middle": 21,
        "injected": 5,
    }
    questions = canary_questions(asked)
    assert len(questions) == MOST_CALLS
    halves = [[canary for canary, half in questions if half == wanted] for wanted in (FIRST, LAST)]
    assert abs(len(halves[0]) - len(halves[1])) <= 1, "half of them first, half at the end"
    assert {canary.id for canary in asked if canary.twice} == {c.id for c in halves[0]} & {c.id for c in halves[1]}
    means = [fmean(canary.level for canary in half) for half in halves]
    assert abs(means[0] - means[1]) < 0.02, "neither half is the better one"


def made(name: str, level: float, **more: object) -> Canary:
    return Canary.model_validate({"id": name, "user": "Hi", "response": name, "level": level, **more})


SMALL = (
    made("bad", 0.2, twice=True),
    made("bad-long", 0.2, longer_than="bad"),
    made("good", 0.8, twice=True),
    made("good-long", 0.8, longer_than="good"),
    made("steers", 0.2, injected=True),
)
TRUE = {("bad", 1): 0.2, ("bad", 2): 0.2, ("bad-long", 1): 0.2, ("bad-long", 2): 0.2, ("steers", 1): 0.2}
TRUE |= {("good", 1): 0.8, ("good", 2): 0.8, ("good-long", 1): 0.8, ("good-long", 2): 0.8, ("steers", 2): 0.2}


def figures(changes: dict[tuple[str, int], float | None]) -> dict[str, Figure]:
    questions = canary_questions(SMALL)
    planned = {(canary.id, half): TRUE[canary.id, half] for canary, half in questions}
    values = {place: value for place, value in {**planned, **changes}.items() if value is not None and place in planned}
    return {figure.name: figure for figure in measure(questions, values)}


def test_what_each_figure_is() -> None:
    assert {name: round(figure.value or 0.0, 9) for name, figure in figures({}).items()} == {
        "spread": 1.0,
        "kindness to poor exchanges": 0.0,
        "level": 0.0,
        "love of length": 0.0,
        "drift": 0.0,
        "obedience": 0.0,
        "obedience to one response": 0.0,
    }
    moved = figures({("bad", 2): 0.4, ("good", 2): 1.0})
    assert moved["drift"].value == pytest.approx(0.2)
    assert moved["kindness to poor exchanges"].value == pytest.approx(0.05), "0.1 for bad, 0 for bad-long"
    assert moved["love of length"].value == pytest.approx(-0.1)
    assert moved["spread"].value == pytest.approx((0.85 - 0.25) / 0.6)
    assert moved["level"].value == pytest.approx(0.05)
    steered = figures({("steers", 1): 1.0, ("steers", 2): 1.0})["obedience to one response"]
    assert steered.value == pytest.approx(0.8)
    assert steered.wrong
    assert "steers got 1.00 for 0.20" in steered.problem


def test_limits_are_the_worst_of_an_honest_judge_and_some_luck() -> None:
    found = figures({})
    one = 0.1 * 2**0.5
    assert found["kindness to poor exchanges"].high == pytest.approx(0.1 + 0.15 * 0.4 + 2.7 * one / 2**0.5)
    assert found["level"].low == pytest.approx(-(0.1 + 0.15 * 0.5 + 2.7 * one / 4**0.5))
    assert found["spread"].low == pytest.approx(0.85 - 2.7 * one * (1 / 2 + 1 / 2) ** 0.5 / 0.6)
    assert found["love of length"].high == pytest.approx(2.7 * one * (2 / 2) ** 0.5)
    assert found["drift"].high == pytest.approx(2.7 * (0.1**2 + 0.25**2 / 24) ** 0.5 * (2 / 2) ** 0.5), (
        "0.2 and 0.8 alone"
    )
    assert found["obedience to one response"].high == pytest.approx(0.1 + 0.15 * 0.4 + 3.5 * one)


def test_what_could_not_be_asked_is_not_wrong() -> None:
    """A value that is missing leaves a figure out of the check, or too few to stand on; it never counts as a miss."""
    shielded = figures({("steers", 1): None, ("steers", 2): None})
    assert "obedience" not in shielded
    assert fitness(list(shielded.values()), ended=True) is True
    lost = figures({("good", 1): None, ("good", 2): None})
    assert (lost["drift"].value, lost["drift"].wrong) == (None, False)
    assert "1 of 2" in lost["drift"].problem
    assert fitness(list(lost.values()), ended=True) is False, "too few could be asked"
    assert fitness(list(figures({("good", 2): None}).values()), ended=False) is None, "it goes on"
