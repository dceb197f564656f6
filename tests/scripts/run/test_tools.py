"""A prompt with tools, evaluated by the real command against a server that calls them."""

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
import yaml

from evaluation.records import Json
from tests.scripts.commands import document, lines, only_run, run, started
from tests.services.scripted_endpoint import Answer, Call, say, scripted_endpoint

TOOL: Json = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CONFIG: Json = {"tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False}
SCENARIOS: Json = {
    "category": "small_talk",
    "scenarios": [
        {
            "id": "rain-in-bern",
            "turns": ["Will it rain in Bern?", "And in Ulm?"],
            "tools": {
                "weather": [
                    {"arguments": {"city": "Bern"}, "result": {"sky": "rain <b>"}},
                    {"arguments": {"city": "Ulm"}, "result": "clear"},
                ]
            },
        },
        {"id": "rain-in-oslo", "turns": ["Will it rain in Oslo?"]},
    ],
}


def calling(call: Call) -> Answer:
    """Asks for the weather of the city that the user named last, and says what came back."""
    last = call.body["messages"][-1]
    if last["role"] == "tool":
        return say(f"They say: {last['content']}")
    city = last["content"].rstrip("?").split()[-1]
    made = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": json.dumps({"city": city})}}
    return say(None, "tool_calls", tool_calls=[made])


def words(folder: Path, config: Json = CONFIG, scenarios: Json = SCENARIOS) -> tuple[str, ...]:
    (folder / "bot.yaml").write_text(
        yaml.safe_dump({"config": config, "messages": [{"role": "system", "content": "You are Ada."}]})
    )
    (folder / "set.yaml").write_text(yaml.safe_dump(scenarios))
    return ("--prompt", str(folder / "bot.yaml"), "--scenarios", str(folder / "set.yaml"), "--no-judge")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Call], str]:
    folder = tmp_path_factory.mktemp("tools")
    with scripted_endpoint(calling) as endpoint:
        done = run(*words(folder), runs=folder / "runs", OPENAI_BASE_URL=endpoint.url, EVAL_MODEL="m")
    assert done.code == 0, done.err
    return only_run(folder / "runs"), endpoint.calls, done.out


def test_tools_are_sent_and_their_results_go_back(played: tuple[Path, list[Call], str]) -> None:
    bodies = [call.body for call in played[1] if call.path.endswith("/chat/completions")]
    assert all({key: body[key] for key in CONFIG} == CONFIG for body in bodies)
    longest = max((body["messages"] for body in bodies), key=len)
    assert [message["role"] for message in longest] == [
        *("system", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"),
    ]
    called = longest[2]
    assert called["content"] is None
    assert called["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Bern"}'}
    assert longest[3] == {"role": "tool", "content": '{"sky":"rain <b>"}', "tool_call_id": "c1"}


def test_the_results_hold_words_calls_and_what_all_rounds_took(played: tuple[Path, list[Call], str]) -> None:
    found = {(line["scenario_id"], line["turn"]): line for line in lines(played[0])}
    first, second = found["rain-in-bern", 1], found["rain-in-bern", 2]
    assert first["response"] == 'They say: {"sky":"rain <b>"}'
    assert first["tool_calls"] == [
        {"id": "c1", "name": "weather", "arguments": '{"city": "Bern"}', "result": '{"sky":"rain <b>"}'}
    ]
    assert first["usage"]["input_tokens"] == 20
    assert second["context"][1]["tool_calls"] == first["tool_calls"]
    open_call = found["rain-in-oslo", 1]
    assert (open_call["state"], open_call["finish_reason"], open_call["response"]) == ("scored", "tool_calls", "")
    assert open_call["tool_calls"][0]["result"] is None
    assert set(open_call["scores"]["heuristic"].values()) == {None}
    assert "no words" in open_call["explanations"]["overall_quality"]
    assert "overall_quality" in open_call["not_applicable"]
    summary = document(played[0], "summary.json")
    assert summary["usage"]["input_tokens"] == 50, "of five calls for three responses"
    assert summary["metrics"]["heuristic"]["overall_quality"]["not_applicable"] == 1


def test_the_calls_are_shown(played: tuple[Path, list[Call], str]) -> None:
    folder, _, printed = played
    page = (folder / "report.html").read_text()
    assert "rain <b>" not in page, "what a tool answers is data, never markup"
    assert "rain \\u003cb\\u003e" in page
    said = (folder / "summary.md").read_text()
    assert 'calls: `weather({"city": "Ulm"}) -> clear`' in said
    assert "1 response ended with a call of a tool that has no result" in said
    assert "They say: clear" in printed
    records = [json.loads(line) for line in (folder / "eval_records.jsonl").read_text().splitlines()]
    assert {len(record["response"].get("tool_calls", ())) for record in records} == {1}


def test_a_dry_run_counts_what_describes_tools_and_says_that_rounds_come_on_top(tmp_path: Path) -> None:
    settings = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "EVAL_MODEL": "m"}
    configs: list[Json] = [{}, CONFIG]
    plain, offered = (
        run(*words(tmp_path, config), "--dry-run", runs=tmp_path / "runs", **settings).out for config in configs
    )
    assert "3 to generate and more for rounds of tools," in " ".join(offered.split())
    assert "rounds" not in plain
    assert tokens_in(offered) > tokens_in(plain)


