"""Sessions and polls: an id changes, stands anywhere or is missing; a job fails once, redirects, or never ends."""

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from services.application.sessions import cookies_of
from tests.applications.servers import Answers, Sent, serving
from tests.scripts.commands import Finished, lines, only_run, run

SET = """
category: small_talk
scenarios:
  - {id: talk-one, turns: [Good morning, And now?, Bye]}
"""
GONE = "Thu, 01 Jan 1970 00:00:00 GMT"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "set.yaml").write_text(SET)
    return tmp_path


def evaluate(files: Path, url: str, mapping: str, **settings: str) -> Finished:
    (files / "mapping.yaml").write_text(mapping)
    flags = ("--scenarios", str(files / "set.yaml"), "--url", url, "--mapping", str(files / "mapping.yaml"), "--quiet")
    return run(*flags, runs=files / "runs", **settings)


def failure_of(files: Path) -> tuple[str, str]:
    first = lines(only_run(files / "runs"))[0]
    return first["error"]["kind"], first["error"]["message"]


@pytest.mark.parametrize(
    ("set_cookie", "kept"),
    [
        ("sid=a b; Path=/", "a b"),
        ('sid={"user": 1}; HttpOnly', '{"user": 1}'),
        ('sid="a\\054b"', '"a\\054b"'),
        ("sid=a=b==; Secure; SameSite=None", "a=b=="),
        (f"sid=; Expires={GONE}", None),
        ("sid=x; expires=Thu, 01-Jan-1970 00:00:01 GMT", None),
        ("sid=x; Max-Age=0", None),
        ("sid=x; Max-Age=60; Expires=" + GONE, "x"),
        ("sid=x; Expires=Fri, 31 Dec 2100 23:59:59 GMT", "x"),
        ("sid=x; Expires=soon", "x"),
    ],
)
def test_a_cookie_is_kept_as_it_was_set(set_cookie: str, kept: str | None) -> None:
    assert cookies_of([set_cookie, "nothing", "=x"], 1_790_000_000.0) == {"sid": kept}


def test_a_cookie_of_the_mapping_goes_beside_those_of_the_session(files: Path) -> None:
    with serving(lambda *_: Sent({"reply": "hi"}, headers={"set-cookie": "sid=1"})) as server:
        assert evaluate(files, server.url, "headers: {Cookie: tenant=7}").code == 0
        sent = [headers["cookie"] for method, _, headers, _ in server.calls if method == "POST"]
    assert sent == ["tenant=7", "sid=1; tenant=7", "sid=1; tenant=7"]


def changing_ids(place: str) -> Answers:
    """Gives another id with each answer, and knows a conversation by the latest alone; the first call has none."""
    ids = count(1)
    turns: dict[str, int] = {}

    def answers(_method: str, path: str, headers: Mapping[str, str], body: Any) -> Sent:
        given_body = (body or {}).get("session")
        session = {"header": headers.get("x-session"), "path": path.removeprefix("/talk/"), "body": given_body}[place]
        if path != "/begin" and session not in turns:
            return Sent({"error": f"no conversation {session}"}, 404)
        said = turns.pop(session or "", 0) + 1
        turns[new := str(next(ids))] = said
        given = int(new) if place == "body" else new
        return Sent({"reply": f"message {said}", "meta": {"session": given}}, headers={"x-next": new})

    return answers


@pytest.mark.parametrize(
    ("place", "mapping"),
    [
        ("header", 'path: /talk\nfirst: {path: /begin, headers: {X-A: b}}\nheaders: {X-Session: "{session}"}\n'
                   "session: {header: X-Next}"),
        ("path", 'path: "/talk/{session}"\nfirst: {path: /begin}\nsession: {body: meta.session}'),
        ("body", 'path: /talk\nbody: {session: "{session}", q: "{last}"}\nfirst: {path: /begin}\n'
                 "session: {body: meta.session}"),
    ],
)  # fmt: skip
def test_an_id_that_changes_with_each_answer_is_followed(files: Path, place: str, mapping: str) -> None:
    with serving(changing_ids(place)) as server:
        done = evaluate(files, server.url, mapping)
        bodies = [body for _, _, _, body in server.calls if body]
    assert done.code == 0, done.err
    assert [line["response"] for line in lines(only_run(files / "runs"))] == ["message 1", "message 2", "message 3"]
    assert all(("q" in body) == (place == "body") for body in bodies), "what `first` does not say is as in the others"


@pytest.mark.parametrize("session", ["{body: meta.nothing}", "{header: X-Nothing}", "{body: empty}"])
def test_an_answer_without_the_id_is_named(files: Path, session: str) -> None:
    with serving(lambda *_: Sent({"reply": "hi", "empty": ""})) as server:
        done = evaluate(files, server.url, f'body: {{q: "{{last}}", s: "{{session}}"}}\nsession: {session}')
    assert done.code == 3
    kind, said = failure_of(files)
    assert kind == "malformed"
    assert "no answer has the conversation's id at" in said


OPENED = "path: '/talk/{session}'\nsession: {body: id, start: {path: /open, body: {a: 1}}}"


