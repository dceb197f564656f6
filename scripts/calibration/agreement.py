"""One calibration: ratings read, responses scored and judged, both compared, and the report written and printed."""

import argparse
import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.calibration.calibrate import (
    Calibration,
    CalibrationOptions,
    calibrate,
    calibration_document,
    check_scales,
)
from evaluation.calibration.item_agreement import AnsweredItem
from evaluation.calibration.item_ratings import ItemPlace, answered_items, scenario_of
from evaluation.calibration.judge_forms import FormComparison, compare_forms, compare_forms_on_pairs
from evaluation.calibration.on_record import of_calibration
from evaluation.calibration.people import on_scale_of_tool
from evaluation.calibration.ratings import (
    KEPT,
    RatedLine,
    RatedUnit,
    Reviews,
    rated_line,
    rated_units,
    rates_nothing,
    review_in,
)
from evaluation.errors import ParseError, UsageError
from evaluation.judging.asking import FORMATS as JSON_FORMATS
from evaluation.judging.asking import JudgeRubric, questions
from evaluation.judging.forms import FORMS, choose_form
from evaluation.records import Outcome, Score
from evaluation.reports.calibration import describe_calibration
from evaluation.reports.markdown import to_markdown
from evaluation.request import EvaluationRequest
from evaluation.rubrics.rubric import Rubric
from evaluation.suites.loaded import LoadedSuite
from evaluation.suites.suite import Suite
from scripts.calibration.judged_ratings import JudgedRatings, judge_ratings, judging_models
from scripts.calibration.plots import draw
from scripts.run.agreement import measured_by
from scripts.run.kept_suites import suite_of_records
from scripts.run.output import print_report
from scripts.run.wiring import choose_endpoint
from scripts.scoring.responses import ReadLine, exchange_from, open_lines, read_exchanges
from scripts.shell import DONE, INCOMPLETE, need, note, note_each
from services.json_text import bounded_lines
from services.record_files import record_problem
from services.rehearsal import JUDGE_MODEL
from services.run_folder import write_documents
from services.settings import Settings

SCALE = "rating=worst:best, as rank=3:1"
ALL_FORMS = "all"
"""In the place of a list: every form in which the rubric can be asked."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The responses of a file that could be read and scored, with what people and rules gave them."""

    scored: Sequence[tuple[RatedLine, tuple[Score, ...]]]
    unread: int
    """Lines that could not be used; the first of them were named."""
    reviewed: frozenset[str]
    """Dimensions that reviewers scored, on the rubric's scale."""


def calibrate_file(options: argparse.Namespace, settings: Settings) -> int:
    """The whole calibration; 3 where lines could not be read or questions to the judge had no answer."""
    need("scipy", "matplotlib")
    suite = options.suite or settings.suite
    loaded = suite_of_records(suite, options.rubric, settings, options.profile)
    ratings = read_ratings(options.file, loaded)
    chosen = _options(options, ratings, loaded.rubric)
    if not ratings.scored:
        raise UsageError(
            f"{options.file}: no line could be used ({ratings.unread} unread): give one JSON object a line (see --help)"
        )
    check_scales(rated_units((line, ()) for line, _ in ratings.scored), loaded.rubric, chosen)
    by_form = {} if options.no_judge else _judge([line for line, _ in ratings.scored], loaded, options, settings)
    judged = next(iter(by_form.values()), None)
    units = _units(ratings, judged)
    found = calibrate(
        units,
        loaded.rubric,
        loaded.suite.name,
        chosen,
        lines=len(ratings.scored),
        unread=ratings.unread,
        judge=None if judged is None else judged.model,
        checked=None if judged is None else judged.checked,
        items=_items([line for line, _ in ratings.scored], {} if judged is None else judged.items, loaded.suite),
    )
    rubric = loaded.rubric
    judged_by = "" if judged is None else judged.digest
    by = measured_by(loaded.suite, (rubric.name, rubric.edition, rubric.sha256), judged_by)
    folder = _folder(options, settings)
    found = replace(
        found,
        stand_in=judged is not None and judged.model == JUDGE_MODEL and choose_endpoint(settings).rehearsal,
        judge_forms=_side_by_side(by_form, ratings, found, chosen) if by_form else None,
        measurement=of_calibration(found, folder.name, by, "calibration"),
    )
    files = _write(found, units, folder)
    print_report(describe_calibration(found, files=files), calibration_document(found), as_json=options.json)
    return INCOMPLETE if ratings.unread or any(each.failed for each in by_form.values()) else DONE


