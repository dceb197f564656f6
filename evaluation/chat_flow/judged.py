"""A flow in plain words, for whoever judges it: what was said, what was offered, what was chosen, what broke."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evaluation.chat_flow.flow_run import FlowRun, Recipe, flow_of
from evaluation.expectations.answering import responses_of
from evaluation.expectations.quotes import Spoken
from evaluation.judging.material import spoken
from evaluation.records import Exchange, Json, Reply, Scenario, Turn, Usage

SHOWN_KEYS = frozenset({"title", "name", "time_minutes", "servings", "diet", "ingredients", "steps"})
MOST_OPTIONS = 20
NOTHING = "(none)"
BESIDE = "Ingredients sent beside it:"
FURTHER = "\n" + 6 * " "
"""Before a further line of a title, a step or another text: deeper than a step, so that it passes for none."""


class FlowTexts(NamedTuple):
    """The parts of a flow, each as text."""

    messages: str
    fridge_input: str
    options: str
    selected: str
    errors: str


def flow_texts(run: FlowRun) -> FlowTexts:
    """The flow as text. Numbers and lists are shown as received, also where they break the contract."""
    fault = run.fault
    return FlowTexts(
        messages="\n".join(_message(turn) for turn in run.messages) or NOTHING,
        fridge_input=NOTHING if run.fridge_input is None else _value_text(run.fridge_input),
        options=_options(run.options),
        selected=NOTHING if run.selected is None else recipe_text(run.selected),
        errors=NOTHING if fault is None else f"{fault.kind} at {fault.where}: {_hanging(fault.message)}",
    )


def flow_as_reply(exchange: Exchange) -> Exchange:
    """A flow as one reply, for questions that are answered by quotes: all that the assistant said and showed.

    What the user said and sent stands before it. Each part begins with its name in brackets and its further lines are
    indented, so that none passes for another part. Plain words, such as a question to try the judge with, stay.
    """
    run = flow_of(exchange)
    if run is None:
        return exchange
    asked = max((place for place, turn in enumerate(run.messages) if turn.role == "user"), default=None)
    before = [] if run.fridge_input is None else [Turn("user", f"{BESIDE} {compact(run.fridge_input)}")]
    return replace(
        exchange,
        context=(*before, *run.messages[:asked]),
        user_input="" if asked is None else run.messages[asked].content,
        outcome=Reply(_produced(run), "stop", "", {}, Usage(), 0.0, 0.0),
    )


def flow_replies(exchange: Exchange, scenario: Scenario) -> tuple[Spoken, ...]:
    """What the application said in a flow, reply by reply, for rules; recipes are no replies."""
    run = flow_of(exchange)
    if run is None:
        return responses_of(exchange, scenario)
    return tuple(Spoken(exchange.turn, reply) for reply in run.replies or ("",))


def _produced(run: FlowRun) -> str:
    texts = flow_texts(run)
    said = [spoken("said", turn.content) for turn in run.messages if turn.role == "assistant"]
    shown = (("options", texts.options), ("selected", texts.selected), ("errors", texts.errors))
    return "\n".join([*said, *(spoken(name, text) for name, text in shown)])


def recipe_text(raw: Json) -> str:
    """One recipe in lines: title, minutes, servings, diet, ingredients, numbered steps, then whatever else it has.

    Each is one line; what has line breaks of its own goes on indented.
    """
    return "\n".join(_recipe_lines(raw))


def compact(value: Json) -> str:
    """A value as one line; a text stays as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _hanging(text: str) -> str:
    """The text with its further lines indented."""
    return FURTHER.join(text.splitlines() or [""])


def _message(turn: Turn) -> str:
    return spoken(turn.role, turn.content or "(empty)")


def _options(options: Sequence[Json] | None) -> str:
    if options is None:
        return "(the conversation never came to options)"
    if not options:
        return "(an empty list)"
    shown = [f"Option {number}\n{recipe_text(raw)}" for number, raw in enumerate(options[:MOST_OPTIONS], start=1)]
    more = len(options) - len(shown)
    return "\n\n".join([*shown, *([f"({more} more options)"] if more > 0 else [])])


def _recipe_lines(raw: Json) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield _value_text(raw)
        return
    recipe = Recipe.read(raw)
    yield f"title: {_hanging(recipe.title or '(no title)')}"
    for key in ("time_minutes", "servings", "diet"):
        if key in raw:
            yield f"{key}: {_value_text(raw[key])}"
    if recipe.ingredients is not None:
        yield f"ingredients: {_hanging('; '.join(recipe.ingredients) or NOTHING)}"
    if recipe.steps is not None:
        yield "steps:" if recipe.steps else f"steps: {NOTHING}"
        yield from (f"  {number}. {_hanging(step)}" for number, step in enumerate(recipe.steps, start=1))
    for key, value in raw.items():
        if key not in SHOWN_KEYS:
            yield f"{_hanging(key)}: {_value_text(value)}"


def _value_text(value: Json) -> str:
    return _hanging(compact(value))
