"""An estimate of the calls, money and time of a run, before anything is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.expectations.answering import first_calls
from evaluation.expectations.asking import Asked, item_messages
from evaluation.judging.asking import VERDICT_TOKENS
from evaluation.judging.canaries import canary_requests
from evaluation.ports import PriceOf
from evaluation.records import CallFailure, Exchange, Position, Reply, Turn, Usage
from evaluation.run import Run
from evaluation.runspec import RunSpec
from evaluation.suites.suite import CellPlan, messages_for

CHARACTERS_PER_TOKEN = 4
REPLY_TOKENS = 80
ANSWER_TOKENS = 25
"""Of one expectation, with its quote."""
CALLS_PER_FLOW = 2
SECONDS_PER_CALL = 2.0
"""Assumed where nothing is known: the estimate says so."""
_PLANNED = CallFailure("planned", "", 0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Figures of a dry run. Tokens are those to generate and to judge; moderation is free and counts none."""

    exchanges: int
    generation_calls: int
    judge_calls: int
    moderation_calls: int
    canary_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None when the price of a model is unknown."""
    seconds: float
    models: tuple[str, ...]
    application_calls: int = 0
    """Of flows that come to options at once; every question takes one more."""
    expectation_calls: int = 0
    """The first questions about expectations: what fails of the critical ones is asked up to twice more."""
    pair_calls: int = 0
    """Which of two answers is better, in both orders, those that check the judge on it included."""

    def lines(self) -> list[str]:
        """For people, with what was assumed."""
        cost = (
            "unknown: no price for " + ", ".join(self.models) if self.cost_usd is None else f"{self.cost_usd:.4f} USD"
        )
        asked = [f"at least {self.application_calls} to the application"] if self.application_calls else []
        asked += [f"{self.generation_calls} to generate"] if self.generation_calls or not asked else []
        calls = ", ".join([*asked, f"{self.judge_calls} to judge"])
        if self.canary_calls:
            calls += f", {self.canary_calls} to check the judge"
        if self.moderation_calls:
            calls += f", {self.moderation_calls} to moderate (free)"
        if self.expectation_calls:
            calls += f",\n                {self.expectation_calls} about expectations, and more to confirm failures"
        if self.pair_calls:
            calls += f",\n                {self.pair_calls} head to head"
        return [
            f"exchanges       {self.exchanges}",
            *f"calls           {calls}".split("\n"),
            f"tokens          about {self.input_tokens:,} in, {self.output_tokens:,} out",
            f"price           {cost}",
            f"time            about {self.seconds:.0f} s",
            f"assumed         {CHARACTERS_PER_TOKEN} characters a token, {REPLY_TOKENS} tokens a reply, "
            f"{VERDICT_TOKENS} a verdict,",
            f"                {ANSWER_TOKENS} an expectation, {SECONDS_PER_CALL:g} s a call; nothing reused",
        ]


def estimate_runs(
    runs: Sequence[Run], final: Mapping[str, set[Position]], price_of: PriceOf, concurrency: int
) -> Estimate:
    """Adds up every call that is still to be made (`final`: run id -> what is done), with replies of assumed length."""
    loads = [(run, open_load(run, final.get(run.run_id, set()))) for run in runs]
    exchanges = sum(load.exchanges for _, load in loads)
    judged = sum(load.judge_calls for _, load in loads)
    moderated = sum(load.exchanges for run, load in loads if run.spec.moderation is not None)
    of_application = sum(load.exchanges for run, load in loads if run.of_application)
    expected = sum(load.expectations for _, load in loads)
    bills = [bill for run, load in loads for bill in load.bills(run.spec)]
    costs = [price_of(model, usage) for model, usage in bills]
    return Estimate(
        exchanges=exchanges,
        generation_calls=exchanges - of_application,
        application_calls=CALLS_PER_FLOW * of_application,
        judge_calls=judged,
        moderation_calls=moderated,
        canary_calls=sum(load.canaries for _, load in loads),
        expectation_calls=expected,
        input_tokens=sum(usage.input_tokens or 0 for _, usage in bills),
        output_tokens=sum(usage.output_tokens or 0 for _, usage in bills),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        seconds=(exchanges + judged + expected + moderated + sum(load.canaries for _, load in loads))
        * SECONDS_PER_CALL
        / concurrency,
        models=tuple(dict.fromkeys(model for model, _ in bills)),
    )


@dataclass(frozen=True, slots=True)
class Load:
    """The work that one run has left. Tokens are of the input."""

    exchanges: int
    generation_tokens: int
    judge_tokens: int
    """Of one sample."""
    judge_calls: int = 0
    """Of every sample."""
    verdict_tokens: int = 0
    """That the judge would write, for the exchanges and the canaries."""
    canaries: int = 0
    """Calls that check the judge."""
    canary_tokens: int = 0
    expectations: int = 0
    """Calls that first ask about expectations."""
    expectation_tokens: int = 0
    items: int = 0
    """Answers of theirs."""

    def bills(self, spec: RunSpec) -> list[tuple[str, Usage]]:
        """Model -> the tokens that it would be sent and would write."""
        # What an application costs its owner is not known here, and not paid by the evaluation.
        generated = Usage(self.generation_tokens, self.exchanges * REPLY_TOKENS)
        bills = [(spec.model, generated)] if spec.model else []
        if spec.judge is not None:
            tokens = spec.judge.samples * self.judge_tokens + self.canary_tokens + self.expectation_tokens
            bills.append((spec.judge.model, Usage(tokens, self.verdict_tokens + self.items * ANSWER_TOKENS)))
        return bills


def open_load(run: Run, final: set[Position]) -> Load:
    """The exchanges of a run that are not final, and the characters that their calls would hold."""
    exchanges = generation = judge = 0
    expected: list[Asked] = []
    reply = "x" * (REPLY_TOKENS * CHARACTERS_PER_TOKEN)
    for part in run.parts():
        said = list(part.scenario.history)
        for turn, user_input in enumerate(part.scenario.turns, start=1):
            context = tuple(said)
            said.append(Turn("user", user_input))
            if (part.scenario.id, part.cell.repeat, turn) not in final:
                exchanges += 1
                generation += _characters(messages_for(part, said))
                judge += _judged_characters(run, part, turn, context, user_input, len(reply))
                expected += _first_calls(run, part, turn, context, user_input, reply)
            said.append(Turn("assistant", reply))
    asked = [] if final else canary_messages(run)
    samples = 0 if run.spec.judge is None else run.spec.judge.samples
    questions = () if run.judge is None else run.judge.questions
    checks = 0 if final else len(run.canaries)
    return Load(
        exchanges,
        generation // CHARACTERS_PER_TOKEN,
        judge // CHARACTERS_PER_TOKEN,
        judge_calls=exchanges * samples * len(questions),
        verdict_tokens=(exchanges * samples + checks) * sum(each.answer_tokens for each in questions)
        + (len(asked) - checks * len(questions)) * VERDICT_TOKENS,
        canaries=len(asked),
        canary_tokens=sum(map(_characters, asked)) // CHARACTERS_PER_TOKEN,
        expectations=len(expected),
        expectation_tokens=sum(_characters(item_messages(each)) for each in expected) // CHARACTERS_PER_TOKEN,
        items=sum(len(each.items) for each in expected),
    )


def canary_messages(run: Run) -> list[Sequence[Turn]]:
    """The messages to the judge before the run, call by call."""
    judge, items = run.judge, run.item_check
    requests = [] if judge is None else [each for q in run.canaries for each in canary_requests(judge, q)]
    requests += [] if items is None else [items.request(canary) for canary in items.canaries]
    return [request.messages for request in requests]


def _judged_characters(
    run: Run, part: CellPlan, turn: int, context: tuple[Turn, ...], user_input: str, response: int
) -> int:
    """Of the calls of one sample, with a response of so many characters."""
    if run.judge is None:
        return 0
    judged = run.judge.put(Exchange(part.cell, turn, context, user_input, _PLANNED), part.scenario)
    return sum(_characters(question.messages(judged)) + response for question in run.judge.questions)


def _first_calls(
    run: Run, part: CellPlan, turn: int, context: tuple[Turn, ...], user_input: str, reply: str
) -> list[Asked]:
    if run.judge is None:
        return []
    said = Reply(reply, "stop", "", {}, Usage(), 0.0, 0.0)
    return first_calls(Exchange(part.cell, turn, context, user_input, said), part.scenario, run.expectations)


def _characters(messages: Sequence[Turn]) -> int:
    return sum(len(message.content) for message in messages)
