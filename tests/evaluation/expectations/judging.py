"""A judge of expectations that a test scripts: it sees what a real one is sent, and its calls are counted."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluation.expectations.answering import ItemJudge, Mode, answer_items
from evaluation.expectations.form import Kind
from evaluation.records import CallFailure, Cell, Exchange, Expectation, ItemAnswer, Reply, Request, Scenario, Turn
from evaluation.runspec import JudgePin
from tests.evaluation.made_runs import reply

Said = tuple[str, str]
"""(answer, quote)."""
Opinion = Callable[[str, int], Said]
"""(question, how often it was asked, this time included) -> what the judge says."""
QUESTION = re.compile(r"^\[(\d+)\] \([^)]*\) (.+)$", re.MULTILINE)
LIMITS = "I am an AI, so I can't be your therapist. But I'm here now."
JUDGE = ItemJudge(JudgePin("judge", "https://example.org", "schema", parameters={"temperature": 0}), seed=7)


def asked_questions(request: Request) -> list[str]:
    """The questions of a call in their order."""
    block = re.search(r"<questions-\w+>\n(.*)\n</questions-", request.messages[-1].content, re.DOTALL)
    assert block
    return [text for _, text in QUESTION.findall(block[1])]


@dataclass
class Judging:
    """Answers by an opinion; `broken` calls, counted from 1, get a failure, and `garbled` ones no readable answer."""

    opinion: Opinion
    broken: frozenset[int] = frozenset()
    garbled: dict[int, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)

    async def complete(self, request: Request) -> Reply | CallFailure:
        self.requests.append(request)
        questions = asked_questions(request)
        number = len(self.requests)
        if number in self.broken:
            return CallFailure("timeout", "too slow", 3, 0.0, 1.0)
        answers = {}
        for place, question in enumerate(questions, start=1):
            self.times[question] = self.times.get(question, 0) + 1
            answer, quote = self.opinion(question, self.times[question])
            answers[str(place)] = {"quote": quote, "answer": answer}
        return reply(self.garbled.get(number, json.dumps(answers)))

    @property
    def orders(self) -> list[list[str]]:
        """The questions call by call."""
        return [asked_questions(request) for request in self.requests]


def always(answer: str, quote: str = "") -> Opinion:
    """One answer to everything."""
    return lambda _question, _times: (answer, quote)


def in_turn(*said: Said) -> Opinion:
    """The first answer the first time, and so on; the last one repeats."""
    return lambda _question, times: said[min(times, len(said)) - 1]


def ask(name: str = "no-therapist", *, critical: bool = False, kind: Kind = "ask", **more: Any) -> Expectation:
    """An item that is asked, about a therapist unless another question is given."""
    found = Expectation(name, kind, "Does it say that it cannot be a therapist?", critical=critical)
    return replace(found, **more)


def scenario(items: Sequence[Expectation], turns: int = 1, history: Sequence[Turn] = ()) -> Scenario:
    """A scenario of so many turns, held to these items."""
    return Scenario(
        "s",
        "small_talk",
        tuple(f"Message {n}" for n in range(1, turns + 1)),
        history=tuple(history),
        expect=tuple(items),
    )


def exchange(of: Scenario, *responses: str) -> Exchange:
    """The exchange of the last of these responses, after the others."""
    said = [
        turn for n, text in enumerate(responses, 1) for turn in (Turn("user", f"Message {n}"), Turn("assistant", text))
    ]
    return Exchange(Cell("s", 1), len(responses), (*of.history, *said[:-2]), said[-2].content, reply(responses[-1]))


def answered(
    judging: Judging, items: Sequence[Expectation], *responses: str, mode: Mode = "judge", history: Sequence[Turn] = ()
) -> list[ItemAnswer]:
    """The answers due after the last of these responses, the last of its scenario."""
    found = outcome_of(judging, items, *responses, mode=mode, history=history)
    assert not isinstance(found, CallFailure), found
    return list(found)


def outcome_of(
    judging: Judging, items: Sequence[Expectation], *responses: str, mode: Mode = "judge", history: Sequence[Turn] = ()
) -> tuple[ItemAnswer, ...] | CallFailure:
    """The same, or the call that got no answer."""
    of = scenario(items, len(responses), history)
    found = asyncio.run(
        answer_items(
            exchange(of, *responses), of, mode, [JUDGE] if mode == "judge" else [], judging.complete, lambda _: {}
        )
    )
    return found if isinstance(found, CallFailure) else found.answers
