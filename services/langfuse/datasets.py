"""A suite's scenarios as a dataset, of which only what has changed is written."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from evaluation.records import Json, Scenario
from evaluation.runspec import digest
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.rest import LangfuseRest, Rejected
from services.langfuse.traces import item_id, item_metadata


async def ensure_dataset(rest: LangfuseRest, suite: str, scenarios: Sequence[Scenario], fit: Outgoing) -> str:
    """Makes the dataset and its items where they are missing or differ; returns the dataset's id.

    Raises Rejected when an item's id belongs to another dataset of the project, and what `LangfuseRest.get` raises.
    """
    dataset = await _dataset(rest, suite)
    known = await _digests(rest, suite)
    for scenario in scenarios:
        body = _item(suite, scenario, fit)
        if known.get(body["id"]) != body["metadata"]["sha256"]:
            await rest.put("dataset-items", body)
    return dataset


async def _dataset(rest: LangfuseRest, suite: str) -> str:
    try:
        found = await rest.get(f"v2/datasets/{quote(suite, safe='')}")
    except Rejected as rejected:
        if rejected.status != 404:
            raise
        body = {"name": suite, "description": f"Scenarios of the {suite} suite, kept in step with their files"}
        found = await rest.put("v2/datasets", body)
    return str(found["id"])


async def _digests(rest: LangfuseRest, suite: str) -> dict[str, str]:
    """Item id -> digest of the scenario as it was written."""
    return {
        item["id"]: str(item["metadata"].get("sha256"))
        async for item in rest.by_page("dataset-items", datasetName=suite)
        if isinstance(item.get("metadata"), dict)
    }


def _item(suite: str, scenario: Scenario, fit: Outgoing) -> dict[str, Any]:
    asked: Json = scenario.turns[0] if len(scenario.turns) == 1 else list(scenario.turns)
    if scenario.history:
        earlier = [{"role": turn.role, "content": turn.content} for turn in scenario.history]
        asked = {"history": earlier, "turns": list(scenario.turns)}
    content = {"input": fit_json(asked, fit), "metadata": fit_json(item_metadata(scenario), fit)}
    # Of what is sent, so that another mask writes the items again.
    sha256 = digest([fit_json(asdict(scenario), fit), content])
    return {
        "datasetName": suite,
        "id": item_id(suite, scenario.id),
        "input": content["input"],
        "metadata": {**content["metadata"], "sha256": sha256},
        "status": "ACTIVE",
    }
