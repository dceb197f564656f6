"""The checkup: one line per thing, what is wrong with it, and within which time."""

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluation.commands import write_command
from scripts.checkup.check import describe, ok, unchecked
from services.rehearsal.options import RehearsalOptions
from tests.applications.servers import Sent, serving
from tests.langfuse_double import LangfuseDouble
from tests.scripts.commands import Finished, run, server
from tests.scripts.support_bot import write_support_bot
from tests.services.scripted_endpoint import Answer, Call, ScriptedEndpoint, refuse, say, scripted_endpoint

SECRET = "sk-very-secret-0123456789"
LISTING = Answer(body={"data": [{"id": "house-model"}, {"id": "house-model-mini"}]})


def doctor(*flags: str, runs: Path, **settings: str) -> Finished:
    return run(*flags, "--timeout", "2", runs=runs, module="scripts.doctor", **settings)


def found(done: Finished) -> dict[str, dict[str, Any]]:
    """The checks by their names."""
    return {check["name"]: check for check in json.loads(done.out)["checks"]}


def of(endpoint: ScriptedEndpoint, **more: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": SECRET, "EVAL_MODEL": "house-model"} | more


@pytest.fixture
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as running:
        yield running


def keys(double: LangfuseDouble) -> dict[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": double.public_key,
        "LANGFUSE_SECRET_KEY": double.secret_key,
        "LANGFUSE_BASE_URL": double.base_url,
    }


def test_without_keys_the_rehearsal_model_serves_and_the_rest_is_not_checked(tmp_path: Path) -> None:
    done = doctor(runs=tmp_path / "runs")
    assert done.code == 0, done.out + done.err
    lines = done.out.splitlines()
    assert "ok           endpoint     none is set: the rehearsal model serves, a scripted" in lines
    assert any(line.startswith("not checked  Langfuse     no keys are set") for line in lines)
    assert lines[-1] == "all that is set works"
    assert done.err == ""


def test_nothing_is_left_in_the_runs_folder(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    doctor("--no-calls", runs=runs)
    assert not runs.exists()
    runs.mkdir()
    doctor("--no-calls", runs=runs)
    assert list(runs.iterdir()) == []


def test_an_endpoint_that_works_is_asked_three_times_at_most_and_announced_with_the_price(tmp_path: Path) -> None:
    with server(RehearsalOptions(any_model=True)) as endpoint:
        settings = {**endpoint.settings, "EVAL_MODEL": "gpt-5-mini", "EVAL_JUDGE_MODEL": "gpt-5"}
        done = doctor("--json", runs=tmp_path / "runs", **settings)
        assert done.code == 0, done.out + done.err
        assert endpoint.stats()["completions"] == 2
    checks = found(done)
    assert [checks[name]["state"] for name in ("endpoint", "model", "judge")] == ["ok", "ok", "ok"]
    assert checks["judge"]["found"] == "gpt-5 answers readably in schema"
    assert done.err.startswith("asks gpt-5-mini, gpt-5 in at most 3 small calls: about ")
    assert "USD" in done.err


def judge_nobody_reads(call: Call) -> Answer:
    return LISTING if call.method == "GET" else say("I would rather not say.")


def test_a_judge_that_nobody_can_read_costs_three_calls_in_all(tmp_path: Path) -> None:
    with scripted_endpoint(judge_nobody_reads) as endpoint:
        done = doctor("--json", runs=tmp_path / "runs", **of(endpoint))
        posts = [call for call in endpoint.calls if call.method == "POST"]
    assert len(posts) == 3
    judge = found(done)["judge"]
    assert judge["state"] == "not checked"
    assert "schema: " in judge["found"] and "json: " in judge["found"] and "rather not say" in judge["found"]


def test_a_panel_shares_the_calls(tmp_path: Path) -> None:
    with scripted_endpoint(judge_nobody_reads) as endpoint:
        done = doctor("--json", runs=tmp_path / "runs", **of(endpoint, EVAL_JUDGE_MODEL="one,two,three"))
        posts = [call.body["model"] for call in endpoint.calls if call.method == "POST"]
    assert posts == ["house-model", "one", "two"]
    assert "three: 3 calls were made" in done.out


def test_without_calls_nothing_is_posted(tmp_path: Path) -> None:
    with scripted_endpoint(lambda _: LISTING) as endpoint:
        done = doctor("--no-calls", "--json", runs=tmp_path / "runs", **of(endpoint))
        assert [call.method for call in endpoint.calls] == ["GET"]
    assert (found(done)["model"]["state"], done.code, done.err) == ("not checked", 0, "")


@pytest.mark.parametrize(("owner", "named"), [("vllm", " (vLLM)"), ("llamacpp", " (llama.cpp)"), ("the house", "")])
def test_a_server_on_any_address_is_named_by_what_it_lists(tmp_path: Path, owner: str, named: str) -> None:
    listing = Answer(body={"data": [{"id": "house-model", "owned_by": owner}]})
    with scripted_endpoint(lambda _: listing) as endpoint:
        done = doctor("--no-calls", "--json", runs=tmp_path / "runs", **of(endpoint))
    assert found(done)["endpoint"]["found"] == f"{endpoint.url}{named} offers 1 model"


def test_a_model_that_is_not_named_or_not_offered_is_wrong_with_those_that_are(tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        return LISTING if call.method == "GET" else refuse(404, "no such model", code="model_not_found")

    with scripted_endpoint(script) as endpoint:
        unnamed = doctor("--json", runs=tmp_path / "runs", **of(endpoint, EVAL_MODEL=""))
        misspelt = doctor("--json", runs=tmp_path / "runs", **of(endpoint, EVAL_MODEL="house-modle"))
    assert (unnamed.code, misspelt.code) == (2, 2)
    assert found(unnamed)["model"]["remedy"] == "set EVAL_MODEL to one of its models: house-model, house-model-mini"
    assert "refused model 'house-modle'" in found(misspelt)["model"]["found"]
    assert "house-model" in found(misspelt)["model"]["remedy"]


FAULTS: dict[str, tuple[Callable[[Call], Answer], str, str]] = {
    "hangs": (lambda _: Answer(hang=True), "endpoint", "timed out after 2 s"),
    "drips": (lambda _: Answer(body="x" * 1000, drip_s=0.1), "endpoint", "timed out after 2 s"),
    "resets": (lambda _: Answer(reset=True), "endpoint", "connection reset"),
    "HTML": (lambda _: Answer(body="<html>", content_type="text/html"), "endpoint", "'text/html', not JSON"),
    "no HTTP": (lambda _: Answer(raw=b"SSH-2.0-OpenSSH\r\n"), "endpoint", "does not answer in HTTP"),
    "401": (lambda _: refuse(401), "endpoint", "refused the key (HTTP 401"),
    "402": (lambda _: refuse(402), "endpoint", "no credit left"),
    "403": (lambda _: refuse(403), "model", "refused the key for model 'house-model' (HTTP 403"),
    "404": (lambda _: refuse(404), "model", "refused the URL (HTTP 404"),
    "429": (lambda _: refuse(429, headers={"retry-after": "60"}), "endpoint", "HTTP 429"),
    "500": (lambda _: refuse(500), "endpoint", "HTTP 500"),
    "500 for calls": (lambda call: LISTING if call.method == "GET" else refuse(500), "model", "HTTP 500"),
    "429 for calls": (lambda call: LISTING if call.method == "GET" else refuse(429), "model", "HTTP 429"),
    "hangs in calls": (lambda call: LISTING if call.method == "GET" else Answer(hang=True), "model", "timed out"),
    "empty object": (lambda _: Answer(), "model", "gave no answer"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_endpoint_that_fails_is_one_line_within_a_short_time(fault: str, tmp_path: Path) -> None:
    script, where, said = FAULTS[fault]
    begun = time.monotonic()
    with scripted_endpoint(script) as endpoint:
        done = doctor("--json", runs=tmp_path / "runs", **of(endpoint))
    assert time.monotonic() - begun < 8
    wrong = [check for check in found(done).values() if check["state"] == "wrong"]
    assert done.code == 2
    assert [check["name"] for check in wrong] == [where]
    assert said in wrong[0]["found"]
    assert "\n" not in wrong[0]["found"]
    assert wrong[0]["remedy"] or ";" in wrong[0]["found"], "it says what to do"
    assert SECRET not in done.out + done.err


def test_nobody_there_and_no_tls_there_are_one_line_each(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        refused = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    done = doctor("--json", runs=tmp_path / "runs", OPENAI_BASE_URL=refused, EVAL_MODEL="m")
    assert "connection refused" in found(done)["endpoint"]["found"]
    assert found(done)["model"]["state"] == "not checked"
    with plain_server() as port:
        done = doctor("--json", runs=tmp_path / "runs", OPENAI_BASE_URL=f"https://127.0.0.1:{port}/v1", EVAL_MODEL="m")
    assert done.code == 2
    assert "TLS" in found(done)["endpoint"]["found"]


@contextmanager
def plain_server() -> Iterator[int]:
    """Answers every beginning of TLS with plain HTTP; gives its port."""

    class Plain(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(64)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Plain) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield listening.server_address[1]
        finally:
            listening.shutdown()
            thread.join()


def test_a_server_that_repeats_the_key_does_not_bring_it_out(tmp_path: Path) -> None:
    def script(call: Call) -> Answer:
        return LISTING if call.method == "GET" else say(f"Your key is {SECRET}.")

    with scripted_endpoint(script) as endpoint:
        for flags in ((), ("--json",)):
            done = doctor(*flags, runs=tmp_path / "runs", **of(endpoint))
            assert SECRET not in done.out + done.err
    with scripted_endpoint(lambda _: refuse(400, f"bad key {SECRET}")) as endpoint:
        done = doctor(runs=tmp_path / "runs", **of(endpoint))
    assert SECRET not in done.out + done.err


def test_settings_that_cannot_be_read_are_a_line_too(tmp_path: Path) -> None:
    done = doctor("--json", runs=tmp_path / "runs", EVAL_TEMPERATURE="hot")
    assert done.code == 2
    assert found(done)["settings"]["found"].startswith("EVAL_TEMPERATURE is 'hot'")
    half = doctor("--json", runs=tmp_path / "runs", LANGFUSE_PUBLIC_KEY="pk-lf-1")
    assert "LANGFUSE_SECRET_KEY" in found(half)["settings"]["found"]


def test_a_rubric_that_cannot_be_read_is_named_and_what_follows_is_not_checked(tmp_path: Path) -> None:
    rubric = tmp_path / "mine.yaml"
    rubric.write_text("name: mine\n", encoding="utf-8")
    done = doctor("--no-calls", "--json", runs=tmp_path / "runs", EVAL_RUBRIC=str(rubric))
    checks = found(done)
    assert (done.code, checks["rubric"]["state"], checks["scenarios"]["state"]) == (2, "wrong", "not checked")
    assert "mine.yaml" in checks["rubric"]["found"]


def test_a_runs_folder_that_may_not_be_written_is_wrong() -> None:
    runs = Path("/proc/runs")  # where root cannot write either
    assert found(doctor("--no-calls", "--json", runs=runs))["runs folder"]["state"] == "wrong"


def test_lines_fit_a_terminal_and_commands_stay_whole() -> None:
    command = write_command("push-prompts", "--label", "production", "--from", "a-folder-with-a-name-of-some-length")
    lines = [*describe([unchecked("Langfuse", "no keys are set: " * 8, "set both keys " * 9), ok("a", "b", command)])]
    assert max(len(line) for line in lines if command not in line) <= 80
    assert any(line.endswith(f"-> {command}") for line in lines)


def test_a_file_in_the_place_of_the_runs_folder_is_wrong(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.write_text("no folder", encoding="utf-8")
    done = doctor("--no-calls", "--json", runs=runs)
    assert (done.code, found(done)["runs folder"]["state"]) == (2, "wrong")
    assert "EVAL_RUNS_DIR" in found(done)["runs folder"]["remedy"]


def test_locks_that_do_not_hold_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.journal.access._take", lambda *_, **__: None)
    done = doctor("--no-calls", "--json", runs=tmp_path / "runs")
    assert (done.code, found(done)["runs folder"]["state"]) == (2, "wrong")
    assert "does not hold" in found(done)["runs folder"]["found"]


def test_a_disk_that_is_full_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 100_000_000})())
    done = doctor("--no-calls", "--json", runs=tmp_path / "runs")
    assert (done.code, found(done)["disk"]["state"]) == (2, "wrong")


def test_langfuse_is_read_and_nothing_is_made_there(tmp_path: Path, langfuse: LangfuseDouble) -> None:
    run("--yes", runs=tmp_path / "runs", module="scripts.push_prompts", **keys(langfuse))
    before = len(langfuse.log)
    done = doctor("--no-calls", "--json", runs=tmp_path / "runs", **keys(langfuse))
    checks = found(done)
    assert done.code == 0, done.out
    assert checks["Langfuse"]["found"].startswith("http://127.0.0.1:")
    assert "0 configs of" in checks["score configs"]["found"]
    assert "from Langfuse at" in checks["prompt"]["found"]
    assert {request.method for request in langfuse.log[before:]} == {"GET"}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("401", "refuses the keys (401)"),
        ("403", "refuses the keys (403)"),
        ("404", "does not answer like Langfuse"),
        ("429", "asks for patience"),
        ("500", "answered 500"),
        ("hang", "did not answer within 2 s"),
        ("reset", "broke off"),
    ],
)
def test_a_langfuse_that_fails_is_one_line(fault: Any, said: str, tmp_path: Path, langfuse: LangfuseDouble) -> None:
    langfuse.fail("*", fault, times=None)
    begun = time.monotonic()
    done = doctor("--no-calls", "--json", runs=tmp_path / "runs", **keys(langfuse))
    assert time.monotonic() - begun < 6
    checks = found(done)
    assert [name for name, check in checks.items() if check["state"] == "wrong"] == ["Langfuse"]
    assert said in checks["Langfuse"]["found"]
    assert (checks["score configs"]["state"], checks["prompt"]["state"]) == ("not checked", "not checked")
    assert langfuse.secret_key not in done.out + done.err


def test_an_old_langfuse_and_a_sample_rate_that_loses_results_are_wrong(tmp_path: Path) -> None:
    with LangfuseDouble(version="3.99.0") as old:
        done = doctor("--no-calls", "--json", runs=tmp_path / "runs", **keys(old))
        assert "need 4.0 or newer" in found(done)["Langfuse"]["found"]
        sampled = doctor("--no-calls", "--json", runs=tmp_path / "runs", LANGFUSE_SAMPLE_RATE="0.5", **keys(old))
        assert "LANGFUSE_SAMPLE_RATE" in found(sampled)["Langfuse"]["found"]


def application_in(folder: Path, monkeypatch: pytest.MonkeyPatch, suite: str = "plays: application\n") -> None:
    write_support_bot(folder)
    (folder / "suites/support/suite.yaml").write_text(suite)
    monkeypatch.setattr("tests.scripts.commands.ROOT", folder)


def test_an_application_is_connected_to_and_sent_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    application_in(tmp_path, monkeypatch)
    (tmp_path / "mapping.yaml").write_text("path: /ask\nheaders: {X-Key: '${SHOP_KEY}'}\n")
    settings = {"CHAT_FLOW_MAPPING": "mapping.yaml", "SHOP_KEY": "very-secret-0815"}
    with serving(lambda *_: Sent({"reply": "Hi"})) as application:
        done = doctor("--json", runs=tmp_path / "runs", CHAT_FLOW_URL=application.url, **settings)
        assert application.calls == []
    assert done.code == 0, done.out
    checks = found(done)
    assert (checks["mapping"]["state"], checks["application"]["state"]) == ("ok", "ok")
    assert checks["mapping"]["found"].endswith("mapping.yaml; ${SHOP_KEY} set")
    assert checks["application"]["found"] == f"{application.url} listens; nothing was sent"
    assert checks["prompt"]["state"] == "not checked"
    assert "very-secret" not in done.out
    gone = doctor("--json", runs=tmp_path / "runs", CHAT_FLOW_URL=application.url, **settings)
    assert gone.code == 2
    assert found(gone)["application"]["found"].startswith(f"nobody listens at {application.url} (")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("path: ask\n", "mapping.yaml:1: path: 'ask': a path begins with /"),
        ("headers: {X-Key: '${NO_SUCH_KEY}'}\n", "${NO_SUCH_KEY}, which the environment does not have"),
        ("turn: {path: ask}\n", "mapping.yaml:1: turn.path: 'ask': a path begins with /"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_one_check(tmp_path: Path, mapping: str, said: str) -> None:
    file = tmp_path / "mapping.yaml"
    file.write_text(mapping)
    settings = {"CHAT_FLOW_MAPPING": str(file), "CHAT_FLOW_URL": "http://127.0.0.1:9"}
    done = doctor("--json", runs=tmp_path / "runs", **settings)
    assert done.code == 2
    checks = found(done)
    assert checks["mapping"]["state"] == "wrong"
    assert said in checks["mapping"]["found"]
    assert "application" not in checks


@pytest.mark.parametrize(
    ("code", "state", "said"),
    [
        ("def answer(messages):\n    raise SystemExit\n", "ok", "my_app.py:answer is loaded; it was not called"),
        ("import nothing_of_that_name\n", "wrong", "ModuleNotFoundError"),
    ],
)
def test_a_function_is_loaded_and_not_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, state: str, said: str
) -> None:
    application_in(tmp_path, monkeypatch)
    (tmp_path / "my_app.py").write_text(code)
    (tmp_path / "prompt-eval.toml").write_text('suite = "support"\n[application]\ncall = "my_app.py:answer"\n')
    checks = found(doctor("--json", runs=tmp_path / "runs"))
    assert checks["application"]["state"] == state
    assert said in checks["application"]["found"]


def test_a_suite_that_is_played_on_no_application_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    application_in(tmp_path, monkeypatch)
    checks = found(doctor("--json", runs=tmp_path / "runs"))
    assert checks["application"]["state"] == "wrong"
    assert "give its address with --url" in checks["application"]["found"]
