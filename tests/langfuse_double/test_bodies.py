"""Bodies are held against the SDK's models and against the server's OpenAPI file."""

from typing import Any

import httpx
import pytest
from langfuse.api import (
    ChatMessage,
    ConfigCategory,
    CreateChatPromptRequest,
    CreateScoreRequest,
    CreateTextPromptRequest,
    PlaceholderMessage,
    ScoreConfigDataType,
)
from langfuse.api.client import LangfuseAPI

from tests.langfuse_double import LangfuseDouble, bodies


def post(double: LangfuseDouble, path: str, body: object) -> httpx.Response:
    url = f"{double.base_url}/api/public/{path}"
    return httpx.post(url, json=body, auth=(double.public_key, double.secret_key))


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("scores", [{"name": "a", "value": 1, "traceId": "t", "observation_id": "o"}], "observation_id"),
        ("dataset-items", {"datasetName": "d", "expected_output": "x"}, "expected_output"),
        ("v2/prompts", {"name": "p", "prompt": "x", "commit_message": "why"}, "commit_message"),
    ],
)
def test_a_misspelt_field_is_reported(double: LangfuseDouble, path: str, body: Any, field: str) -> None:
    post(double, "v2/datasets", {"name": "d"})
    assert post(double, path, body).is_success
    assert [field in problem for problem in double.body_problems()] == [True]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("dataset-items", {"input": 1}),
        ("v2/datasets", ["name"]),
        ("v2/prompts", {"name": "p", "type": "chat", "prompt": [{"role": "user"}]}),
        ("score-configs", {"name": "c", "dataType": "DECIMAL"}),
        ("annotation-queues", {"name": "q"}),
    ],
)
def test_a_body_of_the_wrong_shape_is_refused(double: LangfuseDouble, path: str, body: object) -> None:
    assert post(double, path, body).status_code == 400
    assert len(double.store.problems) == 1


def test_a_score_that_is_no_object_is_rejected(double: LangfuseDouble) -> None:
    assert post(double, "scores", ["text", {"value": 1}]).json()["rejected"] == 2


def test_checks_can_be_left_out(double: LangfuseDouble) -> None:
    double.settings.check_bodies = False
    assert post(double, "scores", [{"name": "a", "value": 1, "traceId": "t", "more": 1}]).status_code == 202
    assert double.store.problems == []


def test_what_the_sdk_sends_fits_the_published_file(double: LangfuseDouble, api: LangfuseAPI) -> None:
    if bodies.openapi_file() is None:
        pytest.skip("no OpenAPI file: set LANGFUSE_OPENAPI to Langfuse's web/public/generated/api/openapi.yml")
    api.datasets.create(name="suite", description=None, metadata={"a": 1})
    api.dataset_items.create(dataset_name="suite", id="one", input={"text": "hi"}, metadata=None)
    api.prompts.create(request=CreateTextPromptRequest(name="text", prompt="hi", labels=["production"]))
    message, placeholder = ChatMessage(role="system", content="hi"), PlaceholderMessage(name="history")
    chat: Any = {"name": "chat", "type": "chat", "prompt": [message, placeholder]}
    api.prompts.create(request=CreateChatPromptRequest(**chat))
    categories = [ConfigCategory(value=0, label="deploy")]
    config = api.score_configs.create(name="kind", data_type=ScoreConfigDataType.CATEGORICAL, categories=categories)
    api.score_configs.update(config.id, is_archived=False)
    api.annotation_queues.create_queue(name="review", score_config_ids=[config.id])
    api.scores.create(request=[CreateScoreRequest(name="a", value=1, trace_id="t", comment="why")])
    assert double.body_problems() == []


def test_the_published_file_finds_what_does_not_fit() -> None:
    path = bodies.openapi_file()
    if path is None:
        pytest.skip("no OpenAPI file: set LANGFUSE_OPENAPI to Langfuse's web/public/generated/api/openapi.yml")
    sent: list[tuple[str, Any]] = [
        ("POST scores", [{"name": "a", "value": 1}, {"name": "a", "value": None}]),
        ("POST v2/prompts", {"name": "a"}),
        ("POST score-configs", {"name": "a", "dataType": "NUMERIC", "minValue": None}),
        ("POST otel/v1/traces", {}),
    ]
    assert [problem.split(":")[0] for problem in bodies.openapi_problems(path, sent)] == [
        "POST scores",
        "POST v2/prompts",
    ]


def test_without_the_published_file_only_the_sdk_s_models_speak(
    double: LangfuseDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGFUSE_OPENAPI", "/nonexistent/openapi.yml")
    post(double, "v2/datasets", {"name": "d"})
    assert (bodies.openapi_file(), double.body_problems()) == (None, [])
