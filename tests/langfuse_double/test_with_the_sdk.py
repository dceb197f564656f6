"""The whole SDK client, with its queues and threads, against the double."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langfuse import Evaluation, Langfuse
from opentelemetry.sdk.trace import TracerProvider

from tests.langfuse_double import LangfuseDouble


@pytest.fixture
def client(double: LangfuseDouble) -> Iterator[Langfuse]:
    langfuse = Langfuse(
        public_key=double.public_key,
        secret_key=double.secret_key,
        base_url=double.base_url,
        tracer_provider=TracerProvider(),
        sample_rate=1.0,
        timeout=10,
    )
    yield langfuse
    langfuse.shutdown()


def test_prompts_are_made_fetched_and_linked(double: LangfuseDouble, client: Langfuse) -> None:
    assert client.auth_check()
    client.create_prompt(name="folder/greeting", prompt="Hello {{name}}", labels=["production"])
    prompt = client.get_prompt("folder/greeting", cache_ttl_seconds=0)
    assert (prompt.version, prompt.compile(name="Ada")) == (1, "Hello Ada")
    with client.start_as_current_observation(
        name="turn", as_type="generation", prompt=prompt, model="model-a", usage_details={"input": 3}
    ) as turn:
        turn.update(output="Hello", metadata={"attempts": 1})
        turn.score(name="overall", value=0.8, comment="warm")
    client.flush()
    (kept,) = double.generations()
    (score,) = double.prompt_metrics("folder/greeting", 1)["overall"]
    assert (score.observation_id, score.trace_id, score.comment) == (kept.id, kept.trace_id, "warm")
    found = client.api.observations.get_many(trace_id=kept.trace_id, fields="prompt,metadata,usage").data
    assert [(one.prompt_name, one.prompt_version, one.metadata, one.usage_details) for one in found] == [
        ("folder/greeting", 1, {"attempts": 1}, {"input": 3})
    ]
    assert double.body_problems() == []


def test_an_experiment_of_the_sdk_shows_as_one(double: LangfuseDouble, client: Langfuse) -> None:
    client.create_dataset(name="suite")
    for number in range(3):
        client.create_dataset_item(dataset_name="suite", id=f"suite/{number}", input={"n": number})

    async def task(*, item: Any, **more: Any) -> str:
        return f"answer {item.input['n']}"

    def evaluator(*, output: str, **more: Any) -> Evaluation:
        return Evaluation(name="length", value=len(output))

    def whole(*, item_results: list[Any], **more: Any) -> Evaluation:
        return Evaluation(name="items", value=len(item_results))

    result = client.get_dataset("suite").run_experiment(
        name="first", task=task, evaluators=[evaluator], run_evaluators=[whole]
    )
    client.flush()
    rows = double.experiment_items(str(result.experiment_id))
    assert sorted(row.item_id for row in rows) == ["suite/0", "suite/1", "suite/2"]
    assert [[score.value for score in row.root_scores["length"]] for row in rows] == [[8.0]] * 3
    since = datetime.now(UTC) - timedelta(minutes=10)
    (shown,) = client.api.experiments.list(from_start_time=since, fields="core,scores").data
    assert (shown.id, shown.item_count) == (result.experiment_id, 3)
    assert [(score.name, score.value) for score in shown.scores or ()] == [("items", 3.0)]
    assert not double.duplicates()
    assert double.body_problems() == []
