"""The table of providers, and calls to servers that behave as each of them does."""

from typing import Any

import pytest
from pydantic import ValidationError

from evaluation.errors import EndpointRefused
from evaluation.records import CallFailure, Reply, Usage
from scripts.documents.providers import MEANINGS
from services.endpoint_url import parse_endpoint_url
from services.model.call_forms import TRAITS
from services.model.endpoint import Endpoint
from services.model.providers import Provider, load_providers, recognise, recognise_owner
from tests.services.model.provider_servers import SERVERS, VERDICT
from tests.services.model.test_endpoint import KEY, request, using
from tests.services.scripted_endpoint import Answer, Call, scripted_endpoint

USUAL: dict[str, Any] = {"temperature": 0.7, "max_tokens": 50, "seed": 7}
EVERYWHERE = sorted(SERVERS)


def find_provider(name: str) -> Provider:
    return next(each for each in load_providers().providers if each.id == name)


def ask(provider: str, text: str, model: str = "m", **parameters: Any) -> tuple[Reply | CallFailure, list[Call]]:
    """The outcome of one question to a server that behaves like this provider, and the calls that it took."""
    with scripted_endpoint(SERVERS[provider]()) as server:
        outcome = using(
            server.url,
            lambda endpoint: endpoint.complete(request(text, model, **parameters)),
            provider=find_provider(provider),
        )
    return outcome, server.calls


def reply(provider: str, text: str, model: str = "m", **parameters: Any) -> Reply:
    outcome, _ = ask(provider, text, model, **parameters)
    assert isinstance(outcome, Reply), outcome
    return outcome


def failure(provider: str, text: str) -> CallFailure:
    outcome, _ = ask(provider, text)
    assert isinstance(outcome, CallFailure), outcome
    return outcome


# --- every provider ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", EVERYWHERE)
def test_no_first_call_is_refused(provider: str) -> None:
    model = {"openai": "o3-mini", "anthropic": "claude-opus-4-8"}.get(provider, "m")
    outcome, calls = ask(provider, "hi", model, **USUAL, top_p=0.9)
    assert isinstance(outcome, Reply), outcome
    assert (outcome.text, outcome.finish_reason, len(calls)) == ("hello", "stop", 1)
    assert set(outcome.parameters) == set(calls[0].body) - {"model", "messages"}


@pytest.mark.parametrize("provider", EVERYWHERE)
@pytest.mark.parametrize(
    "form", [{"type": "json_schema", "json_schema": {"name": "verdict"}}, {"type": "json_object"}, None]
)
def test_a_judge_is_asked_in_the_format_that_was_settled(provider: str, form: Any) -> None:
    outcome, calls = ask(provider, "Rate it.", temperature=0, response_format=form)
    assert isinstance(outcome, Reply), outcome
    assert outcome.text == (VERDICT if form else "hello")
    assert [call.body.get("response_format") for call in calls] == [form]


@pytest.mark.parametrize("provider", EVERYWHERE)
def test_a_throttled_or_loading_server_is_asked_again(provider: str) -> None:
    outcome, calls = ask(provider, "busy")
    assert isinstance(outcome, Reply), outcome
    assert (outcome.text, outcome.attempts, len(calls)) == ("at last", 2, 2)


@pytest.mark.parametrize("provider", EVERYWHERE)
def test_an_answer_that_is_cut_off_is_an_answer(provider: str) -> None:
    cut = reply(provider, "cut")
    assert (cut.finish_reason, cut.attempts) == ("length", 1)


POLICY = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
FILTERED = {
    "azure": f"HTTP 400: {POLICY}",
    "openrouter": "HTTP 403: Your input was flagged",
}


@pytest.mark.parametrize("provider", EVERYWHERE)
def test_a_filtered_answer_is_no_fault_of_the_server(provider: str) -> None:
    outcome, calls = ask(provider, "filter")
    assert len(calls) == 1
    if provider in FILTERED:
        assert isinstance(outcome, CallFailure)
        assert (outcome.kind, outcome.message) == ("content_filter", FILTERED[provider])
    else:
        assert isinstance(outcome, Reply)
        words = "I can't help with that." if provider == "anthropic" else ""
        assert (outcome.text, outcome.finish_reason) == (words, "content_filter" if not words else "stop")


