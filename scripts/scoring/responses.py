"""Existing responses scored by rule: one JSON line out per line in, in order, streaming."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.calibration.ratings import PLACE, identity_of, message_of
from evaluation.commands import write_command
from evaluation.errors import ParseError, UsageError
from evaluation.languages.known_by import known_codes
from evaluation.records import Cell, Exchange, Json, Reply, Turn, Usage
from evaluation.suites.suite import Suite
from evaluation.text.numbers import times
from scripts.run.load import load_suite
from scripts.run.texts import chosen_rubric
from scripts.scoring.batches import LINES, Batch, ScoredBatch, in_batches, score_batches
from scripts.shell import DONE, INCOMPLETE, note
from services.json_text import bounded_lines, json_object
from services.processes import cores
from services.settings import read_settings


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


def score_file(
    name: str, suite_name: str, rubric: str | None, output: str | None, jobs: int | None, profile: str | None = None
) -> int:
    """Scores every line that can be read; in place of the scores of another stands the reason.

    `jobs` processes share the work: None for one on each core, and for one alone where lines come from a pipe, each of
    which is answered as it comes.
    """
    suite = load_suite(suite_name, chosen_rubric(suite_name, rubric, read_settings()), profile=profile).suite
    if suite.rules == "heuristic" and not suite.metrics_of("heuristic"):
        judged = write_command("calibrate", "--suite", suite_name, FILE="ratings.jsonl")
        raise UsageError(
            f"suite {suite.name!r} has no rule, and responses of a file are scored by rules alone: a judge scores "
            f"those that people rated in {judged}"
        )
    lines = unread = 0
    piped = name == "-" and jobs is None
    with open_lines(name) as source, _target(output, name) as target:
        batches = in_batches(bounded_lines(source), 1 if piped else LINES)
        for scored in score_batches(batches, partial(_score_batch, suite), 1 if piped else jobs or cores()):
            lines += scored.lines
            unread += scored.unread
            target.write(scored.text)
    if unread:
        note(
            f"{times(unread, 'line')} could not be read; the reason stands in place of the scores: mend and score again"
        )
    if not lines:
        note(f"{name} is empty: give one response a line (docs/run-files.md)")
    return INCOMPLETE if unread else DONE


def _score_batch(suite: Suite, batch: Batch) -> ScoredBatch:
    read = read_exchanges(enumerate(batch.lines, batch.first), needs_user_input=suite.needs_user_input)
    scored = [_score_line(line, suite) for line in read]
    text = "".join(f"{json.dumps(each, ensure_ascii=False, allow_nan=False)}\n" for each in scored)
    return ScoredBatch(text, len(scored), sum("error" in each for each in scored))


def _score_line(line: ReadLine, suite: Suite) -> dict[str, Json]:
    """The line that goes out for one that came in."""
    problem = line.problem
    if line.exchange is not None:
        try:
            scores = suite.score(line.exchange)
        except (ParseError, ValueError, RecursionError) as error:
            problem = str(error) or type(error).__name__
        else:
            measures = {item.metric: item.value for item in scores if item.source == "measure"}
            return {
                "id": line.identity,
                "scores": {item.metric: item.value for item in scores if item.source != "measure"},
                "explanations": {item.metric: item.explanation or item.reason for item in scores},
                **({"measures": measures} if suite.measures else {}),
            }
    place: dict[str, Json] = {"line": line.number} if line.identity is None else {"id": line.identity}
    return {**place, "error": problem}


def _target(name: str | None, source: str) -> Any:
    if name is None:
        return nullcontext(sys.stdout)
    if source != "-" and Path(name).exists() and Path(name).samefile(source):
        raise UsageError(f"{name}: is the input file too: choose another --output")
    try:
        return Path(name).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written ({error.strerror}): choose another --output") from None


def open_lines(name: str) -> Any:
    """A context with the file in binary, or standard input for "-". Raises UsageError when it cannot be opened."""
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror}): give a file of JSON lines") from None


def read_exchanges(lines: Iterable[tuple[int, bytes]], *, needs_user_input: bool = True) -> Iterator[ReadLine]:
    """One record for each numbered line, in order, whatever the line holds."""
    for number, line in lines:
        identity: str | int | None = None
        record: Mapping[str, Any] = {}
        try:
            record = json_object(line, constants=True)
            if record.get("id") is None and record.get("scope") == "conversation":
                continue  # of results.jsonl: no response, but what a judge says of several
            identity = identity_of(record)
            exchange = exchange_from(record, needs_user_input=needs_user_input)
        except ValueError as error:
            yield ReadLine(number, identity, record, problem=str(error))
            continue
        yield ReadLine(number, identity, record, exchange)


def exchange_from(record: Mapping[str, Any], *, needs_user_input: bool = True) -> Exchange:
    """The exchange in one input line, a line of results.jsonl among them; a message that may be missing is empty then.

    Raises ValueError naming the field.
    """
    identity, user_input = identity_of(record), message_of(record)
    if identity is None or isinstance(identity, bool):
        raise ValueError(f'"id" must be a string or a whole number; without one, {", ".join(PLACE)} name a response')
    if user_input is None and not needs_user_input:
        user_input = ""
    if not isinstance(user_input, str):
        raise ValueError('"user_input" (or "input", as in results.jsonl) must be a string')
    if not isinstance(record.get("response"), str):
        raise ValueError('"response" must be a string')
    context = record.get("context") or []
    if not isinstance(context, list):
        raise ValueError('"context" must be a list of {"role", "content"}')
    turns = tuple(_turn(value, index) for index, value in enumerate(context))
    reply = Reply(record["response"], "stop", "", {}, Usage(), 0.0, 0.0)
    place = Cell(str(identity), 1)
    return Exchange(place, 1, turns, user_input, reply, _moderation(record), language=_language(record))


def _language(record: Mapping[str, Any]) -> str:
    """The language that a line names: as `lang`, or as one of results.jsonl does."""
    named = record.get("lang")
    if named is None and isinstance(record.get("language"), dict):
        named = record["language"].get("named")
    if named not in (None, "") and (not isinstance(named, str) or named not in known_codes()):
        raise ValueError(f'"lang" is {str(named)[:20]!r}: write the code of a language as in ISO 639-1, such as "de"')
    return named or ""


def _moderation(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The categories for which a line of results.jsonl was flagged; a line with an id of its own has none."""
    found = record.get("moderation") if record.get("id") is None else None
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _turn(value: Any, index: int) -> Turn:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("role"), str)
        or not isinstance(value.get("content"), str)
    ):
        raise ValueError(f'"context" item {index} must be {{"role": text, "content": text}}')
    return Turn(value["role"], value["content"])
