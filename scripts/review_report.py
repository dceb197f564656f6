"""What human reviews say, week by week: means, agreement, changes, beside judge and rules."""

if __package__ in (None, ""):  # started as a file: make the project's packages importable
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.shell import DONE, INCOMPLETE, run_command

if TYPE_CHECKING:
    from evaluation.records import Json
    from evaluation.review.weekly import WeeklyReport

SUITE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
"""A suite's files are named after it, and reviews come from anywhere."""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return run_command(lambda: _report(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="review_report",
        description=__doc__,
        epilog="exit codes: 0 done, 2 wrong usage or no review, 3 some lines could not be read (the rest is reported)",
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="files of reviews (default: all in the reviews folder)"
    )
    parser.add_argument(
        "--reviews", metavar="DIR", help="where reviews are kept (default: reviews/ in the runs folder)"
    )
    parser.add_argument("--suite", help="of which suite (default: every suite that has reviews)")
    parser.add_argument("--rubric", metavar="NAME|FILE", help="another rubric than the suite's")
    parser.add_argument(
        "--week-of", choices=("response", "review"), default="response",
        help="count a review in the week in which its response was given, or in which it was made (default: response)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON instead of the tables")
    parser.add_argument(
        "--output", metavar="DIR", help="where the files go (default: reviews/report in the runs folder)"
    )
    return parser


def _report(options: argparse.Namespace) -> int:
    from evaluation.errors import UsageError
    from evaluation.eval_records.item import read_item
    from evaluation.review.weekly import report_document, weekly_report
    from scripts.reviewing.exports import all_reviews
    from scripts.reviewing.items import rubrics
    from services.reviews import FOLDER, review_files
    from services.settings import read_settings

    folder = Path(options.reviews) if options.reviews else read_settings().runs_dir / FOLDER
    for name in options.files:
        if not Path(name).is_file():
            raise UsageError(f"{name}: there is no such file: give files of reviews, or none for all in {folder}")
    records, unread = all_reviews([Path(name) for name in options.files] or review_files(folder))
    items = {item.suite: item for item in map(read_item, records)}
    suites = [options.suite] if options.suite else sorted(items)
    if not suites or suites[0] not in items:
        raise UsageError(
            f"there is no review{' of ' + suites[0] if suites else ''}: make review RUN=last REVIEWER=NAME"
        )
    for suite in suites:
        if not SUITE_NAME.fullmatch(suite):
            raise UsageError(f"suite {suite[:60]!r} of a review cannot name a file: use letters, digits, _ and -")
    rubric_of = rubrics(options.rubric)
    reports = [
        weekly_report(records, rubric_of(items[suite]), suite, week_of=options.week_of, seed=options.seed)
        for suite in suites
    ]
    output = Path(options.output) if options.output else folder / "report"
    files = [_write(report, report_document(report), output) for report in reports]
    _show(reports, [report_document(report) for report in reports], files, as_json=options.json)
    return INCOMPLETE if unread else DONE


def _write(report: "WeeklyReport", document: "dict[str, Json]", folder: Path) -> list[str]:
    """Markdown, page and figures of one suite; the names of what was written."""
    from evaluation.reports.html.page import Assets
    from evaluation.reports.html.review import review_page
    from evaluation.reports.review.markdown import review_markdown
    from services.page_assets import read_page_assets
    from services.run_folder import write_json, write_text

    stem = folder / report.suite
    paths = [stem.with_name(f"{report.suite}.{suffix}") for suffix in ("html", "md", "json")]
    write_text(paths[0], review_page(report, Assets(*read_page_assets())))
    write_text(paths[1], review_markdown(report))
    write_json(paths[2], document)
    return [str(path) for path in paths]


def _show(
    reports: "list[WeeklyReport]", documents: "list[dict[str, Json]]", files: list[list[str]], *, as_json: bool
) -> None:
    from evaluation.reports.review.terminal import render_review
    from scripts.run.output import use_color

    if as_json:
        print(json.dumps(documents[0] if len(documents) == 1 else documents, ensure_ascii=False, indent=2))
        return
    texts = [render_review(each, files=names, color=use_color()) for each, names in zip(reports, files, strict=True)]
    print("\n".join(texts), end="")


if __name__ == "__main__":
    sys.exit(main())