@pytest.mark.parametrize(
    ("provider", "kind", "message"),
    [
        ("openai", "rejected", "HTTP 400: Invalid value"),
        (
            "anthropic",
            "rejected",
            "HTTP 400: `temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        ),
        ("gemini", "rejected", "HTTP 400: Request contains an invalid argument."),
        ("mistral", "rejected", "HTTP 400: Prompt contains too many tokens"),
        ("vllm", "rejected", "HTTP 400: maximum context length"),
        ("llamacpp", "rejected", "HTTP 400: request exceeds the context"),
        ("openrouter", "malformed", "reply has status 200 and holds an error: Provider returned error"),
    ],
)
def test_an_error_is_said_in_the_words_of_the_server(provider: str, kind: str, message: str) -> None:
    failed = failure(provider, "wrong")
    assert (failed.kind, failed.message) == (kind, message)


@pytest.mark.parametrize(("provider", "named"), [("azure", "deployment"), ("ollama", "model 'gone' not found")])
def test_a_model_that_is_not_there_ends_the_run(provider: str, named: str) -> None:
    with pytest.raises(EndpointRefused, match=rf"refused model 'm' .*{named}.*set EVAL_MODEL"):
        ask(provider, "wrong")


@pytest.mark.parametrize(
    ("provider", "text", "finish", "usage"),
    [
        ("openai", "hi", "stop", Usage(100, 9, 64)),
        ("azure", "hi", "stop", Usage(10, 5)),
        ("anthropic", "hi", "stop", Usage(3, 2)),
        ("gemini", "", "content_filter", Usage(6, 0)),
        ("mistral", "hi", "stop", Usage()),
        ("vllm", "hi", "unknown", Usage(7, 2)),
        ("ollama", "hi", "unknown", Usage(10, 5)),
        ("llamacpp", "hi", "stop", Usage(4, 1)),
    ],
)
def test_odd_answers_are_read(provider: str, text: str, finish: str, usage: Usage) -> None:
    odd = reply(provider, "odd")
    assert (odd.text, odd.finish_reason, odd.usage) == (text, finish, usage)


def test_half_an_answer_of_a_provider_that_failed_is_asked_for_again() -> None:
    failed = failure("openrouter", "odd")
    assert (failed.kind, failed.message, failed.attempts) == ("server_error", "the endpoint broke the answer off", 3)


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "model", "sent"),
    [
        ("openai", "gpt-4o", USUAL),
        ("openai", "o3-mini", {"max_completion_tokens": 50, "seed": 7}),
        ("anthropic", "claude-sonnet-4-6", USUAL),
        ("anthropic", "claude-opus-4-8", {"max_tokens": 50, "seed": 7}),
        ("gemini", "gemini-3.5-flash", {"temperature": 0.7, "max_tokens": 50}),
        ("mistral", "mistral-small", {"temperature": 0.7, "max_tokens": 50, "random_seed": 7}),
        ("ollama", "gpt-oss:20b", USUAL),
    ],
)
def test_what_is_sent(provider: str, model: str, sent: dict[str, Any]) -> None:
    assert reply(provider, "hi", model, **USUAL).parameters == sent


@pytest.mark.parametrize("provider", ["mistral", "ollama"])
def test_a_limit_under_its_newer_name_is_not_lost(provider: str) -> None:
    assert reply(provider, "hi", max_completion_tokens=9).parameters == {"max_tokens": 9}


@pytest.mark.parametrize(
    ("provider", "model", "parameters", "sent", "calls"),
    [
        ("gemini", "m", USUAL, {"temperature": 0.7, "max_tokens": 50}, 2),
        ("mistral", "m", {"max_completion_tokens": 9}, {"max_tokens": 9}, 2),
        ("mistral", "m", USUAL | {"logprobs": True}, {"temperature": 0.7, "max_tokens": 50}, 3),
        ("anthropic", "claude-of-tomorrow", USUAL, {"max_tokens": 50, "seed": 7}, 2),
        ("openai", "o3-mini", USUAL, {"max_completion_tokens": 50, "seed": 7}, 3),
    ],
)
def test_what_the_table_does_not_know_is_learned(
    provider: str, model: str, parameters: dict[str, Any], sent: dict[str, Any], calls: int
) -> None:
    with scripted_endpoint(SERVERS[provider]()) as server:
        outcome = using(server.url, lambda endpoint: endpoint.complete(request("hi", model, **parameters)))
    assert isinstance(outcome, Reply), outcome
    assert (outcome.parameters, len(server.calls)) == (sent, calls)


