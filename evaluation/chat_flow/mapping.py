"""The mapping file (YAML): where another API keeps what the contract calls messages, options, time_minutes, ...

Keys are the contract's names, values the other API's: dotted paths for nested fields (`duration.minutes`). What is not
named keeps its name. `parse_mapping` says what a file may hold.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from evaluation.applications.mapping import (
    CallForm,
    ConversationMapping,
    HeaderName,
    Method,
    PlaceText,
    PollForm,
    SessionForm,
    UrlPath,
    refuse_unknown_names,
)
from evaluation.chat_flow.flow_run import CHOOSE_PATH, TURN_PATH
from evaluation.records import Json
from evaluation.text.forms import Form, SourceText
from evaluation.text.yaml_text import ValuePath

OF_RECIPES = frozenset({"turn", "choose", "recipe", "next_actions"})
"""Keys of the mapping of a recipe assistant, and of no other application's."""

FieldPath: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$", max_length=200)
]
RecipeField: TypeAlias = Literal["id", "title", "ingredients", "time_minutes", "steps", "servings", "diet"]


class _TurnForm(Form):
    method: Method = "POST"
    path: UrlPath = TURN_PATH
    request: dict[Literal["messages", "fridge_input"], FieldPath] = Field(default_factory=dict)
    response: dict[Literal["next_action", "reply", "options"], FieldPath] = Field(default_factory=dict)


class _ChooseForm(Form):
    method: Method = "POST"
    path: UrlPath = CHOOSE_PATH
    request: dict[Literal["messages", "fridge_input", "options"], FieldPath] = Field(default_factory=dict)
    response: dict[Literal["selected"], FieldPath] = Field(default_factory=dict)
    send: Literal["recipes", "ids"] = "recipes"


class _MessageForm(Form):
    role: FieldPath = "role"
    content: FieldPath = "content"
    roles: dict[Literal["user", "assistant"], str] = Field(default_factory=dict)


class _TraceForm(Form):
    header: HeaderName | None = None
    body: FieldPath | None = None
    system: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] | None = None
    """Where those traces are: langfuse, arize, ..."""


class FieldMapping(Form):
    """Between the contract and another API, both ways. The default changes nothing."""

    turn: _TurnForm = _TurnForm()
    choose: _ChooseForm = _ChooseForm()
    message: _MessageForm = _MessageForm()
    recipe: dict[RecipeField, FieldPath] = Field(default_factory=dict)
    next_actions: dict[Annotated[str, Field(min_length=1, max_length=100)], str] = Field(default_factory=dict)
    """The other API's value -> the contract's."""
    trace_id: _TraceForm = _TraceForm()
    headers: dict[HeaderName, str] = Field(default_factory=dict)
    """Values may hold ${NAME} of the environment."""
    constants: dict[str, Json] = Field(default_factory=dict)
    """Sent with every body."""
    session: SessionForm = SessionForm()
    stream: PlaceText | None = None
    poll: PollForm | None = None
    error: PlaceText | None = None
    """As in the mapping of any application; paths may hold {session}."""

    def calling(self) -> ConversationMapping:
        """What it has in common with the mapping of any application."""
        return ConversationMapping(
            headers=self.headers, session=self.session, stream=self.stream, poll=self.poll, error=self.error
        )

    def form(self, path: str) -> CallForm:
        """The request for a call of the contract, without its body."""
        call = self._call(path)
        return CallForm(path=path) if call is None else CallForm(method=call.method, path=call.path)

    def request(self, path: str, body: Mapping[str, Json]) -> dict[str, Json]:
        """The body as the other API wants it."""
        call = self._call(path)
        ids = isinstance(call, _ChooseForm) and call.send == "ids"
        places = {} if call is None else dict[str, str](call.request.items())
        sent: dict[str, Json] = dict(self.constants)
        for name, value in body.items():
            if name == "messages":
                value = [self._message(message) for message in value]
            elif name == "options":
                value = [self._option(option, ids=ids) for option in value]
            _put(sent, places.get(name, name), value)
        return sent

    def response(self, path: str, body: Json) -> Json:
        """The body under the contract's names; what else it says stays. What is no mapping stays as it is."""
        if not isinstance(body, dict):
            return body
        call = self._call(path)
        found = dict(body) if call is None else _rename(body, call.response.items())
        action = found.get("next_action")
        if isinstance(action, str):
            found["next_action"] = self.next_actions.get(action, action)
        reply = found.get("reply")
        if isinstance(reply, dict):
            found["reply"] = _rename(reply, (("content", self.message.content), ("role", self.message.role)))
        if isinstance(found.get("options"), list):
            found["options"] = [_rename(option, self.recipe.items()) for option in found["options"]]
        if "selected" in found:
            found["selected"] = _rename(found["selected"], self.recipe.items())
        return found

    def trace_of(self, body: Json) -> str:
        """The application's trace id in a response's body, as received; empty without one."""
        path = self.trace_id.body or "trace_id"
        _, value = _take(dict(body), path.split(".")) if isinstance(body, dict) else (False, None)
        return value if isinstance(value, str) else ""

    def _call(self, path: str) -> _TurnForm | _ChooseForm | None:
        """The form of the call that the contract knows by this path."""
        calls: dict[str, _TurnForm | _ChooseForm] = {TURN_PATH: self.turn, CHOOSE_PATH: self.choose}
        return calls.get(path)

    def _option(self, option: Json, *, ids: bool) -> Json:
        if ids and isinstance(option, dict) and isinstance(option.get("id"), str | int):
            return option["id"]
        return _rename_back(option, self.recipe.items())

    def _message(self, message: Mapping[str, Json]) -> dict[str, Json]:
        sent: dict[str, Json] = {}
        _put(sent, self.message.role, self.message.roles.get(message["role"], message["role"]))
        _put(sent, self.message.content, message["content"])
        return sent


