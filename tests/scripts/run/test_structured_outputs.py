"""A prompt with tools and a JSON schema, evaluated by the real command as it runs in production."""

import json
from pathlib import Path

import pytest
import yaml

from evaluation.records import Json
from tests.scripts.commands import document, lines, only_run, run
from tests.scripts.run.test_tools import TOOL, words
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

SCHEMA: Json = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, "mood": {"enum": ["calm", "glad"]}},
    "required": ["reply", "mood"],
    "additionalProperties": False,
}
CONFIG: Json = {
    "tools": [TOOL],
    "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
    "scored_field": "reply",
}
REPLY = "It rains in Bern, so take a coat. What are you up to there?"
SCENARIOS: Json = {
    "category": "small_talk",
    "scenarios": [
        {
            "id": "rain-in-bern",
            "turns": ["Will it rain in Bern?", "And in Ulm?"],
            "tools": {"weather": "rain"},
            "expect": [
                {"id": "looks-it-up", "check": "called", "tool": "weather", "arguments": {"city": "Bern"}},
                {"id": "is-calm", "check": "field", "path": "mood", "equals": "calm"},
                {"id": "names-coat", "check": "mentions", "any": ["coat"], "turn": 1},
            ],
        }
    ],
}


def answering(call: Call) -> Answer:
    """Calls a tool, then answers in JSON: in the second turn with a mood that the schema does not know."""
    messages = call.body["messages"]
    last = messages[-1]
    if last["role"] == "user":
        city = last["content"].rstrip("?").split()[-1]
        function = {"name": "weather", "arguments": json.dumps({"city": city})}
        return say(None, "tool_calls", tool_calls=[{"id": "c1", "type": "function", "function": function}])
    first = sum(message["role"] == "user" for message in messages) == 1
    return say(json.dumps({"reply": REPLY, "mood": "calm" if first else "grumpy"}))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Call], str]:
    folder = tmp_path_factory.mktemp("structured")
    with scripted_endpoint(answering) as endpoint:
        done = run(
            *words(folder, CONFIG, SCENARIOS), runs=folder / "runs", OPENAI_BASE_URL=endpoint.url, EVAL_MODEL="m"
        )
    assert done.code == 0, done.err
    return only_run(folder / "runs"), endpoint.calls, done.out


def test_what_is_scored_is_the_field_and_what_is_sent_back_the_reply_as_it_came(
    played: tuple[Path, list[Call], str],
) -> None:
    first, second = lines(played[0])
    assert first["response"] == REPLY
    assert json.loads(first["raw_response"])["mood"] == "calm"
    assert first["scores"]["heuristic"]["overall_quality"] is not None
    assert second["context"][1]["content"] == REPLY
    bodies = [call.body for call in played[1] if call.path.endswith("/chat/completions")]
    sent = max((body["messages"] for body in bodies), key=len)
    assert json.loads(sent[4]["content"]) == {"reply": REPLY, "mood": "calm"}
    assert all("scored_field" not in body for body in bodies)


def test_a_reply_that_breaks_the_schema_is_a_critical_failure_with_path_and_reason(
    played: tuple[Path, list[Call], str],
) -> None:
    folder, _, printed = played
    held = [{answer["id"]: answer for answer in line["expectations"]} for line in lines(folder)]
    assert [answers["keeps-to-schema"]["outcome"] for answers in held] == ["holds", "fails"]
    assert held[1]["keeps-to-schema"]["reason"].startswith('mood: "grumpy" is not one of')
    assert [answers["is-calm"]["outcome"] for answers in held] == ["holds", "fails"]
    assert held[0]["names-coat"]["outcome"] == "holds"
    assert held[1]["looks-it-up"]["outcome"] == "holds"
    summary = document(folder, "summary.json")
    assert summary["critical"]["items"][0]["id"] == "keeps-to-schema"
    assert 'mood: "grumpy"' in (folder / "report.html").read_text().replace('\\"', '"')
    assert "keeps-to-schema" in printed


