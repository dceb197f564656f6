"""Turns of production as the scenarios of a run whose responses are given."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.moments import moment
from evaluation.production.observation import Observation
from evaluation.records import Scenario, Turn

OTHER = "other"
"""The category of a turn for which none of the rubric's is guessed."""


def scenario_id(key: str) -> str:
    """The name of a turn among scenarios; the same in every run."""
    return f"turn-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def scenario_of(observation: Observation, category: str, record: Mapping[str, Any]) -> Scenario:
    """The scenario in which a turn is judged: the conversation before it, its message, its user as the situation.

    `record` holds the masked texts: `context`, and the `message`. Prompt version and tags are its tags.
    """
    history = (Turn(said["role"], said["content"]) for said in record.get("context", ()))
    tags = (observation.version, *observation.tags)
    return given_scenario(observation.key, category, record["message"], history, observation.cluster, tags)


def given_scenario(
    key: str, category: str, message: str, history: Iterable[Turn], cluster: str, tags: Iterable[str]
) -> Scenario:
    """The scenario of a message that a user sent; `cluster` names whose messages tend to be alike."""
    return Scenario(
        id=scenario_id(key),
        category=category or OTHER,
        turns=(message,),
        situation=cluster,
        tags=tuple(dict.fromkeys(tags)),
        history=tuple(history),
    )


def seconds(text: str) -> float:
    """A time in ISO 8601 as seconds since the epoch."""
    return moment(text).timestamp()