def _units(ratings: Ratings, judged: JudgedRatings | None) -> tuple[RatedUnit, ...]:
    """What people rated, with the scores of the rules and of a judge."""
    added = {} if judged is None else judged.scores
    return rated_units(
        (line, (*scores, *added.get(line.exchange.cell.scenario_id, ()))) for line, scores in ratings.scored
    )


def _side_by_side(
    by_form: Mapping[str, JudgedRatings], ratings: Ratings, found: Calibration, chosen: CalibrationOptions
) -> FormComparison:
    """The forms against the first of them, which is the usual one; of one alone what it takes."""
    usual = next(iter(by_form))
    calls = tuple(judged.calls for judged in by_form.values())
    if len(by_form) == 1:
        return FormComparison(usual, calls, ())
    units = {form: _units(ratings, judged) for form, judged in by_form.items()}
    wanted = chosen.mapping or [(name, found.overall) for name in found.scales]
    agreements = compare_forms(units, wanted, usual, seed=chosen.seed, resamples=chosen.resamples)
    preferences = compare_forms_on_pairs(
        units, wanted, found.scales, usual, seed=chosen.seed, resamples=chosen.resamples
    )
    return FormComparison(usual, calls, tuple(agreements), tuple(preferences))


def _forms(asked: str | None, rubric: JudgeRubric, settings: Settings) -> list[str]:
    """The forms to ask in, the usual one first. Raises UsageError for one that nobody knows or the rubric lacks."""
    usual = choose_form(None, settings.judge_form, rubric.form)
    if asked is None:
        return [usual]
    every = [name for name, form in FORMS.items() if not form.in_parts or (rubric.parts and not rubric.prompt)]
    named = every if asked == ALL_FORMS else [choose_form(name.strip(), None, usual) for name in asked.split(",")]
    for name in named:
        questions(rubric, FORMS[name], JSON_FORMATS[0])
    return sorted(dict.fromkeys(named), key=lambda name: name != usual)


