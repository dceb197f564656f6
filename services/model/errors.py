"""The meaning of an error answer of a model endpoint: try again, this request alone, or every call alike."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.errors import EndpointRefused
from evaluation.records import Json, Purpose
from services.retrying import TryAgain

LONGEST_MESSAGE = 200
_LONGEST_CHAIN = 12
_SECRET_LIKE = re.compile(r"\b(?:sk|pk)-[\w*.-]{4,}|(?<=Bearer )\S+", re.IGNORECASE)
_RETRIED_4XX = {408, 409, 425}
_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_CONTENT_FILTER = {"content_filter", "content_policy_violation"}
_TOO_LONG = {"context_length_exceeded", "string_above_max_length", "exceed_context_size_error"}
_NO_MODEL = {"model_not_found", "deploymentnotfound"}
_MODEL_SETTING = {
    "judge": "EVAL_JUDGE_MODEL",
    "moderation": "--moderation or EVAL_MODERATION_MODEL",
    "embedding": "--embedding-model or EVAL_EMBEDDING_MODEL",
}


@dataclass(eq=False)
class CallRejected(Exception):
    """The endpoint will not answer this request, however often it is asked."""

    kind: str
    """rejected or content_filter."""
    message: str
    reason: str
    """Equal for requests that are rejected alike; empty when it lies in what this one request says."""


@dataclass(eq=False)
class ServerError(Exception):
    """An error answer, read and made safe to show."""

    status: int
    code: str
    """The error's `code`, else its `type`; empty when it has neither."""
    param: str
    message: str
    """One line of at most 200 characters, without keys."""
    headers: Mapping[str, str]
    wait_s: float | None = None
    """The wait that its headers ask for, once they were read."""

    @property
    def text(self) -> str:
        return f"HTTP {self.status}: {self.message}" if self.message else f"HTTP {self.status}"


SHORTEST_SECRET = 8
"""Shorter keys ("none", "key") are words of a language, and guard nothing."""


def without_secrets(text: str, secrets: Sequence[str]) -> str:
    """The text with every secret replaced: a model or a proxy may repeat the key that it was sent."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET and secret in text:
            text = text.replace(secret, "[secret removed]")
    return text


def one_line(text: str, secrets: Sequence[str] = (), limit: int = LONGEST_MESSAGE) -> str:
    """A foreign text made safe to show: no keys, no control characters, one line, at most `limit` characters."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    text = _SECRET_LIKE.sub("***", text)[: limit * 10]
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def causes(error: BaseException) -> list[BaseException]:
    """The error and what it came from, the innermost last."""
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and len(chain) < _LONGEST_CHAIN:
        chain.append(step)
        step = step.__cause__ or step.__context__
    return chain


def read_server_error(
    status: int, body: Json, secrets: Sequence[str] = (), headers: Mapping[str, str] | None = None
) -> ServerError:
    """`body` is the answer's `error` object, or whatever came instead of one: a text, a list, another object.

    A code that is a number alone, as many servers repeat the status, says less than the type beside it.
    """
    fields = body if isinstance(body, dict) else {}
    code, kind = fields.get("code") or "", fields.get("type") or ""
    code = kind if kind and str(code).isdecimal() else code or kind
    message = fields.get("message") or fields.get("detail") or fields.get("error") or (body if not fields else "")
    param = fields.get("param")
    return ServerError(
        status=status,
        code=one_line(str(code), limit=60),
        param=param if isinstance(param, str) else "",
        message=one_line(_words(message), secrets) if message else "",
        headers=headers or {},
    )


def _words(message: Json) -> str:
    problems = message.get("detail") if isinstance(message, dict) else message
    if isinstance(problems, list) and problems and all(isinstance(each, dict) and "msg" in each for each in problems):
        # What servers that check a request with pydantic say of each field.
        return "; ".join(f"{_place(each.get('loc'))}: {each['msg']}" for each in problems)
    try:
        return message if isinstance(message, str) else repr(message)
    except RecursionError:
        return "an error nested too deeply to show"


def _place(steps: Json) -> str:
    return ".".join(map(str, steps)) if isinstance(steps, list) else "request"


def sentence_of(
    error: ServerError, *, endpoint: str, model: str, purpose: Purpose, wait_s: float | None = None
) -> EndpointRefused | TryAgain | CallRejected:
    """The exception that this answer amounts to; `wait_s` is the wait that its headers ask for."""
    refused = _refusal(error, model, purpose)
    if refused:
        what, remedy = refused
        said = f" ({error.text})" if error.message else f" (HTTP {error.status})"
        return EndpointRefused(f"{endpoint} refused {what}{said}; {remedy}", model=model)
    if error.status == 429:
        return TryAgain("rate_limited", error.text, wait_s=wait_s, throttled=True)
    if error.status >= 500 or error.status in _RETRIED_4XX:
        kind = "timeout" if error.status in (408, 504) else "server_error"
        return TryAgain(kind, error.text, wait_s=wait_s)
    if error.code.lower() in _CONTENT_FILTER or _is_moderation(error):
        return CallRejected("content_filter", error.text, reason="")
    return CallRejected("rejected", error.text, reason="" if error.code in _TOO_LONG else _reason(error))


def refuses_all(error: ServerError) -> bool:
    """True where every further call would be refused alike: no credit, a key or a model that is not accepted."""
    return _refusal(error, "", "generation") is not None


def _refusal(error: ServerError, model: str, purpose: Purpose) -> tuple[str, str] | None:
    """The thing refused and its remedy, when every further call would be refused alike."""
    status, code = error.status, error.code.lower()
    setting = _MODEL_SETTING.get(purpose, "EVAL_MODEL")
    if status == 402 or code in _NO_CREDIT:
        return "the account", "it has no credit left: top it up or set another OPENAI_API_KEY"
    if status in (401, 407) or (status == 400 and re.search(r"\bapi[ _]key\b", error.message, re.IGNORECASE)):
        return "the key", "set OPENAI_API_KEY to a key that it accepts"
    if status == 403 and not _is_moderation(error):
        return f"the key for model {model!r}", f"set OPENAI_API_KEY or {setting} to what goes together"
    if code in _NO_MODEL or (status == 404 and "model" in error.message.lower()):
        return f"model {model!r}", f"set {setting} to a model that it offers"
    if 300 <= status < 400 or status in (404, 405, 410) or (status == 501 and purpose == "embedding"):
        if purpose == "moderation":
            return "POST /moderations", f"it moderates nothing: start a run without {setting}"
        if purpose == "embedding":
            return (
                "POST /embeddings",
                f"it embeds nothing: start a run without {setting}, or name another as model@name",
            )
        return "the URL", "set OPENAI_BASE_URL to the address under which it serves /chat/completions"
    return None


def _is_moderation(error: ServerError) -> bool:
    # Gateways that moderate input answer 403, which otherwise speaks of the key.
    return error.status in (400, 403) and bool(re.search(r"moderation|flagged|content policy", error.message, re.I))


def _reason(error: ServerError) -> str:
    return re.sub(r"\d+", "#", f"{error.status} {error.code} {error.param} {error.message}")
