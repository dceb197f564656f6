"""The chat flow suite as its users run it: on the sample assistant, with its defects, and on another application."""

import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from evaluation.identity import trace_id
from evaluation.outcome import RunOutcome
from evaluation.request import EvaluationRequest
from scripts.compare.compare import compare_runs
from scripts.compare.sides import ComparisonRequest
from scripts.scoring.rescore import rescore
from scripts.workflow import run_evaluation
from tests.browser import Browser, browser_path
from tests.examples.loopback_assistant import assistant
from tests.page_faults import find_faults
from tests.scripts.commands import (
    Finished,
    document,
    embedded_servers_kept,
    lines,
    only_run,
    read_once,
    run,
    server,
)
from tests.scripts.counting_assistant import counting_assistant
from tests.scripts.other_assistant import CASES, MAPPING, other_assistant
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

FEW = 14
"""Cases, spread over the categories."""
MODULE = "scripts.evaluate_chat_flow"
SLOW_CASE = """
category: constraints
scenarios:
  - id: in-no-time
    turns: ["Chicken, rice, garlic."]
    data: {available: [chicken, rice, garlic], max_latency_ms: 250}
"""


@contextmanager
def in_a_thread(_module: str, arguments: Sequence[str], _what: str) -> Iterator[str]:
    """The sample with its defects in a thread of this process."""
    defects = [after for word, after in pairwise(arguments) if word == "--defect"]
    with assistant(*defects) as url:
        yield url


@pytest.fixture(scope="module", autouse=True)
def _no_process() -> Iterator[None]:
    server = patch("services.application.sample.run_server", in_a_thread)
    with embedded_servers_kept(), read_once(), server:
        yield


def evaluated(**asked: Any) -> RunOutcome:
    request = {"suite": "chat_flow", "quiet": True, "judge": False, **asked}
    outcome = run_evaluation(EvaluationRequest(**request))
    assert outcome.exit_code == 0
    return outcome.runs[0]


def failed_checks(run: RunOutcome) -> set[tuple[str, str]]:
    """(case, check)"""
    return {(failed.scenario_id, check) for failed in run.summary.checks.failed for check in failed.checks}


def compared(base: str, candidate: str, **asked: Any) -> Any:
    fields = {"margin": 0.02, "effect": None, "force": False, "gate": None, "rules": None, "reuse_days": None, **asked}
    request = EvaluationRequest(suite="chat_flow", quiet=True)
    return compare_runs(ComparisonRequest((base, candidate), by=(), values=(), run=request, **fields))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished]:
    """Six cases, without any setting."""
    runs = tmp_path_factory.mktemp("runs")
    return runs, run("--limit", "6", runs=runs, module=MODULE)


def test_the_command_on_a_fresh_clone(fresh: tuple[Path, Finished]) -> None:
    runs, done = fresh
    assert done.code == 0, done.err
    assert "recipe-assistant@" in done.err and "CHAT_FLOW_URL is not set" in done.err
    assert re.search(r"^(ALL CHECKS PASS|CHECKS FAIL) in ", done.out, re.MULTILINE)
    assert "SAMPLE ASSISTANT" in done.out and "REHEARSAL JUDGE" in done.out
    assert max(map(len, done.out.split(str(runs))[0].splitlines())) <= 80
    folder = only_run(runs)
    summary = document(folder, "summary.json")
    assert summary["counts"]["scored"] == 6 and list(summary["metrics"]) == ["check", "judge"]
    assert 1 <= summary["metrics"]["judge"]["overall"]["mean"] <= 5
    for line in lines(folder):
        verdict, judged = line["judge"], line["scores"]["judge"]
        dimensions = {name: value for name, value in judged.items() if name != "overall"}
        assert len(dimensions) == 5 and set(verdict["rationale"]) == set(dimensions)
        assert judged["overall"] == pytest.approx(sum(dimensions.values()) / 5)
        assert line["scores"]["combined"] == {} and line["scores"]["heuristic"] == {}
        flow = json.loads(line["response"])
        assert flow["application_trace_id"] == line["trace_id"] == trace_id(line["run_id"], line["scenario_id"], 1)