def _options(options: argparse.Namespace, ratings: Ratings, rubric: Rubric) -> CalibrationOptions:
    """The options as given; dimensions that reviewers scored are metrics, on the rubric's own scale.

    What they kept or flagged is held against the overall.
    """
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed}: give a whole number from 0")
    own = ratings.reviewed & rubric.metrics.keys()
    kept = ratings.reviewed & {KEPT} - rubric.metrics.keys()
    mapping = tuple(_split(text, "--map", "rating=metric") for text in options.map)
    scales = {name: _ends(ends, text) for text in options.scale for name, ends in [_split(text, "--scale", SCALE)]}
    return CalibrationOptions(
        scales=dict.fromkeys(own, (rubric.low, rubric.high)) | dict.fromkeys(kept, (0.0, 1.0)) | scales,
        mapping=mapping or (*((name, name) for name in sorted(own)), *((name, rubric.overall) for name in kept)),
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


def _judge(
    lines: Sequence[RatedLine], loaded: LoadedSuite, options: argparse.Namespace, settings: Settings
) -> dict[str, JudgedRatings]:
    """Form of the question -> the judge's scores; empty where no endpoint is set, or the suite has no judge.

    The forms are asked one after another, within one limit of cost.
    """
    models = judging_models(settings, options.judge_models)
    if not models:
        note("no endpoint is set: heuristics alone are compared")
        return {}
    if loaded.suite.judge is None:
        note(f"suite {loaded.suite.name} has no judge: heuristics alone are compared")
        return {}
    found: dict[str, JudgedRatings] = {}
    for form in _forms(options.judge_forms, loaded.suite.judge, settings):
        spent = sum(judged.spent_usd for judged in found.values())
        request = EvaluationRequest(
            suite=loaded.suite.name,
            judge_models=models,
            judge_escalate=options.judge_escalate,
            judge_apart=options.judge_apart,
            judge_form=form,
            judge_samples=options.judge_samples,
            judge_prompt=options.judge_prompt,
            canaries=options.canaries,
            seed=options.seed,
            max_cost=None if options.max_cost is None else max(0.0, options.max_cost - spent),
            prices=options.prices,
        )
        found[form] = asyncio.run(judge_ratings(lines, loaded, request, settings, options.again))
    return found


def _items(lines: Sequence[RatedLine], judged: Mapping[ItemPlace, Outcome], suite: Suite) -> Iterator[AnsweredItem]:
    for line in lines:
        scenario = scenario_of(line.exchange, line.audience, line.items)
        yield from answered_items(
            scenario, line.exchange, line.cluster, line.items, judged, suite.cue_settings, suite.heard
        )


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
    report = to_markdown(describe_calibration(found, detail=True, plots=plots))
    documents = {"calibration.md": report, "calibration.json": calibration_document(found)}
    return [*write_documents(folder, documents), *(str(folder / name) for _, name in plots)]


def read_ratings(name: str, loaded: LoadedSuite) -> Ratings:
    """Every line that can be used, scored by rule. Raises UsageError when the file cannot be opened."""
    suite = loaded.suite
    lines: dict[str, RatedLine] = {}
    reviews = Reviews()
    problems = []
    with open_lines(name) as source:
        for line in read_exchanges(enumerate(bounded_lines(source), start=1), needs_user_input=suite.needs_user_input):
            try:
                _take(line, lines, reviews, loaded.rubric)
            except ValueError as error:
                who = "" if line.identity is None else f", id {str(line.identity)[:60]!r}"
                problems.append(f"{name}: line {line.number}{who}: {error}")
    note_each(problems, "lines that could not be read")
    records = reviews.rating_records()
    rated = [rated_line(record, exchange_from(record, needs_user_input=False)) for record in records]
    scored, foreign = _score(name, [*lines.values(), *rated], suite)
    reviewed = frozenset(name for record in records for name in record["raters"])
    return Ratings(scored, len(problems) + foreign, reviewed)


def _take(line: ReadLine, lines: dict[str, RatedLine], reviews: Reviews, rubric: Rubric) -> None:
    """Adds a line to the responses or to the reviews. Raises ValueError for one that cannot be used."""
    review = review_in(line.record, record_problem)
    if review is not None and "judgement" in line.record and rates_nothing(line.record):
        return
    if review is not None:
        exchange = exchange_from({**review, "id": "checked"}, needs_user_input=False)
        reviews.add(review, lambda scores: on_scale_of_tool(scores, rubric, in_context=bool(exchange.context)))
        return
    if line.exchange is None:
        raise ValueError(line.problem)
    identity = line.exchange.cell.scenario_id
    rated = rated_line(line.record, line.exchange)
    if identity in lines:
        raise ValueError("this id occurs a second time: give each response an id of its own")
    lines[identity] = rated


def _score(
    name: str, lines: Sequence[RatedLine], suite: Suite
) -> tuple[list[tuple[RatedLine, tuple[Score, ...]]], int]:
    """The lines with what rules or checks give, and how many were left out: those that are not of the suite's kind."""
    scored, problems = [], []
    for line in lines:
        try:
            scored.append((line, suite.score(line.exchange)))
        except ParseError as error:
            identity = line.exchange.cell.scenario_id[:60]
            problems.append(f"{name}: id {identity!r}: {error}: suite {suite.name} reads nothing else")
    note_each(problems, f"that suite {suite.name} does not read")
    return scored, len(problems)
