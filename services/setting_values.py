"""One declaration per setting, and the reading of its text into a checked value.

A reader raises Unusable with the rest of a sentence that begins with the variable's name. Keys and passwords are never
shown.
"""

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from evaluation.errors import UsageError

T = TypeVar("T")
D = TypeVar("D")

_KEY = re.compile(r"[!-~]+")
_WHOLE = re.compile(r"[0-9]{1,12}")
_SWITCH = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_OWN_HEADERS = {"content-length", "content-type", "host", "traceparent", "transfer-encoding"}
"""Those that every call sets by itself."""
_ENVIRONMENT = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
_SHOWN = 80
MASKS = ("email", "phone")


class Unusable(ValueError):
    """A variable's text cannot be used; says why and what to do."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One setting: all that is known of it."""

    name: str
    """Of its environment variable; empty where only the workspace file may say it."""
    read: Callable[[str], Any]
    """Text, not empty and without white space around it -> value. Raises Unusable."""
    default: Any
    meaning: str
    heading: str
    """Stands above it in `.env.example`; empty where it goes on with the section of the one before."""
    older_name: str
    """Read when the name itself is unset; empty where there is none."""
    key: str = ""
    """In the workspace file, with a dot where it lies in a table; empty where it has no place there."""
    secret: bool = False
    """True where its value is never shown."""
    made: bool = False
    """True for a path that the tool makes where it is missing."""

    @property
    def title(self) -> str:
        """The name by which people know it."""
        return self.name or self.key

    @property
    def meaning_of_older_name(self) -> str:
        return f"Older name of {self.name}; read when that is unset."

    @property
    def shown_default(self) -> str:
        """The default as `.env.example` gives it; empty where leaving it out says it better."""
        if self.default is None or (isinstance(self.default, Path) and self.default.is_absolute()):
            return ""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default or "")

    def named_in(self, texts: Mapping[str, str]) -> str:
        """The name under which the texts of all variables hold it; empty where they do not."""
        return next((name for name in (self.name, self.older_name) if name and texts.get(name, "").strip()), "")

    def value(self, texts: Mapping[str, str]) -> Any:
        """The value among the texts of all variables. Raises UsageError that begins with the name."""
        name = self.named_in(texts)
        if not name:
            return self.default
        try:
            return self.read(texts[name].strip())
        except Unusable as error:
            raise UsageError(f"{name} {error}") from None


def setting(
    name: str,
    read: Callable[[str], T],
    default: D,
    meaning: str,
    *,
    secret: bool = False,
    heading: str = "",
    older_name: str = "",
    key: str = "",
    made: bool = False,
) -> T | D:
    """A field of a settings class that comes from outside; what is secret stays out of its `repr`."""
    variable = Variable(name, read, default, meaning, heading, older_name, key, secret, made)
    field: Any = dataclasses.field(default_factory=lambda: default, repr=not secret, metadata={"variable": variable})
    return field  # type: ignore[no-any-return]


def variables_of(settings: type) -> Iterator[tuple[str, Variable]]:
    """(field, variable) of a settings class, in the order of its declarations."""
    for field in dataclasses.fields(settings):
        if "variable" in field.metadata:
            yield field.name, field.metadata["variable"]


# --- readers ----------------------------------------------------------------------------------------------------------


def key(text: str) -> str:
    """A secret: printable ASCII without blanks, as it has to stand in a header."""
    if not _KEY.fullmatch(text):
        raise Unusable("holds blanks or characters that no key has: copy it again")
    return text


def line(text: str) -> str:
    """One line of printable text."""
    if not text.isprintable():
        raise Unusable(f"is {_value_text(text)}: give one line of printable text")
    return text


def path(text: str) -> Path:
    """A file or folder; `~` is the user's own."""
    return Path(line(text)).expanduser()


def function(text: str) -> str:
    """A function in a Python file: app.py:answer."""
    file, _, name = text.rpartition(":")
    if not file.endswith(".py") or not name.isidentifier():
        raise Unusable("names no function: write FILE.py:NAME, such as my_app.py:answer")
    return text


def reference(text: str) -> str:
    """The name of something that is shipped or the workspace's own, or a path."""
    return line(text)


def references(text: str) -> tuple[str, ...]:
    """The same, with commas between them."""
    return names(text)


def name_or_path(text: str) -> str:
    """The name of something that is kept elsewhere, or a path."""
    return line(text)


def prompt(text: str) -> str:
    """The name of a prompt, and after an @ the version or label of it that is meant where none is named."""
    name, at, selector = line(text).rpartition("@")
    if at and not (name.strip() and selector.strip()):
        raise Unusable(f"is {_value_text(text)}: write name, name@label or name@v3")
    return text


def one_of(*known: str) -> Callable[[str], str]:
    """A reader of one word of several."""

    def read(text: str) -> str:
        if text not in known:
            raise Unusable(f"is {_value_text(text)}: choose from {', '.join(known)}")
        return text

    return read


def address(text: str) -> str:
    """An http or https address, without a slash at its end."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not _KEY.fullmatch(text):
        raise Unusable("is no address: write it like https://host or http://localhost:8000/v1")
    return text.rstrip("/")


def headers(text: str) -> dict[str, str]:
    """Headers as a JSON object. Their values are never shown."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise Unusable('is no JSON object of texts: write it like {"Authorization": "Bearer ..."}')
    for name, value in found.items():
        if not _HEADER.fullmatch(name) or name.lower() in _OWN_HEADERS:
            raise Unusable(f"holds {_value_text(name)}: name a header that a request may be given")
        if not _HEADER_VALUE.fullmatch(value):
            raise Unusable(f"holds a value of {name} that is empty or holds what no header may: copy it again")
    return found


def number(low: float, high: float) -> Callable[[str], float]:
    """A reader of numbers from `low` to `high`, both included."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise Unusable(f"is {_value_text(text)}: give a number from {low:g} to {high:g}")
        return value

    return read


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`, both included."""

    def read(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise Unusable(f"is {_value_text(text)}: give a whole number from {low} to {high}")
        return int(text)

    return read


requests_a_minute, tokens_a_minute = whole(1, 10_000_000), whole(1, 10_000_000_000)
seconds_of_a_call = number(0.1, 3600)


def switch(text: str) -> bool:
    """True or false, in the words that people use for it."""
    if text.lower() not in _SWITCH:
        raise Unusable(f"is {_value_text(text)}: give true or false")
    return _SWITCH[text.lower()]


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in line(text).split(",") if name.strip())


def prompts(text: str) -> tuple[str, ...]:
    """Prompts with commas between them, each as `prompt` reads it."""
    return tuple(map(prompt, names(text)))


def masks(text: str) -> tuple[str, ...]:
    """Names of masks, with commas between them."""
    found = names(text.lower())
    for name in found:
        if name not in MASKS:
            raise Unusable(f"is {name[:_SHOWN]!r}: choose from {', '.join(MASKS)}")
    return found


def pattern(text: str) -> str:
    """A regular expression that asks for at least one character."""
    try:
        empty = re.compile(line(text)).match("") is not None
    except re.error as error:
        raise Unusable(f"is no regular expression ({error}): correct it") from None
    if empty:
        raise Unusable("matches the empty text: make it ask for a character")
    return text


def environment(text: str) -> str:
    """A name as Langfuse allows it for an environment."""
    if not _ENVIRONMENT.fullmatch(line(text)):
        raise Unusable(
            f"is {text[:_SHOWN]!r}: use at most 40 small letters, digits, - and _, not beginning with langfuse"
        )
    return text


def _value_text(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
