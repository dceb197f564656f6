"""What is live, sampled and scored: against a double with traces that several SDKs wrote."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import UsageError
from scripts.traces.asked import Asked
from scripts.traces.steps import read_steps
from services.langfuse.observations import Wanted
from tests.langfuse_double import routes
from tests.langfuse_double.double import LangfuseDouble
from tests.langfuse_double.faults import Fault, Kind
from tests.langfuse_double.production import CHATS, SINCE, UNTIL, of_nested, of_openai, of_texts, turns, write
from tests.langfuse_double.wire import Answer
from tests.scripts.commands import Finished, only_run, run, run_apart, started

MODULE = "scripts.score_traces"
TIME = ("--since", SINCE, "--until", UNTIL, "--requests-per-minute", "1000000")
RUN_TAG = "20261120T140203Z-penpal-companion-v3-4f2a9c"


OF_NO_USER: tuple[dict[str, Any], ...] = (
    {"langfuse.environment": "evaluation"},
    {"langfuse.environment": "sdk-experiment"},
    {"langfuse.environment": "langfuse-llm-as-a-judge"},
    {"langfuse.trace.tags": ["companion", RUN_TAG]},
    {"langfuse.experiment.id": "e", "langfuse.experiment.name": "e"},
    {"langfuse.observation.level": "ERROR"},
)
"""Attributes of what lies beside production's answers."""


def keys_of(double: LangfuseDouble) -> dict[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": double.public_key,
        "LANGFUSE_SECRET_KEY": double.secret_key,
        "LANGFUSE_BASE_URL": double.base_url,
    }


@pytest.fixture
def langfuse() -> Iterator[LangfuseDouble]:
    with LangfuseDouble() as double:
        yield double


@pytest.fixture(scope="module")
def busy() -> Iterator[LangfuseDouble]:
    """1,400 traces of an application in seven shapes, and evaluations that lie beside them in every way there is."""
    with LangfuseDouble() as double:
        write(double, list(turns(1_400)))
        for number, attributes in enumerate(OF_NO_USER):
            made = write(double, list(turns(20, seed=f"own {number}")), CHATS[:1], prefix=f"own {number}", **attributes)
            if "langfuse.experiment.id" in attributes:
                _mark_roots(double, made)
        yield double


def _mark_roots(double: LangfuseDouble, traces: list[str]) -> None:
    """Makes each trace an item of its own."""
    with double.store.lock:
        for trace in traces:
            for place, span in enumerate(double.store._by_trace[trace]):
                item = {"langfuse.experiment.item.id": trace, "langfuse.experiment.item.root_observation_id": span.id}
                attributes = {**span.attributes, **item}
                changed = replace(span, attributes=attributes)
                double.store.spans[double.store.spans.index(span)] = changed
                double.store._by_trace[trace][place] = changed


def score(runs: Path, double: LangfuseDouble, *arguments: str, **settings: str) -> Finished:
    return run(*TIME, *arguments, runs=runs, module=MODULE, **keys_of(double), **settings)


def resume(runs: Path, double: LangfuseDouble, *arguments: str, **settings: str) -> Finished:
    (folder,) = [path for path in runs.iterdir() if path.is_dir()]
    fast = ("--requests-per-minute", "1000000")
    return run("--resume", folder.name, *fast, *arguments, runs=runs, module=MODULE, **keys_of(double), **settings)


def wait_for(fault: Fault) -> None:
    """Returns once a request has met the fault; one that hangs ends no request that could be waited for."""
    deadline = time.monotonic() + 60
    while not fault.fired:
        assert time.monotonic() < deadline, "no request came"
        time.sleep(0.02)


