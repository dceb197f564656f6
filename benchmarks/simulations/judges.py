"""How often the check of a judge blames an honest one, and how often it misses others: the table of docs/judge.md.

A simulated judge gives each canary its opinion, sees each a little differently (standard deviation 0.1, the same in
both halves of a run), and adds the noise of a verdict (0.1). What lies outside the scale is cut off.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.judging.fitness import fitness, measure
from evaluation.rubrics.canary import LAST, Question, canary_questions
from evaluation.text import numbers
from scripts.run.load import load_rubric

NOISE = 0.1
TRIALS = 4000
RUBRICS = ("companion", "chat_flow")


@dataclass(frozen=True)
class Asked:
    """All that an opinion may depend on."""

    level: float
    half: int
    longer: bool
    injected: bool
    luck: random.Random


Opinion = Callable[[Asked], float]


@dataclass(frozen=True)
class Habit:
    """One kind of judge."""

    name: str
    opinion: Opinion
    seen: float = NOISE
    noise: float = NOISE
    unread: float = 0.0
    """Share of the verdicts that cannot be read; each is asked once more."""
    step: float = 0.0
    """Between the values that it gives; 0 for any value."""
    shielded: bool = False
    """True where no injected text gets an answer."""
    asked: str = ""
    """The goal, in words."""


def honest(shift: float, slope: float) -> Opinion:
    return lambda asked: slope * asked.level + shift


BLAMED, MISSED, MISSED_SELDOM = "blamed in at most 2%", "missed in at most 1%", "missed in at most 5%"
HABITS = (
    Habit("honest", honest(0, 1), asked=BLAMED),
    *(
        Habit(f"honest, shift {shift:+g}, slope {slope:g}", honest(shift, slope), asked=BLAMED)
        for shift in (-0.1, 0.1)
        for slope in (0.85, 1.15)
    ),
    Habit("honest, in steps of 0.1", honest(0, 1), step=0.1, asked=BLAMED),
    Habit("honest, in whole numbers from 1 to 5", honest(0, 1), step=0.25, asked=BLAMED),
    Habit("honest, 1% of its verdicts unread", honest(0, 1), unread=0.01, asked=BLAMED),
    Habit("honest, 5% of its verdicts unread", honest(0, 1), unread=0.05, asked=BLAMED),
    Habit("honest, a shield refuses injected texts", honest(0, 1), shielded=True, asked=BLAMED),
    Habit("constant 0.6", lambda _: 0.6, seen=0, noise=0, asked=MISSED),
    Habit("random, 0 to 1", lambda asked: asked.luck.random(), seen=0, noise=0, asked=MISSED),
    Habit("random, 0.4 to 0.9", lambda asked: 0.4 + asked.luck.random() / 2, seen=0, noise=0, asked=MISSED),
    Habit("obeys injected texts", lambda asked: 2.0 if asked.injected else asked.level, asked=MISSED),
    Habit("0.3 too kind below 0.6", lambda asked: asked.level + 0.3 * (asked.level < 0.6), asked=MISSED),
    Habit("0.3 too kind throughout", lambda asked: asked.level + 0.3),
    Habit("0.3 too harsh throughout", lambda asked: asked.level - 0.3),
    Habit("slope 0.3 (0.3 truth + 0.7 x 0.6)", lambda asked: 0.3 * asked.level + 0.42, asked=MISSED_SELDOM),
    Habit("drifts by 0.2 within the run", lambda asked: asked.level + 0.2 * (asked.half == LAST), asked=MISSED_SELDOM),
    Habit(
        "drifts by 0.2 within the run, in whole numbers from 1 to 5",
        lambda asked: asked.level + 0.2 * (asked.half == LAST),
        step=0.25,
        asked=MISSED_SELDOM,
    ),
    Habit("drifts by 0.1 within the run", lambda asked: asked.level + 0.1 * (asked.half == LAST)),
    Habit("loves length, worth 0.3", lambda asked: asked.level + 0.3 * asked.longer, asked=MISSED_SELDOM),
    Habit("loves length, worth 0.15", lambda asked: asked.level + 0.15 * asked.longer),
)


def verdicts(
    habit: Habit, questions: Sequence[Question], luck: random.Random
) -> Iterator[tuple[tuple[str, int], float]]:
    """What a judge says of the canaries of one run; nothing where both attempts stay unread."""
    seen = {canary.id: luck.gauss(0, habit.seen) for canary, _ in questions}
    for canary, half in questions:
        refused = habit.shielded and canary.injected
        if refused or all(luck.random() < habit.unread for _ in range(2)):
            continue
        exact = habit.opinion(Asked(canary.level, half, bool(canary.longer_than), canary.injected, luck))
        value = exact + seen[canary.id] + luck.gauss(0, habit.noise)
        value = round(value / habit.step) * habit.step if habit.step else value
        yield (canary.id, half), min(1.0, max(0.0, value))


def share_failed(habit: Habit, questions: Sequence[Question], seed: int, trials: int) -> float:
    """Share of runs in which the check fails."""
    luck, failed = random.Random(f"{seed} {habit.name}"), 0
    for _ in range(trials):
        figures = measure(questions, dict(verdicts(habit, questions, luck)))
        failed += not fitness(figures, ended=True)
    return failed / trials


def _share_of(place: int, rubric: str, seed: int, trials: int) -> float:
    judge = load_rubric(rubric).judge
    assert judge is not None
    return share_failed(HABITS[place], canary_questions(judge.canaries), seed, trials)


def checked_judges(draws: Draws) -> Table:
    """Share of runs in which the check fails, for each habit and shipped rubric."""
    trials = draws.count(TRIALS)
    jobs = [(place, rubric, draws.seed, trials) for place in range(len(HABITS)) for rubric in RUBRICS]
    shares = spread(_share_of, jobs)
    rows = [(habit.name, *(percent(next(shares)) for _ in RUBRICS), habit.asked) for habit in HABITS]
    note = (
        f"Seed {draws.seed}, {numbers.count(trials)} runs a cell, standard error {error(trials, 0.02)} points at 2%. "
        "What is caught of the judges below the honest ones is the power of the check; the first rows are its price."
    )
    return Table("Runs in which the check of the judge fails", ("judge, percent", *RUBRICS, "asked for"), rows, note)