def test_what_is_withheld_is_known_by_its_name() -> None:
    async def work(endpoint: Endpoint) -> dict[str, set[str]]:
        await endpoint.complete(request("hi", "o3-mini", **USUAL))
        return endpoint.withheld

    with scripted_endpoint(SERVERS["openai"]()) as server:
        assert using(server.url, work, provider=find_provider("openai")) == {"o3-mini": {"temperature"}}


def test_a_limit_that_is_refused_under_both_names_fails_and_is_not_asked_for_ever() -> None:
    def refuse_limits(call: Call) -> Answer:
        name = next(each for each in call.body if each.startswith("max"))
        return Answer(status=400, body={"error": {"message": f"{name} is not supported", "param": name}})

    with scripted_endpoint(refuse_limits) as server:
        outcome = using(server.url, lambda endpoint: endpoint.complete(request(max_tokens=5)))
    assert isinstance(outcome, CallFailure)
    assert (outcome.kind, len(server.calls)) == ("rejected", 2)


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "header", "value"),
    [
        (KEY, "api-key", KEY),
        ("eyJhbGciOi.eyJzdWIi.c2ln-x_1", "authorization", "Bearer eyJhbGciOi.eyJzdWIi.c2ln-x_1"),
        (None, "authorization", "Bearer none"),
    ],
)
def test_azure_takes_a_key_and_a_token_in_headers_of_their_own(key: str | None, header: str, value: str) -> None:
    with scripted_endpoint([Answer(body={"data": []})]) as server:
        path = server.url.replace("/v1", "/openai/deployments/mine?api-version=2024-10-21")
        using(path, Endpoint.list_models, provider=find_provider("azure"), api_key=key)
    (call,) = server.calls
    assert call.path == "/openai/deployments/mine/models?api-version=2024-10-21"
    assert {name: call.headers.get(name) for name in ("api-key", "authorization") if name in call.headers} == {
        header: value
    }


# --- the table --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://API.openai.com/v1/", "openai"),
        ("https://mine.openai.azure.com/openai/v1/", "azure"),
        ("https://mine.services.ai.azure.com/openai/v1", "azure"),
        ("https://mine.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21", "azure"),
        ("https://api.anthropic.com/v1/", "anthropic"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "gemini"),
        ("https://api.mistral.ai/v1", "mistral"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://127.0.0.1:11434/v1", "ollama"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://openrouter.ai/api/v12", None),
        ("https://api.openai.com.example.org/v1", None),
        ("https://openai.azure.com.example.org/openai/v1", None),
        ("http://localhost:8000/v1", None),
        ("https://gateway.example.org/api.mistral.ai/v1", None),
    ],
)
def test_recognise(url: str, provider: str | None) -> None:
    found = recognise(parse_endpoint_url(url))
    assert (found.id if found else None) == provider


def test_servers_on_any_address_are_recognised_by_their_lists() -> None:
    found = {owner: recognise_owner([owner]) for owner in ("vllm", "llamacpp", "library", "openai", "me")}
    names = {owner: each.name if each else None for owner, each in found.items()}
    assert names == {"vllm": "vLLM", "llamacpp": "llama.cpp", "library": "Ollama", "openai": None, "me": None}


def test_every_fact_has_a_source_and_every_source_a_fact() -> None:
    table = load_providers()
    used = {fact.source for provider in table.providers for fact in provider.facts}
    assert used == set(table.sources)
    assert {each.id for each in table.providers} == set(SERVERS)
    assert set(MEANINGS) == set(TRAITS)


def test_a_trait_that_nothing_obeys_is_refused() -> None:
    good: dict[str, Any] = {"id": "x", "name": "X", "base_url": "u", "key": "k", "facts": ()}
    assert Provider(**good, traits=("without_seed",)).traits_of("m") == {"without_seed"}
    with pytest.raises(ValidationError, match="is no trait"):
        Provider(**good, traits=("without_soul",))
