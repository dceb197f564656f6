"""Spans sent by OpenTelemetry's own exporter, kept whole, and read back as observations."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langfuse.api import CreateTextPromptRequest, Error
from langfuse.api.client import LangfuseAPI
from opentelemetry.sdk.trace.export import SpanExportResult

from tests.langfuse_double import LangfuseDouble, otlp
from tests.langfuse_double.sending import (
    SECOND_NS,
    START_NS,
    generation,
    span,
    span_exporter,
    span_id,
    trace_id,
)


def export(double: LangfuseDouble, *spans: Any) -> SpanExportResult:
    with span_exporter(double) as exporter:
        return exporter.export(spans)


def test_a_span_is_kept_with_ids_times_attributes_resource_and_scope(double: LangfuseDouble) -> None:
    sent = span("t", "turn", {"text": "päge", "n": 3, "ratio": 0.5, "yes": True, "tags": ["a", "b"]}, parent="root")
    assert export(double, sent) is SpanExportResult.SUCCESS
    (kept,) = double.spans()
    assert (kept.trace_id, kept.id, kept.parent_id) == (trace_id("t"), span_id("t/turn"), span_id("t/root"))
    assert (kept.name, kept.start_ns, kept.end_ns) == ("turn", START_NS, START_NS + SECOND_NS)
    assert kept.attributes == {"text": "päge", "n": 3, "ratio": 0.5, "yes": True, "tags": ["a", "b"]}
    assert (kept.resource["service.name"], kept.scope, kept.scope_version) == ("tests", "langfuse-sdk", "5.0.4")
    (entry,) = double.log
    assert (entry.headers["content-encoding"], entry.headers["x-langfuse-ingestion-version"]) == ("gzip", "4")
    assert entry.body[:2] == b"\x1f\x8b"


def test_a_span_that_is_sent_twice_is_there_twice(double: LangfuseDouble, api: LangfuseAPI) -> None:
    for _ in range(2):
        export(double, span("t", "turn"))
    export(double, span("t", "other"))
    assert double.duplicates().spans == {(trace_id("t"), span_id("t/turn")): 2}
    assert len(api.observations.get_many(trace_id=trace_id("t")).data) == 3


def test_a_body_that_is_no_export_request_is_refused(double: LangfuseDouble) -> None:
    import httpx

    for body, encoding in ((b"nonsense", "identity"), (b"nonsense", "gzip")):
        answer = httpx.post(
            f"{double.base_url}/api/public/otel/v1/traces",
            content=body,
            headers={"content-type": "application/x-protobuf", "content-encoding": encoding},
            auth=(double.public_key, double.secret_key),
        )
        assert answer.status_code == 400
    assert double.spans() == []


@pytest.mark.parametrize(("limit", "value"), [("MAX_BYTES", 100), ("MAX_SPANS", 1)])
def test_an_export_over_a_limit_is_answered_with_413(
    double: LangfuseDouble, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(otlp, limit, value)
    assert export(double, span("t", "one"), span("t", "two")) is SpanExportResult.FAILURE
    assert ([entry.status for entry in double.log], double.spans()) == ([413], [])


def test_a_generation_shows_all_its_fields(double: LangfuseDouble, api: LangfuseAPI) -> None:
    attributes = generation(
        "greeting",
        3,
        **{
            "langfuse.observation.input": json.dumps([{"role": "user", "content": "hi"}]),
            "langfuse.observation.output": "hello",
            "langfuse.observation.model.parameters": json.dumps({"temperature": 0.7}),
            "langfuse.observation.cost_details": json.dumps({"input": 0.001, "output": 0.002}),
            "langfuse.observation.metadata.note": json.dumps("x" * 300),
            "langfuse.observation.metadata.attempts": "2",
            "langfuse.environment": "evaluation",
            "langfuse.trace.tags": ["companion"],
            "langfuse.trace.name": "greeting/one",
            "session.id": "chat1",
        },
    )
    export(double, span("t", "turn", attributes, seconds=2.5))
    groups = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
    (shown,) = api.observations.get_many(trace_id=trace_id("t"), fields=groups).data
    assert (shown.type, shown.is_root_observation, shown.level, shown.environment) == (
        "GENERATION",
        True,
        "DEFAULT",
        "evaluation",
    )
    assert (shown.prompt_name, shown.prompt_version) == ("greeting", 3)
    assert (shown.model, shown.model_parameters, shown.usage_details) == (
        "model-a",
        {"temperature": 0.7},
        {"input": 12, "output": 7},
    )
    assert (shown.total_cost, shown.latency) == (pytest.approx(0.003), 2.5)
    assert (shown.input, shown.output) == ('[{"role": "user", "content": "hi"}]', "hello")
    assert (shown.tags, shown.trace_name, shown.session_id) == (["companion"], "greeting/one", "chat1")
    assert shown.metadata == {"note": "x" * 200, "attempts": 2}
    (whole,) = api.observations.get_many(fields="metadata", expand_metadata="note").data
    assert whole.metadata == {"note": "x" * 300, "attempts": 2}


def test_fields_that_were_not_asked_for_are_absent(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, span("t", "turn", generation("greeting", 3)))
    (shown,) = api.observations.get_many().data
    assert (shown.name, shown.prompt_name, shown.model) == ("turn", None, None)
    with pytest.raises(Error, match="everything"):
        api.observations.get_many(fields="everything")


@pytest.mark.parametrize(
    ("attributes", "linked"),
    [
        (generation("greeting", 1), True),
        (generation("greeting", 65_535), True),
        (generation("greeting", 65_536), False),
        ({**generation("greeting", 1), "langfuse.observation.type": "span"}, False),
        ({"langfuse.observation.type": "generation", "langfuse.observation.prompt.name": "greeting"}, False),
        ({"langfuse.observation.type": "generation", "langfuse.observation.prompt.version": 1}, False),
    ],
)
def test_only_a_generation_with_both_attributes_is_linked(
    double: LangfuseDouble, api: LangfuseAPI, attributes: dict[str, Any], linked: bool
) -> None:
    export(double, span("t", "turn", attributes))
    (shown,) = api.observations.get_many(fields="prompt").data
    assert (shown.prompt_name == "greeting") is linked


def test_a_link_can_be_made_to_need_an_existing_prompt(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.settings.link_requires_prompt = True
    export(double, span("t", "turn", generation("greeting", 1)))
    (unlinked,) = api.observations.get_many(fields="prompt").data
    assert (unlinked.prompt_name, unlinked.prompt_version) == ("", None)  # as server 4.16 answers
    api.prompts.create(request=CreateTextPromptRequest(name="greeting", prompt="Hello"))
    (shown,) = api.observations.get_many(fields="prompt").data
    assert (shown.prompt_name, shown.prompt_id) == ("greeting", double.store.prompts["greeting"][0].id)


def test_an_error_is_a_level_and_a_message(double: LangfuseDouble, api: LangfuseAPI) -> None:
    stated = {"langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "gave up"}
    export(double, span("a", "one", stated), span("b", "two", error="broke"))
    found = {shown.name: (shown.level, shown.status_message) for shown in api.observations.get_many(level="ERROR").data}
    assert found == {"one": ("ERROR", "gave up"), "two": ("ERROR", "broke")}


def test_observations_are_filtered(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(
        double,
        span("a", "root", {"langfuse.environment": "evaluation", "langfuse.trace.tags": ["x", "y"]}),
        span("a", "turn", generation("greeting", 2), parent="root", start_ns=START_NS + 5 * SECOND_NS),
        span("b", "app", {"langfuse.internal.is_app_root": True}, parent="nobody", start_ns=START_NS + 9 * SECOND_NS),
    )
    start = datetime.fromtimestamp(START_NS // SECOND_NS, UTC)

    def names(**query: Any) -> list[str]:
        return [str(shown.name) for shown in api.observations.get_many(**query).data]

    assert names() == ["app", "turn", "root"]
    assert names(trace_id=trace_id("a"), type="GENERATION") == ["turn"]
    assert names(is_root_observation=True) == ["app", "root"]
    assert names(parent_observation_id=span_id("a/root")) == ["turn"]
    assert names(environment=["evaluation", "other"]) == ["root"]
    assert names(from_start_time=start + timedelta(seconds=5)) == ["app", "turn"]
    assert names(to_start_time=start + timedelta(seconds=5)) == ["root"]

    def filtered(**condition: Any) -> list[str]:
        return names(filter=json.dumps([condition]))

    assert filtered(type="string", column="promptName", operator="=", value="greeting") == ["turn"]
    assert filtered(type="number", column="promptVersion", operator=">=", value=2) == ["turn"]
    assert filtered(type="arrayOptions", column="traceTags", operator="any of", value=["y"]) == ["root"]
    assert filtered(type="boolean", column="isRootObservation", operator="=", value=False) == ["turn"]
    assert filtered(type="null", column="promptVersion", operator="is null") == ["app", "root"]
    later = (start + timedelta(seconds=6)).isoformat()
    assert filtered(type="datetime", column="startTime", operator=">", value=later) == ["app"]
    assert filtered(type="arrayOptions", column="tags", operator="all of", value=["y", "z"]) == []
    assert filtered(type="stringOptions", column="name", operator="any of", value=["app", "turn"]) == ["app", "turn"]
    assert filtered(type="string", column="name", operator="ends with", value="pp") == ["app"]
    assert filtered(type="string", column="name", operator="does not contain", value="o") == ["app", "turn"]
    with pytest.raises(Error, match="needs a list of options"):
        filtered(type="string", column="name", operator="any of", value="app")
    with pytest.raises(Error, match="unknown filter type"):
        filtered(type="text", column="name", operator="=", value="app")
    with pytest.raises(Error, match="unknown filter column"):
        filtered(type="string", column="prompt", operator="=", value="x")


def test_pages_hold_every_observation_once_newest_first(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, *(span(f"t{n}", "turn", start_ns=START_NS + n // 2 * SECOND_NS) for n in range(7)))
    seen: list[str | None] = []
    cursor, pages = None, 0
    while pages == 0 or cursor is not None:
        page = api.observations.get_many(limit=3, cursor=cursor)
        seen.extend(shown.trace_id for shown in page.data)
        cursor, pages = page.meta.cursor, pages + 1
    assert pages == 3
    assert sorted(map(str, seen)) == sorted(trace_id(f"t{n}") for n in range(7))
    assert seen[0] == trace_id("t6")


def test_spans_become_readable_after_the_polls_asked_for(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.delay_reading(polls=1)
    export(double, span("t", "turn"))
    assert [len(api.observations.get_many().data) for _ in range(3)] == [0, 1, 1]
