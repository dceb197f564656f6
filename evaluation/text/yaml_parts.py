"""A value within a YAML text as a text of its own, whose lines are those of the whole."""

from collections.abc import Sequence

import yaml
from yaml.nodes import MappingNode, Node, SequenceNode

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def part_at(text: str, path: Sequence[str | int], *, with_key: bool = False) -> str:
    """The value at `path` as a text in which it stands in its own line and column, below empty lines.

    `with_key` leaves the last key before it, as a mapping of that key alone. The text must have been loaded before.
    Raises KeyError where the path leads to nothing.
    """
    node = key = _root(text)
    for step in path:
        key, node = _below(node, step)
    first = key if with_key else node
    start = first.start_mark
    # A block ends where the next token begins, below the comments between them.
    return "\n" * start.line + " " * start.column + text[start.index : node.end_mark.index].rstrip() + "\n"


def as_whole(part: str) -> str:
    """Such a text as a file of its own would hold it: from its first line and column."""
    lines = part.strip("\n").split("\n")
    columns = len(lines[0]) - len(lines[0].lstrip(" "))
    return "\n".join(line[min(columns, len(line) - len(line.lstrip(" "))) :] for line in lines) + "\n"


def _root(text: str) -> Node:
    root = yaml.compose(text, Loader=_LOADER)
    if root is None:
        raise KeyError("")
    return root


def _below(node: Node, step: str | int) -> tuple[Node, Node]:
    """(key, value) at one step; of a list's item twice the item."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key, value
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    raise KeyError(step)
