"""Head to head: how often the intervals of the win rate hold the truth, and which judges their check catches.

A simulated judge sees how much better the second answer of a pair is, on the logit scale: a part that the situation
decides (standard deviation 0.5), one of the pair (0.3), and what it pays for length. In each order it leans towards the
answer that stands first, and then draws. Of three pairs in four the situation holds one, else two.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.simulations.tables import Draws, Table, error, percent, spread
from evaluation.comparison.head_to_head import PairPlace as Place
from evaluation.comparison.head_to_head import at_equal_length, tally
from evaluation.judging.asking import JudgeRubric
from evaluation.judging.pair_check import CanaryPair, canary_pairs, check_pairs
from evaluation.judging.pair_reading import Place as Preferred
from evaluation.judging.pair_reading import Preference, combine_orders
from scripts.run.load import load_rubric

SITUATIONS = (20, 40, 80)
TRIALS = 2000
CHECKED = 4000
OF_SITUATION, OF_PAIR = 0.5, 0.3
RATIO = 0.35
"""Standard deviation of log(words of the second / words of the first)."""
DRAWS = 100_000
POINTS = {"candidate": 1.0, "tie": 0.5, "base": 0.0}


@dataclass(frozen=True)
class Habit:
    """A judge, and two versions."""

    name: str
    quality: float
    """By how much the second version is better, on the logit scale."""
    length: float = 0.0
    """What the judge pays per unit of log words."""
    longer: float = 0.0
    """Mean of the log ratio of words."""
    place: float = 0.0
    """How far it leans towards what stands first."""


HABITS = (
    Habit("fair, equal versions", 0),
    Habit("fair, second better", 0.8),
    Habit("leans to the first, equal versions", 0, place=1),
    Habit("leans to the first, second better", 0.8, place=1),
    Habit("loves length, equal versions, second longer", 0, length=1.5, longer=0.4),
    Habit("loves length, second worse and longer", -0.8, length=2, longer=0.5),
    Habit("loves length, second better and shorter", 0.8, length=1, longer=-0.3),
    Habit("both habits, second better and longer", 0.6, length=1, longer=0.3, place=0.7),
)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _truths(habit: Habit) -> tuple[float, float]:
    """The win rate, and the one at equal length, over all situations."""
    luck = random.Random(7)
    plain = equal = 0.0
    for _ in range(DRAWS):
        seen = habit.quality + luck.gauss(0, OF_SITUATION) + luck.gauss(0, OF_PAIR)
        ratio = luck.gauss(habit.longer, RATIO)
        for lean in (habit.place, -habit.place):
            plain += _logistic(seen + habit.length * ratio + lean) / 2
            equal += _logistic(seen + lean) / 2
    return plain / DRAWS, equal / DRAWS


def _drawn(habit: Habit, situations: int, luck: random.Random) -> list[tuple[Place, float]]:
    found = []
    for situation in range(situations):
        common = luck.gauss(0, OF_SITUATION)
        for pair in range(2 if situation % 4 == 3 else 1):
            ratio = luck.gauss(habit.longer, RATIO)
            words = (100_000, max(1, round(100_000 * math.exp(ratio))))
            seen = habit.quality + common + luck.gauss(0, OF_PAIR) + habit.length * ratio
            # Asked with the base first, and with the candidate first.
            one: Preferred = "second" if luck.random() < _logistic(seen - habit.place) else "first"
            other: Preferred = "first" if luck.random() < _logistic(seen + habit.place) else "second"
            place = Place("", f"{situation}/{pair}", str(situation), "", 1, words)
            found.append((place, POINTS[combine_orders(one, other).winner]))
    return found


def _covered(
    habit: Habit, truths: tuple[float, float], situations: int, trials: int, seed: int
) -> tuple[float, float, float, float]:
    """Coverage of both intervals, the mean of the adjusted rate minus the truth, the share of trials that have one."""
    luck = random.Random(seed)
    plain, equal = truths
    held = right = known = 0
    off = 0.0
    for _ in range(trials):
        points = _drawn(habit, situations, luck)
        ends = tally(points).rate.ci95
        held += ends is not None and ends[0] <= plain <= ends[1]
        adjusted = at_equal_length(points).win_rate
        if adjusted is not None:
            known += 1
            right += adjusted.ci95[0] <= equal <= adjusted.ci95[1]
            off += adjusted.value - equal
    return held / trials, right / max(1, known), off / max(1, known), known / trials


def covered_pairs(draws: Draws) -> Table:
    """Coverage of the win rate and of that at equal length."""
    trials = draws.count(TRIALS)
    truths = list(spread(_truths, [(habit,) for habit in HABITS]))
    jobs = [
        (habit, truth, count, trials, draws.cell(habit.name, count))
        for habit, truth in zip(HABITS, truths, strict=True)
        for count in SITUATIONS
    ]
    found = list(spread(_covered, jobs))
    rows = []
    for place, (habit, (plain, equal)) in enumerate(zip(HABITS, truths, strict=True)):
        cells = found[place * len(SITUATIONS) : (place + 1) * len(SITUATIONS)]
        shown = [f"{percent(each[0])} · {percent(each[1])} ({each[2]:+.3f})" for each in cells]
        rows.append([habit.name, f"{plain:.2f} · {equal:.2f}", *shown])
    least = min(each[3] for each in found)
    return Table(
        "Win rates head to head",
        ["judge and versions", "truth: win rate · at equal length", *(f"G = {count}" for count in SITUATIONS)],
        rows,
        f"Seed {draws.seed}, {trials:,} trials a cell, standard error {error(trials, 0.95)} points at 95%. In "
        "parentheses by how much the rate at equal length is off on average. The least share of trials that have one: "
        f"{percent(least)}%.",
    )


# --- the check of a judge ---------------------------------------------------------------------------------------------

Answer = Callable[[CanaryPair, bool, random.Random], Preferred]
"""(pair, whether its better or longer one stands first, luck) -> what the judge prefers."""


def _by_level(care: float, place: float, length: float) -> Answer:
    """A judge that sees the levels through noise of a standard deviation `care`, and has habits."""

    def answer(pair: CanaryPair, candidate_first: bool, luck: random.Random) -> Preferred:
        better = pair.candidate.level - pair.base.level
        longer = math.log(len(pair.candidate.text.split()) / max(1, len(pair.base.text.split())))
        seen = better + length * longer + luck.gauss(0, care) + (place if candidate_first else -place)
        return "tie" if abs(seen) < 0.05 else "first" if (seen > 0) == candidate_first else "second"

    return answer


JUDGES: tuple[tuple[str, Answer, str], ...] = (
    ("honest, noise 0.1", _by_level(0.1, 0, 0), "blamed in at most 2%"),
    ("honest, noise 0.2", _by_level(0.2, 0, 0), "blamed in at most 2%"),
    ("leans to the first by 0.1, noise 0.1", _by_level(0.1, 0.1, 0), "blamed in at most 2%"),
    ("leans to the first by 0.6", _by_level(0.1, 0.6, 0), "missed in at most 1%"),
    ("always the first", lambda *_: "first", "missed in at most 1%"),
    ("always a tie", lambda *_: "tie", "missed in at most 1%"),
    ("at random", lambda _pair, _first, luck: luck.choice(("first", "second")), "missed in at most 5%"),
    ("loves length, worth 0.3 for twice the words", _by_level(0.1, 0, 0.43), "missed in at most 1%"),
    ("loves length, worth 0.1 for twice the words", _by_level(0.1, 0, 0.14), ""),
)


def _failed(number: int, trials: int, seed: int) -> float:
    luck = random.Random(seed)
    rubric = JudgeRubric.of(load_rubric("companion"))
    assert rubric is not None
    pairs = canary_pairs(rubric.canaries)
    answer = JUDGES[number][1]
    count = 0
    for _ in range(trials):
        said: dict[str, Preference] = {
            pair.id: combine_orders(answer(pair, False, luck), answer(pair, True, luck)) for pair in pairs
        }
        count += check_pairs(pairs, said).fit is False
    return count / trials


def checked_pair_judges(draws: Draws) -> Table:
    """How often the check of a judge on pairs fails."""
    trials = draws.count(CHECKED)
    jobs = [(number, trials, draws.cell("pair judges", number)) for number in range(len(JUDGES))]
    found = spread(_failed, jobs)
    rows = [[name, percent(share), asked] for (name, _, asked), share in zip(JUDGES, found, strict=True)]
    note = f"Seed {draws.seed}, {trials:,} runs a cell, standard error {error(trials, 0.02)} points at 2%."
    return Table("Judges asked about pairs", ["judge, percent that fail", "companion", "asked for"], rows, note)
