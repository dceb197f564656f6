"""What the body of a chat completion says, whoever sent it."""

import json
import re
from dataclasses import dataclass

from evaluation.records import Json, Usage
from services.model.errors import one_line, read_server_error
from services.retrying import TryAgain

UNKNOWN_FINISH = "unknown"
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Completion:
    """The parts of a reply that are kept."""

    text: str
    """Empty when there is nothing but white space. A refusal's own words when the model refused."""
    finish_reason: str
    """As the endpoint said it; refusal when the model refused; unknown when it said nothing."""
    model: str
    """Empty when the endpoint did not say."""
    usage: Usage


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced, so that it can be encoded, sent and stored."""
    if text.isascii():
        return text
    return _SURROGATES.sub("\ufffd", text)


def parse_json(content: bytes, content_type: str) -> Json:
    """Raises TryAgain (malformed) when the content is not JSON or says that it is something else."""
    if content_type and "json" not in content_type.lower():
        raise TryAgain("malformed", f"reply is {one_line(content_type, limit=60)!r}, not JSON", of_endpoint=True)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TryAgain("malformed", f"reply of {len(content)} bytes is not JSON: {one_line(str(error))}") from None


def object_of(data: Json) -> dict[str, Json]:
    """The body of a reply with a good status. Raises TryAgain (malformed) when it is no object or tells of an error."""
    if not isinstance(data, dict):
        raise TryAgain("malformed", f"reply is a JSON {type(data).__name__}, not an object")
    if data.get("error"):
        said = read_server_error(200, data["error"])
        raise TryAgain("malformed", f"reply has status 200 and holds an error: {said.message}")
    return data


def read_completion(data: Json) -> Completion:
    """Raises TryAgain (malformed) for a body without a usable first choice."""
    body = object_of(data)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise TryAgain("malformed", "reply has no choice with a message")
    text, finish = _words(message, choice.get("finish_reason"))
    model = body.get("model")
    return Completion(
        text=well_formed(text) if text.strip() else "",
        finish_reason=finish,
        model=one_line(model) if isinstance(model, str) else "",
        usage=_usage(body.get("usage")),
    )


def _words(message: dict[str, Json], finish: Json) -> tuple[str, str]:
    finish = one_line(finish, limit=40) if isinstance(finish, str) and finish else UNKNOWN_FINISH
    text = _text(message.get("content"))
    refusal = message.get("refusal") or _text(message.get("content"), part="refusal")
    if isinstance(refusal, str) and refusal.strip() and not (text and text.strip()):
        return refusal, "refusal"
    if text is not None:
        return text, finish
    if finish in ("content_filter", "length"):
        # The endpoint held the words back, or spent its tokens before the first: that is an answer, without text.
        return "", finish
    if message.get("tool_calls") or message.get("function_call"):
        raise TryAgain("malformed", "reply holds only tool calls")
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
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
