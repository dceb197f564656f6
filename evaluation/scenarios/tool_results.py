"""Scripted results of tools: what a scenario says that they answer, and how they answer calls.

tools:
  weather: "21 degrees, sunny"                                  # a text answers every call
  find_order:
    - {arguments: {id: A-17}, result: {status: shipped}}        # every call whose arguments hold these
    - {result: {error: try again}}                              # without arguments: one call, in their order
    - {result: {status: lost}}
"""

from collections.abc import Mapping, Sequence

from evaluation.json_schema import holds_values
from evaluation.messages import arguments_of
from evaluation.records import Json, ScriptedResult, ToolCall
from evaluation.runspec import canonical_json
from evaluation.text.yaml_text import ValuePath

NO_TOOLS: Mapping[str, tuple[ScriptedResult, ...]] = {}
_KEYS = {"arguments", "result"}


class ToolFault(ValueError):
    """What is wrong with the scripted results of a scenario, and where in them."""

    def __init__(self, path: ValuePath, problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


def read_tools(value: Json) -> Mapping[str, tuple[ScriptedResult, ...]]:
    """Name of a tool -> its results, in their order. Raises ToolFault for the first thing that is wrong."""
    if value is None:
        return NO_TOOLS
    if not isinstance(value, dict) or not all(isinstance(name, str) and name for name in value):
        raise ToolFault((), "tools is no mapping: give the name of each tool and its result")
    return {name: _results(name, given) for name, given in value.items()}


def _results(name: str, given: Json) -> tuple[ScriptedResult, ...]:
    if isinstance(given, str):
        return (ScriptedResult(given, {}),)
    if not isinstance(given, list) or not given:
        problem = "give a text that answers every call, or a list of {arguments, result}"
        raise ToolFault((name,), f"tools: the results of {name!r} are neither a text nor a list: {problem}")
    return tuple(_result(name, place, each) for place, each in enumerate(given))


def _result(name: str, place: int, given: Json) -> ScriptedResult:
    who = f"tools: result {place + 1} of {name!r}"
    if not isinstance(given, dict) or "result" not in given or not given.keys() <= _KEYS:
        raise ToolFault((name, place), f"{who} is no mapping of result and, where it needs them, arguments: write both")
    arguments = given.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise ToolFault((name, place, "arguments"), f"{who} has arguments that are no mapping: give name and value")
    try:
        result = given["result"] if isinstance(given["result"], str) else canonical_json(given["result"])
        canonical_json(arguments)
    except (TypeError, ValueError):
        problem = "holds a value that JSON does not know (a date, say): put it in quotes"
        raise ToolFault((name, place), f"{who} {problem}") from None
    return ScriptedResult(result, arguments)


def tools_to_json(tools: Mapping[str, Sequence[ScriptedResult]]) -> dict[str, Json]:
    """Scripted results as [[result, arguments], ...] by tool."""
    return {name: [[each.result, each.arguments] for each in results] for name, results in tools.items()}


def tools_from_json(value: Mapping[str, Json]) -> dict[str, tuple[ScriptedResult, ...]]:
    """The inverse of `tools_to_json`."""
    return {name: tuple(ScriptedResult(*each) for each in results) for name, results in value.items()}


class ToolScript:
    """The tools of one conversation: they answer the same calls alike whenever it is played again."""

    def __init__(self, tools: Mapping[str, Sequence[ScriptedResult]]) -> None:
        self._left = {name: list(results) for name, results in tools.items()}

    def answer(self, call: ToolCall) -> str | None:
        """The result of a call; None where none is scripted, or none is left."""
        results = self._left.get(call.name, [])
        given = arguments_of(call) or {}
        for place, each in enumerate(results):
            if each.arguments is None:
                return results.pop(place).result
            if holds_values(given, each.arguments):
                return each.result
        return None
