"""What a prompt's config says, as the bytes in which a server receives it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from evaluation.prompt_config import CONFIG_KEYS, SENT, sent_parameters
from evaluation.records import Cell, Json, Request, Turn
from evaluation.runspec import call_seed
from services.journal import call_key
from tests.scripts.commands import document, lines, only_run, run
from tests.services.scripted_endpoint import say, scripted_endpoint

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
CONFIG: Mapping[str, Json] = {
    "model": "of-the-prompt",
    "temperature": 0.3,
    "top_p": 0.9,
    "max_completion_tokens": 77,
    "frequency_penalty": 0.1,
    "presence_penalty": -0.2,
    "stop": ["END", "STOP"],
    "reasoning_effort": "low",
    "top_k": 40,
    "min_p": 0.05,
    "repetition_penalty": 1.1,
    "logit_bias": {"50256": -100},
    "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA}},
    "verbosity": "low",
    "service_tier": "flex",
    "reasoning": {"effort": "low"},
    "thinking": {"type": "disabled"},
    "tools": [{"type": "function", "function": {"name": "clock", "parameters": {"type": "object"}, "strict": False}}],
    "tool_choice": {"type": "function", "function": {"name": "clock"}},
    "parallel_tool_calls": False,
    "seed": 17,
    "extra_body": {"chat_template_kwargs": {"enable_thinking": False}, "unset": None},
    "variables": {"name": "Ada"},
    "scored_field": "answer",
}


def bodies(folder: Path, config: Mapping[str, Json], *arguments: str) -> list[dict[str, Json]]:
    """What a server was sent by an evaluation of a prompt with this config."""
    prompt = folder / "bot.yaml"
    prompt.write_text(
        yaml.safe_dump({"config": dict(config), "messages": [{"role": "system", "content": "You are {{name}}."}]})
    )
    words = ("--prompt", str(prompt), "--tag", "smoke", "--limit", "1", "--no-judge", "--quiet", "--cache", "none")
    with scripted_endpoint([say("hello there")] * 9) as endpoint:
        done = run(*words, *arguments, runs=folder / "runs", OPENAI_BASE_URL=endpoint.url, EVAL_MODEL="m")
        calls = [call.body for call in endpoint.calls if call.path.endswith("/chat/completions")]
    assert calls, done
    return calls


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[dict[str, Json]]]]:
    folder = tmp_path_factory.mktemp("sent")
    yield folder, bodies(folder, CONFIG)


def test_the_config_of_these_tests_holds_every_key_that_there_is() -> None:
    assert {*CONFIG, "max_tokens"} == set(CONFIG_KEYS)


@pytest.mark.parametrize("key", [key for key in SENT if key != "max_tokens"])
def test_a_key_is_sent_as_it_stands(sent: tuple[Path, list[dict[str, Json]]], key: str) -> None:
    assert all(body[key] == CONFIG[key] for body in sent[1])


def test_what_is_not_a_parameter_decides_the_call_in_its_own_way(sent: tuple[Path, list[dict[str, Json]]]) -> None:
    folder, calls = sent
    manifest = document(only_run(folder / "runs"), "manifest.json")
    assert manifest["spec"]["seed"] == 17
    assert manifest["config_not_sent"] == []
    first = calls[0]
    assert first["model"] == "of-the-prompt"
    assert first["messages"][0] == {"role": "system", "content": "You are Ada."}
    assert first["chat_template_kwargs"] == {"enable_thinking": False}
    seeds = {call_seed(17, result["scenario_id"], 1, 1) for result in lines(only_run(folder / "runs"))}
    assert first["seed"] in seeds
    others = {"model", "messages", "seed", "chat_template_kwargs"}
    assert set(first) == {*SENT, *others} - {"max_tokens"}


@pytest.mark.parametrize(
    ("config", "arguments", "limit"),
    [
        ({"max_tokens": 50}, (), {"max_tokens": 50}),
        ({"max_completion_tokens": 50}, (), {"max_completion_tokens": 50}),
        ({"max_completion_tokens": 50}, ("--max-tokens", "60"), {"max_tokens": 60}),
    ],
)
def test_there_is_one_limit_and_a_flag_says_it_before_the_config(
    tmp_path: Path, config: Mapping[str, Json], arguments: tuple[str, ...], limit: Mapping[str, int]
) -> None:
    found = bodies(tmp_path, {**config, "variables": {"name": "Ada"}}, *arguments)
    assert [{key: body[key] for key in body if key.startswith("max_")} for body in found] == [limit] * len(found)


@pytest.mark.parametrize(("arguments", "seed"), [((), 5), (("--seed", "0"), 0), (("--seed", "9"), 9)])
def test_a_flag_says_the_seed_before_the_config_zero_too(tmp_path: Path, arguments: tuple[str, ...], seed: int) -> None:
    bodies(tmp_path, {"seed": 5, "variables": {"name": "Ada"}}, *arguments)
    assert document(only_run(tmp_path / "runs"), "manifest.json")["spec"]["seed"] == seed


def test_each_key_is_part_of_what_a_call_is_kept_under() -> None:
    request = Request("generation", "m", (Turn("user", "Hi"),), {}, Cell("s", 1), 1)
    configs: list[dict[str, Json]] = [{}, *({key: CONFIG[key]} for key in (*SENT, "extra_body") if key in CONFIG)]
    keys = {call_key("here", request, sent_parameters(config, ())) for config in configs}
    assert len(keys) == len(configs) == len(SENT) + 1
