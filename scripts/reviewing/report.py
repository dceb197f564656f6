"""Reviews put to use: reports week by week and of what people preferred, and files for judge and calibration."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evaluation.calibration.on_record import of_calibration
from evaluation.calibration.ratings import rates_nothing, rating_line
from evaluation.commands import write_command
from evaluation.comparison.head_to_head import JudgedPair, PairPlace, peoples_pairs, tally
from evaluation.errors import UsageError
from evaluation.eval_records.record import read_item
from evaluation.judging.pair_reading import POINTS
from evaluation.records import Json
from evaluation.reports.html.page import Assets
from evaluation.reports.html.review import review_page
from evaluation.reports.markdown import to_markdown
from evaluation.reports.pair_review import PairReview, describe_pair_reviews
from evaluation.reports.review import describe_review
from evaluation.reports.terminal import to_terminal
from evaluation.review.pair_answers import PairAnswer
from evaluation.review.review import judge_examples
from evaluation.review.weekly import WeeklyReport, report_document, weekly_report
from evaluation.rubrics.rubric import Rubric
from evaluation.statistics.clusters import average
from scripts.reviewing.items import all_reviews, note_broken, reviews_folder, rubrics
from scripts.run.agreement import measured_by
from scripts.run.kept_suites import definition_of_records
from scripts.run.output import use_color
from scripts.run.pairs import read_pair_answers
from scripts.shell import DONE, INCOMPLETE
from services.journal import Journal, journal_file
from services.record_files import review_files
from services.run_folder import read_json, write_documents, write_jsonl, write_text
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


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """What a judge preferred, as a comparison keeps it."""

    judge: str
    candidate: str
    """Hash of the answer that was the candidate's there."""
    points: float

    def points_of(self, answer: str) -> float:
        """Of one of both answers, by its hash."""
        return self.points if answer == self.candidate else 1 - self.points


def report_pairs(answers: Iterable[PairAnswer], runs: Path, output: Path, seed: int) -> tuple[str, Json]:
    """Writes what was preferred, and gives it for a terminal and as figures."""
    reviews = pair_reviews(answers, runs, seed)
    figures = {"schema_version": 1, "pairs": [asdict(review) for review in reviews]}
    documents = {"pairs.md": to_markdown(describe_pair_reviews(reviews)), "pairs.json": figures}
    files = write_documents(output, documents)
    return to_terminal(describe_pair_reviews(reviews, files), color=use_color()), json.loads(json.dumps(figures))


def pair_reviews(answers: Iterable[PairAnswer], runs: Path, seed: int) -> list[PairReview]:
    """A report for each two versions that were compared, whichever of them was called the base."""
    groups: dict[tuple[str, str, str], list[PairAnswer]] = {}
    for answer in answers:
        key, turned = (answer.suite, answer.base, answer.candidate), (answer.suite, answer.candidate, answer.base)
        groups.setdefault(turned if turned in groups else key, []).append(answer)
    judged = judges_answers(runs) if groups else {}
    return [_pair_review(key, group, judged, seed) for key, group in groups.items()]


def judges_answers(runs: Path) -> dict[str, JudgeSaid]:
    """Identity of a pair -> what the judge of the newest comparison preferred, by the files of the runs."""
    found: dict[str, JudgeSaid] = {}
    for path in sorted(runs.glob("*Z-*/comparison.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            said = read_json(path)["head_to_head"] or {}
            for pair in said.get("pairs", ()):
                if pair["asked"] == "read":
                    members = list(pair.get("members", {}).values())
                    points = average(members) if members else POINTS[pair["winner"]]
                    found[pair["pair"]] = JudgeSaid(said["judge"], pair["answers"]["candidate"], points)
    return found


def _pair_review(
    key: tuple[str, str, str], group: Sequence[PairAnswer], judged: Mapping[str, JudgeSaid], seed: int
) -> PairReview:
    suite, base, candidate = key
    people: dict[str, dict[str, float]] = {}
    pairs: dict[str, JudgedPair] = {}
    for answer in group:
        turned = answer.candidate != candidate
        points = 1 - answer.candidate_points if turned else answer.candidate_points
        people.setdefault(answer.pair, {})[answer.reviewer] = points
        pairs.setdefault(answer.pair, _pair(answer, judged.get(answer.pair), turned=turned))
    found = peoples_pairs(list(pairs.values()), people, seed)
    assert found is not None, "a group has answers"
    means = [(pair.place, average(list(people[name].values()))) for name, pair in pairs.items()]
    categories = dict.fromkeys(place.category for place, _ in means)
    return PairReview(
        suite=suite,
        base=base,
        candidate=candidate,
        people=found,
        categories={name: tally([each for each in means if each[0].category == name]) for name in categories},
        judge=next((judged[name].judge for name in pairs if name in judged), ""),
        remarks=list(_remarks(group)),
        rehearsal=any(answer.rehearsal for answer in group),
        not_blind=sum(not answer.blind for answer in group),
    )


def _pair(answer: PairAnswer, said: JudgeSaid | None, *, turned: bool) -> JudgedPair:
    """The pair with what the judge said of it; `turned` where base and candidate had changed their places."""
    first, second = (
        max(1, sum(len(text.split()) for text in texts)) for texts in (answer.base_said, answer.candidate_said)
    )
    base, candidate = answer.answers
    place = PairPlace(
        identity=answer.pair,
        scenario_id=answer.scenario_id,
        cluster=answer.situation,
        category=answer.category,
        repeat=answer.repeat,
        words=(second, first) if turned else (first, second),
        answers=(candidate, base) if turned else (base, candidate),
    )
    if said is None:
        return JudgedPair(place, "open")
    points = said.points_of(place.answers[1])
    return JudgedPair(place, "read", "tie", members={said.judge: points})


def _remarks(group: Iterable[PairAnswer]) -> Iterator[tuple[str, str, str]]:
    for answer in group:
        if answer.remark:
            points = answer.candidate_points
            preferred = "a tie" if points == POINTS["tie"] else answer.candidate if points else answer.base
            yield answer.scenario_id, preferred, answer.remark
