"""Requests as an endpoint and its models take them, a form for each purpose; and its answers, read leniently."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from evaluation.messages import turn_to_json
from evaluation.records import Json, NumberToken, Purpose, Request, ToolCall, Turn, Usage
from evaluation.runspec import canonical_json
from services.model.alternatives import read_numbers
from services.model.embeddings import lines_of
from services.model.errors import one_line, read_server_error
from services.retrying import TryAgain

UNKNOWN_FINISH = "unknown"
FINISHES = {
    "model_length": "length",
    "MAX_TOKENS": "length",
    "STOP": "stop",
    "tool_use": "tool_calls",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "content_filter"),
}
"""Words of single providers for a finish reason -> the one of OpenAI's that says the same."""
BROKEN_OFF = "error"
"""The finish reason of gateways whose provider failed on the way: the text is a part of an answer."""
UNNAMED = "unnamed"
"""Stands for the moderation category where a text is flagged without one."""
LONGEST_NAME = 60
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Completion:
    """The parts of a reply that are kept."""

    text: str
    """Empty when there is nothing but white space. A refusal's own words when the model refused."""
    finish_reason: str
    """As the endpoint said it, in OpenAI's words; refusal when the model refused; unknown when it said nothing."""
    model: str
    """Empty when the endpoint did not say."""
    usage: Usage
    numbers: tuple[NumberToken, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    build: str = ""
    """Of the server, as it names itself beside the model (`system_fingerprint`); empty when it does not."""
    parts: int | None = None
    """Of an answer that has a part for each message of its question: how many; None for any other."""


@dataclass(frozen=True, slots=True)
class CallForm:
    """One kind of call."""

    path: str
    """Under the base URL."""
    body: Callable[[Request, Mapping[str, Json]], dict[str, Json]]
    """From the request and the parameters that are really sent; lone surrogates are replaced."""
    read: Callable[[Json], Completion]
    """Raises TryAgain (malformed)."""
    free: bool = False
    """Costs nothing, whatever the price list says of the model."""
    live: bool = False
    """Goes in no batch: other calls wait for its answer."""


def call_form(purpose: Purpose) -> CallForm:
    """The form of a purpose: chat for all but moderation and embedding."""
    return {"moderation": MODERATION, "embedding": EMBEDDING}.get(purpose, CHAT)


def parse_json(content: bytes, content_type: str) -> Json:
    """Raises TryAgain (malformed) when the content is not JSON or says that it is something else."""
    if content_type and "json" not in content_type.lower():
        raise TryAgain("malformed", f"reply is {one_line(content_type, limit=60)!r}, not JSON", of_endpoint=True)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TryAgain("malformed", f"reply of {len(content)} bytes is not JSON: {one_line(str(error))}") from None


def _object_of(data: Json) -> dict[str, Json]:
    """The body of a reply with a good status. Raises TryAgain (malformed) when it is no object or holds an error."""
    if not isinstance(data, dict):
        raise TryAgain("malformed", f"reply is a JSON {type(data).__name__}, not an object")
    if data.get("error"):
        said = read_server_error(200, data["error"])
        raise TryAgain("malformed", f"reply has status 200 and holds an error: {said.message}")
    return data


def _model_of(body: Mapping[str, Json]) -> str:
    model = body.get("model")
    return one_line(model) if isinstance(model, str) else ""


def _build_of(body: Mapping[str, Json]) -> str:
    build = body.get("system_fingerprint")
    return one_line(build) if isinstance(build, str) else ""


def _well_formed(text: str) -> str:
    """The text with each lone surrogate replaced, so that it can be encoded, sent and stored."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


# --- chat completions -------------------------------------------------------------------------------------------------


def _chat_body(request: Request, parameters: Mapping[str, Json]) -> dict[str, Json]:
    return {**parameters, "model": request.model, "messages": list(map(_message, request.messages))}


def _message(turn: Turn) -> dict[str, Json]:
    """A message that calls tools and says nothing has no content: some servers take an empty one for a mistake."""
    text = _well_formed(turn.content)
    return turn_to_json(turn) | {"content": text if text or not turn.tool_calls else None}


def read_completion(data: Json) -> Completion:
    """Raises TryAgain (malformed) for a body without a usable first choice."""
    body = _object_of(data)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TryAgain("malformed", "reply has no choice with a message")
    finish = _finish(choice)
    message = choice.get("message")
    if message is None and finish == "content_filter":
        message = {}  # some endpoints hold the whole message back
    if not isinstance(message, dict):
        raise TryAgain("malformed", "reply has no choice with a message")
    calls = _tool_calls(message.get("tool_calls"))
    wordless = not message.get("refusal") and _text(message.get("content")) is None
    text, finish = ("", finish) if calls and wordless else _words(message, finish)
    said = _well_formed(text) if text.strip() else ""
    return Completion(
        *(said, finish, _model_of(body), _usage(body.get("usage"))),
        numbers=read_numbers(choice, said),
        tool_calls=calls,
        build=_build_of(body),
    )


def _tool_calls(listed: Json) -> tuple[ToolCall, ...]:
    """The calls of tools of a message; one without an id gets that of its place.

    Raises TryAgain (malformed) for one without a name.
    """
    if not listed:
        return ()
    calls = []
    for number, each in enumerate(listed if isinstance(listed, list) else [listed], start=1):
        function = each.get("function") if isinstance(each, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(function, dict) or not isinstance(name, str) or not name.strip():
            raise TryAgain("malformed", "reply calls a tool without a name")
        given = each.get("id")
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else canonical_json({} if arguments is None else arguments)
        identity = given if isinstance(given, str) and given else f"call_{number}"
        calls.append(ToolCall(*map(_well_formed, (identity, name, text or "{}"))))
    return tuple(calls)


def _finish(choice: Mapping[str, Json]) -> str:
    """Raises TryAgain (server_error) where the answer was broken off."""
    said = choice.get("finish_reason")
    finish = one_line(said, limit=40) if isinstance(said, str) and said else UNKNOWN_FINISH
    if finish == BROKEN_OFF:
        why = read_server_error(200, choice.get("error") or "").message
        raise TryAgain("server_error", f"the endpoint broke the answer off{f': {why}' if why else ''}")
    return FINISHES.get(finish, finish)


def _words(message: Mapping[str, Json], finish: str) -> tuple[str, str]:
    text = _text(message.get("content"))
    refusal = message.get("refusal") or _text(message.get("content"), part="refusal")
    if isinstance(refusal, str) and refusal.strip() and not (text and text.strip()):
        return refusal, "refusal"
    if text is not None:
        return text, finish
    if finish in ("content_filter", "length"):
        # The endpoint held the words back, or spent its tokens before the first: that is an answer, without text.
        return "", finish
    if message.get("function_call"):
        raise TryAgain("malformed", "reply holds only a function_call, the form before tool_calls")
    raise TryAgain("malformed", f"reply has no content (finish_reason {finish!r})")


def _text(content: Json, part: str = "text") -> str | None:
    """The text of a message's content; of a list of parts, the joined texts. None when there is none."""
    if isinstance(content, str):
        return content if part == "text" else None
    if not isinstance(content, list):
        return None
    texts = [item[part] for item in content if isinstance(item, dict) and isinstance(item.get(part), str)]
    return "".join(texts) if texts else None


def _usage(usage: Json) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    asked = _count(usage.get("prompt_tokens"))
    return Usage(asked, _count(usage.get("completion_tokens")), _cached(usage, asked))


def _cached(usage: Mapping[str, Json], asked: int | None) -> int | None:
    """The part of the input that came from the provider's cache, under the names that providers give it.

    `cached_tokens` in `prompt_tokens_details` or `input_tokens_details` is OpenAI's, `prompt_cache_hit_tokens`
    DeepSeek's, `cache_read_input_tokens` Anthropic's behind gateways, `cached_tokens` Moonshot's. None where there is
    none, and for more than all of it.
    """
    parts = [usage.get(name) for name in ("prompt_tokens_details", "input_tokens_details")]
    named = [details.get("cached_tokens") for details in parts if isinstance(details, dict)]
    named += [usage.get(name) for name in ("prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens")]
    found = next((count for value in named if (count := _count(value)) is not None), None)
    return None if found is None or asked is None or found > asked else found


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


# --- moderations ------------------------------------------------------------------------------------------------------


def _moderation_body(request: Request, parameters: Mapping[str, Json]) -> dict[str, Json]:
    text = "\n".join(turn.content for turn in request.messages)
    return {**parameters, "model": request.model, "input": _well_formed(text)}


def read_moderation(data: Json) -> Completion:
    """The text is a JSON object, flagged category -> score from 0 to 1 or null; `{}` when nothing is flagged.

    Several results, as some servers give for one long text, count as one. Raises TryAgain (malformed) for a body
    without usable results.
    """
    body = _object_of(data)
    results = body.get("results")
    if not isinstance(results, list) or not results:
        raise TryAgain("malformed", "reply has no moderation results")
    flagged: dict[str, float | None] = {}
    for result in results:
        for name, score in _flagged_categories(result).items():
            flagged[name] = max(flagged.get(name) or 0.0, score) if score is not None else flagged.get(name)
    return Completion(canonical_json(flagged), "stop", _model_of(body), Usage())


def _flagged_categories(result: Json) -> dict[str, float | None]:
    categories = result.get("categories") if isinstance(result, dict) else None
    if not isinstance(categories, dict):
        raise TryAgain("malformed", "reply has a moderation result without categories")
    if not all(value is None or isinstance(value, bool) for value in categories.values()):
        raise TryAgain("malformed", "reply has a moderation category that is neither true nor false")
    scores = result.get("category_scores")
    named = {
        one_line(name, limit=LONGEST_NAME) or UNNAMED: _score(scores.get(name) if isinstance(scores, dict) else None)
        for name, value in categories.items()
        if value
    }
    return named or ({UNNAMED: None} if result.get("flagged") is True else {})


def _score(value: Json) -> float | None:
    """None for what is no number from 0 to 1, NaN among it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


# --- embeddings -------------------------------------------------------------------------------------------------------


def _embedding_body(request: Request, parameters: Mapping[str, Json]) -> dict[str, Json]:
    """Without `encoding_format`: numbers are the usual form, and some servers refuse what they do not know."""
    texts = [_well_formed(turn.content) for turn in request.messages]
    return {**parameters, "model": request.model, "input": texts}


def read_embedding(data: Json) -> Completion:
    """The text holds one vector a line, as `evaluation.vectors` writes them, in the order of what was asked.

    Raises TryAgain (malformed) for a body whose vectors are not those of all texts, cannot be read, or differ in size.
    """
    body = _object_of(data)
    lines = lines_of(body.get("data"))
    usage = body.get("usage")
    asked = _count(usage.get("prompt_tokens", usage.get("total_tokens"))) if isinstance(usage, dict) else None
    return Completion("\n".join(lines), "stop", _model_of(body), Usage(asked, 0), parts=len(lines))


CHAT = CallForm("/chat/completions", _chat_body, read_completion)
MODERATION = CallForm("/moderations", _moderation_body, read_moderation, free=True)
EMBEDDING = CallForm("/embeddings", _embedding_body, read_embedding, live=True)


# --- parameters that a model turns out not to accept ------------------------------------------------------------------

RENAMED_LENGTH = "max_completion_tokens"
"""The trait of models that want their length limit under this name instead of `max_tokens`."""

OLD_LENGTH = "max_tokens"
"""The trait of models that want it under this name, and not `max_completion_tokens`."""

RENAMED_SEED = "random_seed"
"""The trait of models that take a seed under this name. It is never learned: no refusal says it."""

WITHOUT_LOGPROBS = "without_logprobs"
"""The trait of models that name no alternatives of their tokens: some refuse it by the status of a forbidden call."""

SAMPLING = ("temperature", "top_p", "seed")
"""Parameters that decide what an answer says: a run says which of them its models are not sent."""

DROPPED = {
    **{name: f"without_{name}" for name in SAMPLING},
    **dict.fromkeys(("logprobs", "top_logprobs"), WITHOUT_LOGPROBS),
}
"""Parameter -> the trait of models that refuse it. Only these are ever left out."""

FORMATS = {"json_schema": "without_json_schema", "json_object": "without_json_object"}
"""Type of `response_format` -> the trait of models that refuse it. It is never left out: another format is another
question, and it is for the asker to choose one."""

TRAITS = frozenset({RENAMED_LENGTH, OLD_LENGTH, RENAMED_SEED, *DROPPED.values(), *FORMATS.values()})
"""What may be known of a model before it is asked."""

_UNSUPPORTED_CODES = frozenset({"unsupported_value", "unsupported_parameter", "unknown_parameter"})
# A value out of range ("temperature must be at most 2") is the user's mistake, not a trait of the model.
_UNSUPPORTED = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|extra (?:input|field)s?|not permitted|not allowed|"
    r"deprecated for this model",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"response_format|output_format|json_schema|json_object|structured output", re.IGNORECASE)


_RENAMED = (
    # First, so that a model that is known by mistake to take neither name is sent the newer one.
    (OLD_LENGTH, "max_completion_tokens", "max_tokens"),
    (RENAMED_LENGTH, "max_tokens", "max_completion_tokens"),
    (RENAMED_SEED, "seed", "random_seed"),
)
"""Trait, name that is refused, name in its place."""
LENGTHS = {"max_tokens": RENAMED_LENGTH, "max_completion_tokens": OLD_LENGTH}
"""Parameter -> the trait of models that refuse it."""


def suit_parameters(parameters: Mapping[str, Json], traits: Collection[str]) -> dict[str, Json]:
    """The parameters as a model with these traits is sent them."""
    sent = {name: value for name, value in parameters.items() if DROPPED.get(name) not in traits}
    for trait, old, new in _RENAMED:
        if trait in traits and old in sent:
            value = sent.pop(old)
            sent.setdefault(new, value)
    return sent


def find_trait(*, code: str, param: str, message: str, sent: Mapping[str, Json]) -> str | None:
    """The trait that a 400 or 422 speaks of; None when it speaks of something else.

    `param` and `code` are the error's own fields, empty when absent; `sent` are the parameters that were refused, so
    that one trait is never found twice for the same request.
    """
    asked = sent.get("response_format")
    if isinstance(asked, Mapping) and _FORMAT.search(f"{param}\n{message}"):
        return FORMATS.get(str(asked.get("type")))
    if "logprobs" in sent and "logprobs" in f"{param}\n{message}".lower():
        # In whatever words, and whatever number of them would be allowed: it is an extra that no answer needs.
        return WITHOUT_LOGPROBS
    if code not in _UNSUPPORTED_CODES and not _UNSUPPORTED.search(message):
        return None
    candidates = [name for name in (*DROPPED, *LENGTHS) if name in sent]
    named = [name for name in candidates if name == param] or [
        name for name in candidates if re.search(rf"\b{name}\b", message)
    ]
    if not named:
        return None
    return DROPPED.get(named[0]) or LENGTHS[named[0]]