@pytest.mark.slow
def test_its_page_has_no_fault(fresh: tuple[Path, Finished]) -> None:
    program = browser_path()
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    opened = Browser(program)
    try:
        assert opened.do(find_faults(opened.page, only_run(fresh[0]) / "report.html")) == []
    finally:
        opened.close()


def test_the_sample_fails_where_it_does_not_know_the_language_and_nowhere_else(runs_dir: Path) -> None:
    assert failed_checks(evaluated()) == {("japanese", "options_present"), ("turkish", "options_present")}


def test_a_slow_application_fails_the_latency_check_alone(tmp_path: Path, runs_dir: Path) -> None:
    case = tmp_path / "slow.yaml"
    case.write_text(SLOW_CASE)
    run = evaluated(defects=("slow=0.3",), scenarios=(str(case),))
    assert failed_checks(run) == {("in-no-time", "latency")}


def test_another_application_through_its_mapping_file(tmp_path: Path, runs_dir: Path) -> None:
    cases, mapping = tmp_path / "cases.yaml", tmp_path / "mapping.yaml"
    cases.write_text(CASES)
    mapping.write_text(MAPPING)
    with scripted_endpoint(other_assistant) as endpoint:
        url = endpoint.url.removesuffix("/v1")
        run = evaluated(url=url, mapping=str(mapping), scenarios=(str(cases),), judge=True)
        posts = [call.path for call in endpoint.calls if call.method == "POST"]
    assert sorted(posts) == ["/v2/dialog"] * 4 + ["/v2/pick"] * 2
    assert failed_checks(run) == {("rice-in-a-hurry", "time_budget"), ("rice-in-a-hurry", "asks_nothing_twice")}
    assert run.run.spec.judge is None and any("no judge" in note for note in run.notes)
    flows = [json.loads(line["response"]) for line in lines(Path(run.directory))]
    assert [flow["fault"] for flow in flows] == [None, None]
    assert {flow["application_trace_id"] for flow in flows} == {"their-trace"}
    assert flows[0]["selected"]["title"] == "Chicken rice in 10 minutes"
    assert run.run.spec.endpoint == url and run.run.spec.parameters["mapping"]


def test_no_more_calls_than_asked_for_are_open_at_the_application(runs_dir: Path) -> None:
    with counting_assistant(3) as counting:
        run = evaluated(url=counting.url, concurrency=3, limit=12)
    assert run.summary.counts.scored == 12
    assert counting.most == 3


def test_an_application_that_does_not_speak_the_contract_is_asked_about(tmp_path: Path, runs_dir: Path) -> None:
    with scripted_endpoint(lambda _call: Answer(body="<html>Login</html>")) as endpoint:
        run = evaluated(url=endpoint.url.removesuffix("/v1"), limit=2)
    assert any("mapping file" in note for note in run.notes)
    assert not any("mapping file" in note for note in evaluated(limit=2).notes)


def test_no_call_is_repeated_on_resume(tmp_path: Path, runs_dir: Path) -> None:
    cases, mapping = tmp_path / "cases.yaml", tmp_path / "mapping.yaml"
    cases.write_text(CASES)
    mapping.write_text(MAPPING)
    with scripted_endpoint(other_assistant) as endpoint, server() as judge, pytest.MonkeyPatch.context() as patch:
        for name, value in judge.settings.items():
            patch.setenv(name, value)
        patch.setenv("CHAT_FLOW_URL", endpoint.url.removesuffix("/v1"))
        first = evaluated(mapping=str(mapping), scenarios=(str(cases),), judge=True)
        asked = len([call for call in endpoint.calls if call.method == "POST"])
        mapping.write_text("turn: {path: /nowhere}")
        again = run_evaluation(EvaluationRequest(resume=first.run.run_id, quiet=True))
        assert len([call for call in endpoint.calls if call.method == "POST"]) == asked
        assert lines(Path(again.runs[0].directory)) == lines(Path(first.directory))
        rescored = rescore(first.run.run_id, {"quiet": True}).runs[0]
        assert len([call for call in endpoint.calls if call.method == "POST"]) == asked
    assert failed_checks(rescored) == failed_checks(first)
    assert first.run.spec.judge is not None and first.run.spec.judge.model == "rehearsal-judge"


