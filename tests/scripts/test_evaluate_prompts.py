"""The main job from the outside: what it writes, prints and exits with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from services.rehearsal.options import RehearsalOptions
from tests.scripts.commands import document, lines, only_run, run, run_apart, server, uncritical_scenarios
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

LINE_KEYS = {
    "run_id", "suite", "scenario_id", "situation", "category", "audience", "tags", "repeat", "turn", "state", "prompt",
    "model", "parameters", "input", "context", "response", "finish_reason", "scores", "explanations", "judge", "usage",
    "cost_usd", "latency_ms", "attempts", "cached", "trace_id", "session_id", "error",
}  # fmt: skip
PLAIN = ("--quiet", "--judge-format", "schema", "--no-canaries", "--expectations", "none")
"""No question but those about the exchanges."""
MANY = ("--limit", "48")
"""Of 245 scenarios, spread over the categories: enough for what chance decides."""
SOME = ("--limit", "24")
"""Enough for differences that are large."""
SUMMARY_KEYS = {
    "run_id", "suite", "prompt", "counts", "metrics", "by_category", "quality_level", "decision", "usage", "cost_usd",
    "wall_seconds", "langfuse",
}  # fmt: skip


def test_a_run_leaves_its_files_and_says_where(tmp_path: Path) -> None:
    done = run_apart("--prompt", "v3", "--limit", "12", "--verbose", runs=tmp_path)
    assert (done.code, "error" in done.err) == (0, False), done.err
    folder = only_run(tmp_path)
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json", "results.jsonl", "summary.json", "decision.json", "summary.md", "lock", "disagreements.jsonl",
        "report.html", "junit.xml", "eval_records.jsonl", "inputs.json",
    }  # fmt: skip
    assert (tmp_path / "latest").resolve() == folder.resolve()
    summary = document(folder, "summary.json")
    assert set(summary) >= SUMMARY_KEYS
    counts = summary["counts"]
    assert counts["planned"] == counts["scored"] == len(lines(folder)) > 0
    assert counts["failed"] == counts["unparsed"] == counts["skipped"] == 0
    for line in lines(folder):
        assert set(line) >= LINE_KEYS
        assert set(line["scores"]) == {"heuristic", "judge", "combined"}
        assert line["scores"]["combined"]["overall_quality"] == pytest.approx(
            (line["scores"]["heuristic"]["overall_quality"] + line["scores"]["judge"]["overall_quality"]) / 2
        )
    assert document(folder, "decision.json")["verdict"] in {"deploy", "ab_test", "needs_revision"}
    manifest = document(folder, "manifest.json")
    assert manifest["rehearsal"] is True
    assert set(manifest["digests"]) == set(manifest["spec"]) - {"prompt_parameters", "embedding"}
    assert "stand-in" in done.out + done.err
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


@pytest.mark.parametrize("rubric", ["companion", "companion-v3"])
def test_better_prompts_score_higher(rubric: str, tmp_path: Path) -> None:
    versions = ("--prompt", "v1", "--prompt", "v2", "--prompt", "v3")
    done = run(*versions, "--rubric", rubric, *SOME, "--no-canaries", "--quiet", runs=tmp_path)
    assert done.code == 0, done.err
    for source in ("combined", "heuristic"):
        means = {}
        for folder in tmp_path.glob("*-v?-*"):
            summary = document(folder, "summary.json")
            means[summary["prompt"]["version"]] = summary["metrics"][source]["overall_quality"]["mean"]
        assert means[1] < means[2] < means[3], source
    groups = {document(folder, "manifest.json")["group_id"] for folder in tmp_path.glob("*-v?-*")}
    assert len(groups) == 1


def test_an_unknown_prompt_stops_with_what_exists(tmp_path: Path) -> None:
    done = run("--prompt", "nope", runs=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert all(known in done.err for known in ("'nope'", "v1", "v2", "v3", "production"))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--category", "nope"), "nope"),
        (("--tag", "nope"), "nope"),
        (("--rubric", "nope"), "nope"),
        (("--scenarios", "nope"), "nope"),
        (("--resume", "nope"), "nope"),
        (("--resume", "../../etc"), "etc"),
        (("--prompt", "../../etc/passwd"), "passwd"),
        (("--prices", "nope.yaml"), "nope.yaml"),
    ],
)
def test_a_wrong_argument_is_one_line_and_two(tmp_path: Path, arguments: tuple[str, ...], named: str) -> None:
    done = run(*arguments, runs=tmp_path)
    assert (done.code, done.out) == (2, "")
    complaints = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(complaints) == 1
    assert named in complaints[0]
    assert "Traceback" not in done.err


def test_repeats_and_seeds_give_other_replies(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "6", "--repeats", "2", "--temperature", "1.2", "--quiet", runs=tmp_path)
    assert done.code == 0, done.err
    replies = {
        (line["scenario_id"], line["repeat"], line["turn"]): line["response"] for line in lines(only_run(tmp_path))
    }
    first = {key[::2]: text for key, text in replies.items() if key[1] == 1}
    second = {key[::2]: text for key, text in replies.items() if key[1] == 2}
    assert first.keys() == second.keys()
    assert first != second


def test_without_a_judge_the_rules_decide(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--limit", "12", "--no-judge", "--quiet", runs=tmp_path)
    assert done.code == 0, done.err
    folder = only_run(tmp_path)
    assert document(folder, "decision.json")["source"] == "heuristic"
    assert all(line["judge"] is None and line["scores"]["combined"] == {} for line in lines(folder))


def test_a_gate_decides_the_exit_code_and_nothing_else_does(tmp_path: Path) -> None:
    without = run("--prompt", "v1", "--limit", "12", "--quiet", runs=tmp_path)
    gated = run("--prompt", "v1", "--limit", "12", "--gate", "deploy", "--quiet", runs=tmp_path)
    assert (without.code, gated.code) == (0, 1)
    assert "FAILED" in gated.out
    decision = document(tmp_path / "latest", "decision.json")
    assert decision["gate"]["passed"] is False
    assert decision["gate"]["reasons"]


def test_unreadable_verdicts_are_counted_and_leave_the_means(tmp_path: Path) -> None:
    with server(RehearsalOptions(malformed_verdict=0.3)) as endpoint:
        done = run("--prompt", "v3", *MANY, "--quiet", "--gate", "deploy", runs=tmp_path, **endpoint.settings)
    folder = only_run(tmp_path)
    unparsed = [line for line in lines(folder) if line["state"] == "unparsed"]
    summary = document(folder, "summary.json")
    assert summary["counts"]["unparsed"] == len(unparsed) > 0
    assert summary["metrics"]["combined"]["overall_quality"]["n"] == summary["counts"]["scored"]
    assert summary["metrics"]["combined"]["overall_quality"]["coverage"] < 1
    assert all(line["judge"]["parsed"] is False and line["judge"]["fallback"] == 0.5 for line in unparsed)
    assert all(line["scores"]["combined"]["overall_quality"] is None for line in unparsed)
    assert done.code == 1, "a gate never passes on missing data"


def test_a_model_must_be_named_and_the_endpoint_says_which_there_are(tmp_path: Path) -> None:
    with server() as endpoint:
        done = run("--prompt", "v3", runs=tmp_path, OPENAI_BASE_URL=endpoint.base_url)
    assert done.code == 2
    assert "EVAL_MODEL" in done.err
    assert "rehearsal-judge" in done.err


def test_a_refused_key_stops_at_once_and_is_not_shown(tmp_path: Path) -> None:
    with server(RehearsalOptions(require_key="right")) as endpoint:
        done = run("--prompt", "v3", runs=tmp_path, OPENAI_API_KEY="sk-wrong-secret", **endpoint.settings)
        calls = endpoint.stats()["completions"]
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err
    assert "sk-wrong-secret" not in done.out + done.err
    assert "Traceback" not in done.err
    assert calls <= 20, "the calls that were open when the first was refused, and no more"


def test_calls_under_way_when_the_key_is_refused_are_not_paid_for_again(tmp_path: Path) -> None:
    arguments = ("--prompt", "v3", "--no-judge", "--limit", "12", "--quiet", "--concurrency", "8")

    def answer(call: Call) -> Answer:
        if call.number == 5:
            return refuse(401, "the key was revoked")
        return replace(say("Hello."), delay_s=0.5 if call.number <= 8 else 0.0)

    with scripted_endpoint(answer) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        stopped = run(*arguments, runs=tmp_path, **settings)
        asked = len(endpoint.calls)
        resumed = run("--resume", "last", runs=tmp_path, **settings)
    assert (stopped.code, resumed.code) == (2, 0), stopped.err + resumed.err
    assert asked == 8
    first, again = endpoint.calls[:8], endpoint.calls[8:]
    assert [call.number for call in first if call.body in [other.body for other in again]] == [5]
    assert len(again) == len(lines(tmp_path / "latest")) - 7


def test_every_exchange_completes_under_throttling_and_errors(tmp_path: Path) -> None:
    with server(RehearsalOptions(rate_429=0.10, rate_500=0.05, retry_after=0.05)) as endpoint:
        disturbed = run("--prompt", "v3", *MANY, "--quiet", runs=tmp_path / "a", **endpoint.settings)
        answered = endpoint.stats()["by_purpose"]["generation"]
    with server() as endpoint:
        calm = run("--prompt", "v3", *MANY, "--quiet", runs=tmp_path / "b", **endpoint.settings)
    assert {"429", "500"} <= set(answered)
    assert (disturbed.code, calm.code) == (0, 0), disturbed.err
    assert findings(tmp_path / "a") == findings(tmp_path / "b")


def test_a_dry_run_calls_nothing(tmp_path: Path) -> None:
    with server() as endpoint:
        done = run("--prompt", "v3", "--dry-run", runs=tmp_path, **endpoint.settings)
        assert all(len(line) <= 80 for line in done.out.splitlines()), done.out
        assert endpoint.stats()["completions"] == 0
    assert done.code == 0, done.err
    assert "to generate" in done.out
    assert not list(tmp_path.glob("*-v3-*"))


def test_the_cost_limit_ends_the_run_in_a_way_that_can_be_resumed(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "as_of: 2026-11-01\nmodels:\n  rehearsal: {input: 10, output: 10}\n  rehearsal-judge: {input: 10, output: 10}\n"
    )
    arguments = ("--prompt", "v3", *MANY, "--quiet", "--prices", str(prices))
    with server(RehearsalOptions(latency_ms=5)) as endpoint:
        stopped = run(*arguments, "--max-cost", "0.2", runs=tmp_path / "runs", **endpoint.settings)
        folder = only_run(tmp_path / "runs")
        counts = document(folder, "summary.json")["counts"]
        assert stopped.code == 3
        assert counts["skipped"] > 0
        assert sum(counts[state] for state in ("scored", "failed", "unparsed", "skipped")) == counts["planned"]
        spent = document(folder, "summary.json")["cost_usd"]
        assert 0.1 < spent <= 0.21, "only the first calls, whose price was not known yet, may lead over it"
        assert f"--resume {folder.name} --max-cost 0.4" in stopped.out
        again = run("--resume", folder.name, "--quiet", runs=tmp_path / "runs", **endpoint.settings)
        assert again.code in (2, 3), "the limit of the run still holds"
        refused = run("--resume", folder.name, "--max-cost", "0.001", runs=tmp_path / "runs", **endpoint.settings)
        assert (refused.code, "are spent already" in refused.err) == (2, True)
        listed = run("list", "--json", runs=tmp_path / "runs", module="scripts.manage_runs")
        assert [each["state"] for each in json.loads(listed.out)] == ["incomplete"]
        more = ("--resume", folder.name, "--max-cost", "100", "--quiet")
        resumed = run(*more, runs=tmp_path / "runs", **endpoint.settings)
        assert endpoint.stats()["repeated_after_answer"] == 0
    assert resumed.code == 0, resumed.err
    assert document(folder, "summary.json")["counts"]["skipped"] == 0


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of two scenarios."""
    runs = tmp_path_factory.mktemp("finished")
    assert run_apart("--prompt", "v3", "--limit", "2", "--quiet", runs=runs).code == 0
    return runs


