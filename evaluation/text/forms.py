"""A YAML file as a form: a frozen model that checks its keys and values, and one line on the first that is wrong."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_text import ValuePath, load_yaml, locate

UNKNOWN_KEY = "unknown_key"
"""Kind of the mistake."""
_QUOTED = 80
_LISTED = 20
"""Names that an error still lists."""
_NEAR = 0.78
"""Likeness from which a name is taken to be meant: "titel" is (0.8) to "title", "foo" is not (0.75) to "floor"."""


class Form(BaseModel):
    """A mapping of the file whose keys are all known and whose values are of the type they are written in."""

    model_config = ConfigDict(strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, value: Any) -> Any:
        known = tuple(field.alias or name for name, field in cls.model_fields.items())
        for key in value if isinstance(value, dict) else ():
            if key not in known:
                raise PydanticCustomError(
                    UNKNOWN_KEY,
                    "unknown key {shown}{hint}",
                    {"key": key, "shown": _clip(key), "hint": did_you_mean(key, known)},
                )
        return value


Read = TypeVar("Read", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a YAML file and the file's name, for the places of its errors."""

    text: str
    place: str

    def read(self, form: type[Read], begin: str, *, may_be_empty: bool = False) -> Read:
        """The file as a form; `begin` says how such a file begins. Raises ParseError for whatever the form refuses."""
        value = self.value()
        if value is None and may_be_empty:
            value = {}
        if not isinstance(value, dict):
            kind = "nothing" if value is None else "a list" if isinstance(value, list) else "a single value"
            raise ParseError(self.place, f"holds {kind}, not a mapping: begin with {begin}")
        try:
            return form.model_validate(value)
        except ValidationError as error:
            raise self.error(*complaint(error)) from error

    def value(self) -> Json:
        """The value of the text. Raises ParseError for what is not YAML."""
        return load_yaml(self.text, self.place)

    def error(self, path: ValuePath, problem: str) -> ParseError:
        """The problem with its file, line and key path, on one line."""
        where = self.at(path)
        return ParseError(f"{where}: {dotted_path(path)}" if path else where, " ".join(problem.split()))

    def at(self, path: ValuePath) -> str:
        """The place of a value: "file:line"."""
        return locate(self.text, self.place, path)


def dotted_path(path: ValuePath) -> str:
    """A key path as people write it: metrics.helpfulness.adjustments[2].add (list positions count from 0)."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def complaint(error: ValidationError) -> tuple[ValuePath, str]:
    """Place and reason of the first mistake; an unknown key goes first, since a missing one is often it misspelt."""
    mistakes = error.errors(include_url=False)
    first = next((mistake for mistake in mistakes if mistake["type"] == UNKNOWN_KEY), mistakes[0])
    path: ValuePath = tuple(part for part in first["loc"] if part != "[key]")
    if first["type"] == UNKNOWN_KEY:
        return (*path, first["ctx"]["key"]), first["msg"]
    if first["type"] == "missing":
        return path, "is missing"
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "string_type" and isinstance(first["input"], bool | int | float):
        return path, f"{_clip(first['input'])} is no text: put it in quotes"
    reason = (reason[0].lower() + reason[1:]).replace("tuple", "list")
    if isinstance(first["input"], dict | list):
        return path, reason
    return path, f"{_clip(first['input'])}: {reason}"


def did_you_mean(name: str, known: tuple[str, ...]) -> str:
    """The end of a message on an unknown name: the nearest known name, or all of them when they are few."""
    if not known:
        return ""
    near = get_close_matches(name, known, n=1, cutoff=_NEAR)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; known are {', '.join(known)}" if len(known) <= _LISTED else ""


def _clip(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _QUOTED else text[: _QUOTED - 3] + "..."
