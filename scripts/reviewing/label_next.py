"""The responses that are drawn and have no label yet, and how to label them."""

import argparse

from evaluation.commands import write_command
from evaluation.eval_records.record import Item
from evaluation.summary.human_units import LEAST_LABELS, LEAST_SITUATIONS
from evaluation.text import numbers
from evaluation.text.safe_text import clip
from scripts.reviewing.items import all_reviews, next_command, review_items, reviews_folder
from scripts.shell import DONE, INCOMPLETE
from services.record_files import review_files
from services.settings import Settings

LISTED = 20
SHOWN = 60
"""Characters of a message."""


def name_next(options: argparse.Namespace, settings: Settings) -> int:
    """Draws where that is asked for, and names what has no label yet with its probability."""
    options.next, options.file, options.rubric = options.count or 0, None, None
    source = review_items(options, settings)
    records, unread = all_reviews(review_files(reviews_folder(options, settings)))
    labelled = {record.get("exchange_id") for record in records}
    left = [item for item in source.items if item.id not in labelled]
    situations = {item.cluster for item in source.items}
    print(
        f"{len(source.items)} responses in {numbers.times(len(situations), 'situation')} are drawn to be labelled, "
        f"{len(source.items) - len(left)} have a label"
    )
    for item in left[:LISTED]:
        print(f"  {_line(item)}")
    if len(left) > LISTED:
        print(f"  and {len(left) - LISTED} more")
    run_id = source.name.partition("=")[2]
    if left:
        print(f"label them, each on your own: {write_command('review', '--next', RUN=run_id, REVIEWER='NAME')}")
    if len(source.items) < LEAST_LABELS or len(situations) < LEAST_SITUATIONS:
        needed = f"{LEAST_LABELS} labels in {LEAST_SITUATIONS} situations are needed"
        print(f"{needed}: draw more: {next_command(run_id, '--count', str(LEAST_LABELS))}")
    return INCOMPLETE if unread else DONE


def _line(item: Item) -> str:
    chance = item.record["inclusion"]["probability"]
    where = f"{item.scenario_id} r{item.record.get('repeat') or 1} turn {item.turn}"
    return f"{where}, probability {chance:.3f}: {clip(item.asked.content, SHOWN)}"
