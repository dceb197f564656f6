"""Conversations and verdicts on them, by the question of the shipped rubric."""

import json
from collections.abc import Sequence
from typing import Any

from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.records import WHOLE, Cell, Exchange, Scenario, Turn
from tests.evaluation.judging.verdicts import judge_rubric, reply

NAMES = ("memory", "consistency", "boundaries_held", "ending")


def question() -> ConversationQuestion:
    found = ConversationQuestion.of(judge_rubric())
    assert found is not None
    return found


def talk(*said: str) -> tuple[Turn, ...]:
    """The words of user and assistant by turns."""
    return tuple(Turn(("user", "assistant")[place % 2], words) for place, words in enumerate(said))


def conversation(said: Sequence[Turn]) -> Exchange:
    """A whole one, which ends with words of the assistant."""
    return Exchange(Cell("s", 1), WHOLE, tuple(said[:-2]), said[-2].content, reply(said[-1].content))


def scenario(turns: int = 2, history: tuple[Turn, ...] = (), note: str = "") -> Scenario:
    return Scenario("s", "continuity", ("x",) * turns, history=history, note=note)


def whole_verdict(value: float | None = 0.3, why: str = "Turn 2 decides.", **changed: Any) -> str:
    """One value throughout, but for what is changed."""
    scores = {**dict.fromkeys(NAMES, value), **changed}
    return json.dumps({"rationale": dict.fromkeys(NAMES, why), "scores": scores})
