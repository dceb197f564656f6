"""Whatever goes wrong in an application is a result with its name; what was answered is never asked again."""

import json
import shlex
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest

from tests.applications.servers import PATH_MAPPING, Answers, Sent, Server, ids_in_paths, serving
from tests.scripts.commands import Finished, lines, only_run, run
from tests.scripts.support_bot import write_support_bot

TWO = """
category: small_talk
scenarios:
  - {id: talk-one, turns: [Good morning, And now?, Bye]}
  - {id: talk-two, turns: [Hello there]}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(TWO)
    (tmp_path / "mapping.yaml").write_text(PATH_MAPPING)
    return tmp_path


def evaluate(files: Path, server: Server, *more: str, mapping: bool = True) -> Finished:
    mapped = ("--mapping", str(files / "mapping.yaml")) if mapping else ()
    flags = ("--scenarios", str(files / "set.yaml"), "--url", server.url, *mapped, "--quiet", *more)
    return run(*flags, runs=files / "runs")


def raw_calls(files: Path) -> list[dict[str, Any]]:
    text = (only_run(files / "runs") / "calls.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def failing_once(inner: Answers, words: str, sent: Sent) -> Answers:
    """The application, which answers the first message with these words otherwise."""
    left = [sent]

    def answers(method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if left and words in str(body):
            return left.pop()
        return inner(method, path, headers, body)

    return answers


def test_a_resume_goes_on_in_the_session_and_repeats_no_answered_call(files: Path) -> None:
    with serving(failing_once(ids_in_paths(), "And now?", Sent({"oops": 1}, 500))) as server:
        first = evaluate(files, server)
        assert first.code == 3
        assert "http_status" in first.out
        before = len(server.calls)
        again = run("--resume", "last", "--quiet", runs=files / "runs")
    assert again.code == 0, again.err
    asked = [(method, path, body["text"]) for method, path, _, body in server.calls[before:] if method == "POST"]
    (opened,) = {path for _, path, _, body in server.calls[:before] if body and body.get("text") == "Good morning"}
    assert asked == [("POST", opened, "And now?"), ("POST", opened, "Bye")]
    said = {(line["scenario_id"], line["turn"]): line["response"] for line in lines(only_run(files / "runs"))}
    assert said["talk-one", 3].endswith("(message 3 of yours)")


def stream(*pieces: str) -> Sent:
    return Sent(kind="text/event-stream", pieces=pieces)


@pytest.mark.parametrize(
    ("sent", "kind", "said"),
    [
        (Sent({"a": 1}, 503), "http_status", "HTTP 503"),
        (Sent(None, 204), "empty_reply", "no body"),
        (Sent({"data": [{"say": "  "}]}), "empty_reply", "is empty"),
        (Sent({"data": []}), "malformed", "no text at data[0].say of the answer: name it under reply"),
        (Sent("<html>", kind="text/html"), "malformed", "no text at data[0].say"),
        (Sent(dies=True), "connection", "disconnected"),
        (Sent({"fault": "quota of the shop is used up"}), "application_error", "quota of the shop"),
        (Sent('{"data": [{"say": "cut o'), "malformed", 'the body is no JSON: {"data": [{"say": "cut o'),
        (Sent(None, 307, {"location": "http://elsewhere/x"}), "http_status", "HTTP 307 to http://elsewhere/x, which"),
        (stream('data: {"choices": [{"delta": {"content": "A"}}]}\n\n'), "malformed", "stops before its end"),
        (stream('data: {"token": "A"}\n\ndata: {"tok'), "malformed", "an event of the stream is no JSON"),
        (
            stream('data: {"token": "A"}\n\ndata: {"fault": "shut"}\n\n', "data: [DONE]\n\n"),
            "application_error",
            "shut",
        ),
        (stream('data: {"token": "A"}\n\nevent: error\ndata: shut\n\n'), "application_error", "shut"),
    ],
)
def test_each_failure_has_its_name(files: Path, sent: Sent, kind: str, said: str) -> None:
    mapping = files / "mapping.yaml"
    mapping.write_text(f"{PATH_MAPPING}error: fault\n")
    with serving(failing_once(ids_in_paths(), "Hello there", sent)) as server:
        done = evaluate(files, server)
        asked = [body for _, _, _, body in server.calls if body and body.get("text") == "Hello there"]
    assert done.code == 3
    assert len(asked) == 1, "a call that may have reached the application is not repeated"
    (failed,) = (line for line in lines(only_run(files / "runs")) if line["state"] == "failed")
    assert (failed["scenario_id"], failed["error"]["kind"]) == ("talk-two", kind)
    assert said in failed["error"]["message"]
    (raw,) = (line for line in raw_calls(files) if line.get("failure"))
    assert raw["failure"] == kind
    assert '"text": "Hello there"' in raw["request"]["body"]


def test_an_input_that_brings_it_down_is_named_and_the_run_goes_on(files: Path) -> None:
    inner, numbers = ids_in_paths(), count()
    holder: list[Server] = []

    def answers(method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if body and body.get("text") == "Hello there" and next(numbers) == 0:
            holder[0].stop()
            threading.Timer(0.6, holder[0].start).start()
            return Sent(dies=True)
        return inner(method, path, headers, body)

    with serving(answers) as server:
        holder.append(server)
        done = evaluate(files, server, "--concurrency", "1")
    assert done.code == 3, done.err
    (failed,) = (line for line in lines(only_run(files / "runs")) if line["state"] == "failed")
    assert failed["scenario_id"] == "talk-two"
    assert "the application was gone for" in failed["error"]["message"]
    assert sum(line["state"] == "scored" for line in lines(only_run(files / "runs"))) == 3


THREE = """
category: small_talk
scenarios:
  - {id: talk-one, turns: [Good morning]}
  - {id: talk-two, turns: [Hello there]}
  - {id: talk-three, turns: [Bye]}