def summary_of(runs: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((only_run(runs) / "summary.json").read_text(encoding="utf-8"))
    return found


def lines_of(runs: Path) -> list[dict[str, Any]]:
    text = (only_run(runs) / "results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def reads_of_texts(double: LangfuseDouble) -> Counter[str]:
    """Trace id -> how often its texts were read."""
    with double.store.lock:
        asked = [entry.query for entry in double.log if entry.path.endswith("v2/observations")]
    return Counter(query["traceId"][0] for query in asked if "traceId" in query and "io" in query["fields"][0])


def test_a_sample_of_several_shapes_is_drawn_scored_and_summed_up(busy: LangfuseDouble, tmp_path: Path) -> None:
    done = score(tmp_path, busy, "--sample", "140")
    assert done.code == 0, done.err
    summary, lines = summary_of(tmp_path), lines_of(tmp_path)
    coverage = summary["coverage"]
    assert (coverage["seen"], coverage["frame"]) == (1_520, 1_400)
    assert coverage["left_out"] == {
        "in the environment of evaluations": 20,
        "of Langfuse's own evaluations": 40,
        "of an evaluation": 40,
        "ended in an error": 20,
    }
    assert coverage["sampled"] == len(lines) == 140
    assert coverage["strata"] == 6, "three versions in two weeks"
    assert set(coverage["skipped"]) == {"calls tools and says nothing", "has an output of an unknown form"}
    assert coverage["scored"] + sum(coverage["skipped"].values()) == 140
    assert {line["weight"] for line in lines} != {1.0}
    assert sum(line["weight"] for line in lines) == pytest.approx(1_400)
    assert coverage["turns"] == pytest.approx(1_000, rel=0.15), "five of seven shapes are chats"
    found = summary["metrics"]["overall_quality"]
    assert found["ci95"][0] < found["mean"] < found["ci95"][1]
    scored = [line for line in lines if line["state"] == "scored"]
    by_hand = sum(line["weight"] * line["scores"]["heuristic"]["overall_quality"] for line in scored)
    assert found["mean"] == pytest.approx(by_hand / sum(line["weight"] for line in scored))
    assert set(summary["by_version"]) == {f"penpal-companion v{version}" for version in (1, 2, 3)}
    assert set(summary["by_week"]) == {"2026-W47", "2026-W48"}
    assert set(summary["by_tag"]) == {"voice", "text"}
    worst = [each["scores"]["overall_quality"] for each in summary["worst"]]
    assert worst == sorted(worst) and len(worst) == 10
    assert summary["worst"][0]["url"].startswith(f"{busy.base_url}/project/{busy.store.project_id}/traces/")
    assert "overall quality" in done.out and "of about" in done.out and "small sample" in done.out
    assert busy.scores() == [] and busy.count("POST *") == 0, "nothing is written unless it is asked for"
    assert "example.org" not in "".join(path.read_text() for path in only_run(tmp_path).iterdir() if path.is_file())


@pytest.mark.slow
def test_runs_of_this_tool_never_appear_even_in_the_environment_of_production(
    langfuse: LangfuseDouble, tmp_path: Path
) -> None:
    shared = {**keys_of(langfuse), "LANGFUSE_TRACING_ENVIRONMENT": "production"}
    assert run("--yes", runs=tmp_path / "push", module="scripts.push_prompts", **shared).code == 0
    kinds = ("--limit", "8", "--no-canaries", "--deliver-rehearsal", "--quiet")
    done = run("--prompt", "v3", *kinds, runs=tmp_path / "eval", **shared)
    assert done.code == 0, done.err
    own = len(langfuse.generations())
    assert own >= 8
    live = ("--environment", "production", "--requests-per-minute", "1000000")
    done = run(*live, runs=tmp_path / "live", module=MODULE, **shared)
    assert done.code == 0, done.err
    coverage = summary_of(tmp_path / "live")["coverage"]
    assert (coverage["frame"], coverage["left_out"]) == (0, {"of an evaluation": own})
    hidden = run(*live[2:], runs=tmp_path / "hidden", module=MODULE, **shared)
    assert hidden.code == 0, hidden.err
    assert summary_of(tmp_path / "hidden")["coverage"]["frame"] == 0


def test_an_application_in_the_environment_of_evaluations_is_named(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(5)), CHATS)
    done = score(tmp_path, langfuse, LANGFUSE_TRACING_ENVIRONMENT="production")
    assert done.code == 0, done.err
    assert "--environment production" in done.out
    assert summary_of(tmp_path)["coverage"]["frame"] == 0


def test_the_filters_reach_the_server_and_hold_here(busy: LangfuseDouble, tmp_path: Path) -> None:
    def frame(name: str, *arguments: str) -> int:
        done = score(tmp_path / name, busy, "--sample", "2", *arguments)
        assert done.code == 0, done.err
        found: int = summary_of(tmp_path / name)["coverage"]["frame"]
        return found

    played = list(turns(1_400))
    assert frame("version", "--prompt-name", "penpal-companion", "--tag", "voice") == 467
    assert frame("user", "--user", played[0].user) == sum(turn.user == played[0].user for turn in played)
    assert frame("none", "--environment", "staging") == 0
    assert frame("own", "--environment", "evaluation") == 20
    assert frame("session", "--session", "none") == 0
    assert frame("other", "--prompt-name", "other") == 0


def test_a_turn_inside_nested_generations_counts_once(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(6)), [of_nested, of_openai])
    assert score(tmp_path, langfuse).code == 0
    coverage = summary_of(tmp_path)["coverage"]
    assert (coverage["seen"], coverage["scored"]) == (9, 6)
    assert coverage["skipped"] == {"is part of another generation": 3}
    asked = [entry.query for entry in langfuse.log if entry.path.endswith("v2/observations")]
    shapes = [query for query in asked if "traceId" in query and query["fields"] == ["core"]]
    assert len(shapes) == 3, "one more request, and only where the parent is no generation that was read"


