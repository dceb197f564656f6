"""How a scripted conversation is played: the user's turns are given, the assistant's are the model's own replies.

Where a reply calls tools, the scenario's scripted results answer them and the model is asked again, within one turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.expectations.output_checks import REFUSAL
from evaluation.json_schema import field_of, read_json
from evaluation.ports import Complete, Exchanges
from evaluation.prompt_config import SCORED, TOOLS
from evaluation.prompts import PromptVersion
from evaluation.records import CallFailure, Cell, Exchange, Json, Purpose, Reply, Request, Scenario, Turn, Usage
from evaluation.runspec import call_seed, canonical_json
from evaluation.scenarios.tool_results import ToolScript

MOST_ROUNDS = 5
"""How often results are given back to the model in one turn at the most."""
NO_RESULT = "no result"
"""Answers a call without a scripted result, before the next turn of the user: no message may leave one open."""
CALLS, ROUNDS_OVER = "tool_calls", "tool_rounds"
"""Finish reasons of a turn that ends with a call: there is no result for it, or there were rounds enough."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """One cell ready to be played: the scenario and all that its requests are made of."""

    cell: Cell
    scenario: Scenario
    prompt: PromptVersion | None
    variables: Mapping[str, str]
    model: str
    parameters: Mapping[str, Json]
    seed: int
    """Of the run; each call derives its own."""
    asks: Purpose = "generation"
    """The purpose of its calls: application where no model answers, but an application."""

    @property
    def scored_field(self) -> str:
        """The path of the field of a structured reply that is the response; empty where the whole text is."""
        return "" if self.prompt is None else str(self.prompt.config.get(SCORED) or "")


async def play_turns(part: CellPlan, complete: Complete) -> Exchanges:
    """Yields one exchange per user turn; stops after a turn that got no answer: the rest would lack its context."""
    scenario = part.scenario
    script = ToolScript(scenario.tools)
    sent, said = list(scenario.history), list(scenario.history)
    for turn, user_input in enumerate(scenario.turns, start=1):
        asked = Turn("user", user_input)
        sent.append(asked)
        outcome = await _play_rounds(part, turn, sent, script, complete)
        exchange = Exchange(
            part.cell,
            turn,
            tuple(said),
            user_input,
            outcome,
            words=scored_words(outcome, part.scored_field),
            language=scenario.answer_language,
        )
        yield exchange
        if isinstance(outcome, CallFailure) or outcome.wordless:
            return
        said += [asked, Turn("assistant", exchange.response, exchange.tool_calls)]


def scored_words(outcome: Reply | CallFailure, path: str) -> str | None:
    """What is scored of a reply under the path of a field: its text, or its JSON, and nothing where it has none.

    None where the whole text is scored, as that of a refusal, which no schema forms.
    """
    if not path or isinstance(outcome, CallFailure) or not outcome.text or outcome.finish_reason == REFUSAL:
        return None
    try:
        value = field_of(read_json(outcome.text), path)
    except (KeyError, ValueError):
        return ""
    return value if isinstance(value, str) else canonical_json(value)


async def _play_rounds(
    part: CellPlan, turn: int, sent: list[Turn], script: ToolScript, complete: Complete
) -> Reply | CallFailure:
    """The answer to a turn: the last reply, with the calls, tokens, time and cost of all. Adds all messages to `sent`.

    Each round is a call of its own in the journal, known by its messages: those that were answered are never repeated.
    """
    replies: list[Reply] = []
    while True:
        outcome = await complete(
            Request(
                purpose=part.asks,
                model=part.model,
                messages=messages_for(part, sent),
                parameters=parameters_for(part, turn),
                cell=part.cell,
                turn=turn,
            )
        )
        if isinstance(outcome, CallFailure):
            return outcome
        if TOOLS not in part.parameters:
            # Nobody offered any: what an application says that it called is its own affair, and answered there.
            sent.append(Turn("assistant", outcome.text))
            return outcome
        cut_off, over = outcome.finish_reason == "length", len(replies) == MOST_ROUNDS
        calls = outcome.tool_calls
        answered = calls if cut_off or over else tuple(replace(call, result=script.answer(call)) for call in calls)
        replies.append(replace(outcome, tool_calls=answered))
        # What the model called is sent back as it came: without the results, which are messages of their own.
        sent.append(Turn("assistant", outcome.text, calls))
        sent += [
            Turn("tool", NO_RESULT if call.result is None else call.result, tool_call_id=call.id) for call in answered
        ]
        if not calls or any(call.result is None for call in answered):
            ended = outcome.finish_reason if cut_off or not calls else ROUNDS_OVER if over else CALLS
            return _join(replies, ended)


def _join(replies: Sequence[Reply], finish_reason: str) -> Reply:
    """The replies of all rounds as the answer to the turn: the last one's words, and what all of them took."""
    last = replies[-1]
    if len(replies) == 1:
        return last if last.finish_reason == finish_reason else replace(last, finish_reason=finish_reason)
    costs = [reply.cost_usd for reply in replies]
    seconds = sum(reply.ended_at - reply.started_at for reply in replies)
    return replace(
        last,
        finish_reason=finish_reason,
        usage=Usage(
            _sum([reply.usage.input_tokens for reply in replies]),
            _sum([reply.usage.output_tokens for reply in replies]),
            _sum([reply.usage.cached_input_tokens for reply in replies]),
        ),
        # Between two rounds a run may have been stopped for hours: only the time of the calls counts.
        started_at=last.ended_at - seconds,
        attempts=1 + sum(reply.attempts - 1 for reply in replies),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        cached=all(reply.cached for reply in replies),
        saved_usd=sum(reply.saved_usd for reply in replies),
        tool_calls=tuple(call for reply in replies for call in reply.tool_calls),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    """None where no round was counted."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def messages_for(part: CellPlan, said: Sequence[Turn]) -> tuple[Turn, ...]:
    """The prompt's messages with the conversation in its place, and the audience as a line of its own.

    The audience is a context line only where the prompt does not ask for it as {{audience}}.
    """
    prompt, scenario = part.prompt, part.scenario
    if prompt is None:
        return tuple(said)
    values = {**part.variables, "audience": scenario.audience or "not stated"}
    filled = prompt.fill(values, said)
    if not scenario.audience or "audience" in prompt.variables:
        return filled
    line = Turn("system", f"About the user: {scenario.audience}")
    leading = next((index for index, message in enumerate(filled) if message.role != "system"), len(filled))
    return (*filled[:leading], line, *filled[leading:])


def parameters_for(part: CellPlan, turn: int) -> dict[str, Json]:
    """The run's parameters and this call's own seed, which a parameter called `seed` replaces."""
    seed = call_seed(part.seed, part.cell.scenario_id, part.cell.repeat, turn)
    return {"seed": seed, **part.parameters}
