"""Review offline: responses, or pairs of answers blind and turned by seed, to a sheet, and filled-in rows back in."""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from evaluation.commands import write_command, write_flags
from evaluation.errors import UsageError
from evaluation.eval_records.record import Item
from evaluation.identity import eval_id
from evaluation.records import Json
from evaluation.review.form import ReviewForm
from evaluation.review.pair_items import Compared, PairItem, answer_record, deal_pairs, read_preference
from evaluation.review.review import Review, read_review, with_judgement
from evaluation.review.sheet import IDENTITY, sheet_columns, sheet_review, sheet_rows
from scripts.reviewing.items import ReviewItems, note_broken, review_items, reviews_folder
from scripts.reviewing.pairs import pairs_of
from scripts.reviewing.session import now
from scripts.run.pairs import PAIRS
from scripts.shell import DONE, INCOMPLETE, note_each
from services.json_text import LONGEST_LINE
from services.record_files import BrokenLine, numbered_records, open_reviews, read_reviews, review_file, reviewer_name
from services.run_folder import write_jsonl
from services.settings import Settings
from services.tables import from_cell, plain_text, write_csv

LINES = ".jsonl"
Row = tuple[int, dict[str, Json] | str]
"""Number of a row, and its cells or what is wrong with it."""
SHEET = "sheet"
"""Stands for the reviewer where order and sides are drawn: a sheet is the same whoever fills it in."""
PAIR, ANSWER, REMARK = "pair", "answer (1, 2, t)", "remark"
PAIR_COLUMNS = (PAIR, "scenario_id", "about the user", "said before", "message", "1", "2", "expected", ANSWER, REMARK)


def write_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """One row per response. Spreadsheets see texts, never formulas."""
    source = review_items(options, settings)
    columns = sheet_columns(source.items, _form(source))
    rows = sheet_rows(source.items, columns)
    path = Path(options.csv or options.jsonl)
    count = write_csv(path, columns, rows) if options.csv else write_jsonl(path, rows)
    where = [*([options.run] if options.file is None else []), *write_flags(file=options.file, rubric=options.rubric)]
    print(f"{count} responses in {path}: fill in the last columns, then, under your name for NAME:")
    print(write_command("review", "take", str(path), *where, "--reviewer", "NAME"))
    return INCOMPLETE if source.unread else DONE


def take_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """Takes the filled-in rows as reviews of one reviewer; rows with a fault are named by number and left out."""
    reviewer = reviewer_name(options.reviewer)
    source = review_items(options, settings)
    items = {plain_text(item.id): item for item in source.items}
    folder = reviews_folder(options, settings)
    known = known_reviews(folder, reviewer)
    whole = take_rows(
        options.sheet, folder, reviewer, "reviews", lambda row: _record(row, reviewer, items, source, known)
    )
    return DONE if whole and not source.unread else INCOMPLETE


def known_reviews(folder: Path, reviewer: str) -> dict[str, Review]:
    """eval_id -> what the reviewer said before; broken lines of the file are named and kept aside."""
    path = review_file(folder, reviewer)
    reviews, broken = read_reviews(path)
    note_broken(path, broken)
    return {str(record["eval_id"]): read_review(record) for record in reviews}


def take_rows(
    sheet: str,
    folder: Path,
    reviewer: str,
    kind: str,
    record_of: Callable[[dict[str, Json]], dict[str, Json] | None],
    *,
    broken: str = "",
) -> bool:
    """Keeps what the rows of a sheet hold as answers of one reviewer; false where a row has a fault.

    `record_of` gives None for a row that is not filled in, and raises ValueError for one with a fault.
    `broken` ends the problem of a row that cannot be read.
    """
    taken = empty = 0
    problems: list[str] = []
    unit = "line" if Path(sheet).suffix.lower() == LINES else "row"
    with open_reviews(folder, reviewer) as file:
        for number, row in read_rows(Path(sheet)):
            try:
                if isinstance(row, str):
                    raise ValueError(f"{row}{broken}")
                record = record_of(row)
            except ValueError as problem:
                problems.append(f"{sheet}: {unit} {number}: {problem}")
                continue
            if record is None:
                empty += 1
            else:
                file.write(record)
                taken += 1
        file.sync()
    note_each(problems, f"{unit}s with a fault")
    left = f", {empty} {unit}s not filled in" if empty else ""
    print(f"{taken} {kind} taken into {review_file(folder, reviewer)}{left}")
    return not problems


