"""The rehearsal server: requests checked and replies formed as OpenAI's endpoint does."""

import json
import math
import random
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from services.rehearsal import EMBEDDING_MODEL, GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL, VERSION
from services.rehearsal.alternatives import alternatives
from services.rehearsal.embedding import SIZE, bag_of_words, in_base64
from services.rehearsal.judge import UNREADABLE, grade, is_grading_request
from services.rehearsal.options import Allowance, Fate, Ledger, RehearsalOptions, draw_fate
from services.rehearsal.phrases import load_pool
from services.rehearsal.reply import chat_reply, conversation_number
from services.rehearsal.scene import Message
from services.rehearsal.structured import structured_reply
from services.rehearsal.wire import HttpRequest, HttpResponse

MODELS = [
    {"id": name, "object": "model", "created": 0, "owned_by": "rehearsal"}
    for name in (GENERATION_MODEL, JUDGE_MODEL, MODERATION_MODEL, EMBEDDING_MODEL)
]
REFUSAL = "I'm sorry, but I can't help with that."

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
CHARACTERS_PER_TOKEN = 4
"""Stands for a tokenizer."""

FLAGGING = {name: re.compile(rf"\b(?:{words})\b") for name, words in load_pool("judge")["flagged"].items()}
FLAGGED, CLEAN = 0.9, 0.01


@dataclass
class Refused(Exception):
    """A request that gets an error body; `status` is its HTTP status."""

    status: int
    message: str
    parameter: str | None = None
    code: str | None = None
    after_s: float | None = None
    """Seconds after which the same request may be answered."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A valid request."""

    model: str
    messages: tuple[Message, ...]
    temperature: float
    seed: int
    max_tokens: int | None
    response_format: Mapping[str, Any]
    """Empty where none is asked for."""
    top_p: float
    alternatives: int | None
    """Tokens to name in the place of each one written; None where none are asked for."""


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises Refused (400)."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "We could not parse the JSON body of your request.") from None
    if not isinstance(value, dict):
        raise Refused(400, "The JSON body of the request must be an object.")
    return value


def read_model(value: Mapping[str, Any], options: RehearsalOptions, offered: Collection[str]) -> str:
    """The model that is asked for, one of those offered unless any will do. Raises Refused (400 or 404)."""
    model = value.get("model")
    if not isinstance(model, str) or not model:
        raise Refused(400, "you must provide a model parameter", "model")
    if not options.any_model and model not in offered:
        text = f"The model `{model[:200]}` does not exist or you do not have access to it."
        raise Refused(404, text, "model", "model_not_found")
    return model


def read_request(value: Mapping[str, Any], options: RehearsalOptions) -> ChatRequest:
    """Checks a request as OpenAI's endpoint does. Raises Refused (400 or 404)."""
    model = read_model(value, options, (GENERATION_MODEL, JUDGE_MODEL))
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "'messages' must be an array with at least one message.", "messages", "invalid_type")
    form = {} if value.get("response_format") is None else value["response_format"]
    if not isinstance(form, dict):
        raise Refused(400, "'response_format' must be an object.", "response_format", "invalid_type")
    _refuse_unsupported(value, form, options)
    name = "max_completion_tokens" if value.get("max_completion_tokens") is not None else "max_tokens"
    return ChatRequest(
        model=model,
        messages=tuple(_message(number, entry) for number, entry in enumerate(messages)),
        temperature=_number(value, "temperature", 0, 2, 1.0),
        seed=_number(value, "seed", -math.inf, math.inf, 0),
        max_tokens=_number(value, name, 1, math.inf, None),
        response_format=form,
        top_p=_number(value, "top_p", 0, 1, 1.0),
        alternatives=_number(value, "top_logprobs", 0, 20, 0) if value.get("logprobs") is True else None,
    )


def _message(number: int, entry: object) -> Message:
    place = f"messages[{number}]"
    role = entry.get("role") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(role, str) or role not in ROLES:
        raise Refused(400, f"Invalid value for '{place}.role'.", f"{place}.role", "invalid_value")
    content = entry.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if content is None and role == "assistant":
        content = ""
    if not isinstance(content, str):
        raise Refused(400, f"'{place}.content' must be a string.", f"{place}.content", "invalid_type")
    return Message("system" if role == "developer" else role, content)


