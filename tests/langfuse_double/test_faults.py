"""Every fault, met by the real HTTP stack, and what it leaves behind in the store."""

import threading
from typing import Any

import httpx
import pytest
from langfuse.api import CreateScoreBatchResults, CreateScoreRequest
from langfuse.api.client import LangfuseAPI
from langfuse.api.core import ApiError
from opentelemetry.sdk.trace.export import SpanExportResult

from tests.langfuse_double import Kind, LangfuseDouble
from tests.langfuse_double.sending import api_client, span, span_exporter, span_id, trace_id

SCORES = "POST /api/public/scores"
TRACES = "POST /api/public/otel/v1/traces"
BODY: list[dict[str, Any]] = [{"id": "s1", "name": "overall", "value": 0.5, "traceId": "t1"}]


def post(double: LangfuseDouble, body: object = BODY, timeout: float = 10.0) -> httpx.Response:
    return httpx.post(
        f"{double.base_url}/api/public/scores",
        json=body,
        auth=(double.public_key, double.secret_key),
        timeout=timeout,
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 502, 503])
def test_a_status_is_answered_once_and_nothing_is_stored(double: LangfuseDouble, status: int) -> None:
    kind: Any = str(status)
    double.fail(SCORES, kind)
    assert post(double).status_code == status
    assert double.scores() == []
    assert post(double).status_code == 202
    assert [(entry.status, entry.fault) for entry in double.log] == [(status, kind), (202, None)]


@pytest.mark.parametrize(("given", "header"), [(2, "2"), ("Wed, 21 Oct 2026 07:28:00 GMT",) * 2])
def test_throttling_says_when_to_come_back(double: LangfuseDouble, given: float | str, header: str) -> None:
    double.fail("*/scores", "429", retry_after=given)
    answer = post(double)
    assert (answer.headers["Retry-After"], answer.headers["X-RateLimit-Remaining"]) == (header, "0")


def test_the_sdk_raises_what_it_raises_for_the_real_server(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.fail("*/projects", "503", times=None)
    with pytest.raises(ApiError) as refused:
        api.projects.get(request_options={"max_retries": 0})
    assert refused.value.status_code == 503
    double.heal()
    assert len(api.projects.get().data) == 1


def test_the_sdk_obeys_retry_after(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.fail(SCORES, "429", retry_after=0.01)
    api.scores.create(request=[CreateScoreRequest(id="s1", name="overall", value=1, trace_id="t1")])
    assert ([entry.status for entry in double.log], len(double.scores())) == ([429, 202], 1)


def test_a_fault_waits_its_turn_and_keeps_to_its_path(double: LangfuseDouble) -> None:
    fault = double.fail(SCORES, "500", times=2, after=1)
    double.fail("/api/public/health", "503", times=None)
    assert [post(double).status_code for _ in range(4)] == [202, 500, 500, 202]
    assert (fault.fired, double.count(SCORES), double.count("*/health"), double.count("*")) == (2, 4, 0, 4)


def test_named_scores_are_refused_with_207(double: LangfuseDouble, api: LangfuseAPI) -> None:
    double.fail(SCORES, "reject", names={"bad"})
    names = ("good", "bad", "fine")
    answer = api.scores.create(request=[CreateScoreRequest(name=name, value=1, trace_id="t1") for name in names])
    assert isinstance(answer, CreateScoreBatchResults)
    assert (answer.accepted, answer.rejected) == (2, 1)
    assert sorted(score.name for score in double.scores()) == ["fine", "good"]


def test_named_spans_are_refused_and_the_exporter_does_not_notice(double: LangfuseDouble) -> None:
    double.fail(TRACES, "reject", names={"bad"})
    with span_exporter(double) as exporter:
        assert exporter.export([span("t", "good"), span("t", "bad")]) is SpanExportResult.SUCCESS
    assert [kept.name for kept in double.spans()] == ["good"]


@pytest.mark.parametrize(("kind", "stored"), [("reset", 0), ("reset_after_store", 1)])
def test_a_reset_leaves_the_client_without_an_answer(double: LangfuseDouble, kind: Kind, stored: int) -> None:
    double.fail(SCORES, kind)
    with pytest.raises(httpx.TransportError):
        post(double)
    assert len(double.scores()) == stored
    assert (double.log[0].status, bool(double.log[0].body)) == (None, kind == "reset_after_store")


@pytest.mark.parametrize(("kind", "stored"), [("hang", 0), ("hang_after_store", 1)])
def test_a_hang_ends_in_the_client_s_time_out(double: LangfuseDouble, kind: Kind, stored: int) -> None:
    double.fail(SCORES, kind)
    with pytest.raises(httpx.ReadTimeout):
        post(double, timeout=0.1)
    assert len(double.scores()) == stored


def test_a_slow_answer_is_stored_and_arrives(double: LangfuseDouble) -> None:
    double.fail(SCORES, "slow", seconds=0.05)
    assert (post(double).status_code, len(double.scores())) == (202, 1)


def test_a_lost_acknowledgement_makes_the_exporter_send_again(double: LangfuseDouble) -> None:
    """OpenTelemetry's exporter repeats a request at once when the connection broke: the spans are there twice."""
    double.fail(TRACES, "reset_after_store")
    with span_exporter(double) as exporter:
        assert exporter.export([span("t", "turn")]) is SpanExportResult.SUCCESS
    assert double.duplicates().spans == {(trace_id("t"), span_id("t/turn")): 2}


def test_a_test_can_wait_for_what_the_server_has_stored(double: LangfuseDouble) -> None:
    double.fail(SCORES, "hang_after_store")
    outcome: list[str] = []

    def send() -> None:
        try:
            outcome.append(f"answered {post(double).status_code}")
        except httpx.TransportError:
            outcome.append("no answer")

    client = threading.Thread(target=send)
    client.start()
    double.wait_until(lambda running: len(running.store.scores()) == 1)
    double.stop()
    client.join()
    assert outcome == ["no answer"]
    with pytest.raises(TimeoutError):
        double.wait_until(lambda running: len(running.store.scores()) == 2, timeout=0.01)


def test_after_an_outage_the_same_store_is_back_on_the_same_port(double: LangfuseDouble) -> None:
    post(double)
    double.stop()
    with pytest.raises(httpx.ConnectError):
        post(double)
    double.start(double.port)
    assert post(double).status_code == 202
    assert [score.writes for score in double.scores()] == [2]


def test_no_thread_is_left_behind_also_when_requests_hang() -> None:
    before = set(threading.enumerate())
    with LangfuseDouble() as double, api_client(double, timeout=0.05) as api:
        double.fail("*/projects", "hang", times=None)
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                api.projects.get()
    assert set(threading.enumerate()) <= before
    double.stop()


def test_an_unknown_path_is_a_404_and_a_problem(double: LangfuseDouble) -> None:
    answer = httpx.get(f"{double.base_url}/api/public/traces/t1", auth=(double.public_key, double.secret_key))
    assert answer.status_code == 404
    assert double.store.problems == ["unknown path GET /api/public/traces/t1"]
