"""What a comparison says of expectations: what was gained and lost, how sure that is, and both responses."""

from collections.abc import Iterator

from evaluation.comparison.items import ItemChange, ItemComparison
from evaluation.records import of_turn
from evaluation.reports.document import Bullet, Bullets, Heading, Name, Only, Outside, Paragraph, Part, Tone, folded
from evaluation.summary.item_standing import Shown
from evaluation.text import numbers

MOST_SHORT = 2
"""Changes in short, in a line each."""
MOST_CHANGES = 60
LONG = 600
"""Columns of a response."""
REST = "comparison.json"


def describe_changes(items: ItemComparison | None, base: str, candidate: str) -> Iterator[Part]:
    """The items of two runs; nothing where none is known. `base` and `candidate` name the runs."""
    if items is None or not (items.paired or items.new or items.missing or items.rewritten):
        return
    yield Heading("Expectations", printed=False)
    tone: Tone = "bad" if items.lost_critical else "strong"
    yield Paragraph(describe_balance(items), tone)
    yield Bullets([Bullet(line) for line in describe_items(items)])
    yield Only(Bullets([_line(each) for each in items.changes[:MOST_SHORT]]), short=True)
    detail = [bullet for each in items.changes[:MOST_CHANGES] for bullet in _change(each, base, candidate)]
    if detail:
        changed = Heading("Gained and lost, critical ones first")
        yield from folded([changed, Bullets(detail, brief=len(detail), rest=REST)])
    if (more := len(items.changes) - MOST_CHANGES) > 0:
        yield Only(Paragraph(f"and {more} more in {REST}"), short=False)


def describe_balance(items: ItemComparison) -> str:
    """How many items were gained and lost, critical ones among them."""
    gained, lost = items.those("gained"), items.those("lost")
    critical = f"{len(items.those('gained', critical=True))} and {len(items.lost_critical)}"
    return f"of {numbers.times(items.paired, 'item')} {len(gained)} gained, {len(lost)} lost; critical: {critical}"


def describe_items(items: ItemComparison) -> list[str]:
    """The lines below the balance."""
    return [*describe_test(items), *describe_unpaired(items)]


def describe_test(items: ItemComparison) -> Iterator[str]:
    """The exact test over situations on critical items; nothing where there are none."""
    test = items.situations
    if test.p is not None:
        counts = f"{test.better} better, {test.worse} worse, {test.even} even"
        yield f"critical, by situation: {counts}; exact p {numbers.p_value(test.p)}"


def describe_unpaired(items: ItemComparison) -> Iterator[str]:
    """The items that are not compared, and those of which nobody can tell, in one line."""
    kinds = [
        (items.new, "is new", "are new"),
        (items.rewritten, "was rewritten", "were rewritten"),
        (items.missing, "is of the base alone", "are of the base alone"),
        (items.waived, "is waived", "are waived"),
        (items.undecided, "is undecided", "are undecided"),
    ]
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in kinds if count]
    if parts:
        yield f"items left out: {', '.join(parts)}"


def _line(each: ItemChange) -> Bullet:
    critical = "critical, " if each.critical else ""
    item = each.candidate
    where = (Name(item.id, 24), " in ", Name(item.scenario_id, 30), of_turn(item.turn))
    return Bullet((f"{critical}{each.change}: ", *where))


def _change(each: ItemChange, base: str, candidate: str) -> Iterator[Bullet]:
    """One item with its question, and for each run what was said and what shows it."""
    tone: Tone = ("bad" if each.change == "lost" else "good") if each.critical else ""
    critical = ", critical" if each.critical else ""
    where = (Name(each.candidate.id), " in ", Name(each.candidate.scenario_id), f"{of_turn(each.candidate.turn)}: ")
    yield Bullet((f"{each.change}{critical}: ", *where, Outside(each.question, 210)), tone)
    for name, side, shown in ((base, each.base, each.before), (candidate, each.candidate, each.now)):
        how = "holds" if side.holding else "fails"
        of = f" in {max(side.holds, side.fails)} of {side.repeats} repeats" if side.repeats > 1 else ""
        yield Bullet((Name(name), f" {how}{of}", *_evidence(shown)), depth=1)


def _evidence(shown: Shown | None) -> tuple[str | Outside, ...]:
    if shown is None:
        return ()
    answer = shown.answer
    said: tuple[str | Outside, ...] = ()
    if answer.quote:
        said = (f"; {answer.source} quotes: ", Outside(answer.quote))
    elif answer.reason:
        said = (f"; {answer.source}: ", Outside(answer.reason))
    return (*said, "; response: ", Outside(shown.response, LONG))
