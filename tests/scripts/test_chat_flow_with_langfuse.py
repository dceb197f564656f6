"""A chat flow run in Langfuse: an application's own trace id, and scores under names of one scale each."""

from pathlib import Path

import pytest

from evaluation.suites import SUITES
from scripts.run.load import load_suite
from services.langfuse.score_names import MAX_NAME, score_name
from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import document, lines, only_run, run
from tests.scripts.other_assistant import CASES, MAPPING, other_assistant
from tests.services.scripted_endpoint import scripted_endpoint


def test_flows_arrive_with_checks_and_without_a_prompt(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    cases, mapping = tmp_path / "cases.yaml", tmp_path / "mapping.yaml"
    cases.write_text(CASES)
    mapping.write_text(MAPPING)
    with LangfuseDouble() as double, scripted_endpoint(other_assistant) as endpoint:
        keys = {
            "LANGFUSE_PUBLIC_KEY": double.public_key,
            "LANGFUSE_SECRET_KEY": double.secret_key,
            "LANGFUSE_BASE_URL": double.base_url,
            "CHAT_FLOW_URL": endpoint.url.removesuffix("/v1"),
        }
        flags = ["--scenarios", str(cases), "--mapping", str(mapping), "--quiet"]
        done = run(*flags, runs=runs, module="scripts.evaluate_chat_flow", **keys)
        assert done.code == 0, done.err + done.out
        assert not double.duplicates() and double.body_problems() == []
        sent = {call.headers["traceparent"].split("-")[1] for call in endpoint.calls if call.method == "POST"}
        spans = double.spans()
    folder = only_run(runs)
    assert sent == {each.trace_id for each in spans} == {line["trace_id"] for line in lines(folder)}
    report = document(folder, "summary.json")["langfuse"]
    assert report["delivered"] == report["verified"] > 0 and report["rejected"] == 0


def test_the_embedded_sample_is_not_delivered_unless_asked(tmp_path: Path) -> None:
    with LangfuseDouble() as double:
        keys = {
            "LANGFUSE_PUBLIC_KEY": double.public_key,
            "LANGFUSE_SECRET_KEY": double.secret_key,
            "LANGFUSE_BASE_URL": double.base_url,
        }
        done = run("--limit", "1", "--quiet", runs=tmp_path, module="scripts.evaluate_chat_flow", **keys)
        assert done.code == 0, done.err
        assert double.spans() == []


@pytest.mark.parametrize("source", ["check", "judge"])
def test_every_score_keeps_its_whole_name(source: str) -> None:
    suite = load_suite("chat_flow", suites=SUITES).suite
    wanted = {"check": ("flow.check.", suite.checks), "judge": ("flow.", suite.metrics)}[source]
    prefix, metrics = wanted
    for metric in metrics:
        name = score_name("chat_flow", "check" if source == "check" else "judge", metric)
        assert name == f"{prefix}{metric}" and len(name) <= MAX_NAME
