"""A prompt's config: what is sent of it, and all that is wrong with it at once."""

import pytest

from evaluation.plan import request_parameters
from evaluation.prompt_config import config_faults, seed_of, sent_parameters, unsent_keys
from evaluation.prompts import PromptVersion
from evaluation.records import Json, Turn
from evaluation.request import EvaluationRequest
from evaluation.runspec import PromptPin


def test_all_that_is_wrong_is_named_at_once() -> None:
    faults = config_faults({"owner": "ana", "n": 2, "temperature": 3, "seed": 1.5, "ticket": None}, ())
    assert [fault.partition(":")[0].partition(", and")[0] for fault in faults] == [
        "its config holds owner, n",
        "seed in its config is '1.5'",
        "temperature in its config is '3'",
    ]


@pytest.mark.parametrize("key", ["model", "messages", "n", "stream", "input", "logprobs"])
def test_a_key_that_the_tool_sets_is_refused_under_extra_body(key: str) -> None:
    assert config_faults({"extra_body": {key: 1}}, ()) == [
        f"extra_body in its config holds {key}, which this tool sets: take it out"
    ]


@pytest.mark.parametrize("key", ["temperature", "seed", "max_completion_tokens"])
def test_a_key_of_the_config_is_refused_under_extra_body(key: str) -> None:
    assert config_faults({"extra_body": {key: 1}}, ()) == [
        f"extra_body in its config holds {key}: write it beside extra_body, not under it"
    ]


def test_two_names_of_one_limit_are_refused() -> None:
    [fault] = config_faults({"max_tokens": 5, "max_completion_tokens": 5}, ())
    assert "two names of one limit" in fault


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stop", 5),
        ("stop", ["a", 1]),
        ("top_k", 1.5),
        ("reasoning_effort", ""),
        ("logit_bias", [1]),
        ("response_format", "json"),
        ("response_format", {"type": "json_schema"}),
        ("response_format", {"type": "yaml"}),
        ("extra_body", "a"),
        ("temperature", float("nan")),
        ("seed", -1),
        ("seed", True),
    ],
)
def test_a_value_of_another_form_is_refused(key: str, value: Json) -> None:
    [fault] = config_faults({key: value}, ())
    assert fault.startswith(f"{key} in its config is")


def test_a_mistyped_key_is_answered_with_the_one_that_it_is_like() -> None:
    (fault,) = config_faults({"temprature": 1, "owner": "ana"}, ())
    assert fault.startswith("its config holds temprature (did you mean temperature?), owner, and no call")


def test_what_is_ignored_is_neither_refused_nor_sent_and_is_named() -> None:
    config = {"owner": "ana", "temperature": 9, "seed": 5, "top_p": 0.5, "model": "m", "variables": {}}
    ignored = ("owner", "temperature", "seed", "model", "variables")
    assert config_faults(config, ignored) == []
    assert sent_parameters(config, ignored) == {"top_p": 0.5}
    assert seed_of(config, ignored) == 0
    assert unsent_keys(config, ignored) == ["owner", "temperature", "seed"]


def prompt(config: dict[str, Json]) -> PromptVersion:
    pin = PromptPin(name="bot", version=1, label=None, sha256="0" * 64, source="file")
    return PromptVersion(pin, "text", (Turn("system", "Hi"),), config, ())


def test_what_the_config_gives_belongs_to_the_prompt_unless_a_flag_says_it() -> None:
    given = prompt({"max_completion_tokens": 50, "top_k": 3, "extra_body": {"mirostat": 2}})
    defaults = {"temperature": 0.7, "max_tokens": 500}
    assert request_parameters(EvaluationRequest(), given, defaults) == (
        {"temperature": 0.7, "max_completion_tokens": 50, "top_k": 3, "mirostat": 2},
        ("max_completion_tokens", "top_k", "mirostat"),
    )
    assert request_parameters(EvaluationRequest(max_tokens=60), given, defaults) == (
        {"temperature": 0.7, "max_tokens": 60, "top_k": 3, "mirostat": 2},
        ("top_k", "mirostat"),
    )


