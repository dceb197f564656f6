"""The mapping file (YAML): where another API keeps what the contract calls messages, options, time_minutes, ...

Keys are the contract's names, values the other API's: dotted paths for nested fields (`duration.minutes`). What is not
named keeps its name. `parse_mapping` says what a file may hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.rubrics.complaint import complaint
from evaluation.rubrics.source import SourceText
from evaluation.text.yaml_text import ValuePath, load_yaml

FieldPath: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*$", max_length=200)
]
UrlPath: TypeAlias = Annotated[str, Field(pattern=r"^/[!-~]*$", max_length=500)]
HeaderName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")]
RecipeField: TypeAlias = Literal["id", "title", "ingredients", "time_minutes", "steps", "servings", "diet"]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _TurnForm(_Form):
    path: UrlPath = "/api/chat/turn"
    request: dict[Literal["messages", "fridge_input"], FieldPath] = {}
    response: dict[Literal["next_action", "reply", "options"], FieldPath] = {}


class _ChooseForm(_Form):
    path: UrlPath = "/api/recipes/choose"
    request: dict[Literal["messages", "fridge_input", "options"], FieldPath] = {}
    response: dict[Literal["selected"], FieldPath] = {}
    send: Literal["recipes", "ids"] = "recipes"


class _MessageForm(_Form):
    role: FieldPath = "role"
    content: FieldPath = "content"
    roles: dict[Literal["user", "assistant"], str] = {}


class _TraceForm(_Form):
    header: HeaderName | None = None
    body: FieldPath | None = None


class _MappingForm(_Form):
    turn: _TurnForm = _TurnForm()
    choose: _ChooseForm = _ChooseForm()
    message: _MessageForm = _MessageForm()
    recipe: dict[RecipeField, FieldPath] = {}
    next_actions: dict[Annotated[str, Field(min_length=1, max_length=100)], str] = {}
    trace_id: _TraceForm = _TraceForm()


_FORMS: Mapping[tuple[str, ...], type[BaseModel]] = {
    (): _MappingForm,
    ("turn",): _TurnForm,
    ("choose",): _ChooseForm,
    ("message",): _MessageForm,
    ("trace_id",): _TraceForm,
}


@dataclass(frozen=True, slots=True)
class CallMapping:
    """One call: its path, and contract name -> path in the other API's body."""

    path: str
    request: Mapping[str, str] = field(default_factory=dict)
    response: Mapping[str, str] = field(default_factory=dict)
    ids: bool = False
    """True where options are sent as their ids alone; one without an id is sent whole."""


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Between the contract and another API, both ways. The default changes nothing."""

    calls: Mapping[str, CallMapping] = field(default_factory=dict)
    """The contract's path -> that call at the other API."""
    role: str = "role"
    content: str = "content"
    roles: Mapping[str, str] = field(default_factory=dict)
    recipe: Mapping[str, str] = field(default_factory=dict)
    next_actions: Mapping[str, str] = field(default_factory=dict)
    """The other API's value -> the contract's."""
    trace_header: str | None = None
    """Header of the response that bears the application's trace id; None for the usual ones."""
    trace_field: str = "trace_id"
    """Field of the response that bears it."""

    def url_path(self, path: str) -> str:
        """The other API's path."""
        call = self.calls.get(path)
        return path if call is None else call.path

    def request(self, path: str, body: Mapping[str, Json]) -> dict[str, Json]:
        """The body as the other API wants it."""
        call = self.calls.get(path, CallMapping(path))
        sent: dict[str, Json] = {}
        for name, value in body.items():
            if name == "messages":
                value = [self._message(message) for message in value]
            elif name == "options":
                value = [self._option(option, ids=call.ids) for option in value]
            _put(sent, call.request.get(name, name), value)
        return sent

    def response(self, path: str, body: Json) -> Json:
        """The body under the contract's names; what else it says stays. What is no mapping stays as it is."""
        if not isinstance(body, dict):
            return body
        found = _renamed(body, self.calls.get(path, CallMapping(path)).response)
        action = found.get("next_action")
        if isinstance(action, str):
            found["next_action"] = self.next_actions.get(action, action)
        reply = found.get("reply")
        if isinstance(reply, dict):
            found["reply"] = _renamed(reply, {"content": self.content, "role": self.role})
        if isinstance(found.get("options"), list):
            found["options"] = [_renamed(option, self.recipe) for option in found["options"]]
        if "selected" in found:
            found["selected"] = _renamed(found["selected"], self.recipe)
        return found

    def trace_id(self, body: Json) -> str:
        """The application's trace id in a response's body, as received; empty without one."""
        value = _at(body, self.trace_field) if isinstance(body, dict) else None
        return value if isinstance(value, str) else ""

    def _option(self, option: Json, *, ids: bool) -> Json:
        if ids and isinstance(option, dict) and isinstance(option.get("id"), str | int):
            return option["id"]
        return _renamed_back(option, self.recipe)

    def _message(self, message: Mapping[str, Json]) -> dict[str, Json]:
        sent: dict[str, Json] = {}
        _put(sent, self.role, self.roles.get(message["role"], message["role"]))
        _put(sent, self.content, message["content"])
        return sent