def test_two_runs_are_compared_and_held_against_each_other(runs_dir: Path) -> None:
    sound, broken = (
        evaluated(only=(), limit=FEW, judge=True, canaries=False, defects=defects).run.run_id
        for defects in ((), ("one_step",))
    )
    outcome = compared(sound, broken, gate="no_regression")
    assert outcome.exit_code == 1
    assert any("steps present (check)" in reason for reason in outcome.data["gate"]["reasons"])
    assert outcome.data["candidate"]["name"].endswith("+one_step")
    table = outcome.data["metrics"]
    assert table["check"]["steps_present"]["role"] == "component" and table["judge"]["overall"]["role"] == "primary"
    assert "combined" not in table


def gated(tmp_path: Path, *arguments: str) -> tuple[int, Path, str]:
    """Exit code, folder and first line of a run under the gate on checks."""
    done = run("--gate", "checks", "--no-judge", "--quiet", *arguments, runs=tmp_path, module=MODULE)
    first = next(line for line in done.out.splitlines() if not line.startswith("!!"))
    return done.code, only_run(tmp_path), first


def test_a_critical_check_that_fails_holds_back_and_shuts_the_gate(tmp_path: Path) -> None:
    code, folder, first = gated(tmp_path, "--defect", "forgets_diet", "--category", "allergies")
    assert code == 1
    assert re.match(r"HELD BACK: critical checks fail in \d+ of \d+ cases", first)
    decision = document(folder, "decision.json")
    assert (decision["verdict"], decision["held_by"], decision["gate"]["passed"]) == ("held_back", "rule", False)
    failed = {line["scenario_id"] for line in lines(folder) if line["scores"]["check"].get("dietary") == 0}
    assert failed
    cases = ElementTree.parse(folder / "junit.xml").iter("testcase")
    said = {case.get("name"): failure.get("message", "") for case in cases for failure in case.iter("failure")}
    assert all("dietary: option" in (said[name] or "") for name in failed)


def test_a_check_that_is_not_critical_shuts_the_gate_by_its_number(tmp_path: Path) -> None:
    code, folder, first = gated(tmp_path, "--defect", "one_step", "--category", "constraints")
    assert (code, first.startswith("CHECKS FAIL in ")) == (1, True)
    (reason,) = document(folder, "decision.json")["gate"]["reasons"]
    assert reason.endswith("is below 0.90, the least that is asked for")


def test_a_sound_application_passes_the_gate_and_one_case_is_too_few(tmp_path: Path) -> None:
    code, folder, first = gated(tmp_path / "all", "--category", "constraints")
    assert (code, first.startswith("ALL CHECKS PASS")) == (0, True)
    assert 'failures="0"' in (folder / "junit.xml").read_text()
    code, folder, _ = gated(tmp_path / "one", "--category", "constraints", "--limit", "1")
    assert code == 1
    assert document(folder, "decision.json")["gate"]["reasons"] == [
        "too few scenarios to decide (1 situation, 10 needed)"
    ]


@pytest.mark.parametrize("answer", [Answer(204, b""), Answer(200, b"")])
def test_an_application_that_answers_nothing_passes_in_no_case(tmp_path: Path, answer: Answer) -> None:
    with scripted_endpoint(lambda _call: answer) as endpoint:
        code, folder, _ = gated(tmp_path, "--limit", "12", "--url", endpoint.url.removesuffix("/v1"))
    assert code == 1
    assert {line["scores"]["check"]["overall"] for line in lines(folder)} == {0}


