"""Scores: what a list is answered with, what is dropped in silence, what replaces what, and how it is read back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langfuse.api import (
    ConfigCategory,
    CreateScoreBatchResponse,
    CreateScoreBatchResults,
    CreateScoreRequest,
    Error,
    ScoreConfigDataType,
    ScoreDataType,
)
from langfuse.api.client import LangfuseAPI
from langfuse.api.core import ApiError

from tests.langfuse_double import LangfuseDouble
from tests.langfuse_double.sending import api_client

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def score(name: str = "overall", value: float | str = 0.5, **more: Any) -> CreateScoreRequest:
    return CreateScoreRequest(**{"name": name, "value": value, "trace_id": "t1", "timestamp": NOON, **more})


def send(double: LangfuseDouble, body: object) -> Any:
    """Posts a body that the SDK's models would not let through."""
    import httpx

    return httpx.post(
        f"{double.base_url}/api/public/scores", json=body, auth=(double.public_key, double.secret_key), timeout=10
    )


def test_a_list_is_accepted_and_stored_as_sent(double: LangfuseDouble, api: LangfuseAPI) -> None:
    answer = api.scores.create(
        request=[
            score(id="s1", observation_id="o1", comment="why", metadata={"rubric": "r1"}, environment="evaluation"),
            score(id="s2", name="passed", value=1, data_type=ScoreDataType.BOOLEAN),
            score(id="s3", name="decision", value="deploy", trace_id=None, dataset_run_id="run1"),
        ]
    )
    assert answer == CreateScoreBatchResponse(message="Accepted")
    first, second, third = double.scores()
    assert (first.value, first.comment, first.metadata, first.environment) == (
        0.5,
        "why",
        {"rubric": "r1"},
        "evaluation",
    )
    assert (first.trace_id, first.observation_id, first.timestamp) == ("t1", "o1", NOON)
    assert (second.value, second.data_type) == (1.0, "BOOLEAN")
    assert (third.value, third.data_type, third.dataset_run_id) == ("deploy", "CATEGORICAL", "run1")
    assert double.store.problems == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"session_id": "another target"},
        {"trace_id": None},
        {"trace_id": None, "dataset_run_id": "run1", "observation_id": "o1"},
        {"name": ""},
        {"id": "x" * 801},
        {"environment": "langfuse-own"},
        {"source": "ANNOTATION"},
        {"value": "NaN", "data_type": ScoreDataType.NUMERIC},
        {"value": 2, "data_type": ScoreDataType.BOOLEAN},
        {"value": 1, "data_type": ScoreDataType.CATEGORICAL},
        {"value": "x" * 501, "data_type": ScoreDataType.TEXT},
        {"value": "", "data_type": ScoreDataType.TEXT},
    ],
)
def test_a_list_with_one_bad_score_is_answered_with_207(
    double: LangfuseDouble, api: LangfuseAPI, wrong: dict[str, Any]
) -> None:
    answer = api.scores.create(request=[score(id="good"), score(**wrong)])
    assert isinstance(answer, CreateScoreBatchResults)
    assert (answer.accepted, answer.rejected, len(answer.errors)) == (1, 1, 1)
    assert [kept.id for kept in double.scores()] == ["good"]


def test_values_that_json_cannot_carry_are_refused(double: LangfuseDouble) -> None:
    bodies = [{"name": "a", "traceId": "t", "value": value} for value in (None, True, [1])]
    answer = send(double, bodies)
    assert (answer.status_code, answer.json()["rejected"], double.scores()) == (207, 3, [])


def test_an_older_server_takes_one_score_and_no_timestamp() -> None:
    with LangfuseDouble(version="4.58.9", clock=lambda: NOON + timedelta(days=3)) as double, api_client(double) as api:
        with pytest.raises(Error):
            api.scores.create(request=[score(id="s1")])
        answer = send(
            double, {"id": "s1", "name": "overall", "value": 1, "traceId": "t1", "timestamp": NOON.isoformat()}
        )
        assert (answer.status_code, answer.json()) == (200, {"id": "s1"})
        assert send(double, {"name": "overall", "value": 1}).status_code == 400
        assert [kept.timestamp for kept in double.scores()] == [NOON + timedelta(days=3)]


