"""YAML text -> plain values, for rubrics and scenarios: a strict subset in which nothing is guessed.

Read as in JSON: a plain scalar is null, true, false or a decimal number, and anything else is text ("no", "12:30" and
2025-08-19 stay text). Keys are text as written. Refused: duplicate keys, anchors, aliases, tags, several documents.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml
from yaml.events import AliasEvent, DocumentStartEvent, Event, NodeEvent, ScalarEvent, SequenceStartEvent

from evaluation.errors import ParseError
from evaluation.records import Json
from evaluation.text.yaml_lists import MARK, without_lists

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
_NUMERIC = frozenset("-+.0123456789")
"""Characters with which a number begins."""
_TAB_INDENT = re.compile(r" *\t")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str, place: str) -> Json:
    """The value of one YAML document; None when it is empty.

    Raises ParseError, placed at "place:line", when the text is not of this subset or exceeds its bounds.
    """
    return _read(text, place)


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Line (from 1) of the value at `path`, or of its nearest parent that exists. A key's line is the key's own.

    For the places of errors: it reads the text again, which must have been loaded before.
    """
    return lines_of(text, [path])[0]


def lines_of(text: str, paths: Sequence[Sequence[str | int]]) -> tuple[int, ...]:
    """The line of each path, as `line_of` gives one; the text is read once for all of them."""
    lines: dict[ValuePath, int] = {}
    _read(text, "", lines)

    def line(path: Sequence[str | int]) -> int:
        steps = tuple(path)
        while steps and steps not in lines:
            steps = steps[:-1]
        return lines.get(steps, 1)

    return tuple(map(line, paths))


def locate(text: str, place: str, path: Sequence[str | int]) -> str:
    """The place of an error in the value at `path`: "place:line"."""
    return f"{place}:{line_of(text, path)}"


@dataclass(slots=True)
class _Reader:
    """Builds the value from the parser's events; the bound on depth bounds the recursion too."""

    events: Iterator[Event]
    place: str
    lines: dict[ValuePath, int] | None
    """Where every value stands, if that is asked for: it takes more memory than the values."""
    lists: Sequence[list[str]] = ()
    """Lists that were taken out of the text."""
    keys: dict[str, str] = field(default_factory=dict)
    """Each key once: the items of a long list mostly share theirs."""
    values: int = 0

    def document(self) -> Json:
        value: Json = None
        documents = 0
        for event in self.events:
            documents += isinstance(event, DocumentStartEvent)
            if documents > 1:
                raise self._problem(event, "holds a second document ('---'): make it a file of its own")
            if isinstance(event, NodeEvent):
                value = self._value(event, ())
        return value

    def _value(self, event: NodeEvent, path: ValuePath) -> Json:
        if self.lines is not None:
            self.lines.setdefault(path, _line(event))
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        self._check(event)
        if len(path) >= MAX_DEPTH - bool(self.lists):
            raise self._problem(event, f"is nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, SequenceStartEvent):
            return self._list(path)
        return self._mapping(path)

    def _scalar(self, event: ScalarEvent) -> Json:
        self._check(event)
        if MARK in event.value and self.lists:
            return self._taken_out(event)
        # A scalar's first flag says that it is plain, so that its text decides what it is.
        return self._plain(event) if event.implicit[0] else event.value

    def _taken_out(self, event: ScalarEvent) -> list[Json]:
        """The list in whose place a mark stands; a mark within another text is in the place of none."""
        before, number, behind = event.value[:1], event.value[1:-1], event.value[-1:]
        if not (event.implicit[0] and number.isdigit() and before == behind == MARK):
            raise self._problem(event, "holds brackets that are no list")
        found: list[Json] = [*self.lists[int(number)]]
        self.values += len(found)
        return found

    def _check(self, event: NodeEvent) -> None:
        if event.anchor is not None or getattr(event, "tag", None) is not None:
            self._refuse_references(event)
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._problem(event, f"holds more than {MAX_VALUES:,} values: split the file")

    def _list(self, path: ValuePath) -> list[Json]:
        found: list[Json] = []
        while isinstance(event := next(self.events), NodeEvent):
            # The place of a scalar, of which there are most, is needed where lines are asked for.
            if self.lines is None and isinstance(event, ScalarEvent):
                found.append(self._scalar(event))
            else:
                found.append(self._value(event, (*path, len(found))))
        return found

    def _mapping(self, path: ValuePath) -> dict[str, Json]:
        found: dict[str, Json] = {}
        key_lines: dict[str, int] = {}
        for event in self._inner():
            self._refuse_references(event)
            if not isinstance(event, ScalarEvent) or (self.lists and MARK in event.value):
                raise self._problem(event, "has a list or mapping as a key: quote it if it is text")
            key = self.keys.setdefault(event.value, event.value)
            if key in found:
                first = key_lines[key]
                raise self._problem(event, f"key {_short(key)} is given twice (first in line {first}): remove one")
            key_lines[key] = _line(event)
            here = (*path, key)
            if self.lines is not None:
                self.lines[here] = key_lines[key]
            found[key] = self._value(next(self._inner()), here)
        return found

    def _inner(self) -> Iterator[NodeEvent]:
        """The values that follow, up to the end of the list or mapping that holds them."""
        while isinstance(event := next(self.events), NodeEvent):
            yield event

    def _refuse_references(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent) or event.anchor is not None:
            mark = "*" if isinstance(event, AliasEvent) else "&"
            raise self._problem(
                event, f"uses {_short(mark + str(event.anchor))}: write the value out, or quote the text"
            )
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._problem(event, f"uses the tag {_short(tag)}: remove it, or quote the text")

    def _plain(self, event: ScalarEvent) -> Json:
        text = event.value
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMERIC:
            return text
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number in (float("inf"), float("-inf")):
                raise self._problem(event, f"the number {_short(text)} is too large: quote it if it is text")
            return number
        return text

    def _problem(self, event: Event, problem: str) -> ParseError:
        return ParseError(f"{self.place}:{_line(event)}", problem)


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _short(text: str) -> str:
    """Quoted, and cut: a message quotes at most what a line has room for."""
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


def _read(text: str, place: str, lines: dict[ValuePath, int] | None = None) -> Json:
    if len(text) > MAX_CHARACTERS:
        raise ParseError(place, f"holds {len(text):,} characters; at most {MAX_CHARACTERS:,} are read: split the file")
    short = without_lists(text) if lines is None else None
    if short is not None:
        try:
            return _Reader(iter(_LOADER(short.text).get_event, None), place, None, short.lists).document()
        except (ParseError, yaml.YAMLError, UnicodeError):
            pass  # the whole text tells what is wrong, and where, or that nothing is
    try:
        # yaml.parse would ask twice for each event.
        return _Reader(iter(_LOADER(text).get_event, None), place, lines).document()
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
