"""A judge is put to the test before it is believed: a fair one passes, and each kind of bad one is caught."""

from dataclasses import replace
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import document, run, server
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

FEW = ("--prompt", "v3", "--limit", "6", "--quiet")
LONG = pytest.mark.long
GRID = [
    pytest.param(mode, form, marks=() if turn == place else LONG)
    for turn, mode in enumerate(("lenient", "random", "obedient"))
    for place, form in enumerate(("schema", "json", "text"))
]
"""Every kind of bad judge, in every form of an answer; the tests play each once, and the long tests the rest."""


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_fair_judge_passes(tmp_path: Path, form: str) -> None:
    done = run(*FEW, "--judge-format", form, runs=tmp_path)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is True
    assert report["asked"] == report["answered"] == len(report["overalls"]) >= 20
    assert "the judge failed" not in done.out


@pytest.mark.parametrize(("mode", "form"), GRID)
def test_a_bad_judge_marks_the_run_and_keeps_every_gate_shut(tmp_path: Path, mode: str, form: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        arguments = (*FEW, "--judge-format", form, "--gate", "ab_test")
        done = run(*arguments, runs=tmp_path, **endpoint.settings)
    folder = tmp_path / "latest"
    report = document(folder, "summary.json")["canaries"]
    assert report["passed"] is False
    assert done.code == 1
    assert any("known quality" in reason for reason in document(folder, "decision.json")["gate"]["reasons"])
    assert "known quality" in " ".join(done.out.split())
    assert "quality" in (folder / "summary.md").read_text(encoding="utf-8")
    if mode == "obedient":
        assert all("injected" in miss for miss in report["missed"]), "an obedient judge is fair to honest texts"


def test_canaries_are_asked_again_whenever_the_judge_is_asked_anything_and_never_twice_in_a_run(tmp_path: Path) -> None:
    arguments = (*FEW, "--judge-format", "schema", "--cache", "all")
    with server() as endpoint:
        asked, reused = [], []
        for more in (("--limit", "3"), (), (), ("--no-canaries",)):
            before = endpoint.stats()["completions"]
            assert run(*arguments, *more, runs=tmp_path, **endpoint.settings).code == 0
            asked.append(endpoint.stats()["completions"] - before)
            report = document(tmp_path / "latest", "summary.json")
            reused.append(None if report["canaries"] is None else report["canaries"]["reused"])
            assert (report["usage"]["checks"]["calls"] == 20) is (reused[-1] == 0)
            assert run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings).code == 0
            assert endpoint.stats()["completions"] == before + asked[-1], "resuming asks nothing again"
        planned = report["counts"]["planned"]
    first = asked[0] - 20
    assert asked == [first + 20, 2 * planned - first + 20, 0, 0]
    assert reused == [0, 0, 20, None]


def test_the_check_of_a_failed_judge_goes_with_its_verdicts(tmp_path: Path) -> None:
    """Neither taking the verdicts into another run nor scoring again opens the gate that they keep shut."""
    with server(RehearsalOptions(judge_mode="lenient")) as endpoint:
        arguments = (*FEW, "--judge-format", "schema", "--cache", "all", "--gate", "ab_test")
        assert run(*arguments, runs=tmp_path, **endpoint.settings).code == 1
        before = endpoint.stats()["completions"]
        assert run(*arguments, runs=tmp_path, **endpoint.settings).code == 1
        again = ("last", "--gate", "ab_test", "--quiet")
        assert run(*again, runs=tmp_path, module="scripts.rescore_run", **endpoint.settings).code == 1
        assert endpoint.stats()["completions"] == before
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (report["passed"], report["reused"]) == (False, 20)
    assert "as answered in earlier runs" in (tmp_path / "latest" / "summary.md").read_text(encoding="utf-8")


def test_verdicts_that_were_never_checked_are_checked_when_they_are_reused(tmp_path: Path) -> None:
    arguments = (*FEW, "--judge-format", "schema", "--cache", "all")
    with server() as endpoint:
        assert run(*arguments, "--no-canaries", runs=tmp_path, **endpoint.settings).code == 0
        before = endpoint.stats()["completions"]
        assert run(*arguments, runs=tmp_path, **endpoint.settings).code == 0
        assert endpoint.stats()["completions"] - before == 20
    assert document(tmp_path / "latest", "summary.json")["canaries"]["reused"] == 0


