"""Pairs of answers offline: out to a sheet, blind and turned by seed, and filled-in rows back in."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.commands import write_command
from evaluation.records import Json
from evaluation.review.pair_items import Compared, PairItem, answer_record, deal_pairs, read_preference
from scripts.reviewing.items import reviews_folder
from scripts.reviewing.pairs import pairs_of
from scripts.reviewing.session import now
from scripts.reviewing.sheets import take_rows
from scripts.run.pairs import PAIRS
from scripts.shell import DONE, INCOMPLETE
from services.record_files import reviewer_name
from services.run_folder import write_jsonl
from services.settings import Settings
from services.tables import plain_text, write_csv

SHEET = "sheet"
"""Stands for the reviewer where order and sides are drawn: a sheet is the same whoever fills it in."""
IDENTITY, ANSWER, REMARK = "pair", "answer (1, 2, t)", "remark"
COLUMNS = (IDENTITY, "scenario_id", "about the user", "said before", "message", "1", "2", "expected", ANSWER, REMARK)


def write_pair_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """One row per pair, which names no version."""
    _, items = _dealt(options, settings)
    path = Path(options.csv or options.jsonl)
    rows = map(_row, items)
    count = write_csv(path, list(COLUMNS), rows) if options.csv else write_jsonl(path, rows)
    seed = ["--seed", str(options.seed)] if options.seed else []
    print(f"{count} pairs in {path}: fill in the last columns, then, under your name for NAME:")
    print(write_command("review", "take", str(path), "--pairs", *options.pairs, *seed, "--reviewer", "NAME"))
    return DONE


def take_pair_sheet(options: argparse.Namespace, settings: Settings) -> int:
    """Takes the filled-in rows as answers of one reviewer; rows with a fault are named by number and left out."""
    reviewer = reviewer_name(options.reviewer)
    compared, items = _dealt(options, settings)
    by_id = {item.id: item for item in items}
    folder = reviews_folder(options, settings) / PAIRS
    whole = take_rows(options.sheet, folder, reviewer, "answers", lambda row: _record(row, reviewer, by_id, compared))
    return DONE if whole else INCOMPLETE


def _dealt(options: argparse.Namespace, settings: Settings) -> tuple[Compared, list[PairItem]]:
    compared, pairs = pairs_of(options.pairs, settings)
    dealt = [(each.scenario, each.pair) for each in pairs]
    return compared, deal_pairs(dealt, SHEET, (), overlap=1.0, seed=options.seed)[0]


def _row(item: PairItem) -> dict[str, str]:
    texts = {passage.kind: passage.text for passage in item.pair.shared}
    shown = (texts["audience"], texts["context"], texts.get("message", ""), *item.shown, texts["note"])
    return dict(zip(COLUMNS, (item.id, item.scenario.id, *shown, "", ""), strict=True))


def _record(
    row: dict[str, Json] | str, reviewer: str, items: Mapping[str, PairItem], compared: Compared
) -> dict[str, Json] | None:
    """The answer in a row; None where nothing was filled in. Raises ValueError for a row with a fault."""
    if isinstance(row, str):
        raise ValueError(row)
    typed, remark = _cells(row, (ANSWER, REMARK))
    if not typed:
        return None
    item = items.get(plain_text(str(row.get(IDENTITY, ""))))
    if item is None:
        raise ValueError(f"{IDENTITY} {str(row.get(IDENTITY, ''))[:40]!r} is none of these two versions")
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