def test_a_label_is_resolved_to_its_version(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    assert run("--yes", runs=tmp_path / "push", module="scripts.push_prompts", **keys_of(langfuse)).code == 0
    write(langfuse, list(turns(30, versions=(2, 3))), CHATS)
    of_three = sum(turn.version == 3 for turn in turns(30, versions=(2, 3)))
    done = score(tmp_path / "runs", langfuse, "--prompt", "penpal-companion@v3")
    assert done.code == 0, done.err
    assert summary_of(tmp_path / "runs")["coverage"]["frame"] == of_three
    with langfuse.store.lock:
        row = next(row for row in langfuse.store.prompts["penpal-companion"] if row.version == 2)
        for other in langfuse.store.prompts["penpal-companion"]:
            other.labels = [label for label in other.labels if label != "live"]
        row.labels.append("live")
    done = score(tmp_path / "label", langfuse, "--prompt", "live")
    assert done.code == 0, done.err
    assert summary_of(tmp_path / "label")["wanted"]["prompt_version"] == 2
    assert summary_of(tmp_path / "label")["coverage"]["frame"] == 30 - of_three


def test_a_conversation_is_put_together_from_its_session(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    played = [replace(turn, session="s", user="u") for turn in turns(4, versions=(1,))]
    write(langfuse, played, (of_texts,))
    assert score(tmp_path, langfuse).code == 0
    by_time = sorted(lines_of(tmp_path), key=lambda line: line["started_at"])
    assert [line["turns_before"] for line in by_time] == [0, 2, 4, 6]
    steps = [json.loads(line) for line in (only_run(tmp_path) / "steps.jsonl").read_text().splitlines()]
    turns_of = [step for step in steps if step["step"] == "turn"]
    assert all(step["scores"]["personalization_continuity"] is None for step in turns_of if not step["turns_before"])
    assert any(step["scores"]["personalization_continuity"] is not None for step in turns_of)


def test_the_mood_of_users_is_followed_over_their_conversations(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    first, second = (replace(turn, user="u") for turn in turns(2, versions=(1,)))
    for session, came, went in (("a", "I feel so lonely.", "I needed that."), ("b", "I got the job!", "Now I'm sad.")):
        talk = [replace(first, session=session, asked=came), replace(second, session=session, asked=went)]
        write(langfuse, talk, (of_texts,), prefix=session)
    assert score(tmp_path / "rows", langfuse, "--rubric", "companion-v3").code == 0
    found = summary_of(tmp_path / "rows")["mood"]
    assert [found[name]["mean"] for name in ("change", "better", "even", "worse")] == [0.0, 0.5, 0.0, 0.5]
    changes = [line["mood_change"] for line in lines_of(tmp_path / "rows")]
    assert sorted(changes, key=str) == [-2, 2, None, None]
    assert "do users leave better than they came" in (only_run(tmp_path / "rows") / "report.html").read_text()
    assert score(tmp_path / "plain", langfuse).code == 0
    assert summary_of(tmp_path / "plain")["mood"] is None


def test_a_line_holds_the_whole_texts_and_the_conversation_before(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    long = "I walk home, and then I think about it once more. " * 100
    first, second = (replace(turn, session="s", user="u") for turn in turns(2, versions=(1,)))
    first = replace(first, asked=f"Call me, +49 170 1234567. {long}", answered=f"Gladly! {long}")
    write(langfuse, [first, replace(second, answered=long)], (of_texts,))
    assert score(tmp_path, langfuse, LANGFUSE_MASK="phone").code == 0
    later, earlier = lines_of(tmp_path)
    assert earlier["user_input"] == f"Call me, [phone]. {long}" and earlier["response"] == first.answered
    assert earlier["context"] == []
    assert (later["user_input"], later["response"]) == (second.asked, long)
    assert later["context"] == [
        {"role": "user", "content": earlier["user_input"]},
        {"role": "assistant", "content": earlier["response"]},
    ]
    before = (only_run(tmp_path) / "results.jsonl").read_bytes()
    assert resume(tmp_path, langfuse).code == 0
    assert (only_run(tmp_path) / "results.jsonl").read_bytes() == before


def test_after_a_kill_nothing_is_read_or_scored_twice(busy: LangfuseDouble, tmp_path: Path) -> None:
    pages, before = busy.count("*/experiment-items"), reads_of_texts(busy)
    with busy.store.lock:
        begun = len(busy.log)
    arguments = (*TIME[:4], "--sample", "60", "--requests-per-minute", "1500")
    with started(*arguments, runs=tmp_path, module=MODULE, **keys_of(busy)) as process:
        busy.wait_until(lambda double: len(reads_of_texts(double) - before) >= 20, timeout=60)
        process.kill()
        process.wait()
    half = reads_of_texts(busy) - before
    assert 20 <= len(half) < 60
    done = resume(tmp_path, busy)
    assert done.code == 0, done.err
    reads = reads_of_texts(busy) - before
    assert sum(reads.values()) - len(reads) <= 4, "at most those under way are read again"
    with busy.store.lock:
        listed = [
            entry.query
            for entry in busy.log[begun:]
            if entry.path.endswith("v2/observations")
            and "traceId" not in entry.query
            and "sessionId" not in entry.query
        ]
    cursors = [query.get("cursor", [""])[0] for query in listed]
    assert len(cursors) == len(set(cursors)) == 2, "each page of a thousand once"
    assert busy.count("*/experiment-items") - pages == 1
    whole = score(tmp_path / "whole", busy, "--sample", "60")
    assert whole.code == 0, whole.err
    (folder,) = [path for path in tmp_path.iterdir() if path.name.startswith("2")]
    resumed_lines = (folder / "results.jsonl").read_text()
    assert resumed_lines == (only_run(tmp_path / "whole") / "results.jsonl").read_text()


def test_a_kill_while_pages_are_read_goes_on_at_the_next_page(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(1_200)), (of_texts,))
    fault = langfuse.fail("*/v2/observations", "hang", after=1)
    with started(*TIME, "--sample", "6", runs=tmp_path, module=MODULE, **keys_of(langfuse)) as process:
        wait_for(fault)
        process.kill()
        process.wait()
    steps = only_run(tmp_path) / "steps.jsonl"
    with steps.open("a") as file:
        file.write('{"step": "page", "cursor": "torn')
    done = resume(tmp_path, langfuse)
    assert done.code == 0, done.err
    assert summary_of(tmp_path)["coverage"]["frame"] == 1_200
    with langfuse.store.lock:
        first = [e for e in langfuse.log if e.path.endswith("v2/observations") and "limit" in e.query]
    assert sum("cursor" not in entry.query and entry.query["limit"] == ["1000"] for entry in first) == 1


def test_written_back_twice_each_score_is_there_once(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(40)), CHATS)
    spans = langfuse.spans()
    done = score(tmp_path / "first", langfuse, "--write-back")
    assert done.code == 0, done.err
    assert "scores of 40 responses are in Langfuse, confirmed" in done.err
    first = {score.id: score for score in langfuse.scores()}
    names = {score.name for score in first.values()}
    assert {"rules.overall_quality", "rules.helpfulness"} <= names and all(name.startswith("rules.") for name in names)
    observations = {(span.trace_id, span.id) for span in langfuse.generations()}
    assert all((score.trace_id, score.observation_id) in observations for score in first.values())
    assert {score.environment for score in first.values()} == {"production"}
    again = score(tmp_path / "second", langfuse, "--write-back")
    assert again.code == 0, again.err
    assert {score.id for score in langfuse.scores()} == set(first)
    assert not langfuse.duplicates()
    assert {score.writes for score in langfuse.scores()} == {2}
    posts = langfuse.count("POST *")
    assert resume(tmp_path / "second", langfuse, "--write-back").code == 0
    assert langfuse.count("POST *") == posts, "what is there is not sent once more"
    assert langfuse.spans() == spans, "nothing of a trace is changed"
    with langfuse.store.lock:
        written = {entry.path for entry in langfuse.log if entry.method != "GET"}
    assert written == {"/api/public/scores", "/api/public/score-configs"}
    assert langfuse.body_problems() == []


def test_a_server_that_cannot_replace_scores_keeps_the_first(tmp_path: Path) -> None:
    with LangfuseDouble(version="4.16.0") as old:
        write(old, list(turns(6)), CHATS)
        assert score(tmp_path / "first", old, "--write-back").code == 0
        count = len(old.scores())
        done = score(tmp_path / "second", old, "--write-back")
        assert done.code == 0, done.err
        assert f"{count} scores were there before and cannot be replaced on this server" in done.err
        assert len(old.scores()) == count and not old.duplicates()


def test_a_kill_while_scores_are_sent_sends_each_once(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(150)), CHATS)
    fault = langfuse.fail("POST */scores", "hang_after_store", after=1)
    command = (*TIME, "--sample", "150", "--write-back")
    with started(*command, runs=tmp_path, module=MODULE, **keys_of(langfuse)) as process:
        wait_for(fault)
        process.kill()
        process.wait()
    reads = sum(reads_of_texts(langfuse).values())
    done = resume(tmp_path, langfuse, "--write-back")
    assert done.code == 0, done.err
    assert sum(reads_of_texts(langfuse).values()) == reads == 150
    assert not langfuse.duplicates()
    assert len({score.observation_id for score in langfuse.scores()}) == 150


def test_what_is_sent_and_kept_is_masked(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    personal = "Write to **ana.perez@example.org** or call +49 170 1234567, case AB123456."
    played = [
        replace(turn, asked=f"Hi, {personal}", answered=f"Sure: {personal}", session="visit of Ana")
        for turn in turns(3)
    ]
    write(langfuse, played, (of_openai,))
    masks = {"LANGFUSE_MASK": "email,phone", "LANGFUSE_MASK_PATTERN": "AB[0-9]{6}"}
    done = score(tmp_path, langfuse, "--write-back", **masks)
    assert done.code == 0, done.err
    files = [path for path in only_run(tmp_path).iterdir() if path.is_file()]
    texts = [path.read_text() for path in files] + [done.out, done.err, repr(langfuse.scores())]
    assert any("[email]" in text for text in texts)
    for text in texts:
        for secret in ("ana.perez", "1234567", "AB123456", langfuse.secret_key):
            assert secret not in text
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    holders = {path.name for path in files if "visit of Ana" in path.read_text()}
    assert holders == {"steps.jsonl"}, "a resume reads sessions by their ids"
    (session,) = {line["session"] for line in lines_of(tmp_path)}
    assert len(session) == 16


HOSTILE = (
    "\x1b[31mred\x1b[0m <script>alert(1)</script> {{7*7}}",
    "`code` | table | [link](javascript:alert(1))",
    "\u202eright to left\u202c \ufeff\u0000",
    "a" * 50_000,
    "{" * 2_000,
    '[{"role":"user","content":' + '["' * 400,
)


HOSTILE_TAGS: dict[str, Any] = {"langfuse.trace.tags": ["\x1b[2J|<b>"]}


def test_hostile_texts_steer_nothing(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    some = list(turns(len(HOSTILE)))
    played = [replace(turn, asked=text, answered=text, user=text) for turn, text in zip(some, HOSTILE, strict=True)]
    write(langfuse, played, (of_openai,), prompt=None, **HOSTILE_TAGS)
    done = score(tmp_path, langfuse, "--write-back")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    assert summary_of(tmp_path)["coverage"]["scored"] == len(HOSTILE)


def test_rows_of_no_shape_are_counted(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(5)), (of_texts,))
    with langfuse.store.lock:
        twice = langfuse.store.spans[0]
        langfuse.store.add_spans([twice, replace(langfuse.store.spans[1], trace_id="")])
    done = score(tmp_path, langfuse)
    assert done.code == 0, done.err
    coverage = summary_of(tmp_path)["coverage"]
    assert coverage["left_out"] == {"without id, trace or time": 1, "sent twice": 1}
    assert coverage["frame"] == 5


@pytest.mark.parametrize("kind", ["500", "reset", "429", "hang"])
def test_passing_faults_cost_time_and_nothing_else(
    langfuse: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    monkeypatch.setattr("services.langfuse.asking.ATTEMPT_SECONDS", 1.0)
    write(langfuse, list(turns(12)), CHATS)
    wait = 1 if kind == "429" else None
    langfuse.fail("*/v2/observations", kind, times=1, retry_after=wait)
    langfuse.fail("*/v2/observations", kind, times=1, after=4, retry_after=wait)
    begun = time.monotonic()
    done = score(tmp_path, langfuse, "--write-back")
    assert done.code == 0, done.err
    assert summary_of(tmp_path)["coverage"]["scored"] == 12
    if kind == "429":
        assert time.monotonic() - begun >= 2, "waits as long as it is asked to"


def test_a_server_without_the_list_says_what_it_needs(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    langfuse.fail("*/v2/observations", "404", times=None)
    done = score(tmp_path, langfuse)
    assert done.code == 2
    assert "needs a server 4.0 or newer" in done.err
    assert len(done.err.strip().splitlines()) == 1


@pytest.mark.parametrize("said", [[], {}, {"data": None}, {"data": {"id": "x"}}, "text", 7])
def test_an_answer_of_another_form_ends_in_one_line(
    langfuse: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Any
) -> None:
    monkeypatch.setitem(routes.ROUTES, "GET v2/observations", lambda _store, _call: Answer(200, said))
    done = score(tmp_path, langfuse)
    assert done.code == 2
    assert "does not answer v2/observations like Langfuse" in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_rows_and_texts_of_any_form_are_counted_or_passed_over(
    langfuse: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = {"id": "a", "traceId": "b", "startTime": "2026-11-17T00:00:00Z", "type": "GENERATION"}
    rows: list[Any] = [
        *(None, 7, [], "x", {}, good, {**good, "id": 7}, {**good, "id": "c", "startTime": "9999"}),
        {**good, "id": "d", "tags": 7, "promptVersion": "x", "userId": {"a": 1}, "endTime": 7, "input": 7},
    ]
    answer = Answer(200, {"data": rows, "meta": {"cursor": 7}})
    monkeypatch.setitem(routes.ROUTES, "GET v2/observations", lambda _store, _call: answer)
    done = score(tmp_path, langfuse)
    assert done.code == 0, done.err
    coverage = summary_of(tmp_path)["coverage"]
    assert (coverage["seen"], coverage["frame"]) == (4, 2)
    assert coverage["skipped"] == {"has no output": 2}
    assert "NOTHING SCORED" in done.out


def test_a_server_that_refuses_the_structured_filter_is_asked_plainly(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(12)), CHATS)
    langfuse.fail("*/v2/observations", "400", times=1)
    done = score(tmp_path, langfuse, "--tag", "voice")
    assert done.code == 0, done.err
    assert summary_of(tmp_path)["coverage"]["frame"] == 4


def test_wrong_keys_and_none(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    keys = {**keys_of(langfuse), "LANGFUSE_SECRET_KEY": "sk-lf-wrong"}
    wrong = run(*TIME, runs=tmp_path, module=MODULE, **keys)
    assert (wrong.code, "refuses the keys" in wrong.err) == (2, True)
    none = run(*TIME, runs=tmp_path, module=MODULE)
    assert (none.code, "LANGFUSE_PUBLIC_KEY" in none.err) == (2, True)


def test_a_server_that_stays_away_is_gone_on_with_later(
    langfuse: LangfuseDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from services.retrying import Backoff

    monkeypatch.setattr("services.langfuse.asking.PATIENCE", Backoff(attempts=2, first_s=0.01, deadline_s=5))
    write(langfuse, list(turns(12)), CHATS)
    langfuse.fail("*/v2/observations", "503", times=None, after=5)
    away = score(tmp_path, langfuse)
    assert away.code == 3
    assert "go on with make score-traces ARGS=" in away.err and "--resume" in away.err
    langfuse.heal()
    assert resume(tmp_path, langfuse).code == 0
    assert summary_of(tmp_path)["coverage"]["scored"] == 12


@pytest.mark.parametrize(("kind", "said"), [("400", "check the filters"), ("401", "refuses the keys")])
def test_a_refusal_in_the_middle_names_the_command_to_go_on(
    langfuse: LangfuseDouble, tmp_path: Path, kind: Kind, said: str
) -> None:
    write(langfuse, list(turns(6)), CHATS)
    langfuse.fail("*/v2/observations", kind, times=None, after=3)
    refused = score(tmp_path, langfuse)
    assert (refused.code, said in refused.err) == (2, True), refused.err
    assert f'then go on with make score-traces ARGS="--resume {only_run(tmp_path).name}"' in refused.err
    langfuse.heal()
    assert resume(tmp_path, langfuse).code == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"step": "turn", "key": "a|b"}', "it has no 'reason'"),
        ('{"step": "page", "cursor": ""}', "it has no 'seen'"),
        ('{"step": "page", "cursor": "", "seen": 1, "left_out": {}, "sizes": [1], "kept": []}', "iterable"),
        ('{"step": "second", "count": 1, "strata": {}, "drawn": 7}', "iterable"),
    ],
)
def test_a_damaged_step_is_one_line(tmp_path: Path, line: str, why: str) -> None:
    wanted = Wanted("2026-11-16", "2026-11-17")
    asked = Asked("id", 0.0, wanted, sample=5, seed=1, suite="s", rubric=None, scored_by="", own_environment="")
    (tmp_path / "steps.jsonl").write_text(f'{{"step": "experiments", "traces": []}}\n{line}\n{{"torn')
    with pytest.raises(UsageError, match=r"steps.jsonl:2: is no step of a sample") as raised:
        read_steps(tmp_path, asked)
    assert why in str(raised.value) and "begin another sample" in str(raised.value)


def test_a_sample_that_is_not_there_is_said_in_words(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    gone = run("--resume", "20261120T140203Z-gone-4f2a9c", runs=tmp_path, module=MODULE, **keys_of(langfuse))
    assert (gone.code, "(there is no such file)" in gone.err, "Errno" in gone.err) == (2, True, False)


def test_refused_scores_are_named_and_the_others_arrive(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(3)), CHATS)
    langfuse.fail("POST */scores", "reject", times=None, names={"rules.helpfulness"})
    done = score(tmp_path, langfuse, "--write-back")
    assert done.code == 3
    assert "the score was refused" in done.err and "go on with" in done.err
    assert {score.name for score in langfuse.scores()} & {"rules.helpfulness", "rules.overall_quality"} == {
        "rules.overall_quality"
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "x", "--sample", "5"), "--sample does not go with --resume"),
        (("--resume", "x"), "there is no sample of production"),
        (("--resume", "../x"), "is not a run's name"),
        (("--since", "yesterday"), "is no time"),
        (("--since", "2026-11-20", "--until", "2026-11-19"), "is not before"),
        (("--days", "3", "--since", "2026-11-20"), "--days does not go with --since"),
        (("--prompt", "v3", "--prompt-name", "x"), "--prompt does not go with --prompt-name"),
        (("--suite", "chat_flow"), "has no rule for a single response"),
        (("--sample", "0"), "--sample"),
    ],
)
def test_wrong_usage(langfuse: LangfuseDouble, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments, runs=tmp_path, module=MODULE, **keys_of(langfuse))
    assert done.code == 2
    assert said in done.err
    assert langfuse.log == []


