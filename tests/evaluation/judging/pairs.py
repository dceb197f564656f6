"""Pairs of answers, and judges' answers about them, for tests."""

import json
from collections.abc import Sequence

from evaluation.judging.pair_asking import Pair, PairJudge, make_pair
from evaluation.records import Cell, Exchange, Reply, Scenario, Turn, Usage
from evaluation.runspec import JudgePin
from tests.evaluation.judging.verdicts import judge_rubric

MESSAGE = "I'm worried about losing my job."


def judge(seed: int = 0, judge_format: str = "schema") -> PairJudge:
    return PairJudge(JudgePin("judge", "http://localhost", judge_format), judge_rubric(), seed)


def exchanges(cell: Cell, users: Sequence[str], answers: Sequence[str]) -> list[Exchange]:
    """A conversation turn by turn."""
    said: list[Turn] = []
    found = []
    for turn, (user, answer) in enumerate(zip(users, answers, strict=True), start=1):
        found.append(Exchange(cell, turn, tuple(said), user, Reply(answer, "stop", "m", {}, Usage(), 0.0, 0.0)))
        said += [Turn("user", user), Turn("assistant", answer)]
    return found


def pair(base: str | Sequence[str], candidate: str | Sequence[str], scenario_id: str = "job") -> Pair:
    """Two answers to one message, or two conversations."""
    first, second = ([each] if isinstance(each, str) else list(each) for each in (base, candidate))
    users = [MESSAGE, *(f"And then? {number}" for number in range(1, len(first)))]
    cell, scenario = Cell(scenario_id, 1), Scenario(scenario_id, "worries", tuple(users))
    made = make_pair(exchanges(cell, users, first), exchanges(cell, users, second), scenario)
    assert made is not None
    return made


def answer(names: tuple[str, str], better: object, **changed: object) -> str:
    """An answer of the judge as asked for; `changed` replaces keys."""
    sides = {
        which: {"name": name, "strengths": "Warm.", "faults": "Short."}
        for which, name in zip(("first", "second"), names, strict=True)
    }
    return json.dumps({**sides, "better": better, **changed})