def is_of_recipes(value: Json) -> bool:
    """True for what a mapping file holds where it is of a recipe assistant, and of no other application."""
    return isinstance(value, dict) and not OF_RECIPES.isdisjoint(value)


def parse_mapping(text: str, place: str) -> FieldMapping:
    """Reads a mapping file.

    {turn?: {path?, request?, response?}, choose?: the same and {send?: recipes or ids}, message?: {role?, content?,
    roles?}, recipe?: {id?, title?, ingredients?, time_minutes?, steps?, servings?, diet?}, next_actions?:
    {theirs: ours}, trace_id?: {header?, body?, system?}, and headers, constants, session, stream, poll, error as for
    any application}.
    Raises ParseError, one line with the place, for anything else, and for two fields at one path.
    """
    source = SourceText(text, place)
    mapping = source.read(FieldMapping, "'turn:', 'choose:', 'message:' or 'recipe:'")
    refuse_unknown_names(mapping.calling(), source)
    for name, path in (("turn", mapping.turn.path), ("choose", mapping.choose.path)):
        refuse_unknown_names(ConversationMapping(path=path, body=None, session=mapping.session), source, (name,))
    _check_apart(("recipe",), mapping.recipe.items(), source)
    for name, call in (("turn", mapping.turn), ("choose", mapping.choose)):
        _check_apart((name, "request"), call.request.items(), source)
        _check_apart((name, "response"), call.response.items(), source)
    return mapping


def _check_apart(path: ValuePath, paths: Collection[tuple[str, str]], source: SourceText) -> None:
    """Two fields cannot stand at one place, nor one within another."""
    for name, where in paths:
        for other, there in paths:
            if other != name and (where == there or there.startswith(f"{where}.")):
                raise source.error((*path, other), f"{there} lies where {name} is said to be ({where}): name another")


def _rename(value: Json, paths: Iterable[tuple[str, str]]) -> Json:
    """A mapping with the fields under the contract's names; what their places leave empty goes."""
    if not isinstance(value, dict):
        return value
    rest, found = dict(value), {}
    for name, path in paths:
        present, taken = _take(rest, path.split("."))
        if present:
            found[name] = taken
    return {**rest, **found}


def _rename_back(value: Json, paths: Collection[tuple[str, str]]) -> Json:
    if not isinstance(value, dict):
        return value
    moved = {name for name, _ in paths}
    sent = {name: part for name, part in value.items() if name not in moved}
    for name, path in paths:
        if name in value:
            _put(sent, path, value[name])
    return sent


def _take(value: dict[str, Json], path: list[str]) -> tuple[bool, Json]:
    """Removes what stands at a path; (whether there was something, what). The mappings on the way are copied."""
    name, *further = path
    if name not in value:
        return False, None
    if not further:
        return True, value.pop(name)
    inner = value[name]
    if not isinstance(inner, dict):
        return False, None
    copy = dict(inner)
    present, taken = _take(copy, further)
    if present:
        value[name] = copy
        if not copy:
            del value[name]
    return present, taken


def _put(value: dict[str, Json], path: str, part: Json) -> None:
    *way, last = path.split(".")
    for name in way:
        inner = value.get(name)
        value[name] = dict(inner) if isinstance(inner, dict) else {}
        value = value[name]
    value[last] = part
