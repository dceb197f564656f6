"""What every run of a prompt with a schema is held to: each reply keeps to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.expectations.checks import SCHEMA, prepare_check
from evaluation.expectations.output_checks import response_schema
from evaluation.records import Expectation, Json, Scenario

KEEPS = "keeps-to-schema"
"""Id of the item."""


def expect_schema(scenarios: Sequence[Scenario], parameters: Mapping[str, Json]) -> tuple[Scenario, ...]:
    """The scenarios, each held to the schema that its calls ask for, where these ask for one.

    One that has an item of this check or of this id already says itself what it is held to.
    """
    if response_schema(parameters) is None:
        return tuple(scenarios)
    item = Expectation(
        id=KEEPS,
        kind="check",
        question=prepare_check(SCHEMA, {}).question(),
        check=SCHEMA,
        critical=True,
        scope="response",
        origin="prompt",
    )
    return tuple(
        scenario
        if any(own.check == SCHEMA or own.id == KEEPS for own in scenario.expect)
        else replace(scenario, expect=(*scenario.expect, item))
        for scenario in scenarios
    )
