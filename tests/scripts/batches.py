"""Evaluations in batches whose waits are short."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from services.model.waves import Patience
from services.retrying import Backoff, Retries
from tests.batch_endpoint import BatchEndpoint
from tests.scripts.commands import Finished, run

SOON: dict[str, Any] = {"quiet_s": 0.1, "first_look_s": 0.02, "longest_look_s": 0.05, "room_s": 0.01}
FEW = ("--prompt", "v3", "--limit", "4", "--quiet")


@contextmanager
def in_short_batches() -> Iterator[None]:
    """While inside, nobody waits long for a batch."""
    with (
        patch("services.model.waves.Patience", partial(Patience, **SOON)),
        patch("scripts.run.batches.Retries", partial(Retries, Backoff(first_s=0.01))),
    ):
        yield


def evaluate(endpoint: BatchEndpoint, runs: Path, *arguments: str) -> Finished:
    """An evaluation in this process, with short waits."""
    with in_short_batches():
        return run(*arguments, runs=runs, **endpoint.settings)


def said(runs: Path) -> dict[tuple[Any, ...], Any]:
    """What the newest run got: place -> response and scores."""
    lines = map(json.loads, (runs / "latest" / "results.jsonl").read_text().splitlines())
    return {
        (line["scenario_id"], line["repeat"], line["turn"], line["scope"]): (line.get("response"), line["scores"])
        for line in lines
    }
