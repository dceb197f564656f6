"""How each provider answers, on loopback: written from what was seen of it, and not from the table that is tested.

A behaviour takes a call as it arrived and gives what that provider would: a reply to what it takes, and its own
refusal of anything else. What the user asks for chooses the case: "filter", "cut", "busy", "wrong", "odd".
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.services.scripted_endpoint import Answer, Call

VERDICT = '{"overall": 4}'


def completion(text: Any, finish: Any = "stop", usage: Any = None, **message: Any) -> Answer:
    counted = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15} if usage is None else usage
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "finish_reason": finish, "message": said}
    return Answer(body={"object": "chat.completion", "model": "served-1", "choices": [choice], "usage": counted})


def without_message(finish: str) -> Answer:
    choice = {"index": 0, "finish_reason": finish, "message": None}
    return Answer(body={"model": "served-1", "choices": [choice], "usage": {"prompt_tokens": 9, "total_tokens": 9}})


def error(status: int, body: Any, **headers: str) -> Answer:
    return Answer(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def said(call: Call) -> str:
    return str(call.body["messages"][-1]["content"])


@dataclass
class ProviderServer:
    """One provider. `refuses` gives its refusal of a request, or None; `cases` what it answers to single questions."""

    refuses: Callable[[Call], Answer | None]
    cases: dict[str, Answer]
    seen: list[Call] = field(default_factory=list)

    def __call__(self, call: Call) -> Answer:
        self.seen.append(call)
        refusal = self.refuses(call)
        if refusal is not None:
            return refusal
        asked = said(call)
        if asked == "busy" and sum(said(each) == "busy" for each in self.seen) > 1:
            return completion("at last")
        if "response_format" in call.body and asked not in self.cases:
            return completion(VERDICT)
        return self.cases.get(asked, completion("hello"))


# --- OpenAI -----------------------------------------------------------------------------------------------------------


def _openai_refuses(call: Call) -> Answer | None:
    if not call.body["model"].startswith("o3"):
        return None
    for name in ("max_tokens", "temperature", "top_p"):
        if name in call.body:
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            kind = {"type": "invalid_request_error", "param": name, "code": "unsupported_parameter"}
            return error(400, {"error": {"message": message, **kind}})
    return None


def openai() -> ProviderServer:
    wrong = {"message": "Invalid value", "type": "invalid_request_error", "param": "messages", "code": None}
    return ProviderServer(
        _openai_refuses,
        {
            "filter": completion("", "content_filter"),
            "cut": completion("Once", "length"),
            "busy": error(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, retry_after_ms="1"),
            "wrong": error(400, {"error": wrong}),
            "odd": completion(
                "hi",
                usage={
                    "prompt_tokens": 100,
                    "completion_tokens": 9,
                    "prompt_tokens_details": {"cached_tokens": 64},
                    "completion_tokens_details": {"reasoning_tokens": 8},
                },
            ),
        },
    )


# --- Azure OpenAI -----------------------------------------------------------------------------------------------------


def _azure_refuses(call: Call) -> Answer | None:
    if call.headers.get("api-key") != "sk-secret-0123456789" or "authorization" in call.headers:
        return error(401, {"error": {"code": "401", "message": "Access denied"}})
    return None


def azure() -> ProviderServer:
    filtered = {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True}},
        },
    }
    missing = {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}
    return ProviderServer(
        _azure_refuses,
        {
            "filter": error(400, {"error": filtered}),
            "cut": completion("Once", "length"),
            "busy": error(429, {"error": {"code": "429", "message": "Requests have exceeded"}}, retry_after="0"),
            "wrong": error(404, {"error": missing}),
            "odd": completion("hi", content_filter_results={"hate": {"filtered": False}}),
        },
    )


# --- Anthropic's compatible endpoint ----------------------------------------------------------------------------------


def _anthropic_refuses(call: Call) -> Answer | None:
    for name in ("temperature", "top_p"):
        if name in call.body and call.body["model"] in ("claude-opus-4-8", "claude-of-tomorrow"):
            return error(400, _anthropic_error("invalid_request_error", f"`{name}` is deprecated for this model."))
    return None


def _anthropic_error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def anthropic() -> ProviderServer:
    limits = {"retry_after": "0", "anthropic_ratelimit_requests_remaining": "0"}
    both = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    return ProviderServer(
        _anthropic_refuses,
        {
            "filter": completion("I can't help with that.", "stop"),
            "cut": completion("Once", "length"),
            "busy": error(429, _anthropic_error("rate_limit_error", "exceeded your rate limit"), **limits),
            "wrong": error(400, _anthropic_error("invalid_request_error", both)),
            "odd": completion(
                "hi", usage={"prompt_tokens": 3, "completion_tokens": 2, "completion_tokens_details": None}
            ),
        },
    )


# --- Gemini's compatible endpoint -------------------------------------------------------------------------------------


def _gemini_refuses(call: Call) -> Answer | None:
    unknown = [name for name in ("seed", "frequency_penalty") if name in call.body]
    if not unknown:
        return None
    message = "Invalid JSON payload received. " + " ".join(
        f'Unknown name "{each}": Cannot find field.' for each in unknown
    )
    return error(400, [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}])


def gemini() -> ProviderServer:
    exhausted = {
        "code": 429,
        "message": "Resource has been exhausted (e.g. check quota).",
        "status": "RESOURCE_EXHAUSTED",
    }
    return ProviderServer(
        _gemini_refuses,
        {
            "filter": without_message("content_filter"),
            "cut": completion(None, "length"),
            "busy": error(429, [{"error": exhausted}]),
            "wrong": error(400, [{"error": {"code": 400, "message": "Request contains an invalid argument."}}]),
            "odd": completion("", "SAFETY", {"prompt_tokens": 6, "completion_tokens": 0, "total_tokens": 22}),
        },
    )


# --- Mistral ----------------------------------------------------------------------------------------------------------

_MISTRAL_KNOWS = frozenset(
    {"model", "messages", "temperature", "top_p", "max_tokens", "stop", "random_seed", "response_format", "tools", "n"}
)


def _mistral_refuses(call: Call) -> Answer | None:
    wrong = [name for name in call.body if name not in _MISTRAL_KNOWS]
    if not wrong:
        return None
    detail = [
        {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 1}
        for name in wrong
    ]
    kind = {"type": "invalid_request_error", "param": None, "code": None}
    return error(422, {"object": "error", "message": {"detail": detail}, **kind})


def mistral() -> ProviderServer:
    busy = {"object": "error", "message": "Requests rate limit exceeded", "type": "rate_limited", "code": "1300"}
    long = {
        "object": "error",
        "message": "Prompt contains too many tokens",
        "type": "invalid_request_error",
        "code": "3051",
    }
    return ProviderServer(
        _mistral_refuses,
        {
            "filter": completion("", "content_filter"),
            "cut": completion("Once", "model_length"),
            "busy": error(429, busy),
            "wrong": error(400, long),
            "odd": completion(
                [{"type": "text", "text": "hi"}], usage={"total_tokens": 3, "prompt_audio_seconds": None}
            ),
        },
    )


# --- servers that many run --------------------------------------------------------------------------------------------


def vllm() -> ProviderServer:
    long = {"message": "maximum context length", "type": "BadRequestError", "param": None, "code": 400}
    down = {"message": "engine is busy", "type": "Too Many Requests", "param": None, "code": 429}
    details = {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": None}
    return ProviderServer(
        lambda _call: None,
        {
            "filter": completion("", "content_filter"),
            "cut": completion(None, "length", reasoning="So the user"),
            "busy": error(429, {"error": down}),
            "wrong": error(400, {"error": long}),
            "odd": completion("hi", None, details, reasoning=None),
        },
    )


def ollama() -> ProviderServer:
    missing = {"message": "model 'gone' not found", "type": "not_found_error", "param": None, "code": None}
    busy = {
        "message": "server busy, maximum pending requests exceeded",
        "type": "api_error",
        "param": None,
        "code": None,
    }
    return ProviderServer(
        lambda _call: None,
        {
            "filter": completion("", "content_filter"),
            "cut": completion("", "length", reasoning="The user is asking"),
            "busy": error(503, {"error": busy}),
            "wrong": error(404, {"error": missing}),
            "odd": completion("hi", None),
        },
    )


def llamacpp() -> ProviderServer:
    long = {"code": 400, "message": "request exceeds the context", "type": "exceed_context_size_error", "n_ctx": 4096}
    return ProviderServer(
        lambda _call: None,
        {
            "filter": completion("", "content_filter"),
            "cut": completion("Once", "length"),
            "busy": error(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
            "wrong": error(400, {"error": long}),
            "odd": completion(
                "hi", usage={"prompt_tokens": 4, "completion_tokens": 1, "timings": {"predicted_ms": 2.5}}
            ),
        },
    )


def openrouter() -> ProviderServer:
    flagged = {"code": 403, "message": "Your input was flagged", "metadata": {"reasons": ["violence"]}}
    begun = {"error": {"code": 502, "message": "Provider returned error", "metadata": {"provider_name": "x"}}}
    uncounted = {"prompt_tokens": None, "completion_tokens": None, "total_tokens": 0}
    return ProviderServer(
        lambda _call: None,
        {
            "filter": error(403, {"error": flagged}),
            "cut": completion("Once", "length"),
            "busy": error(429, {"error": {"code": 429, "message": "Rate limit exceeded"}}),
            "wrong": Answer(body=begun),
            "odd": completion('{"events": [{"title": "partial', "error", uncounted),
        },
    )


SERVERS: dict[str, Callable[[], ProviderServer]] = {
    "openai": openai,
    "azure": azure,
    "anthropic": anthropic,
    "gemini": gemini,
    "mistral": mistral,
    "vllm": vllm,
    "ollama": ollama,
    "llamacpp": llamacpp,
    "openrouter": openrouter,
}
