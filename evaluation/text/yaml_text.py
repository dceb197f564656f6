"""YAML text -> plain values, for rubrics and scenarios: a strict subset in which nothing is guessed.

Read as in JSON: a plain scalar is null, true, false or a decimal number, and anything else is text ("no", "12:30" and
2025-08-19 stay text). Keys are text as written. Refused: duplicate keys, anchors, aliases, tags, several documents.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from evaluation.errors import ParseError
from evaluation.records import Json

MAX_CHARACTERS = 8_000_000
MAX_DEPTH = 40
MAX_VALUES = 1_000_000
"""A list of nothing takes a hundred times its text in memory; a scenario has about ten values."""
_LONGEST_QUOTE = 80

ValuePath: TypeAlias = tuple[str | int, ...]
"""Keys and list positions (from 0) that lead from the document to one of its values."""

_WORDS: dict[str, Json] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_TAB_INDENT = re.compile(r" *\t")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str, place: str) -> Json:
    """The value of one YAML document; None when it is empty.

    Raises ParseError, placed at "place:line", when the text is not of this subset or exceeds its bounds.
    """
    return _read(text, place).value


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Line (from 1) of the value at `path`, or of its nearest parent that exists. A key's line is the key's own.

    For the places of errors: it reads the text again, which must have been loaded before.
    """
    lines: dict[ValuePath, int] = {}
    _read(text, "", lines)
    steps = tuple(path)
    while steps and steps not in lines:
        steps = steps[:-1]
    return lines.get(steps, 1)


def located(text: str, place: str, path: Sequence[str | int]) -> str:
    """The place of an error in the value at `path`: "place:line"."""
    return f"{place}:{line_of(text, path)}"


@dataclass(slots=True)
class _Open:
    """A mapping or list that is still being read."""

    path: ValuePath
    value: dict[str, Json] | list[Json]
    key: str | None = None
    """Of a mapping: the key whose value comes next."""
    key_lines: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Reader:
    """Builds the value from the parser's events, without recursion."""

    place: str
    lines: dict[ValuePath, int] | None
    """Where every value stands, if that is asked for: it takes more memory than the values."""
    value: Json = None
    keys: dict[str, str] = field(default_factory=dict)
    """Each key once: the items of a long list mostly share theirs."""
    stack: list[_Open] = field(default_factory=list)
    documents: int = 0
    values: int = 0

    def take(self, event: Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._problem(line, "holds a second document ('---'): make it a file of its own")
        elif isinstance(event, NodeEvent):
            self._refuse_references(event, line)
            if isinstance(event, ScalarEvent):
                self._scalar(event, line)
            else:
                self._open([] if isinstance(event, SequenceStartEvent) else {}, line)
        elif isinstance(event, CollectionEndEvent):
            self.stack.pop()

    def _refuse_references(self, event: NodeEvent, line: int) -> None:
        if isinstance(event, AliasEvent) or event.anchor is not None:
            mark = "*" if isinstance(event, AliasEvent) else "&"
            raise self._problem(
                line, f"uses {_short(mark + str(event.anchor))}: write the value out, or quote the text"
            )
        if isinstance(event, ScalarEvent | SequenceStartEvent | MappingStartEvent) and event.tag is not None:
            raise self._problem(line, f"uses the tag {_short(event.tag)}: remove it, or quote the text")

    def _scalar(self, event: ScalarEvent, line: int) -> None:
        parent = self.stack[-1] if self.stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            if event.value in parent.value:
                first = parent.key_lines[event.value]
                raise self._problem(
                    line, f"key {_short(event.value)} is given twice (first in line {first}): remove one"
                )
            parent.key = self.keys.setdefault(event.value, event.value)
            parent.key_lines[parent.key] = line
            self._note((*parent.path, parent.key), line)
        else:
            # A scalar's first flag says that it is plain, so that its text decides what it is.
            self._place(self._plain(event.value, line) if event.implicit[0] else event.value, line)

    def _plain(self, text: str, line: int) -> Json:
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number in (float("inf"), float("-inf")):
                raise self._problem(line, f"the number {_short(text)} is too large: quote it if it is text")
            return number
        return text

    def _open(self, value: dict[str, Json] | list[Json], line: int) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self._problem(line, f"is nested more than {MAX_DEPTH} levels deep")
        if self.stack and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None:
            raise self._problem(line, "has a list or mapping as a key: quote it if it is text")
        path = self._place(value, line)
        self.stack.append(_Open(path, value))

    def _place(self, value: Json, line: int) -> ValuePath:
        """Puts a value where it belongs and returns its path."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._problem(line, f"holds more than {MAX_VALUES:,} values: split the file")
        if not self.stack:
            self.value = value
            self._note((), line)
            return ()
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            path: ValuePath = (*parent.path, len(parent.value))
            parent.value.append(value)
            self._note(path, line)
        else:
            key = parent.key or ""
            path = (*parent.path, key)
            parent.value[key] = value
            parent.key = None
        return path

    def _note(self, path: ValuePath, line: int) -> None:
        if self.lines is not None:
            self.lines[path] = line

    def _problem(self, line: int, problem: str) -> ParseError:
        return ParseError(f"{self.place}:{line}", problem)


def _short(text: str) -> str:
    """Quoted, and cut: a message quotes at most what a line has room for."""
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


def _read(text: str, place: str, lines: dict[ValuePath, int] | None = None) -> _Reader:
    if len(text) > MAX_CHARACTERS:
        raise ParseError(place, f"holds {len(text):,} characters; at most {MAX_CHARACTERS:,} are read: split the file")
    reader = _Reader(place, lines)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        if any(_TAB_INDENT.match(indented) for indented in text.split("\n")[line - 1 : line]):
            raise ParseError(f"{place}:{line}", "is indented with a tab: use spaces") from None
        what = " ".join(part for part in (error.context, error.problem) if part)
        raise ParseError(f"{place}:{line}", f"is not YAML: {what}: check indentation and quotes there") from None
    except yaml.YAMLError as error:
        raise ParseError(place, f"is not YAML: {' '.join(str(error).split())!r}") from None
    except UnicodeError:
        raise ParseError(place, "holds half of a surrogate pair, which is no character: save it as UTF-8") from None
    return reader