def test_a_run_with_a_schema_is_scored_again_under_the_same_expectations(
    played: tuple[Path, list[Call], str],
) -> None:
    folder = played[0]
    again = run(folder.name, "--no-judge", "--json", runs=folder.parent, module="scripts.rescore_run")
    assert again.code == 0, again.err
    rescored = folder.parent / json.loads(again.out)["run_id"]
    assert [line["expectations"] for line in lines(rescored)] == [line["expectations"] for line in lines(folder)]
    assert [line["response"] for line in lines(rescored)] == [REPLY, REPLY]


def test_what_breaks_a_schema_can_be_waived_or_held_to_less(tmp_path: Path) -> None:
    waivers = tmp_path / "waivers.yaml"
    waived = {"scenario": "rain-in-bern", "item": "keeps-to-schema", "reason": "a new mood", "who": "Ada"}
    waivers.write_text(yaml.safe_dump({"waivers": [{**waived, "expiry": "2999-01-01"}]}))
    own: Json = json.loads(json.dumps(SCENARIOS))
    own["scenarios"][0]["expect"].append({"id": "form", "check": "schema", "json_schema": {"type": "object"}})
    with scripted_endpoint(answering) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        first = run(
            *words(tmp_path, CONFIG, SCENARIOS), "--quiet", "--waivers", str(waivers), runs=tmp_path / "a", **settings
        )
        second = run(*words(tmp_path, CONFIG, own), "--quiet", runs=tmp_path / "b", **settings)
    assert (first.code, second.code) == (0, 0), first.err + second.err
    critical = document(only_run(tmp_path / "a"), "summary.json")["critical"]
    assert (critical["failed"], critical["waived"]) == (0, 1)
    assert document(only_run(tmp_path / "b"), "summary.json")["critical"]["of"] == 0
    held = [answer["id"] for answer in lines(only_run(tmp_path / "b"))[1]["expectations"]]
    assert "form" in held
    assert "keeps-to-schema" not in held


def test_where_nobody_answers_expectations_no_gate_waits_for_the_schema(tmp_path: Path) -> None:
    scenarios: Json = {"category": "small_talk", "scenarios": [{"id": "one", "turns": ["Hi"]}]}
    with scripted_endpoint([say("no JSON")]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        run(
            *words(tmp_path, CONFIG, scenarios), "--quiet", "--expectations", "none", runs=tmp_path / "runs", **settings
        )
    (line,) = lines(only_run(tmp_path / "runs"))
    assert line["expectations"] == []
    manifest = document(only_run(tmp_path / "runs"), "manifest.json")
    assert manifest["spec"]["expectations"] is None


def test_the_rehearsal_model_fills_the_schema(tmp_path: Path) -> None:
    config = {name: value for name, value in CONFIG.items() if name != "tools"}
    scenarios: Json = {"category": "small_talk", "scenarios": [{"id": "one", "turns": ["Hi, how are you?"]}]}
    done = run(*words(tmp_path, config, scenarios), "--quiet", runs=tmp_path / "runs")
    assert done.code == 0, done.err
    (line,) = lines(only_run(tmp_path / "runs"))
    assert json.loads(line["raw_response"]) == {"reply": line["response"], "mood": "calm"}
    assert len(line["response"].split()) > 3
    (held,) = [answer for answer in line["expectations"] if answer["id"] == "keeps-to-schema"]
    assert held["outcome"] == "holds"


def test_a_reply_without_the_field_has_no_value_and_counts_against_the_version(tmp_path: Path) -> None:
    scenarios: Json = {"category": "small_talk", "scenarios": [{"id": "one", "turns": ["Hi"]}]}
    with scripted_endpoint([say('{"mood": "calm"}')]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        done = run(*words(tmp_path, CONFIG, scenarios), "--quiet", runs=tmp_path / "runs", **settings)
    folder = only_run(tmp_path / "runs")
    (line,) = lines(folder)
    assert (line["state"], line["response"], line["raw_response"]) == ("scored", "", '{"mood": "calm"}'), done
    assert set(line["scores"]["heuristic"].values()) == {None}
    (held,) = [answer for answer in line["expectations"] if answer["id"] == "keeps-to-schema"]
    assert (held["outcome"], held["reason"]) == ("fails", 'the whole: "reply" is a required property')
    assert document(folder, "summary.json")["metrics"]["heuristic"]["overall_quality"]["coverage"] == 0.0