"""


def test_an_input_that_brings_it_down_for_good_keeps_no_other_from_being_played(files: Path) -> None:
    (files / "set.yaml").write_text(THREE)
    inner = ids_in_paths()
    holder: list[Server] = []

    def answers(method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        if body and body.get("text") == "Good morning":
            holder[0].stop()
            return Sent(dies=True)
        return inner(method, path, headers, body)

    with patch("services.application.calls.GONE_SECONDS", 0.3), serving(answers) as server:
        holder.append(server)
        first = evaluate(files, server, "--concurrency", "1")
        assert first.code == 2
        assert "cannot be reached" in first.err
        assert "--resume" in first.err
        server.start()
        again = run("--resume", "last", "--quiet", "--concurrency", "1", runs=files / "runs")
    assert again.code == 3, again.err
    said = {line["scenario_id"]: line for line in lines(only_run(files / "runs"))}
    assert {name: line["state"] for name, line in said.items()} == {
        "talk-one": "failed",
        "talk-two": "scored",
        "talk-three": "scored",
    }
    assert "the application did not come back within 0.3 s" in said["talk-one"]["error"]["message"]


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "check the headers of the mapping"), (404, "check path and method in the mapping")]
)
def test_a_run_that_is_not_let_in_ends_with_one_line(files: Path, status: int, remedy: str) -> None:
    (files / "set.yaml").write_text(THREE)
    with serving(lambda *_: Sent({"oops": "no"}, status)) as server:
        done = evaluate(files, server, "--repeats", "5", "--concurrency", "1")
        asked = [call for call in server.calls if call[0] == "POST"]
    assert done.code == 2
    (line,) = (line for line in done.err.splitlines() if line.startswith("error:"))
    assert f'each of the first 5 calls so: HTTP {status}: {{"oops": "no"}}; {remedy}' in line
    assert len(asked) < 8, "of 15: those that wait in line as the fifth comes back are sent"


def test_a_call_that_is_turned_away_once_others_were_not_is_a_failure_like_any_other(files: Path) -> None:
    (files / "set.yaml").write_text(THREE)
    inner = ids_in_paths()
    turned_away = lambda *call: Sent({}, 403) if "Bye" in str(call) else inner(*call)  # noqa: E731
    with serving(turned_away) as server:
        done = evaluate(files, server, "--repeats", "8")
    assert done.code == 3
    assert sum(line["state"] == "failed" for line in lines(only_run(files / "runs"))) == 8


@pytest.mark.parametrize("pause", ["0", format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)])
def test_a_throttled_call_waits_as_it_is_told(files: Path, pause: str) -> None:
    throttled = Sent({}, 429, {"retry-after": pause})
    with serving(failing_once(ids_in_paths(), "Hello there", throttled)) as server:
        assert evaluate(files, server, "--retry-429").code == 0


def test_plain_answers_need_no_mapping(files: Path) -> None:
    for kind, body in (
        ("application/json", {"choices": [{"message": {"role": "assistant", "content": "Hi!"}}], "usage": {}}),
        ("application/json", {"reply": "Hi!"}),
        ("text/plain", "Hi!"),
        ("application/x-ndjson", '{"response": "H"}\n{"response": "i!"}\n'),
        ("text/plain", 'data: {"token": "H"}\n\ndata: {"token": "i!"}\n\n'),
        ("application/json", '\ufeff{"reply": "Hi!", "error": null}'),
    ):
        with serving(lambda *_, kind=kind, body=body: Sent(body, kind=kind)) as server:
            done = evaluate(files, server, mapping=False)
        assert done.code == 0, (kind, done.out)
    assert {line["response"] for line in lines(files / "runs/latest")} == {"Hi!"}
    assert server.calls[-1][1] == "/chat/completions"


@pytest.mark.parametrize(
    ("kind", "content", "reply"),
    [
        ("text/plain; charset=iso-8859-1", "Grüße".encode("latin-1"), "Grüße"),
        ("text/plain; charset=iso-8859-1", "Grüße".encode(), "Grüße"),
        ("application/json; charset=iso-8859-1", '{"reply": "Grüße"}'.encode("latin-1"), "Grüße"),
        ("text/plain; charset=klingon", "Grüße".encode(), "Grüße"),
        ("text/plain", b"42", "42"),
        ("application/json", b'{"message": "An error occurred", "error": {"message": "quota"}}', None),
    ],
)
def test_a_reply_is_read_in_the_characters_it_was_written_in(
    files: Path, kind: str, content: bytes, reply: str | None
) -> None:
    with serving(lambda *_: Sent(content, kind=kind)) as server:
        assert evaluate(files, server, mapping=False).code == (0 if reply else 3)
    assert {line["response"] for line in lines(files / "runs/latest")} == {reply}


def test_the_raw_calls_are_kept_with_a_command_that_sends_them_again(files: Path) -> None:
    (files / "mapping.yaml").write_text(f'{PATH_MAPPING}headers: {{X-Key: "${{SHOP_KEY}}"}}\n')
    with serving(ids_in_paths()) as server:
        flags = ("--scenarios", str(files / "set.yaml"), "--url", server.url, "--quiet")
        done = run(*flags, "--mapping", str(files / "mapping.yaml"), runs=files / "runs", SHOP_KEY="very-secret-0815")
        sent = [(path, headers) for method, path, headers, body in server.calls if body and "text" in body]
    assert done.code == 0, done.err
    assert {headers["x-key"] for _, headers in sent} == {"very-secret-0815"}
    raw = raw_calls(files)
    assert [(line["scenario_id"], line["turn"]) for line in raw] == [
        *(("talk-one", turn) for turn in (1, 2, 3)),
        ("talk-two", 1),
    ]
    words = shlex.split(raw[0]["curl"])
    assert words[:3] == ["curl", "-X", "POST"]
    assert "x-key: ${SHOP_KEY}" in words
    assert words[-1].startswith(f"{server.url}/conversations/c-")
    assert words[words.index("--data-raw") + 1] == '{"text": "Good morning"}'
    assert raw[0]["response"]["trace_id"].startswith("t-c-")
    assert b"very-secret" not in (only_run(files / "runs") / "calls.jsonl").read_bytes()


def test_no_form_of_a_key_is_kept_and_no_text_breaks_a_header(files: Path) -> None:
    key = 'se"cret/0815+x'
    (files / "set.yaml").write_text(TWO.replace("Good morning", '"Grüße\\n\\U0001F600"'))
    (files / "mapping.yaml").write_text(
        "path: /ask\nheaders: {X-Key: 'Bearer ${SHOP_KEY}', X-Said: '{last}'}\nbody: {q: '{last}'}\n"
    )

    def answers(_method: str, _path: str, headers: Mapping[str, str], _body: Any) -> Sent:
        echoed = headers.get("x-key", "")
        said = {"reply": f"You sent {echoed}.", "echo": echoed, "address": quote(echoed, safe="")}
        return Sent(said, headers={"set-cookie": "hello=grüß dich".encode().decode("latin-1")})

    with serving(answers) as server:
        flags = ("--scenarios", str(files / "set.yaml"), "--url", server.url, "--quiet")
        done = run(*flags, "--mapping", str(files / "mapping.yaml"), runs=files / "runs", SHOP_KEY=key)
        sent = [headers for method, _, headers, _ in server.calls if method == "POST"]
    assert done.code == 0, done.err
    assert any(headers["x-said"].startswith("Gr%C3%BC%C3%9Fe%0A") for headers in sent)
    assert any(headers.get("cookie", "").encode("latin-1") == "hello=grüß dich".encode() for headers in sent)
    kept = b"".join(path.read_bytes() for path in (files / "runs").rglob("*") if path.is_file())
    assert b"cret/0815" not in kept
    assert b"cret%2F0815" not in kept


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--prompt", "v1"), "--prompt: an application answers"),
        (("--temperature", "0.2"), "--temperature: an application answers"),
        (("--model", "m"), "--model: an application answers"),
    ],
)
def test_what_means_something_to_a_model_alone_is_refused(files: Path, flags: tuple[str, ...], said: str) -> None:
    with serving(ids_in_paths()) as server:
        done = evaluate(files, server, *flags)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


@pytest.mark.parametrize("flags", [("--mapping", "mapping.yaml"), ("--app-version", "2"), ("--retry-429",)])
def test_what_means_something_to_an_application_alone_is_refused_without_one(
    files: Path, flags: tuple[str, ...]
) -> None:
    done = run("--scenarios", str(files / "set.yaml"), *flags, "--quiet", runs=files / "runs")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{flags[0]}: a model answers under a prompt: name the address of the application with --url" in done.err


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (
            "path: /x\nbody: {q: '{lst}'}\n",
            "mapping.yaml:2: body: {lst} is no name that can be filled; did you mean 'last'?",
        ),
        ("replay: a.b\n", "mapping.yaml:1: replay"),
        ("reply: 'a..b'\n", "mapping.yaml:1: reply"),
        ("path: chat\n", "mapping.yaml:1: path: 'chat': a path begins with /"),
        ("path: /chat#top\n", "mapping.yaml:1: path: '/chat#top': a path begins with /"),
        ("headers: {X Key: a}\n", "mapping.yaml:1: headers.X Key: 'X Key': a name of a header holds letters"),
        ("headers: {Content-Length: '5'}\n", "'Content-Length': this header follows from the request"),
        ("session: sid\n", "mapping.yaml:1: session: 'sid': is no mapping: write keys with their values"),
        ("poll: {path: /x, until: done}\n", "mapping.yaml:1: poll.until: 'done': is no list: write [one, two]"),
        ("reply: $.data.text\n", "mapping.yaml:1: reply: '$.data.text': begins with '$': write the keys"),
        ("message: {role: a, content: a}\n", "mapping.yaml:1: message: role and content stand at one key, 'a'"),
        ("headers: {X-Key: '${NO_SUCH_KEY}'}\n", "${NO_SUCH_KEY}, which the environment does not have"),
        ("headers: {X-Key: '${STRANGE_KEY}'}\n", "${STRANGE_KEY} has a character that no header can hold"),
        ("headers: {X-Key: 'Bearer $SHOP_KEY'}\n", "mapping.yaml:1: headers: X-Key: $SHOP_KEY names no variable"),
        ("headers: {X-Key: '${SHOP-KEY}'}\n", "mapping.yaml:1: headers: X-Key: ${SHOP-KEY} names no variable"),
        ("headers: {X-Key: 'Grüße'}\n", "mapping.yaml:1: headers: X-Key: a header holds ASCII characters"),
        ("body: {key: '${SHOP_KEY}'}\n", "mapping.yaml:1: body: ${SHOP_KEY} is filled in headers alone"),
        ("method: GET\nbody: {q: '{last}'}\n", "mapping.yaml:2: body: a GET is sent without a body"),
        ("path: '/c/{session}'\n", "mapping.yaml:1: path: {session} comes from an answer: say under session"),
        ("- a\n", "mapping.yaml: holds a list"),
    ],
)
def test_a_mapping_that_cannot_be_used_is_one_line(files: Path, mapping: str, said: str) -> None:
    (files / "mapping.yaml").write_text(mapping)
    with serving(ids_in_paths()) as server:
        flags = ("--scenarios", str(files / "set.yaml"), "--url", server.url, "--quiet")
        done = run(*flags, "--mapping", str(files / "mapping.yaml"), runs=files / "runs", STRANGE_KEY="schlüssel")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
    assert not [call for call in server.calls if call[0] == "POST"]


@pytest.mark.parametrize("module", ["scripts.nightly", "scripts.sweep_parameters"])
def test_what_varies_prompts_says_that_an_application_has_none(
    tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_support_bot(tmp_path)
    (tmp_path / "suites/support/suite.yaml").write_text("plays: application\n")
    monkeypatch.setattr("tests.scripts.commands.ROOT", tmp_path)
    vary = ("--vary", "temperature=0.3,0.7") if "sweep" in module else ()
    done = run("--suite", "support", *vary, "--quiet", runs=tmp_path / "runs", module=module)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "suite 'support' is played on an application: run" in done.err


def test_two_versions_of_an_application_are_compared(files: Path) -> None:
    ids = []
    for version in ("1", "2"):
        with serving(ids_in_paths()) as server:
            done = evaluate(files, server, "--app-version", version, "--json")
        assert done.code == 0, done.err
        ids.append(json.loads(done.out)["run_id"])
    joint = run("--base", ids[0], "--prompt", ids[1], "--quiet", runs=files / "runs", module="scripts.compare_prompts")
    assert joint.code == 0, joint.err
    assert "2 scenarios" in joint.out
