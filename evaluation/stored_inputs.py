"""A run's inputs as JSON and back: what the journal keeps so that a run can go on when the files have changed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario, Turn
from evaluation.runspec import PromptPin


def prompt_to_json(prompt: PromptVersion) -> Json:
    """The inverse of `prompt_from_json`."""
    return asdict(prompt)


def prompt_from_json(value: Mapping[str, Any]) -> PromptVersion:
    """The prompt as it was pinned."""
    return PromptVersion(
        pin=PromptPin(**value["pin"]),
        kind=value["kind"],
        messages=_turns(value["messages"]),
        config=value["config"],
        variables=tuple(value["variables"]),
    )


def scenario_to_json(scenario: Scenario) -> Json:
    """The inverse of `scenario_from_json`."""
    return asdict(scenario)


def scenario_from_json(value: Mapping[str, Any]) -> Scenario:
    """The scenario as it was played."""
    fields = {
        **value,
        "turns": tuple(value["turns"]),
        "tags": tuple(value["tags"]),
        "history": _turns(value["history"]),
    }
    return Scenario(**fields)


def _turns(values: Sequence[Mapping[str, str]]) -> tuple[Turn, ...]:
    return tuple(Turn(value["role"], value["content"]) for value in values)
