"""What reviewers answered to the items of each response, beside what rule and judge did."""

from collections.abc import Iterable, Iterator

from evaluation.calibration.item_agreement import AnsweredItem
from evaluation.eval_records.held import HeldItem
from evaluation.eval_records.record import Item
from evaluation.expectations.human import Reach, Said
from evaluation.review.review import Review


def answered_items(reviewed: Iterable[tuple[Item, Review]]) -> Iterator[AnsweredItem]:
    """One for each response and item that somebody answered; every wording of a question is an item of its own."""
    found: dict[tuple[str, str, str, Reach], tuple[Item, HeldItem, list[Said]]] = {}
    for item, review in reviewed:
        for given in review.items:
            held = given.item
            key = (item.id, held.id, held.question_sha256, held.reach)
            found.setdefault(key, (item, held, []))[2].append(given.said)
    for item, held, people in found.values():
        tools = {} if held.said is None else {held.source: held.said}
        yield AnsweredItem(held.id, held.kind, held.question, item.cluster, tuple(people), tools)
