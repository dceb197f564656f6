"""The main job with Langfuse: prompts from there, evidence to there, asserted on what the server stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import Server, document, lines, only_run, run, server

PROMPT = "langfuse.observation.prompt"


@pytest.fixture
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        yield double


def keys(double: LangfuseDouble) -> dict[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": double.public_key,
        "LANGFUSE_SECRET_KEY": double.secret_key,
        "LANGFUSE_BASE_URL": double.base_url,
    }


@pytest.fixture
def endpoint() -> Iterator[Server]:
    with server() as started:
        yield started


def publish(double: LangfuseDouble, runs: Path) -> None:
    done = run("--yes", runs=runs, module="scripts.push_prompts", **keys(double))
    assert done.code == 0, done.err


def test_all_scenarios_twice_arrive_whole(tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server) -> None:
    publish(langfuse, tmp_path)
    done = run("--prompt", "v3", "--repeats", "2", "--quiet", runs=tmp_path, **endpoint.settings, **keys(langfuse))
    assert done.code == 0, done.err + done.out[-2000:]
    folder = only_run(tmp_path)
    summary = document(folder, "summary.json")
    told = lines(folder)
    report = summary["langfuse"]
    assert report["delivered"] == report["verified"] > len(told)
    assert report["pending"] == report["rejected"] == 0
    assert summary["prompt"]["source"] == "langfuse"
    assert not langfuse.duplicates()
    assert langfuse.body_problems() == []
    linked = [each for each in langfuse.generations() if each.attributes.get(f"{PROMPT}.name") == "penpal-companion"]
    assert {each.attributes[f"{PROMPT}.version"] for each in linked} == {3}
    assert len(linked) == len(told)
    assert {line["trace_id"] for line in told} == {each.trace_id for each in langfuse.spans()}
    overall = langfuse.prompt_metrics("penpal-companion", 3)["overall_quality"]
    assert len(overall) >= len(told)
    for experiment in report["experiments"]:
        assert experiment.startswith(langfuse.base_url)
        assert experiment in done.out
    assert f"{report['verified']:,} of {report['verified']:,} scores verified" in done.out


def test_a_wrong_key_stops_before_any_paid_call(tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server) -> None:
    wrong = {**keys(langfuse), "LANGFUSE_SECRET_KEY": "sk-lf-wrong"}
    done = run("--prompt", "v3", runs=tmp_path, **endpoint.settings, **wrong)
    assert done.code == 2
    assert "LANGFUSE_SECRET_KEY" in done.err
    assert "sk-lf-wrong" not in done.out + done.err
    assert endpoint.stats()["completions"] == 0


def test_an_old_server_is_told_in_one_line(tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server) -> None:
    publish(langfuse, tmp_path)
    langfuse.settings.version = "3.150.0"
    done = run("--prompt", "v3", "--quiet", runs=tmp_path, **endpoint.settings, **keys(langfuse))
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "3.150.0" in done.err
    assert endpoint.stats()["completions"] == 0


def test_without_langfuse_prompts_come_from_the_folder(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server
) -> None:
    arguments = ("--prompt", "v3", "--limit", "6", "--no-langfuse", "--quiet")
    done = run(*arguments, runs=tmp_path, **endpoint.settings, **keys(langfuse))
    assert done.code == 0, done.err
    assert document(only_run(tmp_path), "summary.json")["langfuse"] is None
    assert langfuse.spans() == []


def test_an_outage_leaves_the_run_whole_and_sync_delivers_it(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    publish(langfuse, tmp_path / "other")
    with server(RehearsalOptions(latency_ms=5)) as endpoint:
        langfuse.fail("/api/public/otel/*", "503", times=None)
        langfuse.fail("POST /api/public/scores", "503", times=None)
        arguments = ("--prompt", "v3", "--limit", "4", "--quiet")
        settings = {**endpoint.settings, **keys(langfuse), "EVAL_DELIVERY_SECONDS": "2"}
        done = run(*arguments, runs=tmp_path / "runs", **settings)
    assert done.code == 3
    folder = only_run(tmp_path / "runs")
    summary = document(folder, "summary.json")
    assert summary["counts"]["scored"] == summary["counts"]["planned"]
    assert summary["langfuse"]["pending"] > 0
    assert "make sync" in done.out
    langfuse.heal()
    synced = run("--quiet", runs=tmp_path / "runs", module="scripts.sync_langfuse", **keys(langfuse))
    assert synced.code == 0, synced.out + synced.err
    assert not langfuse.duplicates()
    assert document(folder, "summary.json")["langfuse"]["pending"] == 0
    again = run(runs=tmp_path / "runs", module="scripts.sync_langfuse", **keys(langfuse))
    assert "nothing to deliver" in again.out


def test_a_rehearsal_is_not_sent_unless_asked(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    publish(langfuse, tmp_path / "other")
    arguments = ("--prompt", "v3", "--limit", "4", "--quiet")
    assert run(*arguments, runs=tmp_path / "a", **keys(langfuse)).code == 0
    assert langfuse.spans() == []
    assert run(*arguments, "--deliver-rehearsal", runs=tmp_path / "b", **keys(langfuse)).code == 0
    assert langfuse.spans()
