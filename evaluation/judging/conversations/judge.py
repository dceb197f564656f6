"""One judgement of a whole conversation: asked after its last turn, read into scores of its own.

They stand beside those of the responses and in none of their means.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from evaluation.judging.checking import signs_of_injection
from evaluation.judging.conversations.asking import (
    ConversationQuestion,
    conversation_format,
    conversation_material,
    conversation_messages,
)
from evaluation.judging.conversations.reading import ConversationReading, heard_in, read_conversation
from evaluation.judging.judge import CLIP
from evaluation.judging.material import Material
from evaluation.judging.merging import JOINED, add_usage, said_by_samples
from evaluation.ports import Complete
from evaluation.records import (
    WHOLE,
    CallFailure,
    Exchange,
    Purpose,
    Reply,
    Request,
    Result,
    Scenario,
    Score,
    State,
    Verdict,
)
from evaluation.runspec import JudgePin, call_seed

NOTHING_TO_SCORE = "nothing of it to score in this conversation"


@dataclass(frozen=True)
class ConversationJudge:
    """A judge by its pin, as it is asked about conversations."""

    pin: JudgePin
    question: ConversationQuestion
    seed: int

    async def judge(self, exchange: Exchange, scenario: Scenario, complete: Complete) -> Result:
        """The result of a conversation, which `whole_conversation` gives.

        Asks once per sample. One that gets no answer is a failure of the whole: when it is asked again, only it is paid
        for again. Answers that cannot be read make the result unparsed.
        """
        shown = conversation_material(exchange, scenario)
        outcomes = await asyncio.gather(*map(complete, self.requests(exchange, shown)), return_exceptions=True)
        replies: list[Reply] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            if isinstance(outcome, CallFailure):
                return self._failed(exchange, outcome)
            replies.append(outcome)
        verdict = self.read(replies, exchange, shown)
        state: State = "scored" if verdict.parsed else "unparsed"
        return Result(exchange, state, conversation_scores(verdict, self.question), verdict, scope="conversation")

    def requests(self, exchange: Exchange, shown: Material, purpose: Purpose = "conversation") -> list[Request]:
        """The question, sample by sample, as it is sent and as it is known by in the journal."""
        cell, messages = exchange.cell, conversation_messages(self.question, shown)
        heard = heard_in(exchange, shown)
        return [
            Request(
                purpose=purpose,
                model=self.pin.model,
                messages=messages,
                parameters={
                    "seed": call_seed(self.seed, cell.scenario_id, cell.repeat, WHOLE, sample),
                    **self.pin.parameters,
                    **conversation_format(self.question, self.pin.format),
                },
                cell=cell,
                turn=WHOLE,
                sample=sample,
                endpoint=self.pin.endpoint,
                readable=partial(self._can_read, heard),
            )
            for sample in range(1, self.pin.samples + 1)
        ]

    def _can_read(self, heard: Sequence[str], reply: Reply) -> bool:
        return not read_conversation(reply.text, self.question, heard).problem

    def read(self, replies: Sequence[Reply], exchange: Exchange, shown: Material) -> Verdict:
        """The verdict in the replies to one question; unread unless more than half of the samples were read."""
        heard = heard_in(exchange, shown)
        reads = [read_conversation(reply.text, self.question, heard) for reply in replies]
        good = [read for read in reads if not read.problem]
        parsed = 2 * len(good) > len(reads)
        values = _median_values(good, self.question) if parsed else {}
        costs = [reply.cost_usd for reply in replies]
        first = good[0] if parsed else reads[0]
        return Verdict(
            scores={name: value for name, (value, _) in values.items()},
            reasoning=" ".join(f"{name}: {why}" for name, why in first.rationale.items()),
            rationale=first.rationale,
            parsed=parsed,
            raw=said_by_samples(replies),
            model=JOINED.join(dict.fromkeys(reply.model for reply in replies)),
            problem="" if parsed else next(read.problem for read in reads if read.problem),
            injection_suspected=any(signs_of_injection(turn.content) for turn in exchange.said),
            usage=add_usage(replies),
            saved_usd=sum(reply.saved_usd for reply in replies),
            cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
            latency_ms=sum(reply.latency_ms for reply in replies),
            cached=all(reply.cached for reply in replies),
            spread={name: apart for name, (_, apart) in values.items()} if len(reads) > 1 else {},
        )

    def _failed(self, exchange: Exchange, failure: CallFailure) -> Result:
        reason = f"judge call failed: {failure.kind}"
        scores = tuple(Score(name, "judge", None, reason=reason) for name in self.question.dimensions)
        return Result(exchange, "failed", scores, error=_of_conversation(failure), scope="conversation")


def conversation_scores(verdict: Verdict, question: ConversationQuestion) -> tuple[Score, ...]:
    """A score for each dimension, in their order."""
    return tuple(_score(name, verdict) for name in question.dimensions)


def _score(name: str, verdict: Verdict) -> Score:
    if not verdict.parsed:
        return Score(name, "judge", None, reason=f"verdict not read: {verdict.problem}")
    why = verdict.rationale[name][:CLIP]
    value = verdict.scores.get(name)
    if value is None:
        return Score(name, "judge", None, why, applicable=False, reason=NOTHING_TO_SCORE)
    return Score(name, "judge", value, why)


def _of_conversation(failure: CallFailure) -> CallFailure:
    return CallFailure(
        *(failure.kind, failure.message, failure.attempts, failure.started_at, failure.ended_at), purpose="conversation"
    )


def _median_values(
    reads: Sequence[ConversationReading], question: ConversationQuestion
) -> Mapping[str, tuple[float, float]]:
    """Dimension -> the median of the samples and how far they lie apart; without those that most find nothing of."""
    found: dict[str, tuple[float, float]] = {}
    for name in question.dimensions:
        values = [value for read in reads if (value := read.scores[name]) is not None]
        if 2 * len(values) > len(reads):
            found[name] = round(median(values), 10), round(max(values) - min(values), 10)
    return found
