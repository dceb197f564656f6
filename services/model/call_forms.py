"""How a request of each purpose is put to an OpenAI-compatible endpoint: path, body, and how the answer is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.records import Json, Purpose, Request
from services.model.completion import Completion, read_completion, well_formed
from services.model.moderations import read_moderation


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


def _chat_body(request: Request, parameters: Mapping[str, Json]) -> dict[str, Json]:
    messages = [{"role": turn.role, "content": well_formed(turn.content)} for turn in request.messages]
    return {**parameters, "model": request.model, "messages": messages}


def _moderation_body(request: Request, parameters: Mapping[str, Json]) -> dict[str, Json]:
    text = "\n".join(turn.content for turn in request.messages)
    return {**parameters, "model": request.model, "input": well_formed(text)}


CHAT = CallForm("/chat/completions", _chat_body, read_completion)
MODERATION = CallForm("/moderations", _moderation_body, read_moderation, free=True)


def call_form(purpose: Purpose) -> CallForm:
    """The form of a purpose: chat for all but moderation."""
    return MODERATION if purpose == "moderation" else CHAT
