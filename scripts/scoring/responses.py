"""Existing responses scored by rule: one JSON line out per line in, in order, streaming."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.suites.suite import Suite
from evaluation.text.numbers import times
from scripts.run.load import load_suite
from scripts.scoring.exchange_lines import ReadLine, open_lines, read_exchanges
from scripts.shell import DONE, INCOMPLETE, note


def score_file(name: str, suite_name: str, rubric: str | None, output: str | None) -> int:
    """Scores every line that can be read; in place of the scores of another stands the reason."""
    suite = load_suite(suite_name, rubric).suite
    lines = unread = 0
    with open_lines(name) as source, _target(output, name) as target:
        for line in read_exchanges(source, needs_user_input=suite.needs_user_input):
            scored = _scored(line, suite)
            lines += 1
            unread += "error" in scored
            target.write(json.dumps(scored, ensure_ascii=False, allow_nan=False) + "\n")
    if unread:
        note(
            f"{times(unread, 'line')} could not be read; the reason stands in place of the scores: mend and score again"
        )
    if not lines:
        note(f"{name} is empty: give one response a line (docs/run-files.md)")
    return INCOMPLETE if unread else DONE


def _scored(line: ReadLine, suite: Suite) -> dict[str, Json]:
    """The line that goes out for one that came in."""
    problem = line.problem
    if line.exchange is not None:
        try:
            scores = suite.score(line.exchange)
        except (ValueError, RecursionError) as error:
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
