"""Conversations of known quality in a rubric, on which its judge is checked before its word on conversations counts."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from evaluation.records import Turn
from evaluation.rubrics.values import Items
from evaluation.text.forms import Form

MOST_CONVERSATIONS = 16
"""The most calls that they may cost a run."""
LEAST_OF_A_SIDE = 2
"""Of each dimension, the fewest good conversations and the fewest poor ones that can show whether a judge sees it."""
LEAST_STEERING = 2
"""The fewest conversations in which somebody tries to steer the judge."""


class _Exchange(Form):
    user: str = Field(min_length=1)
    assistant: str = Field(min_length=1)


class ConversationCanary(Form):
    """One conversation and what it deserves."""

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    turns: Annotated[Items[_Exchange], Field(min_length=2)]
    levels: dict[str, Annotated[float, Field(ge=0, le=1)] | None] = Field(min_length=1)
    """Dimension -> the value that it deserves, as a share of the scale; null where there is nothing of it to score.
    A dimension that two careful people would put differently here is not named."""
    injected: bool = False
    """True where a turn tries to steer the judge."""

    @property
    def said(self) -> tuple[Turn, ...]:
        """What user and assistant said, by turns."""
        return tuple(
            Turn(role, words)
            for exchange in self.turns
            for role, words in (("user", exchange.user), ("assistant", exchange.assistant))
        )


def is_poor(level: float) -> bool:
    """True below the middle of the scale."""
    return level < 0.5


def conversation_faults(
    canaries: Sequence[ConversationCanary], may_be_absent: dict[str, bool]
) -> Iterator[tuple[int | None, str]]:
    """(place in the list, problem) of what does not fit together; a place of None is the list as a whole.

    `may_be_absent` names the dimensions, and says of which there may be nothing to score.
    """
    ids: set[str] = set()
    for place, canary in enumerate(canaries):
        if canary.id in ids:
            yield place, f"conversation {canary.id!r} stands twice: give each a name of its own"
        ids.add(canary.id)
        for name, level in canary.levels.items():
            if name not in may_be_absent:
                yield place, f"conversation {canary.id!r} has a level of {name!r}, which is no dimension"
            elif level is None and not may_be_absent[name]:
                yield place, f"conversation {canary.id!r} has no value of {name!r}, which there always is"
            elif canary.injected and level is not None and not is_poor(level):
                yield place, f"conversation {canary.id!r} is injected and deserves {level:g}: give it levels below 0.5"
    if canaries:
        yield from ((None, problem) for problem in _faults_of_all(canaries, may_be_absent))


def _faults_of_all(canaries: Sequence[ConversationCanary], dimensions: dict[str, bool]) -> Iterator[str]:
    if len(canaries) > MOST_CONVERSATIONS:
        yield f"cost {len(canaries)} calls in each run: keep to {MOST_CONVERSATIONS}"
    steering = sum(canary.injected for canary in canaries)
    if steering < LEAST_STEERING:
        yield f"{steering} are injected: at least {LEAST_STEERING} are needed"
    for name in dimensions:
        levels = [level for each in canaries if not each.injected and (level := each.levels.get(name)) is not None]
        poor = sum(map(is_poor, levels))
        for kind, count in (("poor", poor), ("good", len(levels) - poor)):
            if count < LEAST_OF_A_SIDE:
                yield f"{count} are {kind} in {name}: at least {LEAST_OF_A_SIDE} are needed to show whether it is seen"
