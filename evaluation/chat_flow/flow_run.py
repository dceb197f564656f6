"""One flow as it went: the messages, the recipes that came as options, the one that was chosen, and what broke.

It is the text of the reply that is journaled, so all that scores a flow stands in it, the case included. The journal
keeps each HTTP call of a flow as the text of an `HttpAnswer`.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

from pydantic import TypeAdapter

from evaluation.errors import ParseError
from evaluation.records import Exchange, Json, Turn

NAME_KEYS = ("name", "ingredient", "item", "text", "title", "label", "description", "instruction")
"""Of an entry that is a mapping, the first of these that holds a text says what it is."""
AMOUNT_KEYS = ("amount", "quantity", "qty", "unit", "measure", "variant", "variety", "kind", "brand")
"""Said before the name of an ingredient, in this order."""
GROUP_KEYS = ("items", "ingredients", "components", "parts", "children")
"""The first of these that holds a list makes an entry a group of ingredients."""
SILENT_KEYS = frozenset(
    {"id", "url", "link", "image", "aisle", "category", "section", "type", "allergens", "confidence"}
)
"""Said of an ingredient without saying what it is."""
DEEPEST_GROUP = 4
MOST = 1e9
"""No minutes and no servings are this many; a number may have thousands of digits."""
Number = int | float


@dataclass(frozen=True, slots=True)
class Recipe:
    """One option, or the selection. What is missing or unreadable is empty or None, and named in `violations`."""

    title: str
    ingredients: tuple[str, ...] | None
    """As written, amounts included; None where the recipe has no such list, () where the list is empty.

    Of an entry that is a mapping, all that it says: "50 g butter, vegan". A group is its name as a heading, then its
    parts.
    """
    time_minutes: Number | None
    servings: Number | None
    steps: tuple[str, ...] | None
    """As `ingredients`."""
    diet: tuple[str, ...]
    """Diets that the application says it suits; a claim, and no evidence."""
    raw: Json
    violations: tuple[str, ...] = ()
    """Breaches of the contract: "time_minutes is missing", "steps is a text, not a list"."""

    @classmethod
    def read(cls, raw: Json) -> "Recipe":
        """Reads whatever a recipe came as; never raises.

        Required: title (or name), ingredients, time_minutes, steps. Optional: servings, diet. A number written as text
        and a list written as one text are read, and reported.
        """
        if not isinstance(raw, dict):
            return cls("", None, None, None, None, (), raw, (f"is {kind_of(raw)}, not a mapping",))
        problems: list[str] = []
        return cls(
            title=_title(raw, problems),
            ingredients=_texts(raw, "ingredients", problems, _ingredients),
            time_minutes=_number(raw, "time_minutes", problems),
            servings=_number(raw, "servings", problems, required=False),
            steps=_texts(raw, "steps", problems),
            diet=_texts(raw, "diet", problems, required=False) or (),
            raw=raw,
            violations=tuple(problems),
        )


def kind_of(value: Json) -> str:
    """The kind of a JSON value, in words that fit "is ..."."""
    if value is None:
        return "null"
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), "no JSON value")


def _title(raw: Mapping[str, Json], problems: list[str]) -> str:
    value = raw.get("title", raw.get("name"))
    if isinstance(value, str):
        if not value.strip():
            problems.append("title is empty")
        return value.strip()
    problems.append("title is missing" if value is None else f"title is {kind_of(value)}, not a text")
    return ""


def _number(raw: Mapping[str, Json], key: str, problems: list[str], *, required: bool = True) -> Number | None:
    value = raw.get(key)
    if value is None:
        if required:
            problems.append(f"{key} is missing")
        return None
    number = value
    if isinstance(value, str):
        problems.append(f"{key} is a text, not a number")
        number = _plain_number(value)
        if number is None:
            return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        problems.append(f"{key} is {kind_of(value)}, not a number")
        return None
    if not 0 < number < MOST:
        problems.append(f"{key} is {number if abs(number) < MOST else 'out of range'}, not a positive number")
        return None
    return number


def _plain_number(text: str) -> Number | None:
    """A number of at most nine characters at the beginning of a text: "20", "20 min", "2.5"."""
    words = text[:40].split()
    try:
        return float(words[0][:9]) if words else None
    except ValueError:
        return None


def _entry(value: Json) -> list[str] | None:
    """The words of an entry: a text, which may be blank, or the name in a mapping; None for anything else."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAME_KEYS if isinstance(value.get(name), str)), None)
    return [value.strip()] if isinstance(value, str) else None