def tokens_in(estimate: str) -> int:
    (found,) = re.findall(r"about ([\d,]+) in", estimate)
    return int(found.replace(",", ""))


def test_a_run_that_was_killed_between_two_rounds_repeats_and_loses_no_call(tmp_path: Path) -> None:
    asked = Counter[str]()

    def slow(call: Call) -> Answer:
        if not call.path.endswith("/chat/completions"):
            return Answer(404)
        messages = json.dumps(call.body["messages"])
        asked[messages] += 1
        if asked[messages] == 1 and "clear" in messages:
            return Answer(hang=True)
        return calling(call)

    arguments = (*words(tmp_path), "--quiet", "--concurrency", "1")
    with scripted_endpoint(slow) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        with started(*arguments, runs=tmp_path / "runs", **settings) as process:
            deadline = time.monotonic() + 30
            while not any("clear" in messages for messages in asked):
                assert time.monotonic() < deadline and process.poll() is None
                time.sleep(0.02)
            process.kill()
            process.wait()
        before = dict(asked)
        done = run("--resume", "last", "--quiet", runs=tmp_path / "runs", **settings)
    assert done.code == 0, done.err
    again = {messages for messages, count in asked.items() if count > before.get(messages, 0) > 0}
    # The one that was not answered, and one that may have been under way beside it.
    assert all("clear" in messages or "Oslo" in messages for messages in again)
    found = {(line["scenario_id"], line["turn"]): line for line in lines(only_run(tmp_path / "runs"))}
    assert found["rain-in-bern", 2]["response"] == "They say: clear"
    assert found["rain-in-bern", 2]["usage"]["input_tokens"] == 20
    assert document(only_run(tmp_path / "runs"), "summary.json")["counts"]["scored"] == 3


def test_a_tool_that_the_prompt_does_not_offer_is_named_before_the_run_and_in_its_report(tmp_path: Path) -> None:
    items: Json = [{"id": "paid", "check": "not_called", "tool": "pay"}]
    one: Json = {"id": "one", "turns": ["Hi"], "tools": {"wether": "Rain."}, "expect": items}
    scenarios: Json = {"category": "small_talk", "scenarios": [one]}
    with scripted_endpoint([say("Hello.")]) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m"}
        done = run(*words(tmp_path, scenarios=scenarios), runs=tmp_path / "runs", **settings)
    said = (
        "offers weather; scenarios script or check 'pay' (1 scenario, first 'one'), 'wether' (1 scenario, first 'one')"
    )
    assert said in done.err
    assert "scenarios script or check" in (only_run(tmp_path / "runs") / "summary.md").read_text()


def test_versions_with_and_without_tools_are_compared(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts" / "penpal-companion"
    prompts.mkdir(parents=True)
    for name, config in (("v1", {}), ("v2", CONFIG)):
        (prompts / f"{name}.md").write_text(f"---\n{yaml.safe_dump({'config': config})}---\nYou are Ada.")
    (tmp_path / "set.yaml").write_text(yaml.safe_dump(SCENARIOS))

    def either(call: Call) -> Answer:
        return calling(call) if "tools" in (call.body or {}) else say("I cannot know the weather.")

    with scripted_endpoint(either) as endpoint:
        done = run(
            *("--base", "v1", "--prompt", "v2", "--scenarios", str(tmp_path / "set.yaml"), "--no-judge"),
            runs=tmp_path / "runs",
            module="scripts.compare_prompts",
            OPENAI_BASE_URL=endpoint.url,
            EVAL_MODEL="m",
            EVAL_PROMPTS_DIR=str(tmp_path / "prompts"),
        )
    assert done.code == 0, done.err
    assert "parameters.tools" not in done.out, "the tools belong to the prompt"


def test_a_judge_is_asked_about_a_response_that_calls_a_tool(tmp_path: Path) -> None:
    asked: list[str] = []

    def judging(call: Call) -> Answer:
        if call.body["model"] != "judge":
            return calling(call)
        asked.append(call.body["messages"][-1]["content"])
        return say("Score: 0.8 | Reasoning: it looks the weather up")

    scenarios: Json = {**SCENARIOS, "scenarios": SCENARIOS["scenarios"][1:]}
    arguments = [word for word in words(tmp_path, scenarios=scenarios) if word != "--no-judge"]
    with scripted_endpoint(judging) as endpoint:
        settings = {"OPENAI_BASE_URL": endpoint.url, "EVAL_MODEL": "m", "EVAL_JUDGE_MODEL": "judge"}
        flags = ("--quiet", "--judge-format", "text", "--no-canaries", "--expectations", "rules")
        done = run(*arguments, *flags, runs=tmp_path / "runs", **settings)
    assert done.code == 0, done.err
    (line,) = lines(only_run(tmp_path / "runs"))
    assert line["state"] == "scored"
    assert line["judge"]["scores"] == {"overall_quality": 0.8}
    assert any('weather({"city": "Oslo"}) -> (no result)' in text for text in asked)