def test_a_new_critical_failure_shuts_the_gate_of_a_comparison(runs_dir: Path) -> None:
    sound, broken = (
        evaluated(categories=("allergies",), defects=defects).run.run_id for defects in ((), ("forgets_diet",))
    )
    outcome = compared(sound, broken, gate="no_regression")
    assert any(
        "critical checks fail where the baseline passes: dietary in" in r for r in outcome.data["gate"]["reasons"]
    )
    assert outcome.data["headline"].startswith("HELD BACK: critical checks fail in ")


@pytest.mark.parametrize(
    "arguments, settings, problem",
    [
        (["--url", "http://127.0.0.1:9"], {}, "cannot be reached"),
        (["--url", "http://u:p@localhost"], {}, "CHAT_FLOW_URL"),
        (["--url", "ftp://x"], {}, "--url is not an http or https URL"),
        (["--defect", "nonsense"], {}, "nonsense"),
        (["--defect", "slow", "--url", "http://localhost:1"], {}, "--defect"),
        (["--mapping", "missing.yaml"], {}, "missing.yaml"),
        (["--gate", "no_regression"], {}, "--base"),
        ([], {"CHAT_FLOW_HEADERS": "Authorization: x"}, "CHAT_FLOW_HEADERS is no JSON object"),
        ([], {"CHAT_FLOW_HEADERS": '{"Host": "x"}'}, "CHAT_FLOW_HEADERS holds"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(
    arguments: list[str], settings: dict[str, str], problem: str, tmp_path: Path
) -> None:
    done = run(*arguments, runs=tmp_path, module=MODULE, **settings)
    assert done.code == 2
    (line,) = (line for line in done.err.splitlines() if line.startswith("error: "))
    assert problem in line and "Traceback" not in done.err


def test_headers_are_sent_and_shown_nowhere(tmp_path: Path, runs_dir: Path) -> None:
    secret = "very-secret-token"

    def leaking(call: Call) -> Answer:
        assert call.headers.get("authorization") == f"Bearer {secret}"
        return Answer(body={"next_action": "ask", "reply": f"Is {secret} yours?"})

    with scripted_endpoint(leaking) as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAT_FLOW_URL", endpoint.url.removesuffix("/v1"))
        patch.setenv("CHAT_FLOW_HEADERS", json.dumps({"Authorization": f"Bearer {secret}"}))
        run = evaluated(only=("serves-six",))
    kept = b"".join(path.read_bytes() for path in sorted(Path(run.directory).iterdir()) if path.is_file())
    assert secret.encode() not in kept + (runs_dir / "evals.db").read_bytes()
    assert b"[secret removed]" in kept


def test_an_estimate_starts_nothing_and_counts_calls_to_the_application(tmp_path: Path) -> None:
    done = run(
        "--dry-run", "--limit", "5", "--no-judge", runs=tmp_path, module=MODULE, CHAT_FLOW_URL="http://127.0.0.1:9"
    )
    assert done.code == 0, done.err
    assert "at least 10 to the application, 0 to judge" in done.out


def test_a_judge_that_is_asked_in_parts_is_planned_checked_and_resumed(tmp_path: Path) -> None:
    """Two calls for the twenty items of a flow, and of each canary; a run that was cut off pays for none twice."""
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2026-11-01\nmodels:\n  rehearsal-judge: {input: 1000000, output: 0}\n")
    few = ("--judge-form", "parts", "--limit", "2", "--quiet", "--prices", str(prices))
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    with server() as judge:
        plan = run(*few, "--dry-run", runs=whole, module=MODULE, **judge.settings)
        assert "4 to judge, 120 to check the judge" in " ".join(plan.out.split())
        done = run(*few, runs=whole, module=MODULE, **judge.settings)
        asked = judge.stats()["completions"]
    assert done.code in (0, 1), done.err
    assert 124 <= asked <= 134, "the format, and canaries that are asked once more"
    assert document(only_run(whole), "manifest.json")["spec"]["judge"]["form"] == "parts"
    assert document(only_run(whole), "summary.json")["canaries"]["asked"] == 60
    with server() as judge:
        stopped = run(*few, "--max-cost", "60000", runs=cut, module=MODULE, **judge.settings)
        before = judge.stats()["completions"]
        assert stopped.code == 3 and 1 <= before < asked, stopped.err
        resumed = run("--resume", "last", "--quiet", "--max-cost", "1e9", runs=cut, module=MODULE, **judge.settings)
        assert resumed.code in (0, 1), resumed.err
        assert judge.stats()["completions"] == asked
    judged = [[line["scores"]["judge"] for line in lines(only_run(runs))] for runs in (whole, cut)]
    assert judged[0] == judged[1] and len(judged[0]) == 2
    assert all(1 <= each["overall"] <= 5 for each in judged[0])


def test_each_flow_has_cookies_of_its_own(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    def forgetful(call: Call) -> Answer:
        if call.method == "GET":
            return Answer(404)
        said = " ".join(turn["content"] for turn in call.body["messages"])
        seen.append((said, call.headers.get("cookie", "")))
        cookie = {} if call.headers.get("cookie") else {"set-cookie": f"sid=s{len(seen)}; Path=/"}
        if "options" in call.body:
            return Answer(body={"selected": call.body["options"][0]}, headers=cookie)
        if "garlic" not in said:
            return Answer(body={"next_action": "ask", "reply": "What ingredients do you have?"}, headers=cookie)
        option = {"title": "Rice", "ingredients": ["rice", "garlic"], "time_minutes": 10, "steps": ["Cook.", "Eat."]}
        return Answer(body={"next_action": "options", "reply": "Here.", "options": [option]}, headers=cookie)

    with scripted_endpoint(forgetful) as endpoint:
        url = endpoint.url.removesuffix("/v1")
        run("--url", url, "--no-judge", "--quiet", "--limit", "6", runs=tmp_path, module=MODULE)
    first = [said for said, cookie in seen if not cookie]
    assert len(first) == 6, "the first call of each flow, and no other, comes without a cookie"
    assert len({cookie for _, cookie in seen if cookie}) == 6


def test_sessions_in_paths_keys_and_polling_serve_recipe_flows_too(tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text(
        "headers: {X-Key: '${SHOP_KEY}'}\nconstants: {channel: eval}\n"
        "session: {body: conversation, start: {path: /open}}\n"
        "turn: {method: PUT, path: '/c/{session}/turn'}\nchoose: {path: '/c/{session}/choose'}\n"
        "poll: {path: '/jobs/{id}', id: job, status: state, every_seconds: 0.01}\nerror: fault\n"
    )
    jobs: dict[str, Any] = {}
    opened = itertools.count(1)

    def application(call: Call) -> Answer:
        if call.path == "/":
            return Answer(404)
        if call.headers.get("x-key") != "key-0815":
            return Answer(401)
        if call.path == "/open":
            return Answer(body={"conversation": f"c{next(opened)}"})
        if call.method == "GET":
            return Answer(body={"state": "done", **jobs[call.path.rpartition("/")[2]]})
        option = {"title": "Rice", "ingredients": ["rice", "garlic"], "time_minutes": 10, "steps": ["Cook.", "Eat."]}
        chosen = {"selected": option} if "options" in call.body else {"next_action": "options", "options": [option]}
        assert call.body["channel"] == "eval"
        name = f"j{len(jobs)}"
        jobs[name] = chosen
        return Answer(202, {"job": name, "state": "running"})

    with scripted_endpoint(application) as endpoint:
        url = endpoint.url.removesuffix("/v1")
        done = run(
            *("--url", url, "--mapping", str(mapping), "--no-judge", "--quiet", "--limit", "6"),
            runs=tmp_path / "runs",
            module=MODULE,
            SHOP_KEY="key-0815",
        )
        asked = [(call.method, call.path) for call in endpoint.calls if call.method in ("PUT", "POST")]
    assert done.code == 0, done.err
    assert {line["scores"]["check"]["no_fault"] for line in lines(only_run(tmp_path / "runs"))} == {1, None}
    assert sum(path == "/open" for _, path in asked) == 6
    assert {method for method, path in asked if path.endswith("/turn")} == {"PUT"}
    assert len({path for _, path in asked if path.endswith("/choose")}) == 6
