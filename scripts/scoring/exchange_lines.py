"""JSON lines with responses that exist already: read one at a time, each an exchange or the reason why it is none."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from evaluation.errors import UsageError
from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is told and passed over, so that memory stays bounded."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line of the input: an exchange, or the problem with it."""

    number: int
    """Counts from 1."""
    identity: str | int | None
    """The line's own id, where it could be read."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """Everything in the line; empty where it is no object."""
    exchange: Exchange | None = None
    problem: str = ""
    """Empty when there is an exchange."""


def open_lines(name: str) -> Any:
    """A context with the file in binary, or standard input for "-". Raises UsageError when it cannot be opened."""
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror}): give a file of JSON lines") from None


def read_exchanges(file: IO[bytes], *, needs_user_input: bool = True) -> Iterator[ReadLine]:
    """One record per line, in order, whatever the line holds."""
    return read_lines(_bounded_lines(file), needs_user_input=needs_user_input)


def read_lines(lines: Iterable[bytes | None], *, needs_user_input: bool = True) -> Iterator[ReadLine]:
    """The same for lines at hand; None stands for a line over the size limit."""
    for number, line in enumerate(lines, start=1):
        identity: str | int | None = None
        record: Mapping[str, Any] = {}
        try:
            if line is None:
                raise ValueError(f"longer than {LONGEST_LINE} bytes")
            record = _object(line)
            given: Json = record.get("id")
            identity = given if isinstance(given, str | int) else None
            exchange = exchange_from(record, needs_user_input=needs_user_input)
        except (ValueError, RecursionError) as error:
            yield ReadLine(number, identity, record, problem=str(error) or type(error).__name__)
            continue
        yield ReadLine(number, identity, record, exchange)


def exchange_from(record: Mapping[str, Any], *, needs_user_input: bool = True) -> Exchange:
    """The exchange in one input line; a message that is missing and may be is empty.

    Raises ValueError naming the field.
    """
    if not needs_user_input and record.get("user_input") is None:
        record = {**record, "user_input": ""}
    if not isinstance(record.get("id"), str | int) or isinstance(record.get("id"), bool):
        raise ValueError('"id" must be a string or a whole number')
    for name in ("user_input", "response"):
        if not isinstance(record.get(name), str):
            raise ValueError(f'"{name}" must be a string')
    context = record.get("context") or []
    if not isinstance(context, list):
        raise ValueError('"context" must be a list of {"role", "content"}')
    turns = tuple(_turn(value, index) for index, value in enumerate(context))
    reply = Reply(record["response"], "stop", "", {}, Usage(), 0.0, 0.0)
    return Exchange(Cell(str(record["id"]), 1), 1, turns, record["user_input"], reply)


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(record, dict):
        raise ValueError(f"not a JSON object but {type(record).__name__}")
    return record


def _turn(value: Any, index: int) -> Turn:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("role"), str)
        or not isinstance(value.get("content"), str)
    ):
        raise ValueError(f'"context" item {index} must be {{"role": text, "content": text}}')
    return Turn(value["role"], value["content"])


def _bounded_lines(file: IO[bytes]) -> Iterator[bytes | None]:
    while line := file.readline(LONGEST_LINE):
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None