def test_a_current_server_refuses_a_single_score(double: LangfuseDouble) -> None:
    assert send(double, {"name": "overall", "value": 1, "traceId": "t1"}).status_code == 400


def test_id_name_and_utc_date_together_make_a_score_replace_another(double: LangfuseDouble, api: LangfuseAPI) -> None:
    midnight = datetime(2026, 11, 21, tzinfo=UTC)
    sent = [
        score(id="s", value=0.1, timestamp=midnight - timedelta(seconds=1)),
        score(id="s", value=0.2, timestamp=midnight - timedelta(hours=20)),
        score(id="s", value=0.3, timestamp=midnight),
        score(id="s", name="other", value=0.4, timestamp=midnight),
    ]
    for one in sent:
        api.scores.create(request=[one])
    assert sorted((kept.name, kept.value, kept.writes) for kept in double.scores()) == [
        ("other", 0.4, 1),
        ("overall", 0.2, 2),
        ("overall", 0.3, 1),
    ]
    assert double.duplicates().scores == {"s": 3}


def test_the_date_is_that_of_utc_whatever_the_offset(double: LangfuseDouble) -> None:
    for stamp in ("2026-11-20T23:30:00+00:00", "2026-11-21T01:15:00+02:00"):
        send(double, [{"id": "s", "name": "a", "value": 1, "traceId": "t", "timestamp": stamp}])
    assert [kept.writes for kept in double.scores()] == [2]
    assert not double.duplicates()


@pytest.mark.parametrize(
    ("config", "value", "kept"),
    [
        ("numeric", 1.0, True),
        ("numeric", 1.01, False),
        ("numeric", -0.01, False),
        ("numeric", "high", False),
        ("categorical", "deploy", True),
        ("categorical", "perhaps", False),
        ("categorical", 1, False),
        ("boolean", 1, True),
        ("archived", 0.5, False),
        ("unknown", 0.5, False),
    ],
)
def test_what_a_config_forbids_is_accepted_and_dropped(
    double: LangfuseDouble, api: LangfuseAPI, config: str, value: float | str, kept: bool
) -> None:
    categories = [ConfigCategory(value=0, label="deploy"), ConfigCategory(value=1, label="ab_test")]
    create = api.score_configs.create
    ids = {
        "numeric": create(name="numeric", data_type=ScoreConfigDataType.NUMERIC, min_value=0, max_value=1).id,
        "categorical": create(name="kind", data_type=ScoreConfigDataType.CATEGORICAL, categories=categories).id,
        "boolean": create(name="yes", data_type=ScoreConfigDataType.BOOLEAN).id,
        "archived": create(name="old", data_type=ScoreConfigDataType.NUMERIC).id,
        "unknown": "no-such-config",
    }
    api.score_configs.update(ids["archived"], is_archived=True)
    answer = api.scores.create(request=[score(id="s", value=value, config_id=ids[config])])
    assert isinstance(answer, CreateScoreBatchResponse)
    assert (len(double.scores()), len(double.store.dropped)) == ((1, 0) if kept else (0, 1))
    assert len(api.scores.get_many(id="s").data) == int(kept)


def test_the_name_of_the_config_replaces_the_score_s(double: LangfuseDouble, api: LangfuseAPI) -> None:
    config = api.score_configs.create(name="official", data_type=ScoreConfigDataType.NUMERIC)
    api.scores.create(request=[score(name="mine", config_id=config.id)])
    assert [kept.name for kept in double.scores()] == ["official"]


