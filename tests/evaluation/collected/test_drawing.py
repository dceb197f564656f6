"""Which rows of a collection a judge is given, and what each then stands for."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from evaluation.collected import drawing
from evaluation.collected.drawing import Candidate, Design, Drawn, DrawnRow, Picks, Survey, class_of, design, draw
from evaluation.collected.judged import JudgedRows
from evaluation.production.judged import JudgedTurn
from evaluation.production.second_phase import second_place
from evaluation.records import Cell, Exchange, Reply, Usage
from evaluation.statistics.clusters import WeightedValue, weighted_estimate

UNIT = (0.0, 1.0)
Row = tuple[str, tuple[str, ...], float | None, str]
"""Key, cell, score by the rules, cluster."""


def rows(count: int = 900, users: int = 90) -> list[Row]:
    chance = random.Random(5)
    return [
        (
            f"0|{number}",
            (chance.choice("abc"), f"2026-W{chance.randint(44, 47)}"),
            None if number % 50 == 0 else round(chance.betavariate(5, 2), 2),
            f"user {chance.randrange(users)}",
        )
        for number in range(count)
    ]


def parts(some: Sequence[Row], size: int) -> list[Sequence[Row]]:
    return [some[at : at + size] for at in range(0, len(some), size)]


def surveyed(some: Sequence[Sequence[Row]]) -> Survey:
    total = Survey()
    for part in some:
        found = Survey()
        for _, cell, score, _ in part:
            found.add(cell, score, UNIT)
        total.join(found)
    return total


def picked(of: Design, some: Sequence[Sequence[Row]], slack: float) -> Picks:
    total = Picks(of, slack)
    for part in some:
        found = Picks(of, slack)
        for key, cell, score, cluster in part:
            stratum = of.stratum_of(cell, score)
            if found.see(key, stratum, cluster):
                groups = (("model", cell[0]), ("week", cell[1]))
                found.candidates.append(Candidate(DrawnRow(key, key, stratum, cluster, groups, score, 0.0), SAID))
        total.join(found)
    return total


SAID = Exchange(Cell("row", 1), 1, (), "Hi.", Reply("Hello.", "stop", "", {}, Usage(), 0.0, 0.0))


def drawn_of(some: Sequence[Row], count: int, seed: int = 1, size: int = 100) -> Drawn:
    cut = parts(some, size)
    of = design(surveyed(cut), count, seed, UNIT)
    found = draw(of, picked(of, cut, 4.0))
    assert found is not None
    return found[0]


def test_the_lowest_places_of_each_stratum_are_drawn_whatever_the_parts_and_their_order() -> None:
    some = rows()
    of = design(surveyed([some]), 60, 1, UNIT)
    strata = defaultdict[str, list[str]](list)
    for key, cell, score, _ in some:
        strata[of.stratum_of(cell, score)].append(key)
    by_hand = {
        key
        for stratum, keys in strata.items()
        for key in sorted(keys, key=lambda key: second_place(1, key))[: of.numbers[stratum]]
    }
    assert {stratum: len(keys) for stratum, keys in strata.items()} == of.sizes
    shuffled = some.copy()
    random.Random(2).shuffle(shuffled)
    first, second = drawn_of(some, 60), drawn_of(shuffled, 60, size=37)
    assert {row.key for row in first.rows} == by_hand and len(first.rows) == 60
    assert (first.rows, first.sizes, first.rest) == (second.rows, second.sizes, second.rest)
    assert {row.key for row in drawn_of(some, 60, seed=2).rows} != by_hand
    assert sum(first.rest.values()) == 900 - 60
    assert Drawn.from_json(first.to_json()) == first


def test_low_scores_are_drawn_more_often_and_of_every_stratum_four_or_so() -> None:
    found = drawn_of(rows(), 60)
    drawn = Counter(row.stratum for row in found.rows)
    assert drawn.keys() == found.sizes.keys() and min(drawn.values()) >= 2

    def share(band: str) -> float:
        names = [name for name in found.sizes if name.startswith(band)]
        return sum(drawn[name] for name in names) / sum(found.sizes[name] for name in names)

    assert share("low") > 1.2 * share("high")


@pytest.mark.slow
def test_what_lies_in_memory_goes_with_what_is_drawn() -> None:
    some = rows(20_000)
    cut = parts(some, 1_000)
    of = design(surveyed(cut), 50, 1, UNIT)
    assert len(picked(of, cut, 1.0).candidates) < 6 * 50
    too_few = picked(of, cut, -0.5)
    assert draw(of, too_few) is None, "the bounds are widened then"


def test_where_all_fit_all_are_drawn_and_the_mean_is_the_plain_one_of_its_users() -> None:
    some = rows(40, users=12)
    found = drawn_of(some, 50)
    assert found.is_whole and found.rest == {} and len(found.rows) == 40
    values = {row.key: random.Random(row.key).random() for row in found.rows}
    judged = {key: JudgedTurn("scored", {"judge": {"overall": value}}) for key, value in values.items()}
    estimate = JudgedRows(judged, found).estimate(lambda _, said: said.scores["judge"]["overall"], UNIT)
    plain = weighted_estimate([WeightedValue("", row.cluster, 1.0, values[row.key]) for row in found.rows], UNIT)
    assert (estimate.n, estimate.clusters) == (40, plain.clusters)
    assert [estimate.mean, *(estimate.ci95 or ())] == pytest.approx([plain.mean, *(plain.ci95 or ())])


def test_too_many_values_are_told_apart_no_more_in_whatever_order_they_come() -> None:
    cells = [((f"model {number % 30}", f"week {number % 97}"), 0.5) for number in range(3_000)]
    limit, drawing.MOST_CELLS = drawing.MOST_CELLS, 500
    try:
        found = []
        for order in (cells, cells[::-1]):
            survey = Survey()
            for cell, score in order:
                survey.add(cell, score, UNIT)
            found.append((survey.kept, survey.cells))
    finally:
        drawing.MOST_CELLS = limit
    assert found[0] == found[1] and found[0][0] == 1 and len(found[0][1]) == 30


def test_classes_are_parts_of_the_scale() -> None:
    table = ((None, None), (0.0, 0), (0.0049, 0), (0.5, 100), (1.0, 199), (-1.0, 0), (2.0, 199))
    for score, expected in table:
        assert class_of(score, UNIT) == expected
