"""Request parameters that a model turns out not to accept, and the change of a request that suits it."""

import re
from collections.abc import Collection, Mapping

from evaluation.records import Json

RENAMED_LENGTH = "max_completion_tokens"
"""The trait of models that want their length limit under this name instead of `max_tokens`."""

DROPPED = {name: f"without_{name}" for name in ("temperature", "top_p", "seed")}
"""Parameter -> the trait of models that refuse it. Only these are ever left out."""

FORMATS = {"json_schema": "without_json_schema", "json_object": "without_json_object"}
"""Type of `response_format` -> the trait of models that refuse it. It is never left out: another format is another
question, and it is for the asker to choose one."""

_UNSUPPORTED_CODES = frozenset({"unsupported_value", "unsupported_parameter", "unknown_parameter"})
# A value out of range ("temperature must be at most 2") is the user's mistake, not a trait of the model.
_UNSUPPORTED = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|extra (?:input|field)s?|not permitted|not allowed",
    re.IGNORECASE,
)


_FORMAT = re.compile(r"response_format|output_format|json_schema|json_object|structured output", re.IGNORECASE)


def suit_parameters(parameters: Mapping[str, Json], traits: Collection[str]) -> dict[str, Json]:
    """The parameters as a model with these traits is sent them."""
    sent = dict(parameters)
    for name, trait in DROPPED.items():
        if trait in traits:
            sent.pop(name, None)
    if RENAMED_LENGTH in traits and "max_tokens" in sent:
        limit = sent.pop("max_tokens")
        sent.setdefault("max_completion_tokens", limit)
    return sent


def find_trait(*, code: str, param: str, message: str, sent: Mapping[str, Json]) -> str | None:
    """The trait that a 400 or 422 speaks of; None when it speaks of something else.

    `param` and `code` are the error's own fields, empty when absent; `sent` are the parameters that were refused, so
    that one trait is never found twice for the same request.
    """
    asked = sent.get("response_format")
    if isinstance(asked, Mapping) and _FORMAT.search(f"{param}\n{message}"):
        return FORMATS.get(str(asked.get("type")))
    if code not in _UNSUPPORTED_CODES and not _UNSUPPORTED.search(message):
        return None
    candidates = [name for name in (*DROPPED, "max_tokens") if name in sent]
    named = [name for name in candidates if name == param] or [
        name for name in candidates if re.search(rf"\b{name}\b", message)
    ]
    if not named:
        return None
    return DROPPED.get(named[0], RENAMED_LENGTH)