def test_other_rules_begin_another_sample(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(3)), CHATS)
    assert score(tmp_path, langfuse).code == 0
    manifest = only_run(tmp_path) / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "scored_by": "other"}))
    done = resume(tmp_path, langfuse)
    assert (done.code, "under other rules" in done.err) == (2, True)


def test_requests_keep_their_pace(langfuse: LangfuseDouble, tmp_path: Path) -> None:
    write(langfuse, list(turns(6)), (of_texts,))
    done = run(*TIME[:4], "--requests-per-minute", "120", runs=tmp_path, module=MODULE, **keys_of(langfuse))
    assert done.code == 0, done.err
    with langfuse.store.lock:
        times = [entry.at.timestamp() for entry in langfuse.log if "observations" in entry.path]
    assert len(times) == 7
    assert times[-1] - times[0] >= 6 * 0.5 - 0.2


@pytest.mark.long
def test_memory_stays_level(tmp_path: Path) -> None:
    """Ten times the generations take hardly more memory: what is kept goes with the sample."""
    peaks = []
    for count in (1_000, 10_000):
        with LangfuseDouble() as double:
            write(double, list(turns(count, versions=(1,))), (of_texts,))
            measured = (
                "-c",
                "import resource, sys; from scripts.score_traces import main; code = main(sys.argv[1:]);"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)",
            )
            done = _measured(*measured, *TIME, "--sample", "20", "--json", runs=tmp_path / str(count), double=double)
        assert done.code == 0, done.err
        assert json.loads(done.out)["coverage"]["frame"] == count
        peaks.append(int(done.err.strip().splitlines()[-1]) / 1024)
    assert peaks[1] - peaks[0] < 25, f"MB at the peak: {peaks}"


def _measured(*words: str, runs: Path, double: LangfuseDouble) -> Finished:
    import subprocess
    import sys

    from tests.scripts.commands import ROOT, environment

    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment(runs, keys_of(double)), capture_output=True, text=True
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def test_help_is_immediate_and_complete(tmp_path: Path) -> None:
    done = run_apart("--help", runs=tmp_path, module=MODULE)
    assert done.code == 0
    assert "--write-back" in done.out
