"""Agreement of the tool with people: scores rated responses and compares the scores with the ratings."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import asyncio
import json
import math
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.errors import ParseError, UsageError
from scripts.arguments import amount, positive
from scripts.shell import DONE, INCOMPLETE, note, run_command

if TYPE_CHECKING:
    from evaluation.calibration.calibrate import Calibration, CalibrationOptions
    from evaluation.calibration.items import RatedLine, RatedUnit
    from evaluation.calibration.reviews import Reviews
    from evaluation.records import Score
    from evaluation.rubrics.rubric import Rubric
    from evaluation.suites.suite import Suite
    from scripts.calibration.judged_ratings import JudgedRatings
    from scripts.rescore.exchange_lines import ReadLine
    from scripts.run.load import LoadedSuite

SCALE = "rating=worst:best, as rank=3:1"
MOST_TOLD = 10
"""Broken lines that are told one by one."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    options.again = shlex.join(
        ["python", "-m", "scripts.calibrate", *(sys.argv[1:] if arguments is None else arguments)]
    )
    return run_command(lambda: _calibrate(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="calibrate",
        description='Compares scores with human ratings. Lines: {"id", "user_input", "response", "context"?, "ratings":'
        ' {dimension: number}, "raters"?: {dimension: [number, ...]}, "level"?: turn|dialog|pair, "group"?}.',
        epilog="Reviews are read too, one line each and several people's of one response together: {reviewer, scores, "
        "response, user_input?, context?}, named by id or by run_id, scenario_id, repeat and turn. "
        "exit codes: 0 done, 2 wrong usage, 3 lines could not be read or questions to the judge had no answer (the "
        "rest is reported), or --max-cost was reached (no report; the command to go on is printed), 130 interrupted",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    parser.add_argument("--suite", default="companion", help="whose metrics (default: companion)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="a rubric of your own")
    judge = parser.add_mutually_exclusive_group()
    judge.add_argument("--judge-model", metavar="M", help="model that judges (default: EVAL_JUDGE_MODEL, EVAL_MODEL)")
    judge.add_argument("--no-judge", action="store_true", help="heuristics alone; no call is made")
    parser.add_argument("--judge-prompt", metavar="REF", help="the judge's prompt, as in an evaluation")
    parser.add_argument(
        "--judge-samples", type=positive, default=1, metavar="N", help="verdicts per response (default 1)"
    )
    parser.add_argument("--max-cost", type=amount, metavar="USD", help="start no call once this much is spent")
    parser.add_argument("--prices", metavar="FILE", help="a price list of your own")
    parser.add_argument(
        "--map",
        nargs="+",
        action="extend",
        default=[],
        metavar="RATING=METRIC",
        help="only these pairs (default: every pair)",
    )
    parser.add_argument(
        "--scale", nargs="+", action="extend", default=[], metavar="RATING=WORST:BEST",
        help="the ratings' scale, as rank=3:1 (default: the range found in the file)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON instead of the tables")
    parser.add_argument("--output", metavar="DIR", help="where the files go (default: calibration/ in the runs folder)")
    return parser


def _calibrate(options: argparse.Namespace) -> int:
    from evaluation.calibration.calibrate import calibrate, checked_scales
    from evaluation.calibration.items import rated_units
    from scripts.run.load import load_suite

    loaded = load_suite(options.suite, options.rubric)
    lines, unread, reviewed = _rated_lines(options.file, loaded.suite.needs_user_input)
    scored = list(_scored(lines, loaded.suite))
    unread += len(lines) - len(scored)
    lines = [line for line, _ in scored]
    chosen = _options(options, {name for name in reviewed if name in loaded.rubric.metrics}, loaded.rubric)
    if not lines:
        raise UsageError(f"{options.file}: no line could be used ({unread} unread): see --help for the form")
    checked_scales(rated_units((line, ()) for line in lines), loaded.rubric, chosen)
    judged = None if options.no_judge else _judged(lines, loaded, options)
    added = {} if judged is None else judged.scores
    units = rated_units((line, (*scores, *added.get(line.exchange.cell.scenario_id, ()))) for line, scores in scored)
    found = calibrate(
        units,
        loaded.rubric,
        loaded.suite.name,
        chosen,
        lines=len(lines),
        unread=unread,
        judge=None if judged is None else judged.model,
    )
    files = _write(found, units, _folder(options))
    _show(found, files, as_json=options.json)
    return INCOMPLETE if unread or (judged is not None and judged.failed) else DONE


def _options(options: argparse.Namespace, own: Set[str], rubric: "Rubric") -> "CalibrationOptions":
    """What was asked for; `own` are dimensions that reviewers scored on the rubric's own scale."""
    from evaluation.calibration.calibrate import CalibrationOptions

    if options.seed < 0:
        raise UsageError(f"--seed {options.seed}: give a whole number from 0")
    mapping = tuple(_split(text, "--map", "rating=metric") for text in options.map)
    mapping = mapping or tuple((name, name) for name in sorted(own))
    scales = {name: _ends(ends, text) for text in options.scale for name, ends in [_split(text, "--scale", SCALE)]}
    scales = dict.fromkeys(own, (rubric.low, rubric.high)) | scales
    return CalibrationOptions(scales=scales, mapping=mapping, seed=options.seed)


def _split(text: str, flag: str, form: str) -> tuple[str, str]:
    name, sign, rest = text.rpartition("=")
    if not (name and sign and rest):
        raise UsageError(f"{flag} {text!r}: write it as {form}")
    return name, rest


def _ends(ends: str, text: str) -> tuple[float, float]:
    worst, _, best = ends.partition(":")
    try:
        found = (float(worst), float(best))
    except ValueError:
        found = (math.nan, math.nan)
    if not all(map(math.isfinite, found)):
        raise UsageError(f"--scale {text!r}: write it as {SCALE}")
    return found


def _rated_lines(name: str, needs_user_input: bool) -> tuple[list["RatedLine"], int, set[str]]:
    """Every line that can be used, how many cannot (these are told by number), and the dimensions of reviews."""
    from evaluation.calibration.items import rated_line
    from evaluation.calibration.reviews import Reviews
    from scripts.rescore.exchange_lines import exchange_from, open_lines, read_exchanges

    lines: dict[str, RatedLine] = {}
    reviews = Reviews()
    unread = 0
    with open_lines(name) as source:
        for line in read_exchanges(source, needs_user_input=needs_user_input):
            try:
                _take(line, lines, reviews)
            except ValueError as error:
                unread += 1
                if unread <= MOST_TOLD:
                    note(f"line {line.number}: {error}")
    if unread > MOST_TOLD:
        note(f"... and {unread - MOST_TOLD} more lines that could not be read")
    reviewed = reviews.rated()
    rated = [rated_line(record, exchange_from(record, needs_user_input=False)) for record in reviewed]
    return [*lines.values(), *rated], unread, {name for record in reviewed for name in record["raters"]}


def _scored(lines: Sequence["RatedLine"], suite: "Suite") -> Iterator[tuple["RatedLine", tuple["Score", ...]]]:
    """The lines with what rules or checks give; one that is not of the suite's kind is told and left out."""
    wrong = 0
    for line in lines:
        try:
            yield line, suite.score(line.exchange)
        except ParseError as error:
            wrong += 1
            if wrong <= MOST_TOLD:
                note(f"id {line.exchange.cell.scenario_id[:60]!r}: {error}: suite {suite.name} reads nothing else")
    if wrong > MOST_TOLD:
        note(f"... and {wrong - MOST_TOLD} more that suite {suite.name} does not read")


def _take(line: "ReadLine", lines: dict[str, "RatedLine"], reviews: "Reviews") -> None:
    """Adds a line to the responses or to the reviews. Raises ValueError for one that cannot be used."""
    from evaluation.calibration.items import rated_line
    from evaluation.calibration.reviews import is_review
    from scripts.rescore.exchange_lines import exchange_from

    if is_review(line.record):
        record = _of_eval_record(line.record) if "eval_id" in line.record else line.record
        exchange_from({**record, "id": "checked"}, needs_user_input=False)
        reviews.add(record)
        return
    if line.exchange is None:
        raise ValueError(line.problem)
    identity = line.exchange.cell.scenario_id
    rated = rated_line(line.record, line.exchange)
    if identity in lines:
        raise ValueError(f"id {identity[:60]!r} occurs a second time")
    lines[identity] = rated


def _of_eval_record(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The review in an evaluation record, as make review writes it. Raises ValueError for one that is no person's."""
    from evaluation.review.exports import rating_line
    from services.record_schema import record_problem

    if problem := record_problem()(record):
        raise ValueError(problem)
    if record.get("source") != "human":
        raise ValueError(f"the scores are of source {record.get('source')!r}, and no person's")
    return rating_line(record)


def _judged(lines: Sequence["RatedLine"], loaded: "LoadedSuite", options: argparse.Namespace) -> "JudgedRatings | None":
    """What the judge adds; None where no endpoint is set."""
    from scripts.calibration.judged_ratings import JudgingRequest, judged_ratings, judging_model
    from services.settings import read_settings

    settings = read_settings()
    model = judging_model(settings, options.judge_model)
    if model is None:
        note("no endpoint is set: heuristics alone are compared")
        return None
    if loaded.suite.judge is None:
        note(f"suite {loaded.suite.name} has no judge: heuristics alone are compared")
        return None
    exchanges = [line.exchange for line in lines]
    asked = JudgingRequest(
        model, options.judge_prompt, options.judge_samples, options.max_cost, options.prices, options.again
    )
    return asyncio.run(judged_ratings(exchanges, loaded, asked, settings, options.seed))


def _write(found: "Calibration", units: Sequence["RatedUnit"], folder: Path) -> list[str]:
    """The report, the figures and the pictures; the names of what was written."""
    from evaluation.calibration.calibrate import calibration_document
    from evaluation.reports.calibration.markdown import calibration_markdown
    from scripts.calibration.plots import draw
    from services.run_folder import write_json, write_text

    try:
        plots = draw(found, units, folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}): choose another --output") from None
    write_json(folder / "calibration.json", calibration_document(found))
    write_text(folder / "calibration.md", calibration_markdown(found, plots=plots))
    return [str(folder / name) for name in ("calibration.md", "calibration.json", *(name for _, name in plots))]


def _folder(options: argparse.Namespace) -> Path:
    from services.settings import read_settings

    if options.output:
        return Path(options.output)
    stem = "standard-input" if options.file == "-" else Path(options.file).name.removesuffix(".jsonl")
    return read_settings().runs_dir / "calibration" / stem


def _show(found: "Calibration", files: Sequence[str], *, as_json: bool) -> None:
    from evaluation.calibration.calibrate import calibration_document
    from evaluation.reports.calibration.terminal import render_calibration
    from scripts.run.output import use_color

    if as_json:
        print(json.dumps(calibration_document(found), ensure_ascii=False, indent=2))
        return
    print(render_calibration(found, files=files, color=use_color()), end="")


if __name__ == "__main__":
    sys.exit(main())
