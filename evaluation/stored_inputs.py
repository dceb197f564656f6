"""A run's inputs as JSON and back: what the journal keeps so that a run can go on when the files have changed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.prompts import PromptVersion
from evaluation.records import Json, Scenario, Turn
from evaluation.run import Run
from evaluation.runspec import PromptPin

JUDGE_PROMPT = "judge_prompt"
"""Name of the team's own prompt for the judge; a run without it judges by the rubric's own words."""


def texts_of(run: Run) -> Iterator[tuple[str, str]]:
    """(name, text) of all that the run is made of. The scenarios' text is made here: it is large, and needed once."""
    yield from run.inputs.items()
    if run.prompt is not None:
        yield "prompt", json.dumps(prompt_to_json(run.prompt))
    yield "scenarios", scenarios_to_text(run.scenarios)


def prompt_to_json(prompt: PromptVersion) -> Json:
    """The inverse of `prompt_from_json`."""
    return asdict(prompt)


def judge_prompt_of(inputs: Mapping[str, str]) -> PromptVersion | None:
    """The team's own prompt among the inputs of a run; None where the judge was given the rubric's words."""
    text = inputs.get(JUDGE_PROMPT)
    return None if text is None else prompt_from_json(json.loads(text))


def prompt_from_json(value: Mapping[str, Any]) -> PromptVersion:
    """The prompt as it was pinned."""
    return PromptVersion(
        pin=PromptPin(**value["pin"]),
        kind=value["kind"],
        messages=_turns(value["messages"]),
        config=value["config"],
        variables=tuple(value["variables"]),
    )


def scenarios_to_text(scenarios: Sequence[Scenario]) -> str:
    """The inverse of `scenarios_from_text`: JSON, scenario by scenario: made at once it takes many times the text."""
    return f"[{', '.join(json.dumps(asdict(scenario)) for scenario in scenarios)}]"


def scenarios_from_text(text: str) -> tuple[Scenario, ...]:
    """The scenarios as they were played."""
    return tuple(map(_scenario, json.loads(text)))


def _scenario(value: Mapping[str, Any]) -> Scenario:
    fields = {
        **value,
        "turns": tuple(value["turns"]),
        "tags": tuple(value["tags"]),
        "history": _turns(value["history"]),
    }
    return Scenario(**fields)


def _turns(values: Sequence[Mapping[str, str]]) -> tuple[Turn, ...]:
    return tuple(Turn(value["role"], value["content"]) for value in values)
