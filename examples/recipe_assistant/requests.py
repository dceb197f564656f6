"""The bodies of both calls, read and checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from examples.recipe_assistant.understanding.injection import without_orders
from examples.recipe_assistant.understanding.text import fold
from examples.recipe_assistant.wishes import Message

ROLES = ("user", "assistant", "system")
MOST_MESSAGES = 200
LONGEST_MESSAGE = 20_000
"""Characters."""
MOST_ITEMS = 500
MOST_OFFERED = 50


class BadRequest(Exception):
    """A request that cannot be answered; `status` is 400 for what is no JSON object and 422 for wrong fields."""

    def __init__(self, status: int, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.field = field


@dataclass(frozen=True, slots=True)
class TurnRequest:
    messages: tuple[Message, ...]
    fridge: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChoiceRequest:
    messages: tuple[Message, ...]
    fridge: tuple[str, ...]
    options: tuple[Mapping[str, Any], ...]
    wanted_id: str | None


def read_turn(body: bytes) -> TurnRequest:
    """Reads the body of POST /api/chat/turn; unknown fields are ignored. Raises BadRequest."""
    given = _object(body)
    return TurnRequest(_messages(given), _fridge(given))


def read_choice(body: bytes) -> ChoiceRequest:
    """Reads the body of POST /api/recipes/choose; unknown fields are ignored. Raises BadRequest."""
    given = _object(body)
    options = given.get("options")
    if not isinstance(options, list) or not 1 <= len(options) <= MOST_OFFERED:
        raise BadRequest(422, f"options is a list of 1 to {MOST_OFFERED} recipes", "options")
    for place, option in enumerate(options):
        if not isinstance(option, dict) or not isinstance(option.get("id"), str):
            raise BadRequest(422, "each option is an object with an id", f"options[{place}]")
    return ChoiceRequest(_messages(given), _fridge(given), tuple(options), _wanted(given))


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest(400, "the body is no JSON") from None
    if not isinstance(given, dict):
        raise BadRequest(400, "the body is no JSON object")
    return given


def _messages(given: Mapping[str, Any]) -> tuple[Message, ...]:
    messages = given.get("messages")
    if not isinstance(messages, list) or len(messages) > MOST_MESSAGES:
        raise BadRequest(422, f"messages is a list of at most {MOST_MESSAGES} messages", "messages")
    return tuple(_message(one, f"messages[{place}]") for place, one in enumerate(messages))


def _message(one: object, where: str) -> Message:
    if not isinstance(one, dict):
        raise BadRequest(422, "a message is an object with role and content", where)
    if one.get("role") not in ROLES:
        raise BadRequest(422, f"role is one of {', '.join(ROLES)}", f"{where}.role")
    content = one.get("content")
    if not isinstance(content, str) or len(content) > LONGEST_MESSAGE:
        raise BadRequest(422, f"content is a text of at most {LONGEST_MESSAGE} characters", f"{where}.content")
    return Message(one["role"], content)


def _fridge(given: Mapping[str, Any]) -> tuple[str, ...]:
    """A list of ingredients, or a text that names them between commas or line ends."""
    fridge = given.get("fridge_input")
    if fridge is None:
        return ()
    if isinstance(fridge, str):
        if len(fridge) > LONGEST_MESSAGE:
            raise BadRequest(422, f"fridge_input is at most {LONGEST_MESSAGE} characters long", "fridge_input")
        lines = [without_orders(fold(line)) for line in fridge.splitlines()]
        return tuple(part for line in lines for part in line.replace(";", ",").split(",") if part.strip())
    if not isinstance(fridge, list) or len(fridge) > MOST_ITEMS:
        raise BadRequest(422, f"fridge_input is null, a text, or a list of at most {MOST_ITEMS}", "fridge_input")
    for place, item in enumerate(fridge):
        if not isinstance(item, str) or len(item) > LONGEST_MESSAGE:
            raise BadRequest(422, "an entry of fridge_input is a short text", f"fridge_input[{place}]")
    return tuple(fridge)


def _wanted(given: Mapping[str, Any]) -> str | None:
    """The id that the user chose: `selected_id`, or `selected` as an id or as the whole recipe."""
    selected = given.get("selected")
    if isinstance(selected, dict):
        selected = selected.get("id")
        if not isinstance(selected, str):
            raise BadRequest(422, "a selected recipe has an id", "selected.id")
    wanted = given.get("selected_id")
    for name, value in (("selected", selected), ("selected_id", wanted)):
        if value is not None and not isinstance(value, str):
            raise BadRequest(422, f"{name} is an id, a recipe or null", name)
    if wanted is not None and selected is not None and wanted != selected:
        raise BadRequest(422, "selected and selected_id name different recipes", "selected_id")
    return wanted if wanted is not None else selected
