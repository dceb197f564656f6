"""Prompts from Langfuse over the real wire format: what is asked, what is pinned, and what is said when it fails."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest
from opentelemetry import trace

from evaluation.errors import UsageError
from evaluation.prompts import prompt_digest
from evaluation.records import Turn
from services.langfuse.prompts import LangfusePrompts
from services.langfuse_access import LangfuseAccess
from services.prompt_versions import FoundPrompt
from services.retrying import Backoff, Retries
from tests.services.langfuse_prompt_server import (
    PUBLIC,
    SECRET,
    PromptServer,
    StoredPrompt,
    cut_off,
    prompt_server,
    status,
)

NAME = "penpal-companion"
V1 = StoredPrompt(NAME, 1, "You are Penpal.", ["staging"])
V2 = StoredPrompt(NAME, 2, "You are Penpal, {{audience}}.", ["production"], {"temperature": 0.7})
V3 = StoredPrompt(NAME, 3, "You are a warm Penpal.", ["latest", "v1"])


def find(
    server: PromptServer, selector: str, name: str = NAME, secret: str = SECRET, seconds: float = 10
) -> FoundPrompt:
    async def without_wait(_: float) -> None: ...

    retries = Retries(Backoff(attempts=3, deadline_s=60), sleep=without_wait)
    access = LangfuseAccess(server.url, PUBLIC, secret)
    return asyncio.run(LangfusePrompts(access, retries=retries, attempt_seconds=seconds).find(name, selector))


def refused(server: PromptServer, selector: str, **options: str) -> str:
    with pytest.raises(UsageError) as caught:
        find(server, selector, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    return message


@pytest.mark.parametrize(
    ("selector", "version", "label", "resolution"),
    [
        ("v3", 3, None, 'v3 = version 3 (there is no label "v3")'),
        ("2", 2, None, '2 = version 2 (there is no label "2")'),
        ("v1", 1, None, "v1 = version 1 (the label exists too and is not used)"),
        ("production", 2, "production", 'production = the version with the label "production", which is version 2'),
        ("latest", 3, "latest", 'latest = the version with the label "latest", which is version 3'),
    ],
)
def test_a_selector_is_pinned_to_its_version(selector: str, version: int, label: str | None, resolution: str) -> None:
    with prompt_server(V1, V2, V3) as server:
        found = find(server, selector)
        assert found.resolution == f"{NAME} {resolution}, from Langfuse at {server.url}"
    pin = found.prompt.pin
    assert (pin.name, pin.version, pin.label, pin.source) == (NAME, version, label, "langfuse")


def test_a_label_that_looks_like_a_missing_number_is_taken_and_said() -> None:
    with prompt_server(V1, StoredPrompt(NAME, 2, "Two.", ["v7"])) as server:
        found = find(server, "v7")
    assert found.prompt.pin.version == 2
    assert '"v7" (there is no version 7), which is version 2' in found.resolution


def test_text_config_variables_and_hash_are_those_of_the_answer() -> None:
    with prompt_server(V2) as server:
        prompt = find(server, "v2").prompt
    assert prompt.kind == "text"
    assert prompt.messages == (Turn("system", "You are Penpal, {{audience}}."),)
    assert dict(prompt.config) == {"temperature": 0.7}
    assert prompt.variables == ("audience",)
    assert prompt.pin.sha256 == prompt_digest("text", prompt.messages, prompt.config)


def test_the_hash_moves_when_an_included_prompt_moves_under_the_same_version() -> None:
    with prompt_server(StoredPrompt(NAME, 1, "Base. Style A.")) as server:
        before = find(server, "1").prompt.pin
        server.prompts = [StoredPrompt(NAME, 1, "Base. Style B.")]
        after = find(server, "1").prompt.pin
    assert before.version == after.version
    assert before.sha256 != after.sha256


def test_a_chat_prompt_keeps_its_messages_and_placeholders() -> None:
    messages = [
        {"type": "chatmessage", "role": "system", "content": "You are {{name}}."},
        {"type": "placeholder", "name": "history"},
        {"role": "user", "content": "Hi"},
    ]
    with prompt_server(StoredPrompt(NAME, 1, messages)) as server:
        prompt = find(server, "1").prompt
    assert prompt.kind == "chat"
    assert prompt.messages == (
        Turn("system", "You are {{name}}."),
        Turn("placeholder", "history"),
        Turn("user", "Hi"),
    )


def test_what_is_sent() -> None:
    with prompt_server(StoredPrompt("folder/my prompt", 4, "Text.")) as server:
        find(server, "v4", name="folder/my prompt")
        assert server.requests == [
            "/api/public/v2/prompts?name=folder%2Fmy+prompt&limit=100",
            "/api/public/v2/prompts/folder%2Fmy%20prompt?version=4",
        ]
        assert {headers["X-Langfuse-Public-Key"] for headers in server.agents} == {PUBLIC}


def test_nothing_is_cached_between_two_reads() -> None:
    with prompt_server(V1) as server:
        find(server, "1")
        server.prompts = [StoredPrompt(NAME, 1, "Changed.")]
        assert find(server, "1").prompt.messages[0].content == "Changed."


def test_no_global_tracer_provider_and_no_thread_are_left() -> None:
    provider, threads = trace.get_tracer_provider(), threading.active_count()
    with prompt_server(V1) as server:
        find(server, "1")
    assert trace.get_tracer_provider() is provider
    deadline = time.monotonic() + 10
    while threading.active_count() > threads and time.monotonic() < deadline:
        time.sleep(0.01)  # the test's own server ends its threads a moment after its last answer
    assert threading.active_count() == threads


def test_an_unknown_version_or_label_lists_what_exists() -> None:
    with prompt_server(V1, V2, V3) as server:
        expected = (
            f"prompt {NAME!r} has no version or label 'nope'; it has the versions v1, v2, v3 "
            "and the labels latest, production, staging, v1: choose one"
        )
        assert refused(server, "nope") == expected
        assert "no version or label 'v9'" in refused(server, "v9")


def test_an_unknown_prompt_lists_the_prompts() -> None:
    with prompt_server(V1, StoredPrompt("other", 1, "Text.")) as server:
        message = refused(server, "v1", name="penpal")
        assert (
            message == f"there is no prompt 'penpal' in Langfuse at {server.url}; there are other, {NAME}: choose one"
        )


def test_an_empty_project_learns_how_it_gets_prompts() -> None:
    with prompt_server() as server:
        message = refused(server, "production")
    assert "there are none yet: publish the prompt folder there with make push-prompts" in message
    assert "--no-langfuse" in message


def test_wrong_keys_are_reported_at_once() -> None:
    with prompt_server(V1) as server:
        message = refused(server, "v1", secret="sk-lf-wrong-secret")
        assert message.startswith(f"Langfuse at {server.url} refuses the keys (401): check LANGFUSE_PUBLIC_KEY")
        assert "wrong-secret" not in message
        assert len(server.requests) == 1


Fault = Callable[[BaseHTTPRequestHandler], None]


@pytest.mark.parametrize("fault", [status(500), status(503), status(429, Retry_After="1"), status(408), cut_off])
def test_a_passing_fault_is_tried_again(fault: Fault) -> None:
    with prompt_server(V1) as server:
        server.faults = [fault, fault]
        assert find(server, "v1").prompt.pin.version == 1
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("fault", "tries", "message"),
    [
        (status(500), 3, "answered 500: check LANGFUSE_BASE_URL"),
        (cut_off, 3, "cannot be reached (Server disconnected without sending a response.)"),
        (status(403), 1, "refuses the keys (403)"),
        (status(404), 1, "does not know what it was asked for (404)"),
        (status(400), 1, "does not answer like Langfuse (status 400)"),
        (status(200, "<html>welcome</html>"), 1, "does not answer like Langfuse (status 200)"),
        (status(200, '"\udcff"'), 1, "does not answer like Langfuse (status 200)"),
        (status(200, "[]"), 1, "gave an answer of another form"),
        (status(200, '{"data": [{"name": 1}], "meta": {}}'), 1, "gave an answer of another form"),
    ],
)
def test_a_lasting_fault_is_reported_after_bounded_tries(fault: Fault, tries: int, message: str) -> None:
    with prompt_server(V1) as server:
        server.faults = [fault] * 10
        assert message in refused(server, "v1")
        assert len(server.requests) == tries


def test_a_server_that_hangs_is_given_up() -> None:
    with prompt_server(V1) as server:
        server.faults = [lambda _: bool(server.released.wait())] * 3  # type: ignore[list-item]
        with pytest.raises(UsageError, match=r"did not answer within 0\.05 s: check LANGFUSE_BASE_URL"):
            find(server, "v1", seconds=0.05)


def test_a_host_where_nothing_listens_is_reported() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server = PromptServer([], url=f"http://127.0.0.1:{unused.getsockname()[1]}")
        message = refused(server, "v1")
    assert message.startswith(f"Langfuse at {server.url} cannot be reached (")
    assert "--no-langfuse" in message


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (StoredPrompt(NAME, 1, "  "), "the prompt is empty"),
        (StoredPrompt(NAME, 1, "Text.", config=[1]), "config is '[1]': make it a mapping"),
        (StoredPrompt(NAME, 1, [{"role": "tool", "content": "x"}]), "a message has the role 'tool'"),
        (StoredPrompt(NAME, 1, [{"role": "placeholder", "content": "x"}]), "a message has the role 'placeholder'"),
        (StoredPrompt(NAME, 1, [{"role": "user", "content": None}]), "messages must hold text"),
    ],
)
def test_a_prompt_that_cannot_be_played_is_refused(prompt: StoredPrompt, message: str) -> None:
    with prompt_server(prompt) as server:
        assert message in refused(server, "v1")