@pytest.mark.parametrize("argument", ["--prompt=v1", "--limit=3", "--no-judge", "--repeats=2", "--temperature=1"])
def test_what_a_run_measures_cannot_change_on_resume(finished: Path, argument: str) -> None:
    done = run("--resume", "last", argument, runs=finished)
    assert done.code == 2
    assert argument.split("=")[0] in done.err


def test_a_dry_run_of_a_finished_run_has_nothing_to_do(finished: Path) -> None:
    done = run("--resume", "last", "--dry-run", runs=finished)
    assert "0 to generate, 0 to judge" in done.out
    fresh = run("--prompt", "v3", "--limit", "2", "--dry-run", runs=finished)
    assert "0.0000 USD" in fresh.out


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "9", "x"])
def test_a_temperature_outside_its_range_is_refused(tmp_path: Path, value: str) -> None:
    done = run("--prompt", "v3", f"--temperature={value}", runs=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_a_version_named_twice_is_refused(tmp_path: Path) -> None:
    done = run("--prompt", "v3", "--prompt", "latest", runs=tmp_path)
    assert done.code == 2
    assert "asked for twice" in done.err


def test_an_answer_without_words_is_a_failure_that_resume_tries_again(tmp_path: Path) -> None:
    with server(RehearsalOptions(empty=0.4, faults_on="generation")) as endpoint:
        first = run("--prompt", "v3", "--limit", "12", "--quiet", runs=tmp_path, **endpoint.settings)
        before = endpoint.stats()["by_purpose"]["generation"]
        failed = [line for line in lines(only_run(tmp_path)) if line["state"] == "failed"]
        run("--resume", "last", "--quiet", runs=tmp_path, **endpoint.settings)
        after = endpoint.stats()["by_purpose"]["generation"]
    assert first.code == 3
    assert failed
    for line in failed:
        assert (line["response"], line["finish_reason"], line["error"]["kind"]) == ("", "stop", "empty_reply")
        assert line["usage"]["input_tokens"] > 0
        assert line["error"]["stage"] == "generation"
    assert sum(after.values()) >= sum(before.values()) + len(failed)
    assert len([line for line in lines(only_run(tmp_path)) if line["state"] == "failed"]) < len(failed)


def test_the_journal_is_whole_in_one_file_when_the_command_has_ended(finished: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "evals.db"
    copy.parent.mkdir()
    copy.write_bytes((finished / "evals.db").read_bytes())
    done = run("--resume", "last", "--quiet", runs=copy.parent)
    assert done.code == 0, done.err


def test_a_key_that_a_model_repeats_is_not_kept(tmp_path: Path) -> None:
    scenario = tmp_path / "leak.yaml"
    scenario.write_text(
        "category: small_talk\nscenarios:\n  - {id: leak, turns: [sk-verysecret], tags: [t], note: n}\n"
    )
    arguments = ("--scenarios", str(scenario), "--no-judge", "--quiet")
    prompt = tmp_path / "echo.md"
    prompt.write_text("You are an assistant.")
    with server() as endpoint:
        done = run(
            *arguments,
            "--prompt",
            str(prompt),
            runs=tmp_path / "runs",
            OPENAI_API_KEY="sk-verysecret",
            **endpoint.settings,
        )
    assert done.code == 0, done.err
    for line in lines(only_run(tmp_path / "runs")):
        assert "sk-verysecret" not in line["response"]


def test_a_cost_limit_needs_prices(tmp_path: Path) -> None:
    with server(RehearsalOptions(any_model=True)) as endpoint:
        settings = {**endpoint.settings, "EVAL_MODEL": "unheard-of"}
        done = run("--prompt", "v3", "--max-cost", "1", runs=tmp_path, **settings)
    assert done.code == 2
    assert "unheard-of" in done.err
    assert "--prices" in done.err


def test_verdicts_are_reused_across_runs_and_generations_are_not(tmp_path: Path) -> None:
    with server() as endpoint:
        for _ in range(2):
            assert run(*PLAIN, "--prompt", "v3", "--limit", "6", runs=tmp_path, **endpoint.settings).code == 0
        counts = endpoint.stats()["by_purpose"]
    first, second = sorted(tmp_path.glob("*-v3-*"))
    summary = document(first, "summary.json")
    exchanges, conversations = summary["counts"]["planned"], summary["conversations"]["counts"]["planned"]
    assert sum(counts["generation"].values()) == 2 * exchanges
    assert sum(counts["judge"].values()) == exchanges + conversations, (
        "the same reply gets its verdict from the journal"
    )
    assert all(line["judge"]["cached"] for line in lines(second)) or all(
        line["judge"]["cached"] for line in lines(first)
    )


def findings(runs: Path) -> list[tuple[object, ...]]:
    """The findings of a run, without ids and times."""
    return [
        (line["scenario_id"], line["repeat"], line["turn"], line["state"], line["response"], str(line["scores"]))
        for line in lines(only_run(runs))
    ]


def test_the_gates_limits_are_its_own(tmp_path: Path) -> None:
    own = uncritical_scenarios(tmp_path)
    arguments = ("--prompt", "v3", "--gate", "ab_test", "--quiet", "--expectations", "none", "--scenarios", own)
    assert run(*arguments, "--min-overall", "0.5", runs=tmp_path).code == 0
    failed = run(*arguments, "--min-overall", "0.99", runs=tmp_path)
    assert failed.code == 1
    assert "the least that is asked for" in failed.out
    alone = run("--prompt", "v3", "--min-overall", "0.5", runs=tmp_path)
    assert alone.code == 2
    assert "--gate" in alone.err
    assert run(*arguments, "--max-failure-rate", "7", runs=tmp_path).code == 2


def test_a_suite_that_evaluates_an_application_is_refused_with_the_command_that_does(tmp_path: Path) -> None:
    done = run("--suite", "chat_flow", "--prompt", "v99", runs=tmp_path)
    assert done.code == 2
    assert done.err == "error: suite 'chat_flow' evaluates an application: run make eval-chat\n"
    assert not list(tmp_path.glob("*/manifest.json"))


def test_what_a_model_refuses_to_be_sent_is_said_once(tmp_path: Path) -> None:
    def answer(call: Call) -> Answer:
        refused = refuse(400, "`temperature` is deprecated for this model.", type="invalid_request_error")
        return refused if "temperature" in call.body else say("Hello.")

    with scripted_endpoint(answer) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        done = run("--prompt", "v1", "--limit", "3", "--no-judge", *PLAIN, runs=tmp_path, **settings)
    assert done.code == 0, done.err
    assert done.err.count("m refuses temperature: what was asked for it was played without") == 1
    assert sum("temperature" not in call.body for call in endpoint.calls) == len(lines(tmp_path / "latest"))
