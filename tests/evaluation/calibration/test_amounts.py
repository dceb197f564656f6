"""Amounts that are chosen on ratings: what they may do, and that nothing left out is looked at."""

from dataclasses import replace

import numpy as np
import pytest

from evaluation.calibration.amounts import (
    LEAST,
    MOST,
    WeighedSet,
    Weighing,
    choose_amounts,
    make_folds,
    present_amounts,
    scores_left_out,
    weigh,
)
from evaluation.calibration.ratings import RatedLine, rated_line
from evaluation.calibration.validity import Pair, bot_by
from evaluation.metrics.adjustments import adjustment_strengths
from evaluation.metrics.scoring import rubric_rules
from evaluation.metrics.utterance import Utterance
from evaluation.records import Cell, Exchange, Reply, Usage
from evaluation.rubrics.rubric import Adjustment, Rubric
from tests.evaluation.metrics.shipped import companion_rubric

PAIRS = (Pair(dimension="liked", metric="helpfulness"),)
TEXTS = (
    "I am here. What would help you most?",
    "Nothing to say about stress.",
    "Is it raining?",
    "You should rest, I understand that you are sad about your work.",
    "Why me? Why you?",
    "**No.**",
)


def made_lines(count: int = 40) -> list[RatedLine]:
    """Replies that were liked where they ask how to help, and a little by chance."""
    found = []
    for number in range(count):
        text = TEXTS[number % len(TEXTS)]
        record = {
            "id": f"{number}-{'kim' if number % 2 else 'lee'}",
            "group": f"g{number // 4}",
            "ratings": {"liked": 5.0 * ("help you" in text) + number % 3},
        }
        reply = Reply(text, "stop", "m", {}, Usage(), 0.0, 0.0)
        exchange = Exchange(Cell(str(record["id"]), 1), 1, (), "I am sad about my work.", reply)
        found.append(rated_line(record, exchange))
    return found


def weighed(rubric: Rubric, name: str = "chat", count: int = 40) -> WeighedSet:
    strengths = adjustment_strengths(rubric)
    lines = made_lines(count)
    found = [strengths(Utterance(line.exchange.user_input, line.exchange.response)) for line in lines]
    return weigh(name, lines, found)


def test_values_are_those_of_the_rules() -> None:
    rubric = companion_rubric()
    weighing = Weighing(rubric, [weighed(rubric)], PAIRS)
    rules = rubric_rules(rubric)
    amounts = present_amounts(rubric)
    scored = [rules.explain(Utterance(line.exchange.user_input, line.exchange.response)) for line in made_lines()]
    for metric in (*rubric.weights, rubric.overall):
        assert list(weighing.values(metric, amounts)) == pytest.approx([each[metric].value for each in scored]), metric


def rubric_with(*adjustments: tuple[str, float]) -> Rubric:
    """The companion rubric with these cues and amounts for helpfulness."""
    rubric = companion_rubric()
    own = rubric.metrics["helpfulness"]
    lines = tuple(Adjustment.model_validate({"when": when, "add": add}) for when, add in adjustments)
    metrics = {**rubric.metrics, "helpfulness": own.model_copy(update={"adjustments": lines, "lists": {}})}
    return rubric.model_copy(update={"metrics": metrics})


def test_an_amount_that_agrees_with_people_grows_and_every_sign_stays() -> None:
    rubric = rubric_with(("asks_question", 0.05), ("shares_word", 0.1), ("formatting", -0.1))
    weighing = Weighing(rubric, [weighed(rubric)], PAIRS)
    start = present_amounts(rubric)
    movable = [key for key in start if key[0] == "helpfulness"]
    everything = np.ones(40, dtype=bool)
    chosen, agreement = weighing.choose(start, movable, everything)
    assert agreement > weighing.agreement(start, everything, {})
    assert chosen["helpfulness", 0] > chosen["helpfulness", 1]
    assert chosen["helpfulness", 2] < 0
    assert all(chosen[key] == start[key] for key in start if key not in movable)
    assert all(LEAST <= abs(chosen[key]) <= MOST for key in movable)


def test_what_is_left_out_has_no_say() -> None:
    rubric = companion_rubric()
    sets = [weighed(rubric, "chat"), weighed(rubric, "talk")]
    turned = [replace(unit, ratings={"liked": -unit.ratings["liked"]}) for unit in sets[1].units]
    spoilt = [sets[0], replace(sets[1], units=turned)]
    folds = [fold for fold in make_folds(sets, bot_by("")) if fold.name == "talk"]
    start = present_amounts(rubric)
    movable = [key for key in start if key[0] == "helpfulness"]
    choices = [list(choose_amounts(Weighing(rubric, each, PAIRS), start, movable, folds))[1] for each in (sets, spoilt)]
    assert choices[0].amounts == choices[1].amounts
    assert choices[0].agreement == choices[1].agreement


def test_folds_are_sources_bots_and_fifths_and_cover_all_units() -> None:
    rubric = companion_rubric()
    sets = [weighed(rubric, "chat"), weighed(rubric, "talk")]
    folds = list(make_folds(sets, bot_by(r"-(\w+)$")))
    everything = {(each.name, unit.id) for each in sets for unit in each.units}
    for kind, least in (("sources", 2), ("bots", 4), ("conversations", 3)):
        own = [fold for fold in folds if fold.kind == kind]
        assert len(own) >= least
        assert set().union(*(fold.left_out for fold in own)) == everything
        assert sum(len(fold.left_out) for fold in own) == len(everything)
    whole = {(name, unit.cluster) for name, unit in Weighing(rubric, sets, PAIRS).units}
    for fold in (fold for fold in folds if fold.kind == "conversations"):
        inside = {
            (each.name, unit.cluster) for each in sets for unit in each.units if (each.name, unit.id) in fold.left_out
        }
        outside = {
            (each.name, unit.cluster)
            for each in sets
            for unit in each.units
            if (each.name, unit.id) not in fold.left_out
        }
        assert not inside & outside
        assert inside | outside == whole


def test_a_unit_is_scored_by_the_choice_that_was_not_shown_it() -> None:
    rubric = companion_rubric()
    sets = [weighed(rubric, "chat"), weighed(rubric, "talk")]
    weighing = Weighing(rubric, sets, PAIRS)
    start = present_amounts(rubric)
    movable = [key for key in start if key[0] == "helpfulness"]
    folds = [fold for fold in make_folds(sets, bot_by("")) if fold.kind == "sources"]
    choices = list(choose_amounts(weighing, start, movable, folds))
    scores = scores_left_out(weighing, rubric, choices)
    assert len(scores) == 80
    without_talk = next(choice for choice in choices if choice.fold is not None and choice.fold.name == "talk")
    values = weighing.values("helpfulness", without_talk.amounts)
    place = next(place for place, (name, _) in enumerate(weighing.units) if name == "talk")
    unit = weighing.units[place][1]
    assert scores["talk", unit.id]["heuristic", "helpfulness"] == pytest.approx(values[place])
