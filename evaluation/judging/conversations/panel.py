"""Several judges on a whole conversation: each is asked the same, and the mean of their values counts."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TypeAlias

from evaluation.judging.conversations.asking import ConversationQuestion
from evaluation.judging.conversations.judge import ConversationJudge, conversation_scores
from evaluation.judging.panel import join_verdicts
from evaluation.ports import Complete
from evaluation.records import Exchange, Result, Scenario, State, Verdict
from evaluation.runspec import JudgePin


@dataclass(frozen=True)
class ConversationPanel:
    """The members of a panel, as they are asked about conversations; who decides on responses is not asked."""

    pin: JudgePin
    question: ConversationQuestion
    seed: int

    @cached_property
    def members(self) -> tuple[ConversationJudge, ...]:
        """In the order of the pin."""
        return tuple(ConversationJudge(pin, self.question, self.seed) for pin in self.pin.members)

    async def judge(self, exchange: Exchange, scenario: Scenario, complete: Complete) -> Result:
        """The result of a conversation. Where one gets no answer the whole fails: a resume asks that one alone."""
        asked = (member.judge(exchange, scenario, complete) for member in self.members)
        said = await asyncio.gather(*asked, return_exceptions=True)
        verdicts: list[Verdict] = []
        failed: Result | None = None
        for each in said:
            if isinstance(each, BaseException):
                raise each
            if each.verdict is None:
                failed = failed or each
            else:
                verdicts.append(each.verdict)
        if failed is not None:
            return failed
        verdict = merge_conversations(self.pin.members, verdicts, self.question)
        state: State = "scored" if verdict.parsed else "unparsed"
        return Result(exchange, state, conversation_scores(verdict, self.question), verdict, scope="conversation")


AnyConversationJudge: TypeAlias = ConversationJudge | ConversationPanel


def conversation_judge_of(pin: JudgePin, question: ConversationQuestion, seed: int) -> AnyConversationJudge:
    """The judge, or the panel, that a pin describes."""
    return ConversationPanel(pin, question, seed) if pin.members else ConversationJudge(pin, question, seed)


def merge_conversations(
    pins: Sequence[JudgePin], verdicts: Sequence[Verdict], question: ConversationQuestion
) -> Verdict:
    """One verdict of all: means and, per dimension, how far the members that found something to score lie apart.

    A dimension of which most of them find nothing has no value. One member that was not read leaves all unread.
    """
    unread = next(((pin, each) for pin, each in zip(pins, verdicts, strict=True) if not each.parsed), None)
    values = {} if unread is not None else _values(verdicts, question)
    return join_verdicts(
        pins,
        verdicts,
        scores={name: round(fmean(found), 10) for name, found in values.items()},
        spread={name: round(max(found) - min(found), 10) for name, found in values.items()},
        rationale={
            name: " ".join(
                f"[{pin.model}] {each.rationale.get(name, '')}" for pin, each in zip(pins, verdicts, strict=True)
            )
            for name in (() if unread is not None else question.dimensions)
        },
        problem="" if unread is None else f"{unread[0].model}: {unread[1].problem}",
    )


def _values(verdicts: Sequence[Verdict], question: ConversationQuestion) -> Mapping[str, list[float]]:
    """Dimension -> the members' values; without those of which most find nothing to score."""
    given = {name: [each.scores[name] for each in verdicts if name in each.scores] for name in question.dimensions}
    return {name: found for name, found in given.items() if 2 * len(found) > len(verdicts)}
