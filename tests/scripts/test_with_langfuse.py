"""The main job with Langfuse: prompts from there, evidence to there, asserted on what the server stored."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.suites import SUITES
from scripts.run.stored import restore_run
from services.journal import Journal
from services.langfuse.delivery import sync
from services.langfuse_access import LangfuseAccess
from services.rehearsal.options import RehearsalOptions
from services.settings import Settings
from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.faults import Kind
from tests.scripts.commands import Finished, Server, document, lines, only_run, run, server, started
from tests.services.langfuse.stories import VirtualTime

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


@pytest.mark.parametrize("few", [("--limit", "12"), pytest.param((), marks=pytest.mark.long)], ids=["12", "all"])
def test_all_scenarios_twice_arrive_whole(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server, few: tuple[str, ...]
) -> None:
    publish(langfuse, tmp_path)
    arguments = ("--prompt", "v3", "--repeats", "2", *few, "--quiet")
    done = run(*arguments, runs=tmp_path, **endpoint.settings, **keys(langfuse))
    assert done.code == 0, done.err + done.out[-2000:]
    folder = only_run(tmp_path)
    summary = document(folder, "summary.json")
    written = lines(folder)
    report = summary["langfuse"]
    assert report["delivered"] == report["verified"] > len(written)
    assert report["pending"] == report["rejected"] == 0
    assert summary["prompt"]["source"] == "langfuse"
    assert not langfuse.duplicates()
    assert langfuse.body_problems() == []
    linked = [each for each in langfuse.generations() if each.attributes.get(f"{PROMPT}.name") == "penpal-companion"]
    assert {each.attributes[f"{PROMPT}.version"] for each in linked} == {3}
    assert len(linked) == len(written)
    assert {line["trace_id"] for line in written} == {each.trace_id for each in langfuse.spans()}
    overall = langfuse.prompt_metrics("penpal-companion", 3)["overall_quality"]
    assert len(overall) >= len(written)
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


def test_an_old_server_is_reported_in_one_line(tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server) -> None:
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
    arguments = ("--prompt", "v3", "--limit", "2", "--no-judge", "--no-langfuse", "--quiet")
    done = run(*arguments, runs=tmp_path, **endpoint.settings, **keys(langfuse))
    assert done.code == 0, done.err
    assert document(only_run(tmp_path), "summary.json")["langfuse"] is None
    assert langfuse.spans() == []


def test_an_outage_leaves_the_run_whole_and_sync_delivers_it(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    publish(langfuse, tmp_path / "other")
    with server(RehearsalOptions(latency_ms=5)) as endpoint:
        langfuse.fail("/api/public/otel/*", "429", times=None, retry_after=30)
        langfuse.fail("POST /api/public/scores", "503", times=None)
        arguments = ("--prompt", "v3", "--limit", "4", "--no-canaries", "--quiet")
        settings = {**endpoint.settings, **keys(langfuse), "EVAL_DELIVERY_SECONDS": "2"}
        done = run(*arguments, runs=tmp_path / "runs", **settings)
    assert done.code == 3
    folder = only_run(tmp_path / "runs")
    summary = document(folder, "summary.json")
    assert summary["counts"]["scored"] == summary["counts"]["planned"]
    assert summary["langfuse"]["pending"] > 0
    assert "make sync" in done.out
    assert "make sync" in (folder / "report.html").read_text()
    langfuse.heal()
    synced = run("--quiet", runs=tmp_path / "runs", module="scripts.sync_langfuse", **keys(langfuse))
    assert synced.code == 0, synced.out + synced.err
    assert not langfuse.duplicates()
    written = document(folder, "summary.json")["langfuse"]
    assert written["pending"] == 0
    after = (folder / "report.html").read_text()
    assert f'<a href="{written["url"]}"' in after and f"{written['url'].partition('/experiments/')[0]}/traces/" in after
    assert "make sync" not in after
    again = run(runs=tmp_path / "runs", module="scripts.sync_langfuse", **keys(langfuse))
    assert "nothing to deliver" in again.out


def test_a_rehearsal_is_not_sent_unless_asked(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    publish(langfuse, tmp_path / "other")
    arguments = ("--prompt", "v3", "--limit", "2", "--no-judge", "--quiet")
    assert run(*arguments, runs=tmp_path / "a", **keys(langfuse)).code == 0
    assert langfuse.spans() == []
    assert run(*arguments, "--deliver-rehearsal", runs=tmp_path / "b", **keys(langfuse)).code == 0
    assert langfuse.spans()


SHORT = ("--prompt", "v3", "--limit", "4", "--no-canaries", "--quiet")
FAULTS: tuple[tuple[str, Kind], ...] = (
    *(("*/otel/v1/traces", "401"), ("*/otel/v1/traces", "429"), ("*/otel/v1/traces", "hang")),
    *(("*/otel/v1/traces", "reset_after_store"), ("*/otel/v1/traces", "413")),
    *(("POST */scores", "500"), ("POST */scores", "hang"), ("POST */scores", "reset_after_store")),
    *(("POST */scores", "413"), ("*/v2/observations", "hang"), ("*/v3/scores", "429"), ("*/v3/scores", "401")),
)
"""Every combination is tried without the command in tests/services/langfuse/test_faults.py."""


def evaluated(double: LangfuseDouble, endpoint: Server, runs: Path, seconds: str = "2") -> Finished:
    return run(*SHORT, runs=runs, **endpoint.settings, **keys(double), EVAL_DELIVERY_SECONDS=seconds)


def synced_later(double: LangfuseDouble, runs: Path) -> None:
    """Delivers as `make sync` does, on a clock that jumps over the minute after which doubtful spans are looked for."""
    settings = Settings(langfuse=LangfuseAccess(double.base_url, double.public_key, double.secret_key), runs_dir=runs)
    with Journal.open(runs / "evals.db") as journal:
        reports = asyncio.run(
            sync(
                settings,
                journal,
                lambda stored: restore_run(stored, SUITES),
                deadline_s=600.0,
                progress=lambda _: None,
                timing=VirtualTime().timing(),
            )
        )
    assert all(report.complete for report in reports.values()), reports


def assert_all_there_once(double: LangfuseDouble, folder: Path) -> None:
    """One trace for each cell, two generations for each exchange, and the scores on them."""
    written = lines(folder)
    assert {span.trace_id for span in double.spans()} == {line["trace_id"] for line in written}
    judged = [line for line in written if line["judge"]["parsed"]]
    assert len([span for span in double.generations() if span.name.startswith("turn ")]) == len(written)
    assert len([span for span in double.generations() if span.name.startswith("judge turn ")]) == len(written)
    on_items = [score for score in double.scores("overall_quality") if score.observation_id]
    assert len(on_items) >= len(judged) == len(written)
    assert len(double.scores("coverage")) == 1
    assert not double.scores("decision"), "so few scenarios decide nothing"
    assert not double.duplicates()
    assert double.body_problems() == []


@pytest.mark.parametrize(("stage", "kind"), FAULTS)
def test_a_fault_at_any_stage_costs_no_evidence(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server, stage: str, kind: Kind
) -> None:
    publish(langfuse, tmp_path / "other")
    langfuse.fail(stage, kind, times=None, retry_after=30 if kind == "429" else None)
    runs = tmp_path / "runs"
    done = evaluated(langfuse, endpoint, runs)
    assert done.code == 3, done.err
    assert "Traceback" not in done.err
    folder = only_run(runs)
    summary = document(folder, "summary.json")
    block = summary["langfuse"]
    assert summary["counts"]["scored"] == summary["counts"]["planned"] == len(lines(folder))
    assert block["complete"] is False
    assert langfuse.secret_key not in done.out + done.err + (folder / "summary.json").read_text()
    assert block["problems"]
    if kind == "413":  # refused for good, one by one: kept, counted and named, not sent again
        assert (block["traces"] if "otel" in stage else block)["rejected"] > 0
        assert any(problem.startswith("refused: ") for problem in block["problems"])
        return
    assert "make sync" in done.out
    langfuse.heal()
    synced_later(langfuse, runs)
    assert_all_there_once(langfuse, folder)


def test_a_score_that_is_refused_is_named_and_the_command_ends_with_3(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server
) -> None:
    publish(langfuse, tmp_path / "other")
    langfuse.fail("POST */scores", "reject", times=None, names=["judge_parsed"])
    done = evaluated(langfuse, endpoint, tmp_path / "runs", seconds="30")
    assert done.code == 3
    folder = only_run(tmp_path / "runs")
    block = document(folder, "summary.json")["langfuse"]
    conversations = {line["scenario_id"] for line in lines(folder) if line["turn"] > 1}
    refused = len(lines(folder)) + len(conversations)
    assert block["rejected"] == refused
    assert block["verified"] == len(langfuse.scores()) > refused
    assert f"{refused} rejected" in " ".join(done.out.split())
    assert any("judge_parsed of " in problem for problem in block["problems"])


@pytest.mark.parametrize("stage", ["*/otel/v1/traces", "POST */scores"])
def test_a_run_that_is_killed_while_it_delivers_is_resumed_and_synced(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server, stage: str
) -> None:
    publish(langfuse, tmp_path / "other")
    runs = tmp_path / "runs"
    fault = langfuse.fail(stage, "hang_after_store")
    with started(*SHORT, runs=runs, **endpoint.settings, **keys(langfuse)) as process:
        stored = langfuse.spans if "otel" in stage else langfuse.scores
        langfuse.wait_until(lambda _: fault.fired > 0 and bool(stored()), timeout=60)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    langfuse.heal()
    calls = endpoint.stats()["completions"]
    synced_later(langfuse, runs)
    done = run("--resume", "last", "--quiet", runs=runs, **endpoint.settings, **keys(langfuse))
    assert done.code == 0, done.err + done.out
    assert endpoint.stats()["completions"] == calls
    assert_all_there_once(langfuse, only_run(runs))


def test_after_a_kill_the_command_sync_sends_the_scores_again(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server
) -> None:
    publish(langfuse, tmp_path / "other")
    runs = tmp_path / "runs"
    fault = langfuse.fail("POST */scores", "hang_after_store")
    with started(*SHORT, runs=runs, **endpoint.settings, **keys(langfuse)) as process:
        langfuse.wait_until(lambda _: fault.fired > 0 and bool(langfuse.scores()), timeout=60)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = run("--quiet", runs=runs, module="scripts.sync_langfuse", **keys(langfuse))
    assert done.code == 0, done.err + done.out
    assert max(score.writes for score in langfuse.scores()) == 2
    assert not langfuse.duplicates()


def test_keys_never_leave_even_when_a_scenario_holds_them(
    tmp_path: Path, langfuse: LangfuseDouble, endpoint: Server
) -> None:
    publish(langfuse, tmp_path / "other")
    secret, openai = langfuse.secret_key, "sk-open-1234567890"
    scenarios = tmp_path / "scenarios.yaml"
    scenarios.write_text(
        "category: basic_conversations\nscenarios:\n"
        f"  - {{id: leak, turns: ['My key is {secret} and {openai}.'], tags: ['{openai}'], note: 'has {secret}'}}\n"
    )
    settings = {**endpoint.settings, **keys(langfuse), "OPENAI_API_KEY": openai}
    asked = ("--prompt", "v3", "--scenarios", str(scenarios), "--no-canaries")
    done = run(*asked, runs=tmp_path / "runs", **settings)
    assert done.code == 0, done.err + done.out
    stored = repr([langfuse.spans(), langfuse.scores(), langfuse.store.items, langfuse.store.datasets])
    assert "[key]" in stored
    for key in (secret, openai):
        assert key not in stored
        assert key not in done.err