def _ingredients(value: Json, depth: int = 0) -> list[str] | None:
    """The lines of an entry of a list of ingredients: one, or those of a group below its heading."""
    if not isinstance(value, dict):
        return _entry(value)
    name = next((value[key].strip() for key in NAME_KEYS if isinstance(value.get(key), str)), "")
    for key in GROUP_KEYS:
        if isinstance(group := value.get(key), list) and depth < DEEPEST_GROUP:
            inner = [_ingredients(entry, depth + 1) for entry in group]
            heading = [f"{name.rstrip(':')}:"] if name else []
            return [*heading, *(line for lines in inner for line in lines or ())]
    if not name:
        return None
    amount = [str(value[key]).strip() for key in AMOUNT_KEYS if isinstance(value.get(key), str | int | float)]
    said = {key for key in NAME_KEYS if value.get(key) == name} | {*AMOUNT_KEYS, *SILENT_KEYS}
    more = [text for key, each in value.items() if key not in said for text in _said(key, each)]
    return [", ".join([" ".join([*amount, name]), *more])]


def _said(key: str, value: Json) -> list[str]:
    """A further field of an ingredient in words: a text, the texts of a list, or the name of what is true."""
    if isinstance(value, list):
        return [text.strip() for text in value if isinstance(text, str) and text.strip()]
    if value is True:
        return [key.replace("_", "-")]
    return [value.strip()] if isinstance(value, str) and value.strip() else []


def _texts(
    raw: Mapping[str, Json],
    key: str,
    problems: list[str],
    read: Callable[[Json], list[str] | None] = _entry,
    *,
    required: bool = True,
) -> tuple[str, ...] | None:
    value = raw.get(key)
    if value is None:
        if required:
            problems.append(f"{key} is missing")
        return None
    if isinstance(value, str):
        problems.append(f"{key} is a text, not a list")
        parts = value.splitlines() if "\n" in value or key == "steps" else value.split(",")
        return tuple(part.strip() for part in parts if part.strip())
    if not isinstance(value, list):
        problems.append(f"{key} is {kind_of(value)}, not a list")
        return None
    entries = [read(entry) for entry in value]
    if wrong := entries.count(None):
        problems.append(f"{key} has {wrong} {'entry' if wrong == 1 else 'entries'} without a text")
    return tuple(text for lines in entries for text in lines or () if text)


