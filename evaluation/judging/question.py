"""One call to a judge about an exchange: what it is shown, what is sent, and what is read from the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from evaluation.judging.material import Material
from evaluation.judging.reading import ReadVerdict, judged_text
from evaluation.judging.scale import Scale
from evaluation.records import Exchange, Json, Reply, Scenario, Turn
from evaluation.rubrics.judge_section import DimensionParts


@dataclass(frozen=True)
class Judged:
    """An exchange as it is put to a judge."""

    exchange: Exchange
    shown: Material
    scenario: Scenario | None = None
    """What the exchange is of, where it is of any."""

    @cached_property
    def text(self) -> str:
        """Everything in which a verdict may have been planted."""
        return judged_text(self.exchange, self.shown)


class Question(Protocol):
    """One call of a form."""

    @property
    def guided(self) -> bool:
        """True where it is shown what the rubric says of the situation and of the group of users."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it brings values for."""

    @property
    def answer_tokens(self) -> int:
        """What an answer is assumed to take, for an estimate."""

    @property
    def parameters(self) -> dict[str, Json]:
        """What it adds to the parameters of a call."""

    def messages(self, judged: Judged) -> tuple[Turn, ...]:
        """The messages on one exchange."""

    def read(self, reply: Reply, judged: Judged) -> ReadVerdict:
        """The values in an answer, on the rubric's scale, or the problem with it. Never raises."""


AskParts: TypeAlias = Callable[[Mapping[str, DimensionParts], Scale, str], Question]
"""(dimension -> its items, the scale of their values, the format of the answer) -> one call about them."""
