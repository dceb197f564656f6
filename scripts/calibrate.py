"""Agreement of the tool with people: scores rated responses and compares the scores with the ratings."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.errors import UsageError
from scripts.shell import DONE, INCOMPLETE, note, run_command

if TYPE_CHECKING:
    from evaluation.calibration.calibrate import Calibration, CalibrationOptions
    from evaluation.calibration.items import RatedLine, RatedUnit
    from scripts.judged_ratings import JudgedRatings
    from scripts.loading import LoadedSuite

SCALE = "rating=worst:best, as rank=3:1"
MOST_TOLD = 10
"""Broken lines that are told one by one."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _calibrate(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="calibrate",
        description='Compares scores with human ratings. Lines: {"id", "user_input", "response", "context"?, "ratings":'
        ' {dimension: number}, "raters"?: {dimension: [number, ...]}, "level"?: turn|dialog|pair, "group"?}.',
        epilog="exit codes: 0 done, 2 wrong usage, 3 some lines could not be read (the rest is reported)",
    )
    parser.add_argument("file", metavar="FILE", help="JSON lines; - for standard input")
    parser.add_argument("--suite", default="companion", help="whose metrics (default: companion)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="a rubric of your own")
    judge = parser.add_mutually_exclusive_group()
    judge.add_argument("--judge-model", metavar="M", help="model that judges (default: EVAL_JUDGE_MODEL, EVAL_MODEL)")
    judge.add_argument("--no-judge", action="store_true", help="heuristics alone; no call is made")
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
    from scripts.loading import load_suite

    chosen = _options(options)
    loaded = load_suite(options.suite, options.rubric)
    lines, unread = _rated_lines(options.file, loaded.suite.needs_user_input)
    if not lines:
        raise UsageError(f"{options.file}: no line could be used ({unread} unread): see --help for the form")
    checked_scales(rated_units((line, ()) for line in lines), loaded.rubric, chosen)
    judged = None if options.no_judge else _judged(lines, loaded, options)
    added = {} if judged is None else judged.scores
    units = rated_units(
        (line, (*loaded.suite.score(line.exchange), *added.get(line.exchange.cell.scenario_id, ()))) for line in lines
    )
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
    return INCOMPLETE if unread else DONE


def _options(options: argparse.Namespace) -> "CalibrationOptions":
    from evaluation.calibration.calibrate import CalibrationOptions

    if options.seed < 0:
        raise UsageError(f"--seed {options.seed}: give a whole number from 0")
    mapping = tuple(_split(text, "--map", "rating=metric") for text in options.map)
    scales = {name: _ends(ends, text) for text in options.scale for name, ends in [_split(text, "--scale", SCALE)]}
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


def _rated_lines(name: str, needs_user_input: bool) -> tuple[list["RatedLine"], int]:
    """Every line that can be used, and how many cannot; these are told by number."""
    from evaluation.calibration.items import rated_line
    from scripts.exchange_lines import open_lines, read_exchanges

    lines: list[RatedLine] = []
    seen: set[str] = set()
    unread = 0
    with open_lines(name) as source:
        for line in read_exchanges(source, needs_user_input=needs_user_input):
            problem = line.problem
            if line.exchange is not None:
                identity = line.exchange.cell.scenario_id
                try:
                    rated = rated_line(line.record, line.exchange)
                    if identity in seen:
                        raise ValueError(f"id {identity[:60]!r} occurs a second time")
                except ValueError as error:
                    problem = str(error)
                else:
                    seen.add(identity)
                    lines.append(rated)
                    continue
            unread += 1
            if unread <= MOST_TOLD:
                note(f"line {line.number}: {problem}")
    if unread > MOST_TOLD:
        note(f"... and {unread - MOST_TOLD} more lines that could not be read")
    return lines, unread


def _judged(lines: Sequence["RatedLine"], loaded: "LoadedSuite", options: argparse.Namespace) -> "JudgedRatings | None":
    """What the judge adds; None where no endpoint is set."""
    from scripts.judged_ratings import judged_ratings, judging_model
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
    return asyncio.run(judged_ratings(exchanges, loaded, model, settings, options.seed))


def _write(found: "Calibration", units: Sequence["RatedUnit"], folder: Path) -> list[str]:
    """The report, the figures and the pictures; the names of what was written."""
    from evaluation.calibration.calibrate import calibration_document
    from evaluation.reports.calibration.markdown import calibration_markdown
    from scripts.calibration_plots import draw
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
    from scripts.printing import use_color

    if as_json:
        print(json.dumps(calibration_document(found), ensure_ascii=False, indent=2))
        return
    print(render_calibration(found, files=files, color=use_color()), end="")


if __name__ == "__main__":
    sys.exit(main())
