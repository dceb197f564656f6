"""A model of two versions, and judges of known habits who are asked which of two answers is better."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from evaluation.rubrics.canary import Canary
from scripts.run.load import load_rubric
from tests.scripts.judges import Judging
from tests.services.scripted_endpoint import Answer, Call, say

ONE, TWO = "You are the first version.", "You are the second version."
TITLE = re.compile(r"^The (?:first|second) \w+, named (answer-\w{6}):$", re.MULTILINE)
SHOWN = re.compile(r"<(first|second)_answer-(\w+)>\n(.*?)\n</\1_answer-\2>", re.DOTALL)
QUALITY = re.compile(r"worth (\d\d)\b")
ALIKE = 0.05


@dataclass(frozen=True)
class Seen:
    """One of two answers as a judge sees it."""

    text: str
    quality: float
    canary: bool

    @property
    def length(self) -> float:
        return math.log(max(1, len(self.text.split())))


Habit = Callable[[Seen, Seen], float]
"""(first, second) -> above 0 where the first is preferred."""


def fair(first: Seen, second: Seen) -> float:
    return first.quality - second.quality


def levels() -> dict[str, Canary]:
    """The text of each canary -> the canary."""
    judge = load_rubric("companion").judge
    assert judge is not None
    return {canary.text.strip(): canary for canary in judge.canaries}


@dataclass
class PairJudging(Judging):
    """The model answers by its version; the judge sees the quality that each answer names, and prefers by habit."""

    habit: Habit = fair
    replies: Callable[[str, str], str] = "{}, heard: {}.".format
    """("one" or "two", the user's words) -> what the model says."""
    say_of_pair: Callable[[str], str] = lambda answer: answer
    """What becomes of an answer about a pair before it is sent."""
    pairs: list[bool] = field(default_factory=list)
    """Of each question about a pair, whether it is about canaries."""
    known: dict[str, Canary] = field(default_factory=levels)

    def __call__(self, call: Call) -> Answer:
        messages = call.body["messages"]
        if call.body["model"] != "judge":
            system = messages[0]["content"]
            return say(self.replies("two" if TWO in system else "one", messages[-1]["content"]))
        asked = messages[-1]["content"]
        shown = SHOWN.findall(asked)
        if len(shown) != 2:
            return super().__call__(call)
        first, second = (self._see(text) for _, _, text in shown)
        with self.lock:
            self.pairs.append(first.canary)
        names = TITLE.findall(asked)
        difference = self.habit(first, second)
        better = "tie" if abs(difference) < ALIKE else names[difference < 0]
        sides = {
            which: {"name": name, "strengths": f"It says {len(seen.text.split())} words.", "faults": "None."}
            for which, name, seen in zip(("first", "second"), names, (first, second), strict=True)
        }
        said = say(self.say_of_pair(json.dumps({**sides, "better": better})))
        return Answer(
            body={**said.body, "model": "judge-1", "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}
        )

    def _see(self, text: str) -> Seen:
        canary = self.known.get(text.strip())
        if canary is not None:
            return Seen(text, canary.level, True)
        found = [int(worth) / 100 for worth in QUALITY.findall(text)]
        return Seen(text, sum(found) / len(found) if found else 0.5, False)
