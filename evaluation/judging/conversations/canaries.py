"""Conversations of known quality put to a judge, beside the first half of its check on responses."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from evaluation.errors import StopRequested
from evaluation.judging.canaries import TRIES, Replies
from evaluation.judging.conversations.asking import ConversationQuestion, conversation_material
from evaluation.judging.conversations.fitness import ConversationCheck, check_conversations, merge_checks
from evaluation.judging.conversations.judge import ConversationJudge
from evaluation.judging.conversations.reading import heard_in, read_conversation
from evaluation.ports import Complete
from evaluation.records import WHOLE, Cell, Exchange, Reply, Request, Scenario, Usage
from evaluation.rubrics.canary import FIRST, PREFIX
from evaluation.rubrics.conversation_canary import ConversationCanary
from evaluation.runspec import JudgePin

OF_CONVERSATION = ":conversation"
"""Ends the scenario ids under which they stand in the journal."""


@dataclass(frozen=True, slots=True)
class ConversationCanaries:
    """The conversations that one judge of a run is asked about to check it, one call each whatever its samples."""

    judge: ConversationJudge
    canaries: tuple[ConversationCanary, ...]

    def request(self, canary: ConversationCanary, attempt: int = 1) -> Request:
        """The call about one conversation; each attempt has a seed of its own."""
        asked, scenario = asked_of(canary)
        several = replace(self.judge, pin=replace(self.judge.pin, samples=TRIES))
        return several.requests(asked, conversation_material(asked, scenario), "canary")[attempt - 1]

    async def ask(self, replies: Replies, complete: Complete) -> None:
        """Asks what has no readable answer in `replies`; the answers lie in the journal when it returns.

        Ends quietly when no new call may start. Raises EndpointRefused and JournalError.
        """
        asking = [self._ask(canary, complete) for canary in self.canaries if self._values(canary, replies) is None]
        outcomes = await asyncio.gather(*asking, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, StopRequested):
                raise outcome

    async def _ask(self, canary: ConversationCanary, complete: Complete) -> None:
        """Once more where there is no answer, or none that can be read."""
        for attempt in range(1, TRIES + 1):
            outcome = await complete(self.request(canary, attempt))
            if isinstance(outcome, Reply) and self._read(canary, outcome) is not None:
                return

    def check(self, replies: Replies, *, ended: bool) -> ConversationCheck:
        """What the answers say of the judge; `ended` where no more of them will come."""
        found = {canary.id: self._values(canary, replies) for canary in self.canaries}
        read = {name: values for name, values in found.items() if values is not None}
        return check_conversations(self.canaries, read, ended=ended)

    def _values(self, canary: ConversationCanary, replies: Replies) -> dict[str, float | None] | None:
        """The values of the first reply that can be read, as shares of the scale."""
        cell = asked_of(canary)[0].cell
        attempts = (replies.get((cell, WHOLE, attempt)) for attempt in range(1, TRIES + 1))
        read = (self._read(canary, reply) for reply in attempts if reply is not None)
        return next((values for values in read if values is not None), None)

    def _read(self, canary: ConversationCanary, reply: Reply) -> dict[str, float | None] | None:
        asked, scenario = asked_of(canary)
        question = self.judge.question
        found = read_conversation(reply.text, question, heard_in(asked, conversation_material(asked, scenario)))
        if found.problem:
            return None
        width = question.high - question.low
        return {
            name: None if value is None else round((value - question.low) / width, 10)
            for name, value in found.scores.items()
        }


def checks_of_conversations(
    pin: JudgePin, question: ConversationQuestion, seed: int
) -> dict[str, ConversationCanaries]:
    """Model -> its check, of all who are asked about conversations; none where the rubric holds no canaries of them."""
    canaries = question.section.canaries
    judges = {each.model: ConversationJudge(each, question, seed) for each in pin.voices}
    return {model: ConversationCanaries(judge, canaries) for model, judge in judges.items()} if canaries else {}


def check_of_answers(
    checks: Mapping[str, ConversationCanaries], replies_of: Callable[[str], Replies], *, ended: bool
) -> ConversationCheck | None:
    """What the answers of all say; None where nobody was asked, or nobody has answered yet."""
    replies = {model: replies_of(model) for model in checks}
    asked = {asked_of(canary)[0].cell for check in checks.values() for canary in check.canaries}
    if not any(place[0] in asked for found in replies.values() for place in found):
        return None
    found = {model: check.check(replies[model], ended=ended) for model, check in checks.items()}
    return merge_checks(found) if len(found) > 1 else next(iter(found.values()))


def asked_of(canary: ConversationCanary) -> tuple[Exchange, Scenario]:
    """The conversation in the form of those of a run."""
    said = canary.said
    cell = Cell(f"{PREFIX}{canary.id}{OF_CONVERSATION}", FIRST)
    last = Reply(said[-1].content, "stop", "", {}, Usage(), 0.0, 0.0)
    exchange = Exchange(cell, WHOLE, said[:-2], said[-2].content, last)
    return exchange, Scenario(cell.scenario_id, "", tuple(turn.content for turn in said if turn.role == "user"))
