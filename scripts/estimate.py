"""What a run would call, spend and take, before anything is called."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.judging.template import judge_messages
from evaluation.records import CallFailure, Exchange, Turn, Usage
from evaluation.suites.turns import messages_for
from scripts.planning import PlannedRun
from services.pricing import Prices

CHARACTERS_PER_TOKEN = 4
REPLY_TOKENS = 80
VERDICT_TOKENS = 120
SECONDS_PER_CALL = 2.0
"""Assumed where nothing is known: the estimate says so."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Figures of a dry run. Tokens are those to generate and to judge; moderation is free and counts none."""

    exchanges: int
    generation_calls: int
    judge_calls: int
    moderation_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None when the price of a model is unknown."""
    seconds: float
    models: tuple[str, ...]

    def lines(self) -> list[str]:
        """For people, with what was assumed."""
        cost = (
            "unknown: no price for " + ", ".join(self.models) if self.cost_usd is None else f"{self.cost_usd:.4f} USD"
        )
        calls = f"{self.generation_calls} to generate, {self.judge_calls} to judge"
        if self.moderation_calls:
            calls += f", {self.moderation_calls} to moderate (free)"
        return [
            f"exchanges       {self.exchanges}",
            f"calls           {calls}",
            f"tokens          about {self.input_tokens:,} in, {self.output_tokens:,} out",
            f"price           {cost}",
            f"time            about {self.seconds:.0f} s",
            f"assumed: {CHARACTERS_PER_TOKEN} characters a token, {REPLY_TOKENS} tokens a reply, "
            f"{VERDICT_TOKENS} a verdict, {SECONDS_PER_CALL:g} s a call; nothing reused",
        ]


def estimate_runs(runs: Sequence[PlannedRun], prices: Prices, concurrency: int) -> Estimate:
    """Adds up every planned call of every run, with replies of assumed length."""
    exchanges = generation_in = judge_in = 0
    judged = 0
    moderated = sum(run.planned_exchanges for run in runs if run.spec.moderation is not None)
    cost: float | None = 0.0
    models: list[str] = []
    for run in runs:
        here_in, here_judge = (run.spec.repeats * tokens for tokens in _tokens_in(run))
        count = run.planned_exchanges
        exchanges += count
        generation_in += here_in
        parts = [(run.spec.model, here_in, count * REPLY_TOKENS)]
        if run.spec.judge is not None:
            judged += count
            judge_in += here_judge
            parts.append((run.spec.judge.model, here_judge, count * VERDICT_TOKENS))
        for model, tokens_in, tokens_out in parts:
            price = prices.price_of(model, Usage(tokens_in, tokens_out))
            models.append(model)
            cost = None if cost is None or price is None else cost + price
    return Estimate(
        exchanges=exchanges,
        generation_calls=exchanges,
        judge_calls=judged,
        moderation_calls=moderated,
        input_tokens=generation_in + judge_in,
        output_tokens=exchanges * REPLY_TOKENS + judged * VERDICT_TOKENS,
        cost_usd=cost,
        seconds=(exchanges + judged + moderated) * SECONDS_PER_CALL / concurrency,
        models=tuple(dict.fromkeys(models)),
    )


def _tokens_in(run: PlannedRun) -> tuple[int, int]:
    """Input tokens of one repeat: of the generations, and of the judgements."""
    generation = judge = 0
    reply = "x" * (REPLY_TOKENS * CHARACTERS_PER_TOKEN)
    for part in run.parts()[: len(run.scenarios)]:
        said = list(part.scenario.history)
        for turn, user_input in enumerate(part.scenario.turns, start=1):
            context = tuple(said)
            said.append(Turn("user", user_input))
            generation += _characters(messages_for(part, said))
            said.append(Turn("assistant", reply))
            if run.suite.judge is not None:
                exchange = Exchange(part.cell, turn, context, user_input, CallFailure("planned", "", 0, 0.0, 0.0))
                judge += _characters(judge_messages(run.suite.judge, exchange)) + len(reply)
    return generation // CHARACTERS_PER_TOKEN, judge // CHARACTERS_PER_TOKEN


def _characters(messages: Sequence[Turn]) -> int:
    return sum(len(message.content) for message in messages)