def _record(
    row: dict[str, Json],
    reviewer: str,
    items: Mapping[str, Item],
    source: ReviewItems,
    known: Mapping[str, Review],
) -> dict[str, Json] | None:
    """The review in a row; None where nothing was filled in. Raises ValueError for a row with a fault."""
    identity = plain_text(str(row.get(IDENTITY, "")))
    if identity not in items:
        raise ValueError(f"{IDENTITY} {identity[:40]!r} is none of {source.name}")
    item = items[identity]
    review = sheet_review(row, item, source.form_of(item), reviewer=reviewer, at=now())
    if review is None:
        return None
    return source.record(item, with_judgement(review, known.get(eval_id(item.id, reviewer))))


def _form(source: ReviewItems) -> ReviewForm:
    suites = sorted({item.suite for item in source.items})
    if len(suites) > 1:
        raise UsageError(
            f"{source.name}: holds the suites {', '.join(suites)}: one sheet has one form, so split the file"
        )
    return source.form_of(source.items[0])


def read_rows(path: Path) -> Iterator[Row]:
    """Rows by number as a spreadsheet counts them, or by line of JSON lines."""
    if path.suffix.lower() == LINES:
        for number, line in numbered_records(path, checked=False):
            yield number, line.problem if isinstance(line, BrokenLine) else line
        return
    csv.field_size_limit(LONGEST_LINE)  # a cell may hold a whole conversation
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=_delimiter(file.readline()))
            file.seek(0)
            for number, row in enumerate(reader, start=2):
                cells = {
                    from_cell(str(key)): from_cell(plain_text(cell))
                    for key, cell in row.items()
                    if isinstance(cell, str)
                }
                if any(cells.values()):  # spreadsheets write rows of nothing at the end
                    yield number, cells
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path}: cannot be read ({error}): save it as CSV in UTF-8") from None


def _delimiter(head: str) -> str:
    """Spreadsheets of some countries write semicolons."""
    return max(",;\t", key=head.count)


def write_pair_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """One row per pair, which names no version."""
    _, items = _dealt(options, settings)
    path = Path(options.csv or options.jsonl)
    rows = map(_pair_row, items)
    count = write_csv(path, list(PAIR_COLUMNS), rows) if options.csv else write_jsonl(path, rows)
    seed = write_flags(seed=options.seed or None)
    print(f"{count} pairs in {path}: fill in the last columns, then, under your name for NAME:")
    print(write_command("review", "take", str(path), "--pairs", *options.pairs, *seed, "--reviewer", "NAME"))
    return DONE


def take_pair_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """Takes the filled-in rows as answers of one reviewer; rows with a fault are named by number and left out."""
    reviewer = reviewer_name(options.reviewer)
    compared, items = _dealt(options, settings)
    by_id = {item.id: item for item in items}
    folder = reviews_folder(options, settings) / PAIRS
    whole = take_rows(
        options.sheet, folder, reviewer, "answers", lambda row: _pair_record(row, reviewer, by_id, compared)
    )
    return DONE if whole else INCOMPLETE


def _dealt(options: argparse.Namespace, settings: Settings) -> tuple[Compared, list[PairItem]]:
    compared, pairs = pairs_of(options.pairs, settings)
    dealt = [(each.scenario, each.pair) for each in pairs]
    return compared, deal_pairs(dealt, SHEET, (), overlap=1.0, seed=options.seed)[0]


def _pair_row(item: PairItem) -> dict[str, str]:
    texts = {passage.kind: passage.text for passage in item.pair.shared}
    shown = (texts["audience"], texts["context"], texts.get("message", ""), *item.shown, texts["note"])
    return dict(zip(PAIR_COLUMNS, (item.id, item.scenario.id, *shown, "", ""), strict=True))


def _pair_record(
    row: dict[str, Json], reviewer: str, items: Mapping[str, PairItem], compared: Compared
) -> dict[str, Json] | None:
    """The answer in a row; None where nothing was filled in. Raises ValueError for a row with a fault."""
    typed, remark = _cells(row, (ANSWER, REMARK))
    if not typed:
        return None
    item = items.get(plain_text(str(row.get(PAIR, ""))))
    if item is None:
        raise ValueError(f"{PAIR} {str(row.get(PAIR, ''))[:40]!r} is none of these two versions")
    if any(
        plain_text(str(row.get(name, ""))).split() != text.split() for name, text in zip("12", item.shown, strict=True)
    ):
        raise ValueError("shows other answers, or in another order: give the --seed that the sheet was written with")
    said, behind = read_preference(typed)
    return answer_record(item, compared, said, remark or behind, reviewer=reviewer, at=now())


def _cells(row: Mapping[str, Json], names: tuple[str, ...]) -> Iterator[str]:
    """What was typed; spreadsheets turn 1 into 1.0."""
    for name in names:
        value = row.get(name)
        yield str(int(value)) if isinstance(value, float) and value == int(value) else str(value or "").strip()
