"""An A/B test in the memory of a double: users of two versions over two weeks, with a score of each response."""

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.production import MONDAY_NS, SECOND_NS, Turn, of_texts, write
from tests.langfuse_double.store import PromptRow, StoredScore

DAY_NS = 86_400 * SECOND_NS
MEASURE = "rules.overall_quality"
COST = {"langfuse.observation.cost_details": '{"total": 0.0012}'}


def played(users: int = 500, *, seed: int = 3, days: float = 14, of_candidate: float = 0.5) -> list[Turn]:
    """Users who come back; each has one of the versions 2 and 3."""
    return list(_played(random.Random(seed), users, days, of_candidate))


def _played(luck: random.Random, users: int, days: float, of_candidate: float) -> Iterator[Turn]:
    number = 0
    for user in range(users):
        version, first = (3 if luck.random() < of_candidate else 2), luck.random() * days
        for visit in range(1 + int(luck.expovariate(0.6))):
            at = first + (luck.random() * 7 if visit else 0)
            if at < days:
                start = MONDAY_NS + int(at * DAY_NS)
                yield Turn(number, f"user-{user}@example.org", "Hello there", "Hi. How are you?", start, version)
                number += 1


def write_test(double: LangfuseDouble, turns: Sequence[Turn], effect: float, *, seed: int = 5) -> list[str]:
    """Stores traces and scores; the trace ids. `effect` is what version 3 adds to a score."""
    traces = write(double, turns, (of_texts,), **COST)
    luck = random.Random(seed)
    levels: dict[str, float] = {}
    for turn, trace in zip(turns, traces, strict=True):
        level = levels.setdefault(turn.user, luck.gauss(0.7, 0.1))
        value = level + luck.gauss(0, 0.1) + effect * (turn.version == 3)
        put_score(double, turn, trace, value)
    return traces


def put_score(double: LangfuseDouble, turn: Turn, trace: str, value: float | str, **fields: Any) -> None:
    """A score of the response, stamped as its end, unless the fields say otherwise."""
    at = datetime.fromtimestamp(turn.start_ns / 1e9, UTC)
    store = double.store
    with store.lock:
        score = StoredScore(
            id=f"{trace} {value}",
            name=MEASURE,
            value=value,
            data_type="NUMERIC",
            trace_id=trace,
            observation_id=hashlib.sha256(f"{trace}|answer".encode()).hexdigest()[:16],
            session_id=None,
            dataset_run_id=None,
            comment=None,
            metadata=None,
            environment="production",
            config_id=None,
            queue_id=None,
            source="API",
            timestamp=at,
            created_at=at,
            updated_at=at,
            mark=store.mark(),
        )
        store.put_score(replace(score, **fields))


def add_versions(double: LangfuseDouble) -> None:
    """Three versions of the prompt, the last one labelled live."""
    store = double.store
    with store.lock:
        store.prompt_tags["penpal-companion"] = []
        store.prompts["penpal-companion"] = [
            PromptRow(
                name="penpal-companion",
                version=version,
                kind="text",
                prompt="Be kind.",
                config={},
                labels=["live"] if version == 3 else [],
                commit_message=None,
                updated_at=store.now(),
            )
            for version in (1, 2, 3)
        ]


def keys_of(double: LangfuseDouble) -> Mapping[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": double.public_key,
        "LANGFUSE_SECRET_KEY": double.secret_key,
        "LANGFUSE_BASE_URL": double.base_url,
    }
