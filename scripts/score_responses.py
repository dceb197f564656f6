"""Score existing responses by rule, without a model call: one JSON line out per line in, in order, streaming."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.errors import UsageError
from evaluation.records import Json
from evaluation.text.numbers import times
from scripts.rescore.exchange_lines import ReadLine, open_lines, read_exchanges
from scripts.shell import DONE, INCOMPLETE, note, run_command

if TYPE_CHECKING:
    from evaluation.suites.suite import Suite


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _score_file(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="score_responses",
        description='Scores lines {"id", "user_input", "response", "context"?} by rule. '
        "The text_quality suite needs no user_input.",
        epilog="exit codes: 0 all lines scored, 2 wrong usage, 3 some lines could not be read",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    parser.add_argument("--suite", default="companion", help="whose metrics (default: companion)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="a rubric of your own")
    parser.add_argument("--output", metavar="OUT", help="where the lines go (default: standard output)")
    return parser


def _score_file(options: argparse.Namespace) -> int:
    from scripts.run.load import load_suite

    suite = load_suite(options.suite, options.rubric).suite
    lines = unread = 0
    with open_lines(options.file) as source, _target(options.output, options.file) as target:
        for line in read_exchanges(source, needs_user_input=suite.needs_user_input):
            scored = _scored(line, suite)
            lines += 1
            unread += "error" in scored
            target.write(json.dumps(scored, ensure_ascii=False, allow_nan=False) + "\n")
    if unread:
        told = times(unread, "line")
        note(f"{told} could not be read; the reason stands in place of the scores: mend and score again")
    if not lines:
        note(f"{options.file} is empty: give one response a line (docs/run-files.md)")
    return INCOMPLETE if unread else DONE


def _scored(line: ReadLine, suite: "Suite") -> dict[str, Json]:
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


if __name__ == "__main__":
    sys.exit(main())