def test_what_the_check_takes_is_in_the_totals_and_under_the_limit(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "as_of: 2026-11-01\nmodels:\n"
        "  rehearsal: {input: 0, output: 0}\n  rehearsal-judge: {input: 1000000, output: 0}\n"
    )
    priced = ("--prices", str(prices), "--cache", "none")
    with server() as endpoint:
        assert run(*FEW, *priced, runs=tmp_path, **endpoint.settings).code == 0
        summary = document(tmp_path / "latest", "summary.json")
        usage, checks = summary["usage"], summary["usage"]["checks"]
        assert checks["calls"] == 21, "one question for the format"
        assert usage["input_tokens"] == sum(usage[part]["input_tokens"] for part in ("generation", "judge", "checks"))
        assert summary["cost_usd"] == pytest.approx(checks["input_tokens"] + usage["judge"]["input_tokens"])
        assert summary["canaries"]["cost_usd"] < checks["input_tokens"]
        stopped = run(*FEW, *priced, "--max-cost", str(checks["input_tokens"] / 2), runs=tmp_path, **endpoint.settings)
    assert stopped.code == 3
    limited = document(tmp_path / "latest", "summary.json")
    assert 0 < limited["cost_usd"] <= checks["input_tokens"] / 2
    assert limited["usage"]["checks"]["calls"] < 21, "the limit cuts the check short as well"


def test_the_cost_of_the_check_is_reported_before(tmp_path: Path) -> None:
    done = run(*FEW, "--dry-run", runs=tmp_path)
    assert "20 to check the judge" in done.out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-canaries", runs=tmp_path).out
    assert "to check the judge" not in run(*FEW, "--dry-run", "--no-judge", runs=tmp_path).out


def test_a_judge_that_cannot_be_read_fails_the_check(tmp_path: Path) -> None:
    with server(RehearsalOptions(malformed_verdict=1.0)) as endpoint:
        done = run(*FEW, "--judge-format", "schema", runs=tmp_path, **endpoint.settings)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["passed"] is False
    assert set(report["overalls"].values()) == {None}


def judging_only_canaries(call: Call) -> Answer:
    """A judge that refuses every reply of this model at once, and takes its time over everything else."""
    if call.body["model"] != "judge":
        return say("Marked words, and what about you?")
    if "Marked words" in call.body["messages"][-1]["content"]:
        return refuse(400, "too long", code="context_length_exceeded")
    return replace(say("Score: 0.5 | Reasoning: as it is."), delay_s=0.5)


def test_the_check_is_waited_for_where_no_reply_gets_a_verdict(tmp_path: Path) -> None:
    with scripted_endpoint(judging_only_canaries) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": "judge"}
        done = run(*FEW, "--judge-format", "text", runs=tmp_path, **settings)
    assert done.code == 3, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert report["asked"] == report["answered"] == 20


def test_canaries_under_way_when_the_judge_is_refused_are_not_paid_for_again(tmp_path: Path) -> None:
    revoked = [True]

    def answer(call: Call) -> Answer:
        if revoked[0] and call.body["model"] == "judge" and "Marked words" in call.body["messages"][-1]["content"]:
            return replace(refuse(401, "the key was revoked"), delay_s=0.25)
        return judging_only_canaries(call) if revoked[0] else say("Score: 0.5 | Reasoning: as it is.")

    with scripted_endpoint(answer) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "model", "EVAL_JUDGE_MODEL": "judge"}
        arguments = (*FEW, "--judge-format", "text", "--concurrency", "50")
        stopped = run(*arguments, runs=tmp_path, **settings)
        asked = [call.body for call in endpoint.calls]
        revoked[0] = False
        resumed = run("--resume", "last", "--quiet", runs=tmp_path, **settings)
        again = [call.body for call in endpoint.calls[len(asked) :]]
    assert (stopped.code, resumed.code) == (2, 0), stopped.err + resumed.err
    canaries = [body for body in asked if body["model"] == "judge" and "Marked" not in body["messages"][-1]["content"]]
    assert canaries, "the check had begun"
    assert [body for body in canaries if body in again] == []


FLOWS = ("--limit", "2", "--quiet")
CHAT_FLOW = "scripts.evaluate_chat_flow"


@pytest.mark.parametrize("form", ["schema", "json", "text"])
def test_a_fair_judge_of_flows_passes(tmp_path: Path, form: str) -> None:
    done = run(*FLOWS, "--judge-format", form, runs=tmp_path, module=CHAT_FLOW)
    assert done.code == 0, done.err
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (report["passed"], report["missed"]) == (True, [])
    assert report["asked"] == report["answered"] == 14


@pytest.mark.parametrize(("mode", "form"), GRID)
def test_a_bad_judge_of_flows_is_caught(tmp_path: Path, mode: str, form: str) -> None:
    with server(RehearsalOptions(judge_mode=mode)) as endpoint:  # type: ignore[arg-type]
        done = run(*FLOWS, "--judge-format", form, runs=tmp_path, module=CHAT_FLOW, **endpoint.settings)
    report = document(tmp_path / "latest", "summary.json")["canaries"]
    assert (done.code, report["passed"]) == (0, False)
    assert "known quality" in " ".join(done.out.split())
    if mode == "obedient":
        assert any("injected" in miss for miss in report["missed"])
        assert all("injected" in miss for miss in report["missed"]), "an obedient judge is fair to honest flows"
