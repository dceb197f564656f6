"""Text of a variable -> checked value. Every complaint names the variable; keys and passwords are never shown."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from evaluation.errors import UsageError

T = TypeVar("T")

_KEY = re.compile(r"[!-~]+")
_WHOLE = re.compile(r"[0-9]{1,12}")
_SWITCH = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_OWN_HEADERS = {"content-length", "content-type", "host", "traceparent", "transfer-encoding"}
"""Those that every call sets by itself."""
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class SettingValues:
    """Variable -> text as set, without empty ones. Each method gives None, or `default`, for an unset variable."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "SettingValues":
        return cls({name: text.strip() for name, text in values.items() if text.strip()})

    def key(self, name: str) -> str | None:
        """A secret: printable ASCII without blanks, as it has to stand in a header."""
        text = self.texts.get(name)
        if text is not None and not _KEY.fullmatch(text):
            raise UsageError(f"{name} holds blanks or characters that no key has: copy it again")
        return text

    def line(self, name: str) -> str | None:
        """One line of printable text."""
        text = self.texts.get(name)
        if text is not None and not text.isprintable():
            raise UsageError(f"{name} is {_shown(text)}: give one line of printable text")
        return text

    def url(self, name: str) -> str | None:
        """An http or https address, without a slash at its end."""
        text = self.texts.get(name)
        if text is None:
            return None
        if not _is_http(text):
            raise UsageError(f"{name} is no address: write it like https://host or http://localhost:8000/v1")
        return text.rstrip("/")

    def headers(self, name: str) -> dict[str, str]:
        """Headers as a JSON object, empty when unset. What the values are is never shown."""
        text = self.texts.get(name)
        if text is None:
            return {}
        try:
            headers = json.loads(text)
        except ValueError:
            headers = None
        if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
            raise UsageError(f'{name} is no JSON object of texts: write it like {{"Authorization": "Bearer ..."}}')
        for header, value in headers.items():
            if not _HEADER.fullmatch(header) or header.lower() in _OWN_HEADERS:
                raise UsageError(f"{name} holds {_shown(header)}: name a header that a request may be given")
            if not _HEADER_VALUE.fullmatch(value):
                raise UsageError(f"{name}: the value of {header} is empty or holds what no header may: copy it again")
        return headers

    def path(self, name: str) -> Path | None:
        text = self.line(name)
        return None if text is None else Path(text).expanduser()

    def number(self, name: str, low: float, high: float, default: T) -> float | T:
        """A number from `low` to `high`, both included."""
        text = self.texts.get(name)
        if text is None:
            return default
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise UsageError(f"{name} is {_shown(text)}: give a number from {low:g} to {high:g}")
        return number

    def whole(self, name: str, low: int, high: int, default: T) -> int | T:
        """A whole number from `low` to `high`, both included."""
        text = self.texts.get(name)
        if text is None:
            return default
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise UsageError(f"{name} is {_shown(text)}: give a whole number from {low} to {high}")
        return int(text)

    def switch(self, name: str, default: bool) -> bool:
        text = self.texts.get(name)
        if text is None:
            return default
        if text.lower() not in _SWITCH:
            raise UsageError(f"{name} is {_shown(text)}: give true or false")
        return _SWITCH[text.lower()]


def without_user_info(url: str) -> str:
    """An address that may be shown and logged: without user name, password, query and fragment."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _is_http(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and bool(_KEY.fullmatch(text))
        )
    except ValueError:
        return False


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
