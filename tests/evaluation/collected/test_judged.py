"""Intervals for what a judge would give a whole collection, from some of its rows: simulated."""

import math
import random
from collections.abc import Iterator
from functools import partial
from statistics import NormalDist

import pytest

from evaluation.collected.drawing import DrawnRow
from evaluation.collected.judged import JudgedRows
from evaluation.production.judged import JudgedTurn
from tests.evaluation.collected.test_drawing import UNIT, Row, drawn_of

ROUNDS, ROWS, USERS, JUDGED = 500, 1_000, 300, 100
OF_USERS, OF_RESPONSES = 0.05, 0.12
"""Deviations of users and of their responses."""
SHARES = {"a": 0.6, "b": 0.3, "c": 0.1}
MODELS = {"a": 0.75, "b": 0.68, "c": 0.72}
"""What the judge would give responses of each, were it not for the ends of the scale."""


def collection(chance: random.Random) -> Iterator[tuple[Row, float]]:
    """Rows of users who return, and what the judge would give each.

    Users differ in how good their responses are; the rules follow the judge with an error, so that the strata, which
    are drawn at different rates, differ in it as well.
    """
    users = [chance.gauss(0, OF_USERS) for _ in range(USERS)]
    for number in range(ROWS):
        user = min(int(chance.expovariate(1) * USERS / 3), USERS - 1)
        model = chance.choices(list(SHARES), list(SHARES.values()))[0]
        value = min(1.0, max(0.0, MODELS[model] + users[user] + chance.gauss(0, OF_RESPONSES)))
        rules = min(1.0, max(0.0, 0.2 + 0.7 * value + chance.gauss(0, 0.07)))
        yield (f"0|{number}", (model, f"W{number % 4}"), round(rules, 2), f"user {user}"), value


@pytest.mark.long
def test_intervals_hold_what_the_judge_would_give_such_users() -> None:
    chance = random.Random(20)
    truth = _truth()
    held, widths, rates = dict.fromkeys(("all", *MODELS), 0), 0.0, (1.0, 0.0)
    for seed in range(ROUNDS):
        known = dict(collection(chance))
        drawn = drawn_of(list(known), JUDGED, seed)
        values = {row[0]: value for row, value in known.items()}
        said = {row.key: JudgedTurn("scored", {"judge": {"overall": values[row.key]}}) for row in drawn.rows}
        judged = JudgedRows(said, drawn)
        weights = judged.weights().values()
        rates = min(rates[0], 1 / max(weights)), max(rates[1], 1 / min(weights))
        for name in held:
            found = judged.estimate(partial(_value, name), UNIT)
            assert found.ci95 is not None
            held[name] += found.ci95[0] <= truth[name] <= found.ci95[1]
            widths += (found.ci95[1] - found.ci95[0]) / ROUNDS if name == "all" else 0
    shares = {name: round(100 * number / ROUNDS, 1) for name, number in held.items()}
    print(shares, f"width {widths:.3f}, rates {rates[0]:.3f} to {rates[1]:.3f}")
    assert all(93 <= share <= 97 for share in shares.values()), shares
    assert rates[1] > 2 * rates[0], "the chances of being judged are not equal"


def _value(name: str, row: DrawnRow, judged: JudgedTurn) -> float | None:
    return judged.scores["judge"]["overall"] if name in ("all", dict(row.groups)["model"]) else None


def _truth() -> dict[str, float]:
    """Of a value that is cut at 0 and 1 the mean is the integral of the chance to lie above, from 0 to 1."""
    spread = NormalDist(0, math.hypot(OF_USERS, OF_RESPONSES))
    steps = [(step + 0.5) / 1_000 for step in range(1_000)]
    found = {name: math.fsum(1 - spread.cdf(at - mean) for at in steps) / 1_000 for name, mean in MODELS.items()}
    return {"all": math.fsum(SHARES[name] * found[name] for name in MODELS), **found}