MAX_DEPTH = 60
"""Levels of nesting that are kept of what an application sent."""
TURN_PATH, CHOOSE_PATH = "/api/chat/turn", "/api/recipes/choose"
"""The calls of the contract."""
PATH, BODY = "path", "body"
"""The parameters of a request to an application."""
FaultKind: TypeAlias = Literal[
    "timeout",
    "connection",
    "http_status",
    "invalid_json",
    "schema",
    "no_body",
    "empty",
    "loop",
    "dead_end",
    "too_many_turns",
    "application_error",
]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FlowCall:
    """One HTTP call to the application."""

    path: str
    status: int | None
    """None when no response came."""
    latency_ms: float
    trace_id: str = ""
    """The application's own trace of it; empty where it named none."""
    trace_system: str = ""
    """Where that trace is, as the mapping says; empty where it says nothing."""

    def to_json(self) -> dict[str, Json]:
        """As records have it: a trace only where there is one."""
        traced = {"trace_id": self.trace_id, "trace_system": self.trace_system}
        known = {name: value for name, value in traced.items() if value}
        return {"path": self.path, "status": self.status, "latency_ms": self.latency_ms, **known}


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault that ended a flow early, or that its end has."""

    kind: FaultKind
    where: str
    """Path of the call: "/api/chat/turn"."""
    message: str


@dataclass(frozen=True, slots=True)
class FlowRun:
    """One conversation with the application, from the first message to the selection."""

    messages: tuple[Turn, ...]
    """The conversation as it went: the case's messages, the application's questions, the answers given."""
    fridge_input: Json = None
    options: tuple[Json, ...] | None = None
    """The recipes as received, after field mapping, whatever they are; None when the flow never came to options."""
    selected: Json = None
    """As received; None when nothing was selected or asked for."""
    calls: tuple[FlowCall, ...] = ()
    fault: Fault | None = None
    application_trace_id: str = ""
    case: Mapping[str, Json] = field(default_factory=dict)
    """The scenario's `data`: what the case asks for, so that the record can be scored on its own."""

    @property
    def opening(self) -> tuple[Turn, ...]:
        """The messages before the first call: those after it are a reply of the application and an answer in turn."""
        turns = sum(call.path == TURN_PATH for call in self.calls)
        answers = turns if self.fault is not None and self.fault.kind == "too_many_turns" else max(0, turns - 1)
        spoken = [place for place, turn in enumerate(self.messages) if turn.role == "user"]
        return self.messages[: spoken[-1 - answers] + 1] if answers < len(spoken) else self.messages

    @property
    def replies(self) -> tuple[str, ...]:
        """What the application said, in order."""
        return tuple(turn.content for turn in self.messages[len(self.opening) :] if turn.role == "assistant")

    @property
    def last_reply(self) -> str:
        """What it said beside its options; empty where it said nothing there."""
        last = self.messages[-1] if len(self.messages) > len(self.opening) else None
        return last.content if last is not None and last.role == "assistant" else ""

    def recipes(self) -> tuple[Recipe, ...]:
        """The options as recipes; empty when there are none."""
        return tuple(map(Recipe.read, self.options or ()))

    def to_text(self) -> str:
        """Canonical JSON, see `storable_text`."""
        return storable_text(self)

    @classmethod
    def from_text(cls, text: str) -> "FlowRun":
        """The inverse of `to_text`; what is empty may be left out, but for messages, options and selection.

        Raises ParseError for any other text.
        """
        try:
            value: Any = _plain(json.loads(text))
            given = {name: value[name] for name in _FIELDS if name in value or name in _NEEDED}
            return _FLOWS.validate_python(given)
        except (ValueError, RecursionError, KeyError, TypeError):
            raise ParseError("flow run", f"{text[:60]!r} is no record of a flow") from None


def flow_of(exchange: Exchange) -> FlowRun | None:
    """The flow that an exchange's response is the record of; None for a response that is none."""
    try:
        return _parse(exchange.response)
    except ParseError:
        return None


@lru_cache(maxsize=16)
def _parse(text: str) -> FlowRun:
    """Kept for a moment: scoring, judging and reporting ask for the same flow one after another."""
    return FlowRun.from_text(text)


_FLOWS = TypeAdapter(FlowRun)
_FIELDS = tuple(each.name for each in fields(FlowRun))
_NEEDED = ("messages", "options", "selected")


def storable_text(value: Any) -> str:
    """Canonical JSON (sorted keys, no white space), printable as UTF-8 whatever the application sent.

    NaN and infinities, which are no JSON, become their names as text, and so does what is nested too deep.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any, depth: int = 0) -> Json:
    """The value as JSON can hold it."""
    if is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if not isinstance(value, dict | list | tuple):
        return value if value is None or isinstance(value, str | int | float) else str(value)
    if depth >= MAX_DEPTH:
        return f"nested more than {MAX_DEPTH} levels deep"
    if isinstance(value, dict):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    return [_plain(entry, depth + 1) for entry in value]


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One response, its fields under the names of the contract; or the reason why there is none to be read."""

    status: int | None
    """None when no response came."""
    body: Json = None
    """None too where there is a fault."""
    fault: FaultKind | None = None
    """timeout, connection, http_status, invalid_json or empty; what the body means is not looked at here."""
    message: str = ""
    """One line on the fault."""
    trace_id: str = ""
    """The application's own, from header or body; empty where it gives none."""
    trace_system: str = ""
    """Where that trace is, as the mapping says."""

    def to_text(self) -> str:
        """Canonical JSON."""
        return storable_text(self)

    @classmethod
    def from_text(cls, text: str) -> "HttpAnswer":
        """The inverse of `to_text`. Raises ParseError for any other text."""
        try:
            value: Any = json.loads(text)
            answer = cls(**value)
        except (ValueError, TypeError, RecursionError):
            raise ParseError("answer of an application", f"{text[:60]!r} is no record of one") from None
        if answer.fault is not None and answer.fault not in FAULT_KINDS:
            raise ParseError("answer of an application", f"unknown fault {answer.fault!r}")
        return answer
