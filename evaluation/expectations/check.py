"""What a check is: settings that a file gives, the question that people are asked in its place, and what it found."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from evaluation.messages import call_text
from evaluation.metrics.utterance import Utterance
from evaluation.records import Json, Reply, ToolCall
from evaluation.text.forms import Form

CueSettings: TypeAlias = Callable[[str], Mapping[str, Json]]
"""Name of a cue -> its settings under the rubric of the suite."""

LONGEST_SHOWN = 160
"""Characters of a call or a value that a reason shows."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found in one response."""

    holds: bool
    quote: str = ""
    """The words that decided, where there are any."""
    reason: str = ""
    """What was measured or is missing."""
    shown: bool = True
    """False where the rule cannot tell, and whether it holds says nothing."""


class Check(Form, ABC):
    """The settings of a check. What it looks at makes its kind: the words of a response, calls of tools, or a reply."""

    every: ClassVar[bool] = False
    """True where every response must keep to it, False where one that does is enough."""

    @property
    def of_every_response(self) -> bool:
        """The same under these settings."""
        return self.every

    @abstractmethod
    def question(self) -> str:
        """The check as a question that yes answers well."""


class TextCheck(Check):
    """Looks at the words of a response."""

    @abstractmethod
    def look(self, utterance: Utterance, cues: CueSettings) -> Checked:
        """Looks at one response; `cues` are the rubric's settings of cues."""


class CallCheck(Check):
    """Looks at calls of tools: those of a response, or of all responses of a conversation together."""

    @abstractmethod
    def look(self, calls: Sequence[ToolCall]) -> Checked:
        """Looks at the calls, in their order."""


class OutputCheck(Check):
    """Looks at a reply as it came, before a field of it was taken for the response; always at one by itself."""

    every = True

    @abstractmethod
    def look(self, reply: Reply) -> Checked:
        """Looks at one reply."""


def shown_call(call: ToolCall) -> str:
    """A call in one line of bounded length, without what it got back."""
    return clip(call_text(call, with_result=False))


def shown_value(value: object) -> str:
    """A value in one line of bounded length, as JSON."""
    return clip(json.dumps(value, ensure_ascii=False))


def clip(text: str) -> str:
    """One line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 1]}…"
