"""Reviews put to use: a report week by week for each suite, and files for judge and calibration."""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.calibration.on_record import of_calibration
from evaluation.calibration.ratings import rates_nothing, rating_line
from evaluation.commands import write_command
from evaluation.errors import UsageError
from evaluation.eval_records.record import read_item
from evaluation.records import Json
from evaluation.reports.html.page import Assets
from evaluation.reports.html.review import review_page
from evaluation.reports.markdown import to_markdown
from evaluation.reports.review import describe_review
from evaluation.reports.terminal import to_terminal
from evaluation.review.review import judge_examples
from evaluation.review.weekly import WeeklyReport, report_document, weekly_report
from evaluation.rubrics.rubric import Rubric
from scripts.reviewing.items import all_reviews, note_broken, reviews_folder, rubrics
from scripts.reviewing.pair_report import report_pairs
from scripts.run.agreement import measured_by
from scripts.run.kept_suites import definition_of_records
from scripts.run.output import use_color
from scripts.run.pairs import read_pair_answers
from scripts.shell import DONE, INCOMPLETE
from services.journal import Journal, journal_file
from services.record_files import review_files
from services.run_folder import write_documents, write_jsonl, write_text
from services.settings import Settings
from services.workspace import read_page_assets, suite_name

SUITE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
"""A suite's files are named after it, and reviews come from anywhere."""


def report_reviews(options: argparse.Namespace, settings: Settings) -> int:
    """Writes and prints the reports; 3 where some lines could not be read."""
    folder = reviews_folder(options, settings)
    output = Path(options.output) if options.output else folder / "report"
    pairs, broken = ([], []) if options.files else read_pair_answers(folder)
    asked = suite_name(Path(options.suite)) if options.suite else None
    pairs = [answer for answer in pairs if asked in (None, answer.suite)]
    for path, wrong in broken:
        note_broken(path, wrong)
    said, figures = report_pairs(pairs, settings.runs_dir, output, options.seed) if pairs else ("", None)
    if pairs and not review_files(folder):
        print(json.dumps(figures, ensure_ascii=False, indent=2) + "\n" if options.json else said, end="")
        return INCOMPLETE if broken else DONE
    paths = [Path(name) for name in options.files]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file: give files of reviews, or none for all in {folder}")
    records, unread = all_reviews(paths or review_files(folder))
    reviewed = {read_item(record).suite for record in records}
    suites = [asked] if asked else sorted(reviewed)
    if not suites or suites[0] not in reviewed:
        of = f" of {suites[0]}" if suites else ""
        raise UsageError(f"there is no review{of}: {write_command('review', RUN='last', REVIEWER='NAME')}")
    for suite in suites:
        if not SUITE_NAME.fullmatch(suite):
            raise UsageError(f"suite {suite[:60]!r} of a review cannot name a file: use letters, digits, _ and -")
    rubric_of = rubrics(options.rubric, settings)
    reports = [
        weekly_report(records, rubric_of(suite), suite, week_of=options.week_of, seed=options.seed) for suite in suites
    ]
    reports = [_on_record(report, rubric_of(report.suite), records, settings) for report in reports]
    documents = [report_document(report) for report in reports]
    files = [_write(*each, output) for each in zip(reports, documents, strict=True)]
    if options.json:
        print(json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2))
    else:
        shown = zip(reports, files, strict=True)
        color = use_color()
        texts = [to_terminal(describe_review(each, files=names), color=color) for each, names in shown]
        print("\n".join([*texts, *([said] if said else [])]), end="")
    return INCOMPLETE if unread or broken else DONE


def _on_record(
    report: WeeklyReport, rubric: Rubric, records: Sequence[Mapping[str, Json]], settings: Settings
) -> WeeklyReport:
    """The report with the agreement that reports of runs look for, by the judge of all reviewed runs."""
    runs = {str(record["run_id"]) for record in records if record.get("run_id")}
    judges = set()
    if journal_file(settings.runs_dir).exists():
        with Journal.in_folder(settings.runs_dir) as journal:
            stored = [journal.run(run_id, inputs=False).spec for run_id in runs & set(journal.run_ids())]
            judges = {spec.digests["judge"] for spec in stored if spec.judge is not None}
    judge = judges.pop() if len(judges) == 1 else ""
    suite = definition_of_records(report.suite, settings).of(rubric)
    by = measured_by(suite, (rubric.name, rubric.version, rubric.sha256), judge)
    measurement = of_calibration(report.calibration, "reviews", by, "reviews")
    return replace(report, calibration=replace(report.calibration, measurement=measurement))


def _write(report: WeeklyReport, document: Json, folder: Path) -> tuple[str, ...]:
    """Page, Markdown and figures of one suite; the names of what was written."""
    documents: dict[str, Json] = {
        f"{report.suite}.html": review_page(report, Assets(*read_page_assets())),
        f"{report.suite}.md": to_markdown(describe_review(report, detail=True)),
        f"{report.suite}.json": document,
    }
    return write_documents(folder, documents)


def write_examples(options: argparse.Namespace, settings: Settings) -> int:
    """The exemplary reviews as a YAML list."""
    import yaml

    records, broken = all_reviews(review_files(reviews_folder(options, settings)))
    examples = json.loads(json.dumps(judge_examples(records)))
    text = yaml.safe_dump(examples, allow_unicode=True, sort_keys=False, width=120)
    write_text(
        Path(options.output), f"# Responses that reviewers marked as exemplary, with their scores and words.\n{text}"
    )
    print(f"{len(examples)} examples in {options.output}")
    return INCOMPLETE if broken else DONE


def write_ratings(options: argparse.Namespace, settings: Settings) -> int:
    """Every review of a suite, in one file that make calibrate reads."""
    records, broken = all_reviews(review_files(reviews_folder(options, settings)))
    named = options.suite or settings.suite
    suite = suite_name(Path(named))
    chosen = [record for record in records if record.get("suite") == suite]
    if not chosen:
        raise UsageError(f"there is no review of suite {suite!r}: review some responses, or name another --suite")
    rated = [record for record in chosen if not rates_nothing(record)]
    count = write_jsonl(Path(options.output), map(rating_line, rated))
    print(f"{count} reviews in {options.output}; compare tool and people with:")
    print(write_command("calibrate", "--suite", named, FILE=options.output))
    return INCOMPLETE if broken else DONE