def test_a_default_that_is_not_set_displaces_no_limit() -> None:
    found, _ = request_parameters(EvaluationRequest(), prompt({"max_completion_tokens": 50}), {"max_tokens": None})
    assert found == {"max_completion_tokens": 50}


CLOCK: Json = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object"}}}


def tool(**function: Json) -> Json:
    return {"type": "function", "function": {"name": "clock", **function}}


def test_tools_are_sent_as_they_stand() -> None:
    config: dict[str, Json] = {"tools": [CLOCK], "tool_choice": "required", "parallel_tool_calls": True}
    assert config_faults(config, ()) == []
    assert sent_parameters(config, ()) == config
    assert sent_parameters(config, ("tools", "tool_choice")) == {"parallel_tool_calls": True}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"tools": {"clock": {}}}, "tools in its config is"),
        ({"tools": []}, "tools in its config is"),
        ({"tools": [{"type": "web_search"}]}, "tool 1 in its config is no {type: function"),
        ({"tools": [CLOCK, tool(name="")]}, "tool 2 in its config has the name ''"),
        ({"tools": [tool(name="what time")]}, "has the name 'what time'"),
        ({"tools": [tool(parameters="none")]}, "(clock) has parameters that are no JSON schema: it is no mapping"),
        ({"tools": [tool(parameters={"type": "objekt"})]}, 'parameters that are no JSON schema: "objekt"'),
        ({"tools": [tool(parameters={"$ref": "http://127.0.0.1:9/a"})]}, "parameters that are no JSON schema"),
        ({"tools": [CLOCK, CLOCK]}, "two tools in its config have one name"),
        ({"tools": [CLOCK], "tool_choice": "clock"}, "tool_choice in its config is 'clock': make it none, auto"),
        (
            {"tools": [CLOCK], "tool_choice": {"type": "function", "function": {"name": "klok"}}},
            "tool_choice in its config names 'klok', which is no tool of it: choose one of clock",
        ),
        ({"tools": [CLOCK], "parallel_tool_calls": "no"}, "parallel_tool_calls in its config is 'no'"),
        ({"tool_choice": "auto"}, "its config holds tool_choice without tools"),
        ({"functions": [{"name": "clock"}]}, "its config holds functions, an earlier form"),
        ({"function_call": "auto"}, "write it as tool_choice"),
        ({"extra_body": {"functions": []}}, "extra_body in its config holds functions: write tools beside extra_body"),
        ({"extra_body": {"tools": []}}, "extra_body in its config holds tools: write it beside extra_body"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "objekt"}}}},
            'the schema of response_format in its config is no JSON schema: "objekt"',
        ),
    ],
)
def test_what_is_wrong_with_tools_and_schemas_is_said_in_one_clause(config: dict[str, Json], said: str) -> None:
    [fault] = config_faults(config, ())
    assert said in fault


STEP: Json = {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False}
CLOSED: Json = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, "steps": {"type": "array", "items": STEP}, "other": {"$ref": "#"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("reply", None),
        ("steps.0.title", None),
        ("other.anything", None),
        ("replay", "reply, steps, other"),
        ("steps.0.name", "title"),
    ],
)
def test_a_scored_field_that_the_schema_cannot_have_is_named_before_anything_is_paid(
    path: str, known: str | None
) -> None:
    form: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": CLOSED}}
    faults = config_faults({"response_format": form, "scored_field": path}, ())
    said = f"scored_field in its config is {path!r}, and the schema of response_format has {known} there"
    assert faults == ([] if known is None else [said])


@pytest.mark.parametrize("path", ["", ".reply", "reply.", " ", 5, ["reply"]])
def test_a_scored_field_is_a_path(path: Json) -> None:
    [fault] = config_faults({"scored_field": path}, ())
    assert fault.startswith("scored_field in its config is")
