"""Marked keys go into real commands, and none of them comes out anywhere but at the server that it is for."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.langfuse_double.double import LangfuseDouble
from tests.scripts.commands import ROOT, Finished, environment, run
from tests.scripts.test_with_langfuse import keys, publish
from tests.services.scripted_endpoint import Answer, Call, refuse, say, scripted_endpoint

OPENAI = "sk-marked-openai-5d41402abc4b2a76"
HEADER = "marked-header-9719d911017c592"
WEBHOOK = "marked-webhook-7d793037a0760186"
PASSWORD = "marked-password-b9719d911017c"
MARKED = (OPENAI, HEADER, WEBHOOK, PASSWORD)


def echoing(call: Call) -> Answer:
    """A model and a proxy that repeat whatever they were sent, the key above all."""
    sent = " ".join(f"{name}: {value}" for name, value in call.headers.items())
    if call.method == "GET":
        return Answer(body={"object": "list", "data": [{"id": f"model {sent}"}]})
    if call.number % 7 == 3:
        return refuse(500, f"upstream failed for {sent}")
    if call.number % 7 == 5:
        return refuse(400, f"cannot do that: {sent}", code="context_length_exceeded")
    answer = say(f"You sent me {sent}. What else?", finish_reason=f"stop {sent}")
    return replace(answer, body={**answer.body, "model": f"scripted {sent}"})


def written(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder, and names and targets of links."""
    for path in folder.rglob("*"):
        yield path, path.name.encode()
        if path.is_symlink():
            yield path, str(path.readlink()).encode()
        elif path.is_file():
            yield path, path.read_bytes()


def assert_nothing_leaked(folder: Path, *outputs: Finished, marked: tuple[str, ...] = MARKED) -> None:
    for secret in marked:
        for path, content in written(folder):
            assert secret.encode() not in content, f"{secret} is in {path}"
        for done in outputs:
            assert secret not in done.out + done.err
    for done in outputs:
        assert "Traceback" not in done.err


def test_no_key_is_in_anything_that_a_run_writes_or_says(tmp_path: Path) -> None:
    with scripted_endpoint(echoing) as server, LangfuseDouble() as langfuse:
        publish(langfuse, tmp_path / "publishing")
        url = server.url.replace("http://", f"http://user:{PASSWORD}@")
        settings = {
            "OPENAI_API_KEY": OPENAI,
            "OPENAI_BASE_URL": url,
            "EVAL_MODEL": "scripted-1",
            "EVAL_WEBHOOK_URL": f"http://127.0.0.1:9/{WEBHOOK}",
            **keys(langfuse),
            "EVAL_DELIVERY_SECONDS": "5",
        }
        runs = tmp_path / "runs"
        done = run("--prompt", "v3", "--limit", "6", "--no-canaries", runs=runs, **settings)
        keyed = {**settings, "OPENAI_BASE_URL": server.url}
        bearer = run("--prompt", "v3", "--limit", "6", "--no-canaries", runs=runs, **keyed)
        assert any(OPENAI in call.headers.get("authorization", "") for call in server.calls), "the key was in use"
        marked = (*MARKED, langfuse.secret_key)
        stored = repr([langfuse.spans(), langfuse.scores(), langfuse.store.items, langfuse.store.datasets])
    assert {done.code, bearer.code} <= {0, 2, 3}, done.err + bearer.err
    assert_nothing_leaked(runs, done, bearer, marked=marked)
    for secret in marked:
        assert secret not in stored


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429])
def test_no_key_is_in_a_refusal(tmp_path: Path, status: int) -> None:
    def refusing(call: Call) -> Answer:
        return refuse(status, f"no: {call.headers.get('authorization')}", code="insufficient_quota" * (status == 429))

    with scripted_endpoint(refusing) as server:
        settings = {"OPENAI_API_KEY": OPENAI, "OPENAI_BASE_URL": server.url, "EVAL_MODEL": "m"}
        done = run("--prompt", "v3", "--limit", "4", runs=tmp_path, **settings)
    assert done.code in (2, 3)
    assert_nothing_leaked(tmp_path, done)


def test_no_header_or_webhook_of_the_chat_flow_is_written(tmp_path: Path) -> None:
    def echoing_application(call: Call) -> Answer:
        return Answer(500, {"error": f"{call.headers}"})

    with scripted_endpoint(echoing_application) as server:
        settings = {
            "CHAT_FLOW_URL": f"http://user:{PASSWORD}@127.0.0.1:{server.port}",
            "CHAT_FLOW_HEADERS": json.dumps({"x-api-key": HEADER, "authorization": f"Bearer {HEADER}"}),
            "EVAL_WEBHOOK_URL": f"http://127.0.0.1:9/hooks/{WEBHOOK}",
        }
        module = "scripts.evaluate_chat_flow"
        done = run("--limit", "4", "--no-judge", runs=tmp_path, module=module, **settings)
        assert any(HEADER in str(call.headers) for call in server.calls)
    assert done.code in (0, 3), done.err
    assert_nothing_leaked(tmp_path, done)


def test_no_webhook_is_named_when_it_cannot_be_reached(tmp_path: Path) -> None:
    settings = {"EVAL_WEBHOOK_URL": f"http://127.0.0.1:9/{WEBHOOK}", "EVAL_BASELINES_DIR": str(tmp_path / "b")}
    arguments = ("--limit", "2", "--no-canaries", "--notify-always")
    done = run(*arguments, runs=tmp_path / "runs", module="scripts.nightly", **settings)
    assert "webhook" in done.err.lower()
    assert_nothing_leaked(tmp_path, done)


def children(of: int) -> list[int]:
    """Processes below this one, from /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent == of:
            found += [int(entry.parent.name), *children(int(entry.parent.name))]
    return found


def seen_of(process: int) -> dict[str, bytes]:
    """A process as other users and as the same user can see it."""
    try:
        return {name: Path(f"/proc/{process}/{name}").read_bytes() for name in ("cmdline", "environ")}
    except OSError:
        return {}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
def test_no_key_is_in_a_process_list_or_handed_to_a_child(tmp_path: Path) -> None:
    settings = {
        "OPENAI_API_KEY": OPENAI,
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "CHAT_FLOW_HEADERS": json.dumps({"x-api-key": HEADER}),
        "EVAL_WEBHOOK_URL": f"http://127.0.0.1:9/{WEBHOOK}",
    }
    # A process that is started anew: of a fork, /proc shows what its parent was started with.
    command = [sys.executable, "-m", "scripts.evaluate_chat_flow", "--no-judge", "--repeats", "20"]
    given = environment(tmp_path, settings)
    with subprocess.Popen(
        command, cwd=ROOT, env=given, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            below = _embedded_server(process)
            for each in below:
                seen = seen_of(each)
                for secret in (OPENAI, HEADER, WEBHOOK):
                    assert secret.encode() not in b"".join(seen.values()), f"process {each} was handed {secret}"
            assert OPENAI.encode() not in seen_of(process.pid)["cmdline"]
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def _embedded_server(process: "subprocess.Popen[bytes]") -> list[int]:
    while process.poll() is None:
        below = children(process.pid)
        if any(b"examples.recipe_assistant" in seen_of(each).get("cmdline", b"") for each in below):
            return below
        time.sleep(0.01)
    raise AssertionError("it ended before its embedded server was seen")
