"""What a page shows of expectations: the counts as a picture, and of each item what its standing rests on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.reports.expectations import TITLES, count_standings
from evaluation.summary.expectations import Critical, ItemCounts
from evaluation.summary.item_standing import ItemStanding, Shown

MOST_GROUPS = 40
LONGEST_EXCERPT = 700
"""Characters of a response."""
AROUND = 260
"""Characters of it before and after the words that are marked."""
NEAREST = "nearest: "
"""Begins a judge's reason that is a sentence of the response."""
SPOKEN = {"fails": "fails", "holds": "holds", "not_shown": "not shown"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a response: the words in it that show something, with what stands around them."""

    before: str
    words: str = ""
    after: str = ""
    sense: str = ""
    """How they are marked: the outcome that they show, or `near` for the sentence that comes nearest."""


def parts(counts: ItemCounts) -> list[tuple[str, str, int]]:
    """Of all items a name, words and a count: those that hold first. What is empty is left out."""
    named = (
        ("holds", "hold", counts.always),
        ("sometimes", "hold sometimes", counts.sometimes),
        ("fails", "fail", counts.never),
        ("not_shown", "not shown", counts.not_shown),
    )
    return [part for part in named if part[2]]


def critical_line(critical: Critical) -> str:
    """How the critical items of a run stand, in one sentence."""
    holding = [f"{len(critical.holding)} hold"] if critical.holding else []
    waived = [f"{len(critical.waived)} waived"] if critical.waived else []
    return f"Critical expectations, of {critical.of}: {', '.join([*count_standings(critical), *waived, *holding])}"


def worst_first(items: Sequence[ItemStanding]) -> list[ItemStanding]:
    """Those that fail before those that fail sometimes or are not shown, each in plan order."""
    return sorted(items, key=lambda each: list(TITLES).index(each.standing))


def standing_of(each: ItemStanding) -> str:
    """How an item stands, with how many repeats where there are several."""
    several = each.repeats > 1
    if each.fails:
        return f"{TITLES[each.standing]}{f', {each.fails} of {each.repeats} repeats' if several else ''}"
    return f"not shown{f', {each.not_shown} of {each.repeats} repeats' if several else ''}"


def excerpt(shown: Shown) -> Excerpt:
    """The response around the quote or the nearest sentence; its beginning where neither stands in it."""
    text, answer = shown.response, shown.answer
    near = answer.reason.removeprefix(NEAREST) if answer.reason.startswith(NEAREST) else ""
    words = answer.quote or near
    at = text.find(words) if words else -1
    if at < 0:
        return Excerpt(f"{text[:LONGEST_EXCERPT]}…" if len(text) > LONGEST_EXCERPT else text)
    start, end = max(0, at - AROUND), at + len(words) + AROUND
    before = f"{'…' if start else ''}{text[start:at]}"
    after = f"{text[at + len(words) : end]}{'…' if end < len(text) else ''}"
    return Excerpt(before, words, after, answer.outcome if answer.quote else "near")


def testimony(shown: Shown) -> Iterator[tuple[str, str]]:
    """Who says it and what shows it, as a title and a text each."""
    answer = shown.answer
    who = "people" if answer.source == "human" else answer.source
    where = f" (turn {answer.turn})" if answer.turn and answer.turn != shown.turn else ""
    if answer.quote:
        yield f"{who} {'quotes' if who != 'people' else 'quote'}{where}", answer.quote
    if answer.reason.startswith(NEAREST):
        yield f"{who}: no, the nearest sentence is", answer.reason.removeprefix(NEAREST)
    elif answer.reason:
        yield who, answer.reason
    elif not answer.quote:
        yield who, SPOKEN[answer.outcome]
    if len(answer.answers) > 1:
        yield f"judge, asked {len(answer.answers)} times", ", ".join(SPOKEN[each] for each in answer.answers)
