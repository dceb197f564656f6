"""Reading YAML from people one does not know: plain values only, every key once, every complaint with its line.

Refused are anchors and aliases (a few lines of them can unfold to gigabytes), tags, deep nesting, and long texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from evaluation.errors import ParseError
from evaluation.records import Json

LONGEST = 1_000_000
"""Characters."""
DEEPEST = 20
"""Collections within collections."""

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead to a value."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class YamlText:
    """A document's value and where each part of it stands."""

    value: Json
    place: str
    lines: Mapping[Path, int]

    def error(self, path: Path, problem: str) -> ParseError:
        """The problem with its file, line and key path."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        where = f"{self.place}:{self.lines.get(known, 1)}"
        return ParseError(f"{where}: {dotted(path)}" if path else where, " ".join(problem.split()))


def dotted(path: Path) -> str:
    """A key path as people write it: metrics.helpfulness.adjustments[2].add."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def parse_yaml(text: str, place: str) -> YamlText:
    """Reads one document. Raises ParseError with the line for everything that is refused or malformed."""
    if len(text) > LONGEST:
        raise ParseError(place, f"has {len(text):,} characters; the limit is {LONGEST:,}: split the file")
    try:
        _refuse_tricks(text, place)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise ParseError(place, "is empty")
            lines: dict[Path, int] = {}
            _note_lines(node, (), lines, place)
            return YamlText(loader.construct_document(node), place, lines)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{place}:{mark.line + 1}" if mark else place
        problem = " ".join(str(error.problem or error.context or "").split())
        raise ParseError(where, f"is not valid YAML: {problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ParseError(place, f"is not valid YAML: {' '.join(str(error).split())}") from error


def _refuse_tricks(text: str, place: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        where = f"{place}:{event.start_mark.line + 1}" if event.start_mark else place
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor is not None:
            raise ParseError(where, f"anchors and aliases are not allowed (found {anchor!r}): write the value out")
        if tag is not None:
            raise ParseError(where, f"tags are not allowed (found {tag!r}): write a plain value")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise ParseError(where, f"is nested more than {DEEPEST} levels deep")


def _note_lines(node: yaml.Node, path: Path, lines: dict[Path, int], place: str) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(item, (*path, index), lines, place)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name, line = key.value, key.start_mark.line + 1
            if key.tag != "tag:yaml.org,2002:str":
                raise ParseError(f"{place}:{line}", f"key {name!r} is not text: put it in quotation marks")
            if (*path, name) in lines:
                first = lines[(*path, name)]
                raise ParseError(f"{place}:{line}", f"duplicate key {dotted((*path, name))!r}, first on line {first}")
            lines[(*path, name)] = line
            _note_lines(value, (*path, name), lines, place)
