"""Judges of known habits behind a real endpoint: each knows how good the canaries are, and finds the rest good."""

import json
import random
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from evaluation.rubrics.canary import Canary
from evaluation.rubrics.conversation_canary import ConversationCanary
from scripts.run.load import load_rubric
from tests.evaluation.judging.conversations import whole_verdict
from tests.evaluation.judging.verdicts import DIMENSIONS
from tests.services.scripted_endpoint import Answer, Call, say

REPLY = "Marked words, you mentioned that earlier, and it sounds like you feel a lot. What happened then?"
GOOD = 0.8
"""The quality of every reply of the model, which says one sentence."""


@cache
def _canaries() -> tuple[tuple[str, str, Canary], ...]:
    judge = load_rubric("companion").judge
    assert judge is not None
    # The longest begin of a response decides: one may begin as another does.
    known = [(canary.user, canary.response.split("\n")[0].strip(), canary) for canary in judge.canaries]  # type: ignore[union-attr]
    return tuple(sorted(known, key=lambda each: -len(each[1])))


def judged_canary(call: Call) -> Canary | None:
    """The canary that a question is about; None where it is about a reply of the model."""
    asked = call.body["messages"][-1]["content"]
    if REPLY in asked:
        return None
    return next((canary for user, begin, canary in _canaries() if user in asked and begin in asked), None)


def item_questions(call: Call) -> list[str]:
    """The numbered questions on what was said; none where a verdict is asked for."""
    block = re.search(r"<questions-\w+>\n(.*)\n</questions-", call.body["messages"][-1]["content"], re.DOTALL)
    return re.findall(r"^\[\d+\] \([^)]*\) (.+)$", block[1], re.MULTILINE) if block else []


ItemAnswer = dict[str, str]
"""{quote, answer}."""
ItemOpinion = Callable[[str, Call], ItemAnswer]
"""(question, call that asks it) -> its answer."""


def know(question: str, call: Call) -> ItemAnswer:
    """The right answer on a canary, and no on everything else."""
    canary = judged_canary(call)
    right = {} if canary is None else {item.ask: item for item in canary.expect}
    item = right.get(question)
    return {"quote": "", "answer": "no"} if item is None else {"quote": item.shown_by, "answer": item.answer}


def asks_of_conversation(call: Call) -> bool:
    """True where the question is about a whole conversation."""
    return "\n<conversation-" in call.body["messages"][-1]["content"]


def judged_conversation(call: Call) -> ConversationCanary | None:
    """The canary that a question about a whole conversation is about; None where it is about one of the run."""
    asked = call.body["messages"][-1]["content"]
    known = (each for each in conversation_canaries() if each.turns[-1].assistant.split("\n")[0] in asked)
    return next(known, None)


@cache
def conversation_canaries() -> tuple[ConversationCanary, ...]:
    judge = load_rubric("companion").judge
    assert judge is not None and judge.conversation is not None
    return judge.conversation.canaries


def like_all(call: Call) -> Answer:
    """What a canary deserves, and 0.6 for everything that is scored of any other conversation."""
    canary = judged_conversation(call)
    known: dict[str, Any] = {} if canary is None else canary.levels
    return say(whole_verdict(0.6, **known))


Opinion = Callable[[float, Canary | None, int], float]
"""(quality, canary, number of the verdict) -> the overall."""


def honest(quality: float, _canary: Canary | None, _number: int) -> float:
    return quality


@dataclass
class Judging:
    """A script for `scripted_endpoint`: the model `model` says one sentence, the model `judge` says its opinion."""

    opinion: Opinion = honest
    noise: float = 0.05
    names: tuple[str, ...] = ("judge-1",)
    """Names under which its verdicts are answered, by turns."""
    shielded: bool = False
    """True where a provider's shield refuses injected texts."""
    unread_once: frozenset[str] = frozenset()
    """Canaries whose first verdict cannot be read."""
    verdicts: list[str] = field(default_factory=list)
    """Id of the canary of each verdict, empty for a reply of the model."""
    luck: random.Random = field(default_factory=lambda: random.Random(3))
    lock: threading.Lock = field(default_factory=threading.Lock)
    item: ItemOpinion = know
    items: list[str] = field(default_factory=list)
    """The questions of items, in the order in which they were asked."""
    whole: Callable[[Call], Answer] = like_all
    """What it says of a whole conversation."""
    conversations: list[Call] = field(default_factory=list)
    """The calls about whole conversations of the run."""
    whole_canaries: list[str] = field(default_factory=list)
    """Id of the canary of each call about a conversation of known quality."""

    def __call__(self, call: Call) -> Answer:
        if call.body["model"] != "judge":
            return say(REPLY)
        with self.lock:
            return self._judge(call)

    def _judge(self, call: Call) -> Answer:
        if questions := item_questions(call):
            self.items += questions
            answers = {str(number): self.item(each, call) for number, each in enumerate(questions, start=1)}
            said = say(json.dumps(answers))
            return Answer(body={**said.body, "model": self.names[0]})
        if asks_of_conversation(call):
            known = judged_conversation(call)
            if known is None:
                self.conversations.append(call)
            else:
                self.whole_canaries.append(known.id)
            said = self.whole(call)
            return Answer(body={**said.body, "model": self.names[0]}) if said.status == 200 else said
        canary = judged_canary(call)
        self.verdicts.append("" if canary is None else canary.id)
        number = len(self.verdicts)
        quality = GOOD if canary is None else canary.level
        value = self.opinion(quality, canary, number) + self.luck.gauss(0, self.noise)
        answer = say(verdict(round(min(1.0, max(0.0, value)), 2)))
        if canary is not None and canary.id in self.unread_once and self.verdicts.count(canary.id) == 1:
            answer = say("no idea")
        if self.shielded and canary is not None and canary.injected:
            answer = say("", "content_filter")
        return Answer(body={**answer.body, "model": self.names[number % len(self.names)]})


def verdict(value: float) -> str:
    """The same value for each dimension, as JSON."""
    return json.dumps({"reasoning": "as it is", **dict.fromkeys((*DIMENSIONS, "overall_quality"), value)})


def settings(url: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": "judge"}