def test_a_body_over_the_limit_is_answered_with_413(double: LangfuseDouble, api: LangfuseAPI) -> None:
    with pytest.raises(ApiError) as refused:
        api.scores.create(request=[score(comment="x" * 1_000_001)])
    assert (refused.value.status_code, double.scores()) == (413, [])


def test_scores_are_read_with_filters_and_field_groups(api: LangfuseAPI) -> None:
    api.scores.create(
        request=[
            score(id="a", observation_id="o1", comment="why"),
            score(id="b", name="passed", value=0, data_type=ScoreDataType.BOOLEAN),
            score(id="c", value=0.9, trace_id=None, dataset_run_id="run1"),
            score(id="d", trace_id=None, session_id="chat1", environment="evaluation"),
        ]
    )

    def ids(**query: Any) -> list[str]:
        return sorted(found.id for found in api.scores.get_many(**query).data)

    assert ids(id="a,b,nobody") == ["a", "b"]
    assert ids(name="overall") == ["a", "c", "d"]
    assert ids(trace_id="t1") == ["a", "b"]
    assert ids(trace_id="t1", observation_id="o1") == ["a"]
    assert ids(experiment_id="run1") == ["c"]
    assert ids(session_id="chat1", environment="evaluation") == ["d"]
    assert ids(data_type="numeric", value_min=0.6) == ["c"]
    assert ids(data_type="BOOLEAN", value="false") == ["b"]
    assert ids(from_timestamp=NOON + timedelta(seconds=1)) == []
    (core,) = api.scores.get_many(id="a").data
    assert (core.subject, core.comment) == (None, None)
    (full,) = api.scores.get_many(id="a", fields="core,subject,details").data
    assert full.subject is not None
    assert (full.subject.kind, full.subject.id, full.comment) == ("observation", "o1", "why")
    assert [api.scores.get_many(id=name, fields="subject").data[0].subject.kind for name in "bcd"] == [
        "trace",
        "experiment",
        "session",
    ]
    assert api.scores.get_many(id="b").data[0].value is False


@pytest.mark.parametrize(
    "query",
    [
        {"observation_id": "o1"},
        {"trace_id": "t1", "experiment_id": "r1"},
        {"limit": 101},
        {"fields": "everything"},
        {"value_min": 0.5},
        {"cursor": "%%%"},
    ],
)
def test_a_query_that_the_server_refuses_is_refused(api: LangfuseAPI, query: dict[str, Any]) -> None:
    with pytest.raises(Error):
        api.scores.get_many(**query)


def test_pages_hold_every_score_once_also_while_more_arrive(api: LangfuseAPI) -> None:
    api.scores.create(request=[score(id=f"s{number:03}") for number in range(250)])
    seen: list[str] = []
    cursor = None
    while True:
        page = api.scores.get_many(limit=100, cursor=cursor)
        seen.extend(found.id for found in page.data)
        api.scores.create(request=[score(id=f"r{len(seen)}", timestamp=NOON + timedelta(hours=1))])
        cursor = page.meta.cursor
        if cursor is None:
            break
    assert seen == [f"s{number:03}" for number in range(250)]


def test_a_score_becomes_readable_after_the_polls_asked_for(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.delay_reading(polls=2)
    api.scores.create(request=[score(id="s")])
    assert [len(api.scores.get_many(id="s").data) for _ in range(4)] == [0, 0, 1, 1]
    assert len(double.scores()) == 1


def test_a_score_becomes_readable_when_the_clock_says_so() -> None:
    now = [NOON]
    with LangfuseDouble(clock=lambda: now[0]) as double, api_client(double) as api:
        double.delay_reading(seconds=30)
        api.scores.create(request=[score(id="s")])
        assert api.scores.get_many(id="s").data == []
        now[0] += timedelta(seconds=30)
        assert len(api.scores.get_many(id="s").data) == 1


def test_a_deleted_score_is_gone(double: LangfuseDouble, api: LangfuseAPI) -> None:
    api.scores.create(request=[score(id="s")])
    api.scores.delete("s")
    assert double.scores() == []
