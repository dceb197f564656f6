"""Playing a scripted conversation: the user's turns are given, the assistant's are the model's own replies."""

from evaluation.ports import Complete, Exchanges
from evaluation.records import CallFailure, Exchange, Json, Request, Turn
from evaluation.runspec import call_seed
from evaluation.suites.suite import CellPlan


async def play_turns(part: CellPlan, complete: Complete) -> Exchanges:
    """Yields one exchange per user turn; stops after a turn that got no answer: the rest would lack its context."""
    scenario = part.scenario
    said = list(scenario.history)
    for turn, user_input in enumerate(scenario.turns, start=1):
        context = tuple(said)
        said.append(Turn("user", user_input))
        outcome = await complete(
            Request(
                purpose="generation",
                model=part.model,
                messages=messages_for(part, said),
                parameters=parameters_for(part, turn),
                cell=part.cell,
                turn=turn,
            )
        )
        yield Exchange(part.cell, turn, context, user_input, outcome)
        if isinstance(outcome, CallFailure) or outcome.wordless:
            return
        said.append(Turn("assistant", outcome.text))


def messages_for(part: CellPlan, said: list[Turn]) -> tuple[Turn, ...]:
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
