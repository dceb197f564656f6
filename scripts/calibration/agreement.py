"""One calibration: ratings read, responses scored and judged, both compared, and the report written and printed."""

import argparse
import asyncio
import json
import math
from collections.abc import Sequence
from pathlib import Path

from evaluation.calibration.calibrate import (
    Calibration,
    CalibrationOptions,
    calibrate,
    calibration_document,
    check_scales,
)
from evaluation.calibration.items import RatedUnit, rated_units
from evaluation.errors import UsageError
from evaluation.records import Exchange
from evaluation.reports.calibration import describe_calibration
from evaluation.reports.markdown import to_markdown
from evaluation.reports.terminal import to_terminal
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.loaded import LoadedSuite
from scripts.calibration.judged_ratings import JudgedRatings, judge_ratings, judging_model
from scripts.calibration.plots import draw
from scripts.calibration.ratings import Ratings, read_ratings
from scripts.run.load import load_suite
from scripts.run.output import use_color
from scripts.shell import DONE, INCOMPLETE, note
from services.run_folder import write_json, write_text
from services.settings import Settings

SCALE = "rating=worst:best, as rank=3:1"


def calibrate_file(options: argparse.Namespace, settings: Settings) -> int:
    """The whole calibration; 3 where lines could not be read or questions to the judge had no answer."""
    loaded = load_suite(options.suite, options.rubric)
    ratings = read_ratings(options.file, loaded.suite)
    chosen = _options(options, ratings, loaded.rubric)
    if not ratings.scored:
        raise UsageError(f"{options.file}: no line could be used ({ratings.unread} unread): see --help for the form")
    check_scales(rated_units((line, ()) for line, _ in ratings.scored), loaded.rubric, chosen)
    exchanges = [line.exchange for line, _ in ratings.scored]
    judged = None if options.no_judge else _judged(exchanges, loaded, options, settings)
    added = {} if judged is None else judged.scores
    units = rated_units(
        (line, (*scores, *added.get(line.exchange.cell.scenario_id, ()))) for line, scores in ratings.scored
    )
    found = calibrate(
        units,
        loaded.rubric,
        loaded.suite.name,
        chosen,
        lines=len(ratings.scored),
        unread=ratings.unread,
        judge=None if judged is None else judged.model,
    )
    files = _write(found, units, _folder(options, settings))
    if options.json:
        print(json.dumps(calibration_document(found), ensure_ascii=False, indent=2))
    else:
        print(to_terminal(describe_calibration(found, files=files), color=use_color()), end="")
    return INCOMPLETE if ratings.unread or (judged is not None and judged.failed) else DONE


def _options(options: argparse.Namespace, ratings: Ratings, rubric: Rubric) -> CalibrationOptions:
    """The options as given; dimensions that reviewers scored are metrics, on the rubric's own scale."""
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed}: give a whole number from 0")
    own = ratings.reviewed & rubric.metrics.keys()
    mapping = tuple(_split(text, "--map", "rating=metric") for text in options.map)
    scales = {name: _ends(ends, text) for text in options.scale for name, ends in [_split(text, "--scale", SCALE)]}
    return CalibrationOptions(
        scales=dict.fromkeys(own, (rubric.low, rubric.high)) | scales,
        mapping=mapping or tuple((name, name) for name in sorted(own)),
        seed=options.seed,
    )


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


def _judged(
    exchanges: Sequence[Exchange], loaded: LoadedSuite, options: argparse.Namespace, settings: Settings
) -> JudgedRatings | None:
    """The judge's scores; None where no endpoint is set, or the suite has no judge."""
    model = judging_model(settings, options.judge_model)
    if model is None:
        note("no endpoint is set: heuristics alone are compared")
        return None
    if loaded.suite.judge is None:
        note(f"suite {loaded.suite.name} has no judge: heuristics alone are compared")
        return None
    request = EvaluationRequest(
        suite=loaded.suite.name,
        judge_model=model,
        judge_samples=options.judge_samples,
        judge_prompt=options.judge_prompt,
        canaries=False,
        seed=options.seed,
        max_cost=options.max_cost,
        prices=options.prices,
    )
    return asyncio.run(judge_ratings(exchanges, loaded, request, settings, options.again))


def _folder(options: argparse.Namespace, settings: Settings) -> Path:
    if options.output:
        return Path(options.output)
    stem = "standard-input" if options.file == "-" else Path(options.file).name.removesuffix(".jsonl")
    return settings.runs_dir / "calibration" / stem


def _write(found: Calibration, units: Sequence[RatedUnit], folder: Path) -> list[str]:
    """The report, the figures and the pictures; the names of what was written."""
    try:
        plots = draw(found, units, folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}): choose another --output") from None
    write_json(folder / "calibration.json", calibration_document(found))
    write_text(folder / "calibration.md", to_markdown(describe_calibration(found, detail=True, plots=plots)))
    return [str(folder / name) for name in ("calibration.md", "calibration.json", *(name for _, name in plots))]