def _refuse_unsupported(value: Mapping[str, Any], form: Mapping[str, Any], options: RehearsalOptions) -> None:
    """Refuses what this server never does, and what it was started to refuse as some models do."""
    warm = options.refuse_temperature and value.get("temperature") not in (None, 1)
    capped = options.refuse_max_tokens and value.get("max_tokens") is not None
    shaped = options.refuse_json_schema and form.get("type") == "json_schema"
    cases = (
        ("stream", value.get("stream"), "Streaming is not supported by the rehearsal model."),
        ("n", value.get("n") not in (None, 1), "Only n = 1 is supported by the rehearsal model."),
        ("temperature", warm, "Unsupported value: 'temperature' supports only the default (1) with this model."),
        ("max_tokens", capped, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        ("response_format", shaped, "'response_format' of type 'json_schema' is not supported with this model."),
    )
    for name, wrong, text in cases:
        if wrong:
            raise Refused(400, text, name, "unsupported_parameter" if name == "max_tokens" else "unsupported_value")


def _number(value: Mapping[str, Any], name: str, low: float, high: float, default: float | None) -> Any:
    """A number that is sent, whole unless the default has a point. Raises Refused (400) when it is none or outside."""
    given = value.get(name)
    if given is None:
        return default
    kinds = (int, float) if isinstance(default, float) else (int,)
    if isinstance(given, bool) or not isinstance(given, kinds):
        raise Refused(400, f"Invalid type for '{name}'.", name, "invalid_type")
    if not low <= given <= high:
        raise Refused(400, f"Invalid '{name}': expected a value from {low} to {high}.", name, "out_of_range")
    return given


def tokens(text: str) -> int:
    """Tokens as this endpoint counts them: four characters each, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def completion(asked: ChatRequest, number: int, text: str, finish: str, refusal: str | None) -> dict[str, Any]:
    """The body of a 200 to that request. A text longer than `max_tokens` is cut and ends with `length`."""
    if asked.max_tokens is not None and tokens(text) > asked.max_tokens:
        text, finish = text[: asked.max_tokens * CHARACTERS_PER_TOKEN], "length"
    most, spent = asked.alternatives, tokens(text) + tokens(refusal or "")
    read = sum(tokens(message.content) + 3 for message in asked.messages)
    return {
        "id": f"chatcmpl-rehearsal-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": None if refusal else text, "refusal": refusal},
                "logprobs": None if most is None else alternatives(text, most, random.Random(number)),
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": spent, "total_tokens": read + spent},
        "system_fingerprint": f"rehearsal-{VERSION}",
    }


def _texts(value: Mapping[str, Any], wrong: str, least: int = 0) -> list[str]:
    """The texts of `input`, each of at least so many characters. Raises Refused (400) with `wrong` as its message."""
    given = value.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or any(not isinstance(one, str) or len(one) < least for one in texts):
        raise Refused(400, wrong, "input")
    return texts


# --- what is answered -------------------------------------------------------------------------------------------------

Understood: TypeAlias = tuple[str, Callable[[Fate], dict[str, Any]]]
"""The purpose of a valid request, and what makes the body of its reply."""


def answer_chat(value: Mapping[str, Any], options: RehearsalOptions, number: int) -> Understood:
    """A reply, or a verdict where one is asked for. Raises Refused (400 or 404) as OpenAI's endpoint does."""
    asked = read_request(value, options)
    form, grading = asked.response_format, is_grading_request(asked.messages, asked.response_format)

    def reply(fated: Fate) -> dict[str, Any]:
        if grading:
            luck = random.Random(conversation_number(asked.messages) ^ (asked.seed + 1 if asked.temperature else 0))
            text = grade(asked.messages, form, options.judge_mode, luck)
            text = luck.choice(UNREADABLE) if fated.malformed else text
        else:
            text = chat_reply(asked.messages, asked.seed, asked.temperature, options.forgetful, asked.top_p)
            text = structured_reply(text, form)
        outcomes = {
            "empty": ("", "stop", None),
            "truncate": (text[: len(text) // 2], "length", None),
            "refusal": ("", "stop", REFUSAL),
            "content_filter": (text[: len(text) // 4], "content_filter", None),
        }
        return completion(asked, number, *outcomes.get(fated.spoiling, (text, "stop", None)))

    return "judge" if grading else "generation", reply


def answer_moderation(value: Mapping[str, Any], options: RehearsalOptions, number: int) -> Understood:
    """One result per text. Raises Refused (400 or 404) as OpenAI's endpoint does."""
    model = read_model(value, options, (MODERATION_MODEL,))
    texts = _texts(value, "Invalid type for 'input': expected a string or an array of strings.")
    results = [_result(text.lower()) for text in texts]
    return "moderation", lambda _fated: {"id": f"modr-rehearsal-{number}", "model": model, "results": results}


def _result(text: str) -> dict[str, Any]:
    categories = {name: pattern.search(text) is not None for name, pattern in FLAGGING.items()}
    return {
        "flagged": any(categories.values()),
        "categories": categories,
        "category_scores": {name: FLAGGED if found else CLEAN for name, found in categories.items()},
    }


def answer_embeddings(value: Mapping[str, Any], options: RehearsalOptions, _request: int) -> Understood:
    """One vector per text. Raises Refused (400 or 404) as OpenAI's endpoint does."""
    model = read_model(value, options, (EMBEDDING_MODEL,))
    texts = _texts(value, "'$.input' is invalid: expected a string or an array of strings, none empty.", least=1)
    form = value.get("encoding_format") or "float"
    if form not in ("float", "base64"):
        raise Refused(400, f"Invalid value for 'encoding_format': {form!r:.80}.", "encoding_format", "invalid_value")
    size, read = _number(value, "dimensions", 1, SIZE, SIZE), sum(map(tokens, texts))
    vectors = [bag_of_words(text, size) for text in texts]
    data = [
        {"object": "embedding", "index": place, "embedding": in_base64(vector) if form == "base64" else vector}
        for place, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": read, "total_tokens": read}
    return "embedding", lambda _fated: {"object": "list", "model": model, "data": data, "usage": usage}


CALLS = {
    "/v1/chat/completions": answer_chat,
    "/v1/moderations": answer_moderation,
    "/v1/embeddings": answer_embeddings,
}


class Rehearsal:
    """Answers HTTP requests; all state is what it counted."""

    def __init__(self, options: RehearsalOptions) -> None:
        self._options = options
        self._ledger = Ledger()
        self._allowance = Allowance(options.rpm_limit, options.tpm_limit)

    def respond(self, request: HttpRequest) -> HttpResponse:
        """The answer to one request."""
        place = (request.method, request.path)
        try:
            if request.method == "POST" and request.path in CALLS:
                return self._call(request)
            if place == ("GET", "/stats"):
                return _json(200, {"version": VERSION, **self._ledger.as_json()})
            self._check_key(request)
            if place == ("GET", "/v1/models"):
                return _json(200, {"object": "list", "data": MODELS})
            raise Refused(404, f"Invalid URL ({request.method[:10]} {request.path[:100]})")
        except Refused as refused:
            return _error(refused)

    def _check_key(self, request: HttpRequest) -> None:
        wanted = self._options.require_key
        if wanted and request.headers.get("authorization", "") != f"Bearer {wanted}":
            raise Refused(401, "Incorrect API key provided.", None, "invalid_api_key")

    def _call(self, request: HttpRequest) -> HttpResponse:
        """The answer to a call that is counted and that faults may hit."""
        key, times = self._ledger.note_arrival(request.body)
        purpose, fated = "rejected", Fate()
        try:
            self._check_key(request)
            value = read_object(request.body)
            purpose, reply = CALLS[request.path](value, self._options, int.from_bytes(key[:6], "big"))
            fated = draw_fate(self._options, purpose, key, times)
            self._admit(fated)
            body = reply(fated)
            self._allowance.charge(body.get("usage", {}).get("total_tokens", 0))
            answer = _json(200, body)
        except Refused as refused:
            answer = _error(refused)
        manner = fated.breakdown if fated.breakdown in ("hang", "disconnect") else "whole"
        return replace(answer, delay=fated.delay, manner=manner, done=partial(self._ledger.note_end, key, purpose))

    def _admit(self, fated: Fate) -> None:
        """Raises Refused (429 or 500) where the allowance is used up, or fate has it so."""
        wait_s = self._allowance.admit()
        if wait_s > 0 or fated.breakdown == "rate_429":
            after_s = wait_s or self._options.retry_after
            raise Refused(429, "Rate limit reached for requests.", code="rate_limit_exceeded", after_s=after_s)
        if fated.breakdown == "rate_500":
            raise Refused(500, "The server had an error while processing your request.")


def _json(status: int, value: Mapping[str, Any], headers: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    return HttpResponse(status, json.dumps(value).encode("ascii"), headers)


def _error(refused: Refused) -> HttpResponse:
    kind = {429: "requests", 500: "server_error"}.get(refused.status, "invalid_request_error")
    detail = {"message": refused.message, "type": kind, "param": refused.parameter, "code": refused.code}
    headers = () if refused.after_s is None else (("Retry-After", f"{refused.after_s:g}"),)
    return _json(refused.status, {"error": detail}, headers)
