"""The SDK's generated client reads and writes prompts, datasets, configs and queues of the double."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from langfuse.api import (
    ChatMessage,
    ConfigCategory,
    CreateChatPromptRequest,
    CreateChatPromptType,
    CreateTextPromptRequest,
    Error,
    NotFoundError,
    PlaceholderMessage,
    ScoreConfigDataType,
    UnauthorizedError,
)
from langfuse.api.client import LangfuseAPI
from langfuse.api.core import ApiError

from tests.langfuse_double import LangfuseDouble, datasets
from tests.langfuse_double.sending import api_client


def text_prompt(api: LangfuseAPI, name: str, prompt: str, labels: list[str] | None = None) -> int:
    request = CreateTextPromptRequest(name=name, prompt=prompt, labels=labels or [])
    version: int = api.prompts.create(request=request).version
    return version


def test_health_needs_no_key_and_gives_the_configured_version() -> None:
    with LangfuseDouble(version="4.16.0", secret_key="other") as double, api_client(double) as api:
        assert (api.health.health().status, api.health.health().version) == ("OK", "4.16.0")


def test_a_wrong_key_is_refused_and_no_header_value_is_kept(double: LangfuseDouble, api: LangfuseAPI) -> None:
    assert [project.id for project in api.projects.get().data] == ["project-double"]
    double.secret_key = "sk-lf-changed"
    with pytest.raises(UnauthorizedError) as refused:
        api.projects.get()
    assert "Invalid credentials" in refused.value.body["message"]
    assert [entry.status for entry in double.log] == [200, 401]
    assert not any("authorization" in entry.headers for entry in double.log)


def test_versions_count_up_and_labels_move(api: LangfuseAPI) -> None:
    assert text_prompt(api, "greeting", "Hello", ["production"]) == 1
    assert text_prompt(api, "greeting", "Hello {{name}}", ["staging"]) == 2
    assert api.prompts.get("greeting").version == 1
    assert api.prompts.get("greeting", label="latest").version == 2
    api.prompt_version.update("greeting", 2, new_labels=["production"])
    moved = api.prompts.get("greeting")
    assert (moved.version, moved.prompt, sorted(moved.labels)) == (
        2,
        "Hello {{name}}",
        ["latest", "production", "staging"],
    )
    assert api.prompts.get("greeting", version=1).labels == []


def test_latest_is_reserved_and_a_missing_prompt_is_a_404(api: LangfuseAPI) -> None:
    text_prompt(api, "greeting", "Hello")
    with pytest.raises(Error, match="latest"):
        api.prompt_version.update("greeting", 1, new_labels=["latest"])
    for query in ({"version": 9}, {"label": "nobody"}, {}):
        with pytest.raises(NotFoundError):
            api.prompts.get("greeting", **query)


def test_a_folder_name_must_be_encoded(api: LangfuseAPI) -> None:
    text_prompt(api, "folder/greeting", "Hello", ["production"])
    assert api.prompts.get(quote("folder/greeting", safe="")).name == "folder/greeting"
    with pytest.raises(NotFoundError):
        api.prompts.get("folder/greeting")


def test_an_included_prompt_is_resolved_and_changes_with_its_label(api: LangfuseAPI) -> None:
    text_prompt(api, "tone", "Be kind.", ["production"])
    text_prompt(api, "greeting", "@@@langfusePrompt:name=tone|label=production@@@ Say hello.", ["production"])
    assert api.prompts.get("greeting").prompt == "Be kind. Say hello."
    text_prompt(api, "tone", "Be brief.", ["production"])
    assert api.prompts.get("greeting").prompt == "Be brief. Say hello."
    raw = api.prompts.get("greeting", resolve=False)
    assert str(raw.prompt).startswith("@@@langfusePrompt")
    assert raw.resolution_graph is None


def test_chat_prompts_keep_messages_and_placeholders(api: LangfuseAPI) -> None:
    api.prompts.create(
        request=CreateChatPromptRequest(
            name="chat",
            type=CreateChatPromptType.CHAT,  # type: ignore[arg-type]
            prompt=[ChatMessage(role="system", content="Be kind."), PlaceholderMessage(name="history")],
            config={"temperature": 0.5},
            tags=["a"],
        )
    )
    fetched = api.prompts.get("chat", version=1)
    assert fetched.type == "chat"
    assert [message.dict() for message in fetched.prompt] == [
        {"role": "system", "content": "Be kind."},
        {"name": "history"},
    ]
    assert (fetched.config, fetched.tags) == ({"temperature": 0.5}, ["a"])
    with pytest.raises(Error, match="different prompt type"):
        text_prompt(api, "chat", "text")


def test_prompts_are_listed_by_name_and_in_pages(api: LangfuseAPI) -> None:
    for name in ("a", "b", "c"):
        text_prompt(api, name, "one", ["production"])
    text_prompt(api, "b", "two")
    page = api.prompts.list(page=2, limit=2)
    assert ([meta.name for meta in page.data], page.meta.total_items, page.meta.total_pages) == (["c"], 3, 2)
    (entry,) = api.prompts.list(name="b").data
    assert (entry.versions, entry.labels) == ([1, 2], ["latest", "production"])


def test_dataset_items_are_upserted_and_belong_to_one_dataset(double: LangfuseDouble, api: LangfuseAPI) -> None:
    for name in ("first", "second"):
        api.datasets.create(name=name, metadata={"suite": name})
    item = api.dataset_items.create(dataset_name="first", id="suite/one", input={"text": "hi"}, metadata={"tags": []})
    again = api.dataset_items.create(dataset_name="first", id="suite/one", expected_output="ok")
    assert (again.input, again.expected_output, again.created_at) == ({"text": "hi"}, "ok", item.created_at)
    assert double.store.item_writes["suite/one"] == 2
    with pytest.raises(NotFoundError, match="other than second"):
        api.dataset_items.create(dataset_name="second", id="suite/one", input="x")
    assert api.dataset_items.get(quote("suite/one", safe="")).dataset_name == "first"
    with pytest.raises(NotFoundError):
        api.dataset_items.create(dataset_name="third", input="x")


def test_an_item_over_a_limit_is_refused(
    double: LangfuseDouble, api: LangfuseAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.datasets.create(name="suite")
    with pytest.raises(Error, match="255"):
        api.dataset_items.create(dataset_name="suite", id="x" * 256)
    monkeypatch.setattr(datasets, "MAX_BODY", 100)
    with pytest.raises(ApiError) as refused:
        api.dataset_items.create(dataset_name="suite", input="x" * 100)
    assert (refused.value.status_code, double.store.items) == (413, {})


def test_datasets_are_made_once_and_items_come_in_pages(api: LangfuseAPI) -> None:
    first = api.datasets.create(name="suite")
    assert api.datasets.create(name="suite", description="again").id == first.id
    assert api.datasets.get("suite").description == "again"
    assert [dataset.name for dataset in api.datasets.list().data] == ["suite"]
    for number in range(5):
        api.dataset_items.create(dataset_name="suite", id=f"item-{number}", input=number)
    pages = [api.dataset_items.list(dataset_name="suite", page=page, limit=2) for page in (1, 2, 3)]
    assert [[item.input for item in page.data] for page in pages] == [[4, 3], [2, 1], [0]]
    with pytest.raises(Error):
        api.dataset_items.list(limit=101)
    api.dataset_items.delete("item-0")
    assert api.dataset_items.list(dataset_name="suite").meta.total_items == 4


def test_score_configs_are_not_unique_by_name(api: LangfuseAPI) -> None:
    made = [
        api.score_configs.create(name="overall", data_type=ScoreConfigDataType.NUMERIC, min_value=0, max_value=1)
        for _ in range(2)
    ]
    assert len({config.id for config in api.score_configs.get().data}) == 2
    changed = api.score_configs.update(made[0].id, is_archived=True)
    assert changed.is_archived
    assert api.score_configs.get_by_id(made[1].id).max_value == 1
    with pytest.raises(NotFoundError):
        api.score_configs.get_by_id("nobody")


@pytest.mark.parametrize(
    ("name", "kind", "low", "high", "labels"),
    [
        ("x" * 36, "NUMERIC", 0, 1, None),
        ("slash/name", "NUMERIC", 0, 1, None),
        ("turned", "NUMERIC", 1, 0, None),
        ("bounded", "CATEGORICAL", 0, 1, ["a"]),
        ("empty", "CATEGORICAL", None, None, None),
        ("twice", "CATEGORICAL", None, None, ["a", "a"]),
        ("yes", "BOOLEAN", None, None, ["True", "False"]),
    ],
)
def test_a_bad_score_config_is_refused(
    api: LangfuseAPI, name: str, kind: str, low: float | None, high: float | None, labels: list[str] | None
) -> None:
    categories = None if labels is None else [ConfigCategory(value=n, label=label) for n, label in enumerate(labels)]
    with pytest.raises(Error):
        api.score_configs.create(
            name=name,
            data_type=ScoreConfigDataType(kind),
            min_value=low,
            max_value=high,
            categories=categories,
        )


def test_annotation_queues_hold_items_to_review(api: LangfuseAPI) -> None:
    config = api.score_configs.create(name="human", data_type=ScoreConfigDataType.BOOLEAN)
    with pytest.raises(Error):
        api.annotation_queues.create_queue(name="empty", score_config_ids=[])
    queue = api.annotation_queues.create_queue(name="review", score_config_ids=[config.id])
    item = api.annotation_queues.create_queue_item(queue.id, object_id="t1", object_type="TRACE")
    assert api.annotation_queues.list_queue_items(queue.id).data[0].object_id == "t1"
    done = api.annotation_queues.update_queue_item(queue.id, item.id, status="COMPLETED")
    assert done.completed_at is not None
    assert done.completed_at <= datetime.now(UTC)
    assert api.annotation_queues.list_queue_items(queue.id, status="PENDING").data == []
    assert api.annotation_queues.delete_queue_item(queue.id, item.id).success
    assert [entry.name for entry in api.annotation_queues.list_queues().data] == ["review"]


def test_a_deleted_prompt_is_gone(double: LangfuseDouble, api: LangfuseAPI) -> None:
    text_prompt(api, "greeting", "Hello")
    api.prompts.delete("greeting")
    with pytest.raises(NotFoundError):
        api.prompts.get("greeting")