def parse_mapping(text: str, place: str) -> FieldMapping:
    """Reads a mapping file.

    {turn?: {path?, request?, response?}, choose?: the same and {send?: recipes or ids}, message?: {role?, content?,
    roles?}, recipe?: {id?, title?, ingredients?, time_minutes?, steps?, servings?, diet?}, next_actions?:
    {theirs: ours}, trace_id?: {header?, body?}}.
    Raises ParseError, one line with the place, for anything else, and for two fields at one path.
    """
    value, source = load_yaml(text, place), SourceText(text, place)
    if not isinstance(value, dict):
        raise ParseError(place, "is no mapping: begin with 'turn:', 'choose:', 'message:' or 'recipe:'")
    try:
        form = _MappingForm.model_validate(value)
    except ValidationError as error:
        raise source.error(*complaint(error, _keys_beside)) from None
    turn, choose, recipe = (_paths(part) for part in (form.turn, form.choose, form.recipe))
    for path, paths in (
        (("recipe",), recipe),
        *((("turn", part), turn[part]) for part in ("request", "response")),
        *((("choose", part), choose[part]) for part in ("request", "response")),
    ):
        _check_apart(path, paths, source)
    return FieldMapping(
        calls={
            _TurnForm().path: CallMapping(form.turn.path, turn["request"], turn["response"]),
            _ChooseForm().path: CallMapping(
                form.choose.path, choose["request"], choose["response"], form.choose.send == "ids"
            ),
        },
        role=form.message.role,
        content=form.message.content,
        roles=_paths(form.message)["roles"],
        recipe=recipe,
        next_actions=form.next_actions,
        trace_header=form.trace_id.header,
        trace_field=form.trace_id.body or "trace_id",
    )


def _paths(part: BaseModel | Mapping[RecipeField, str]) -> dict[str, Any]:
    """The keys of a part as plain texts."""
    return part.model_dump() if isinstance(part, BaseModel) else {str(name): path for name, path in part.items()}


def _check_apart(path: ValuePath, paths: Mapping[str, str], source: SourceText) -> None:
    """Two fields cannot stand at one place, nor one within another."""
    for name, where in paths.items():
        for other, there in paths.items():
            if other != name and (where == there or there.startswith(f"{where}.")):
                raise source.error((*path, other), f"{there} lies where {name} is said to be ({where}): name another")


def _keys_beside(path: ValuePath) -> tuple[str, ...]:
    form = _FORMS.get(tuple(str(part) for part in path[:-1]))
    return tuple(form.model_fields) if form is not None else ()


def _renamed(value: Json, paths: Mapping[str, str]) -> Json:
    """A mapping with the fields under the contract's names; what their places leave empty goes."""
    if not isinstance(value, dict):
        return value
    rest, found = dict(value), {}
    for name, path in paths.items():
        present, taken = _take(rest, path.split("."))
        if present:
            found[name] = taken
    return {**rest, **found}


def _renamed_back(value: Json, paths: Mapping[str, str]) -> Json:
    if not isinstance(value, dict):
        return value
    sent = {name: part for name, part in value.items() if name not in paths}
    for name, path in paths.items():
        if name in value:
            _put(sent, path, value[name])
    return sent


def _at(value: Json, path: str) -> Json:
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


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
