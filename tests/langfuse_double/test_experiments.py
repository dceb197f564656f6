"""Experiments, the comparison and the prompt's Metrics tab, derived from spans and scores."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langfuse.api import CreateScoreRequest, Error
from langfuse.api.client import LangfuseAPI

from tests.langfuse_double import LangfuseDouble
from tests.langfuse_double.sending import (
    SECOND_NS,
    START_NS,
    experiment,
    generation,
    span,
    span_exporter,
    span_id,
    trace_id,
)

START = datetime.fromtimestamp(START_NS // SECOND_NS, UTC)
BEFORE = START - timedelta(hours=1)


def single_turn(trace: str, item: str, run: str = "run1", **more: Any) -> Any:
    """An item whose root is the linked generation itself."""
    return span(
        trace,
        "turn",
        {
            **generation("greeting", 3),
            **experiment(run, item, span_id(f"{trace}/turn")),
            "langfuse.observation.input": "hi",
            "langfuse.observation.output": "hello",
            **more,
        },
    )


def conversation(trace: str, item: str, run: str = "run1") -> list[Any]:
    """An item with a root span and two linked generations."""
    part = experiment(run, item, span_id(f"{trace}/root"))
    turns = [
        span(trace, name, {**generation("greeting", 3), **part}, parent="root", start_ns=START_NS + SECOND_NS)
        for name in ("turn1", "turn2")
    ]
    return [span(trace, "root", {"langfuse.observation.type": "span", **part}, seconds=3), *turns]


def export(double: LangfuseDouble, *spans: Any) -> None:
    with span_exporter(double) as exporter:
        exporter.export(spans)


def scored(api: LangfuseAPI, **score: Any) -> None:
    api.scores.create(request=[CreateScoreRequest(**{"name": "overall", "timestamp": START, **score})])


def test_items_come_from_single_turns_and_from_conversations(double: LangfuseDouble, api: LangfuseAPI) -> None:
    more = {
        "langfuse.experiment.metadata": json.dumps({"prompt": "greeting v3"}),
        "langfuse.experiment.item.metadata": json.dumps({"category": "casual"}),
        "langfuse.experiment.item.expected_output": "hello there",
    }
    export(double, single_turn("a", "item1", **more), *conversation("b", "item2"))
    (run,) = api.experiments.list(from_start_time=BEFORE).data
    assert (run.id, run.name, run.item_count, run.dataset_id) == ("run1", "experiment run1", 2, "dataset-1")
    assert (run.start_time, run.end_time) == (START, START + timedelta(seconds=3))
    groups = "core,dataset,io,itemMetadata,experimentMetadata"
    rows = api.experiments.list_items(from_start_time=BEFORE, experiment_id="run1", fields=groups).data
    found = {row.experiment_item_id: row for row in rows}
    assert {name: (row.trace_id, row.id) for name, row in found.items()} == {
        "item1": (trace_id("a"), span_id("a/turn")),
        "item2": (trace_id("b"), span_id("b/root")),
    }
    first = found["item1"]
    assert (first.input, first.output, first.expected_output) == ("hi", "hello", "hello there")
    assert (first.experiment_item_metadata, first.experiment_metadata) == (
        {"category": "casual"},
        {"prompt": "greeting v3"},
    )


def test_a_second_repetition_in_one_experiment_is_not_seen(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, single_turn("a", "item1"), single_turn("b", "item1"), single_turn("c", "item1", run="run2"))
    runs = {run.id: run.item_count for run in api.experiments.list(from_start_time=BEFORE).data}
    assert runs == {"run1": 1, "run2": 1}
    assert [row.root.trace_id for row in double.experiment_items("run1")] == [trace_id("a")]


def test_spans_without_a_root_observation_give_no_item(double: LangfuseDouble, api: LangfuseAPI) -> None:
    attributes = experiment("run1", "item1", span_id("another"))
    export(double, span("a", "turn", attributes))
    assert api.experiments.list_items(from_start_time=BEFORE).data == []


def test_a_description_shows_only_when_every_span_has_it(double: LangfuseDouble, api: LangfuseAPI) -> None:
    described = {"langfuse.experiment.description": "nightly"}
    export(double, single_turn("a", "item1", **described))
    assert api.experiments.list(from_start_time=BEFORE).data[0].description == "nightly"
    export(double, single_turn("b", "item2"))
    assert api.experiments.list(from_start_time=BEFORE).data[0].description is None


def test_experiments_are_bounded_filtered_and_paged(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, *(single_turn(f"t{n}", f"item{n}") for n in range(5)), single_turn("x", "item0", run="run2"))
    with pytest.raises(Error):
        api.experiments.list_items(from_start_time=BEFORE, limit=101)
    with pytest.raises(Error):
        api.experiments.list(from_start_time=BEFORE, fields="items")
    assert api.experiments.list(from_start_time=START + timedelta(seconds=1)).data == []
    assert [run.id for run in api.experiments.list(from_start_time=BEFORE, id="run2,run9").data] == ["run2"]
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = api.experiments.list_items(from_start_time=BEFORE, experiment_id="run1", limit=2, cursor=cursor)
        seen.extend(row.experiment_item_id for row in page.data)
        cursor = page.meta.cursor
    assert (sorted(seen), cursor) == ([f"item{n}" for n in range(5)], None)


def test_a_missing_start_time_is_refused(double: LangfuseDouble) -> None:
    import httpx

    answer = httpx.get(f"{double.base_url}/api/public/experiments", auth=(double.public_key, double.secret_key))
    assert (answer.status_code, "fromStartTime" in answer.text) == (400, True)


def test_scores_show_where_the_server_shows_them(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, single_turn("a", "item1"), *conversation("b", "item2"))
    turn = {"trace_id": trace_id("b"), "observation_id": span_id("b/turn1")}
    scored(api, id="s1", value=0.1, trace_id=trace_id("a"), observation_id=span_id("a/turn"))
    scored(api, id="s2", value=0.2, **turn)
    scored(api, id="s3", value=0.3, trace_id=trace_id("b"), observation_id=span_id("b/root"))
    scored(api, id="s4", value=0.4, trace_id=trace_id("b"))
    scored(api, id="s5", value=0.5, dataset_run_id="run1")
    scored(api, id="s6", value=0.6, trace_id=trace_id("a"), observation_id=span_id("elsewhere"))

    metrics = double.prompt_metrics("greeting", 3)
    assert {name: sorted(found.id for found in scores) for name, scores in metrics.items()} == {
        "overall": ["s1", "s2", "s4"]
    }
    assert double.prompt_metrics("greeting", 2) == {}

    compared = {
        row.item_id: (
            [found.id for found in row.root_scores.get("overall", [])],
            [found.id for found in row.trace_scores.get("overall", [])],
        )
        for row in double.experiment_items("run1")
    }
    assert compared == {"item1": (["s1"], []), "item2": (["s3"], ["s4"])}

    (run,) = api.experiments.list(from_start_time=BEFORE, fields="scores").data
    assert [found.id for found in run.scores or ()] == ["s5"]
    rows = api.experiments.list_items(from_start_time=BEFORE, fields="scores").data
    shown = {row.experiment_item_id: [found.id for found in row.scores or ()] for row in rows}
    assert shown == {"item1": ["s1"], "item2": ["s3", "s4"]}


def test_items_show_fifty_scores_and_none_from_another_day(double: LangfuseDouble, api: LangfuseAPI) -> None:
    export(double, single_turn("a", "item1"))
    stamps = {f"s{number:02}": START for number in range(60)} | {"late": START + timedelta(days=1, seconds=1)}
    root = span_id("a/turn")
    api.scores.create(
        request=[
            CreateScoreRequest(id=key, name=key, value=1, timestamp=at, trace_id=trace_id("a"), observation_id=root)
            for key, at in stamps.items()
        ]
    )
    (row,) = api.experiments.list_items(from_start_time=BEFORE, fields="scores").data
    assert len(row.scores or ()) == 50
    assert "late" not in {found.id for found in row.scores or ()}
    assert api.scores.get_many(id="late").data[0].name == "late"
