"""Score existing responses by rule, without a model call: one JSON line out per line in, in order, streaming."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from evaluation.errors import UsageError
from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage
from scripts.shell import DONE, INCOMPLETE, note, run_command

if TYPE_CHECKING:
    from evaluation.ports import ScoreExchange

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is told and passed over, so that memory stays bounded."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _score_file(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="score_responses",
        description='Scores lines {"id", "user_input", "response", "context"?} by rule.',
        epilog="exit codes: 0 all lines scored, 2 wrong usage, 3 some lines could not be read",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    parser.add_argument("--suite", default="companion", help="whose metrics (default: companion)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="a rubric of your own")
    parser.add_argument("--output", metavar="OUT", help="where the lines go (default: standard output)")
    return parser


def _score_file(options: argparse.Namespace) -> int:
    from scripts.loading import load_suite

    suite = load_suite(options.suite, options.rubric).suite
    unread = 0
    with _source(options.file) as source, _target(options.output, options.file) as target:
        for scored in score_lines(_bounded_lines(source), suite.score):
            unread += "error" in scored
            target.write(json.dumps(scored, ensure_ascii=False, allow_nan=False) + "\n")
    if unread:
        note(f"{unread} lines could not be read; each says why in its place: mend them and score again")
    return INCOMPLETE if unread else DONE


def score_lines(lines: Iterable[bytes | None], score: "ScoreExchange") -> Iterator[dict[str, Json]]:
    """One JSON object per line, in order; None stands for a line over the size limit."""
    for number, line in enumerate(lines, start=1):
        identity: Json = None
        try:
            if line is None:
                raise ValueError(f"longer than {LONGEST_LINE} bytes")
            record = _object(line)
            identity = record.get("id") if isinstance(record.get("id"), str | int) else None
            exchange = exchange_from(record)
            scores = score(exchange)
        except (ValueError, RecursionError) as error:
            place = {"line": number} if identity is None else {"id": identity}
            yield {**place, "error": str(error) or type(error).__name__}
            continue
        yield {
            "id": identity,
            "scores": {item.metric: item.value for item in scores},
            "explanations": {item.metric: item.explanation or item.reason for item in scores},
        }


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


def exchange_from(record: Mapping[str, Any]) -> Exchange:
    """The exchange in one input line. Raises ValueError naming the field."""
    if not isinstance(record.get("id"), str | int) or isinstance(record.get("id"), bool):
        raise ValueError('"id" must be a string or a whole number')
    for field in ("user_input", "response"):
        if not isinstance(record.get(field), str):
            raise ValueError(f'"{field}" must be a string')
    context = record.get("context") or []
    if not isinstance(context, list):
        raise ValueError('"context" must be a list of {"role", "content"}')
    turns = tuple(_turn(value, index) for index, value in enumerate(context))
    reply = Reply(record["response"], "stop", "", {}, Usage(), 0.0, 0.0)
    return Exchange(Cell(str(record["id"]), 1), 1, turns, record["user_input"], reply)


def _turn(value: Any, index: int) -> Turn:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("role"), str)
        or not isinstance(value.get("content"), str)
    ):
        raise ValueError(f'"context" item {index} must be {{"role": text, "content": text}}')
    return Turn(value["role"], value["content"])


def _source(name: str) -> Any:
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror}): give a file of JSON lines") from None


def _target(name: str | None, source: str) -> Any:
    if name is None:
        return nullcontext(sys.stdout)
    if source != "-" and Path(name).exists() and Path(name).samefile(source):
        raise UsageError(f"{name}: is the input file too: choose another --output")
    try:
        return Path(name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written ({error.strerror}): choose another --output") from None


def _bounded_lines(file: IO[bytes]) -> Iterator[bytes | None]:
    while line := file.readline(LONGEST_LINE):
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


if __name__ == "__main__":
    sys.exit(main())
