"""A YAML file as a form: a frozen model that checks its keys and values, and one line on the first that is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_text import ValuePath, load_yaml, locate

UNKNOWN_KEY = "unknown_key"
"""Kind of the mistake."""
MOST_FAULTS = 20
"""Of one reading; for the place of each the text is read again."""
_MISSING = "is missing"
_QUOTED = 80
_LISTED = 24
"""Names that an error still lists."""
_NEAR = 0.78
"""Likeness from which a name is taken to be meant: "titel" is (0.8) to "title", "foo" is not (0.75) to "floor"."""


Fault: TypeAlias = tuple[ValuePath, str]
"""Place and problem."""


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
            raise self.first_of(_all_complaints(form, value, error)) from error

    def value(self) -> Json:
        """The value of the text. Raises ParseError for what is not YAML."""
        return load_yaml(self.text, self.place)

    def error(self, path: ValuePath, problem: str) -> ParseError:
        """The problem with its file, line and key path, on one line."""
        where = self.at(path)
        return ParseError(f"{where}: {dotted_path(path)}" if path else where, " ".join(problem.split()))

    def first_of(self, faults: Sequence[Fault]) -> ParseError:
        """The first of one or more faults as an error, which carries the others, up to MOST_FAULTS."""
        return ParseError.joined([self.error(path, problem) for path, problem in faults[:MOST_FAULTS]])

    def at(self, path: ValuePath) -> str:
        """The place of a value: "file:line"."""
        return locate(self.text, self.place, path)


def dotted_path(path: ValuePath) -> str:
    """A key path as people write it: metrics.helpfulness.adjustments[2].add (list positions count from 0)."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def complaint(error: ValidationError) -> Fault:
    """Place and reason of the first mistake; an unknown key goes first, since a missing one is often it misspelt."""
    return complaints(error)[0]


def complaints(error: ValidationError) -> list[Fault]:
    """Place and reason of every mistake, unknown keys first; of one value the first that is wrong with it."""
    mistakes = error.errors(include_url=False)
    found: dict[ValuePath, str] = {}
    for mistake in sorted(mistakes, key=lambda each: each["type"] != UNKNOWN_KEY):
        path, reason = _complaint(mistake)
        found.setdefault(path, reason)
    return list(found.items())


def _all_complaints(form: type[BaseModel], value: dict[str, Json], error: ValidationError) -> list[Fault]:
    """The mistakes, and those that are seen once the unknown keys are out: one such key hides what stands beside it.

    What is missing then is mostly what was misspelt, so that it is not named.
    """
    found = dict(complaints(error))
    rest: Json = value
    for _ in range(MOST_FAULTS):
        unknown = [path for path, mistake in _paths(error) if mistake == UNKNOWN_KEY]
        for path in unknown:
            rest = _without(rest, path)
        try:
            form.model_validate(rest)
        except ValidationError as further:
            if not unknown:
                break
            error = further
            found |= {path: said for path, said in complaints(error) if path not in found and said != _MISSING}
        else:
            break
    return list(found.items())


def _paths(error: ValidationError) -> list[tuple[ValuePath, str]]:
    """Place and kind of each mistake."""
    return [(_complaint(mistake)[0], mistake["type"]) for mistake in error.errors(include_url=False)]


def _without(value: Json, path: ValuePath) -> Json:
    """The value without what stands at a place; as it is where nothing stands there."""
    first, rest = path[0], path[1:]
    if isinstance(value, dict) and first in value:
        if not rest:
            return {key: each for key, each in value.items() if key != first}
        return {key: _without(each, rest) if key == first else each for key, each in value.items()}
    if isinstance(value, list) and isinstance(first, int) and first < len(value) and rest:
        return [_without(each, rest) if number == first else each for number, each in enumerate(value)]
    return value


_SHAPES = {
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type"), "is no mapping: write keys with their values"
    ),
    **dict.fromkeys(("list_type", "tuple_type"), "is no list: write [one, two], or one in a line with - before it"),
}
"""Kind of a mistake -> the same in the words of a YAML file."""


def _complaint(mistake: ErrorDetails) -> Fault:
    path: ValuePath = tuple(part for part in mistake["loc"] if part != "[key]")
    if mistake["type"] == UNKNOWN_KEY:
        return (*path, mistake["ctx"]["key"]), mistake["msg"]
    if mistake["type"] == "missing":
        return path, _MISSING
    reason = mistake["msg"].removeprefix("Value error, ")
    if mistake["type"] == "string_type" and isinstance(mistake["input"], bool | int | float):
        return path, f"{_clip(mistake['input'])} is no text: put it in quotes"
    reason = _SHAPES.get(mistake["type"], reason)
    reason = (reason[0].lower() + reason[1:]).replace("tuple", "list")
    if isinstance(mistake["input"], dict | list):
        return path, reason
    return path, f"{_clip(mistake['input'])}: {reason}"


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