def test_time_in_line_is_none_of_the_application(files: Path) -> None:
    two = f"{SET.replace(', And now?, Bye', '')}  - {{id: talk-two, turns: [Hello]}}\n"
    (files / "set.yaml").write_text(two)
    (files / "mapping.yaml").write_text(OPENED)
    with serving(lambda *_: Sent({"reply": "hi", "id": 1})) as server:
        flags = ("--scenarios", str(files / "set.yaml"), "--url", server.url, "--quiet", "--rpm", "60")
        mapping = ("--mapping", str(files / "mapping.yaml"))
        done = run(*flags, *mapping, runs=files / "runs", CHAT_FLOW_TIMEOUT_SECONDS="0.6")
    assert done.code == 0, done.out
    assert len(lines(only_run(files / "runs"))) == 2


def test_a_call_that_opens_no_conversation_is_kept(files: Path) -> None:
    with serving(lambda _method, path, *_: Sent({}, 500 if path == "/open" else 200)) as server:
        assert evaluate(files, server.url, OPENED).code == 3
    (raw,) = (only_run(files / "runs") / "calls.jsonl").read_text().splitlines()
    assert json.loads(raw)["request"]["url"] == f"{server.url}/open"


def test_a_list_within_a_text_is_json(files: Path) -> None:
    with serving(lambda *_: Sent({"reply": "hi"})) as server:
        evaluate(files, server.url, "body: {q: 'Said: {messages}'}\nquery: {m: '{messages}', n: '{repeat}'}")
        (_, path, _, body) = next(call for call in server.calls if call[3])
    assert body == {"q": 'Said: [{"role": "user", "content": "Good morning"}]'}
    assert "m=%5B%7B%22role%22%3A" in path


class Jobs:
    """Takes a job, and answers polls in this order; the last answer stays."""

    def __init__(self, *polls: Sent) -> None:
        self.polls = polls
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def __call__(self, method: str, path: str, headers: Mapping[str, str], _body: Any) -> Sent:
        if method == "POST":
            return Sent({"id": 7}, 202, {"location": "/jobs/7", "x-session": "s1"})
        if path == "/":
            return Sent({})
        self.asked.append((path, headers))
        return self.polls[min(len(self.asked), len(self.polls)) - 1]


RESULT = Sent({"reply": "done", "status": "done"})
BY_PATH = 'poll: {path: "/jobs/{id}", every_seconds: 0.01}'


@pytest.mark.parametrize(
    ("mapping", "polls"),
    [
        (BY_PATH, [Sent({"status": "running"}), Sent({"error": "once"}, 500), RESULT]),
        (BY_PATH, [Sent(dies=True), Sent({}, 429), RESULT]),
        (BY_PATH, [Sent(None, 202), Sent({"reply": "done"})]),
        ("poll: {every_seconds: 0.01}", [Sent(None, 202), Sent({"reply": "done"})]),
        ("poll: {every_seconds: 0.01}", [Sent(None, 303, {"location": "/results/7"}), Sent("done", kind="text/plain")]),
        ("poll: {every_seconds: 0.01, status: ready, until: ['true']}",
         [Sent({"ready": False}), Sent({"ready": True, "reply": "done"})]),
    ],
)  # fmt: skip
def test_a_job_is_asked_for_until_its_answer_is_there(files: Path, mapping: str, polls: list[Sent]) -> None:
    (files / "set.yaml").write_text(SET.replace(", And now?, Bye", ""))
    jobs = Jobs(*polls)
    with serving(jobs) as server:
        done = evaluate(
            files, server.url, f'{mapping}\nheaders: {{X-Session: "{{session}}"}}\nsession: {{header: X-Session}}'
        )
    assert done.code == 0, done.out
    assert [line["response"] for line in lines(only_run(files / "runs"))] == ["done"]
    assert len(jobs.asked) == len(polls)
    assert {headers["x-session"] for _, headers in jobs.asked} == {"s1"}
    assert jobs.asked[0][0] == "/jobs/7"


@pytest.mark.parametrize(
    ("mapping", "polls", "kind", "said"),
    [
        (BY_PATH, [Sent({"status": "running"})], "timeout", "no result within 0.3 s: status is 'running'"),
        (BY_PATH, [Sent({"status": "failed"})], "application_error", "the job ended as 'failed'"),
        (BY_PATH, [Sent({"error": "always"}, 500)], "http_status", "HTTP 500"),
        (BY_PATH, [Sent({"error": "none"}, 404)], "http_status", "HTTP 404"),
        (
            "poll: {}",
            [Sent(None, 303, {"location": "http://elsewhere.example/x"})],
            "malformed",
            "Location leads elsewhere: http://elsewhere.example/x",
        ),
        ("poll: {}", [Sent(None, 303)], "malformed", "no header Location: name a path under poll"),
    ],
)
def test_a_job_without_an_answer_is_a_failure(
    files: Path, mapping: str, polls: list[Sent], kind: str, said: str
) -> None:
    with serving(Jobs(*polls)) as server:
        done = evaluate(files, server.url, mapping, CHAT_FLOW_TIMEOUT_SECONDS="0.3")
    assert done.code == 3
    found = failure_of(files)
    assert found[0] == kind
    assert said in found[1]
