"""What a report says of expectations: how many are met, which critical ones fail, and what the failures share."""

from collections.abc import Iterator, Sequence

from evaluation.records import of_turn
from evaluation.reports.document import (
    Bullet,
    Bullets,
    Heading,
    Name,
    Only,
    Outside,
    Paragraph,
    Part,
    Tone,
    Words,
    folded,
)
from evaluation.reports.intervals import mean_text
from evaluation.summary.expectations import Critical, FailedGroup, ItemSummary
from evaluation.summary.item_standing import ItemStanding, Standing
from evaluation.text import numbers

TITLES: dict[Standing, str] = {"fails": "fails", "sometimes": "fails sometimes", "not_shown": "not shown"}
COUNTED: dict[Standing, str] = {"fails": "fail", "sometimes": "fail sometimes", "not_shown": "not shown"}
MOST_CRITICAL_SHORT = 3
"""Critical items in short, a line each: the screen is that of the whole result."""
MOST_GROUPS = 20
ONE_LINE = 62
"""Columns of a text that shares a line."""
REST = "report.html and summary.json"


def describe_items(items: ItemSummary | None) -> Iterator[Part]:
    """The expectations of a run; nothing where there are none."""
    if items is None:
        return
    yield Heading("Expectations", printed=False)
    yield Paragraph(describe_counts(items), "strong")
    critical = items.critical.items
    if critical:
        yield Heading(_critical_title(items), tone="bad")
        yield from folded([Bullets(list(_critical_lines(critical)), brief=60, rest=REST)], "Each with what was said")
        yield Only(Bullets(list(map(_critical_line, critical)), brief=MOST_CRITICAL_SHORT, rest=REST), short=True)
    yield Bullets([Bullet(_waived_line(each), "warning") for each in items.critical.waived])
    overturned = [Bullet(_overturned_line(each), "warning") for each in items.critical.overturned]
    yield Only(Bullets(overturned, brief=60, rest=REST), short=False)
    if overturned and not critical:
        yield Only(Paragraph(f"Critical expectations, of {items.critical.of}: {_overturned(items)}"), short=True)
    groups = [Bullet(describe_group(group)) for group in items.groups[:MOST_GROUPS]]
    if groups:
        shared = Heading("What fails, and what the failures share")
        yield from folded([shared, Bullets(groups, brief=MOST_GROUPS, rest=REST)])


def describe_counts(items: ItemSummary) -> str:
    """How much is met, and how items stand over the repeats."""
    found, counts = items.met.estimate, items.counts
    who = "judge and rules" if items.mode == "judge" else "rules alone"
    parts = [f"{counts.always} hold"]
    parts += [f"{counts.sometimes} hold sometimes"] if counts.sometimes else []
    parts += [f"{counts.never} fail"] if counts.never else []
    parts += [f"{counts.not_shown} not shown"] if counts.not_shown else []
    mean = f"expectations met {mean_text(found)}, on average of the responses ({who})"
    return f"{mean}: of all {counts.planned} items {', '.join(parts)}"


def _critical_title(items: ItemSummary) -> str:
    critical = items.critical
    said = [*count_standings(critical), *([_overturned(items)] if critical.overturned else [])]
    return f"Critical expectations, of {critical.of}: {', '.join(said)}"


def count_standings(critical: Critical) -> list[str]:
    """How many critical expectations fail, fail sometimes, and are not shown; what there is none of is left out."""
    kinds = [(len(critical.those(standing)), words) for standing, words in COUNTED.items()]
    return [f"{count} {words}" for count, words in kinds if count]


def _critical_line(each: ItemStanding) -> Bullet:
    tone: Tone = "bad" if each.standing == "fails" else "warning"
    of = f", {each.fails} of {each.repeats} repeats" if each.repeats > 1 else ""
    how = f"{of_turn(each.item.turn)}: {TITLES[each.standing]}{of}"
    return Bullet((Name(each.item.id), " in ", Name(each.scenario_id), how), tone)


def _critical_lines(items: Sequence[ItemStanding]) -> Iterator[Bullet]:
    for each in items:
        yield _critical_line(each)
        never = "must not: " if each.item.kind == "never" else ""
        yield Bullet((never, Outside(each.item.question)), depth=1)
        yield from (Bullet(words, depth=1) for words in _evidence(each))


def _evidence(each: ItemStanding) -> Iterator[Words]:
    """What shows how the item stands: the words, or what came nearest, and who says so."""
    shown = each.shown
    if shown is None:
        yield "no answer"
        return
    if shown.answer.quote:
        yield f"{shown.answer.source} quotes: ", Outside(shown.answer.quote)
    if shown.answer.reason:
        yield f"{shown.answer.source}: ", Outside(shown.answer.reason)
    if not shown.answer.quote:
        yield "response: ", Outside(shown.response)


def _waived_line(each: ItemStanding) -> Words:
    waiver = each.waiver
    if waiver is None:
        return ""
    who, why = Outside(waiver.who, ONE_LINE), Outside(waiver.reason, ONE_LINE)
    until = f"waived until {waiver.expiry} by "
    return (until, who, ": ", Name(each.item.id), " in ", Name(each.scenario_id), f"{of_turn(each.item.turn)}: ", why)


def _overturned(items: ItemSummary) -> str:
    return f"{len(items.critical.overturned)} hold by the judge against a rule"


def _overturned_line(each: ItemStanding) -> Words:
    shown = each.overturned
    if shown is None:
        return ""
    where = (Name(each.item.id), " in ", Name(each.scenario_id), of_turn(each.item.turn))
    return (
        "the judge overturns a rule: ",
        *where,
        " by ",
        Outside(shown.answer.quote),
        "; ",
        Outside(shown.answer.reason),
    )


def describe_group(group: FailedGroup) -> Words:
    """One item with how often it fails, where, and what fails with it."""
    categories = ", ".join(f"{name} {count}" for name, count in group.categories.items())
    also = next(iter(group.also.items()), None)
    beside = f"; in {also[1]} of them {also[0]} fails as well" if also is not None else ""
    critical = "critical, " if group.item.critical else ""
    where = f": {len(group.scenarios)} of {numbers.times(group.of, 'scenario')} ({critical}{categories}){beside}. "
    never = "Must not: " if group.item.kind == "never" else ""
    return (Name(group.item.id), f"{where}{never}", Outside(group.item.question, 200))
