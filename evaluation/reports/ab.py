"""A look at an A/B test in production, as a document: what it says, both arms, the split, all looks, the plan."""

import math
from collections.abc import Iterator, Sequence

from evaluation.ab.look import ENDING, Guardrail, Look, Reading, VerdictName
from evaluation.ab.outlook import Outlook
from evaluation.ab.plan import LEAST_USERS, LOWER_IS_BETTER, Plan, Version
from evaluation.ab.tally import Totals
from evaluation.commands import write_command
from evaluation.reports.document import (
    Block,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Outside,
    Paragraph,
    Tone,
    Words,
    document,
    table,
)
from evaluation.statistics.sample_ratio import ALARM
from evaluation.text import numbers

MANY_CROSSED = 0.01
"""Share of units seen under both versions that is worth a warning."""
UNEVEN = 0.5
"""Evenness of the weights below which few responses stand for many."""
TONES: dict[VerdictName, Tone] = {
    "better": "good",
    "worse": "bad",
    "equivalent": "even",
    "split_broken": "bad",
    "scores_missing": "bad",
}
SAID: dict[VerdictName, str] = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "undecided": "undecided",
    "open": "open",
    "early": "too early",
    "too_few": "too few users",
    "split_broken": "split broken",
    "scores_missing": "scores missing",
    "alike": "all alike",
}


def describe_look(
    plan: Plan,
    look: Look,
    reading: Reading,
    looks: Sequence[Look],
    ahead: Outlook | None,
    *,
    notes: Sequence[str] = (),
    folder: str = "",
) -> Document:
    """`look` is the one whose verdict stands, `reading` what production says today, `looks` all that were taken."""
    return document(
        _head(plan, look, reading, ahead, [*map(Outside, notes), *_notes(plan, look, reading)]),
        _arms(plan, reading),
        _split(plan, reading),
        _guardrails(plan, reading.guardrails),
        _looks(plan, looks),
        _left_out(reading),
        _plan(plan),
        [Command("files", folder)] if folder else [],
    )


def _head(
    plan: Plan, look: Look, reading: Reading, ahead: Outlook | None, notes: Sequence[str | Outside]
) -> Iterator[Block]:
    yield Heading(("A/B test ", Name(plan.name), f", {_time(plan.start)} to {_time(reading.until)} UTC"), level=2)
    yield Paragraph(_verdict(plan, look, reading), TONES.get(look.verdict, "warning"))
    if ahead is not None:
        yield Paragraph(_ahead(plan, ahead))
    for note in notes:
        yield Paragraph(("note: ", note), "dim")


def _verdict(plan: Plan, look: Look, reading: Reading) -> Words:
    new, old, measure = plan.candidate.title, plan.base.title, Name(plan.measure)
    units = [numbers.count(arm.units) for arm in reading.arms]
    match look.verdict:
        case "better" | "worse":
            higher = "higher" if (look.difference or 0) > 0 else "lower"
            found = f" is {higher}, by {_difference(plan, look)}"
            return (f"{look.verdict.upper()}: {new} is {look.verdict} than {old}: ", measure, found)
        case "equivalent":
            same = f" differs by {_difference(plan, look)}, no more than the margin of {plan.margin:g}"
            return (f"EQUIVALENT: {new} and {old} are alike: ", measure, same)
        case "undecided":
            left = f" differs by {_difference(plan, look)}: neither better, worse, nor within the margin"
            return ("UNDECIDED: the horizon has passed, and ", measure, left)
        case "early":
            seen = f"{_users(look)} users have a score, and a first look takes {LEAST_USERS} of each version"
            return f"TOO EARLY: {seen}"
        case "too_few":
            seen = f"{_users(look)} users have a score: a test takes {LEAST_USERS} of each version"
            return f"TOO FEW USERS: the horizon has passed, and {seen}"
        case "split_broken":
            planned = f"{plan.split[0]:g} : {plan.split[1]:g}"
            seen = f"{units[0]} : {units[1]} {plan.unit}s, where {planned} was planned (p {_p(reading.split_p)})"
            return f"SPLIT BROKEN: {seen}: the versions' users are not alike, and nothing is compared"
        case "scores_missing":
            scored = " : ".join(numbers.count(arm.scored_units) for arm in reading.arms)
            return (
                f"SCORES MISSING: the split of {plan.unit}s is sound, that of those with ",
                measure,
                f" is not ({scored}, p {_p(reading.scored_p)}): nothing is compared",
            )
        case "alike":
            return ("NO VERDICT: all users have the same ", measure)
    if look.interval is None:
        return ("NOT DECIDED YET: so early a look can find nothing: ", measure, f" differs by {_plain(plan, look)}")
    return ("NOT DECIDED YET: ", measure, f" differs by {_difference(plan, look)}")


def _ahead(plan: Plan, ahead: Outlook) -> str:
    """How much longer."""
    if ahead.days is None or ahead.users is None:
        return "how much longer it takes cannot be said from what was seen"
    more = f"{_days(ahead.days)} and {numbers.times(ahead.users, 'user')} more at the rate so far"
    if ahead.to == "first look":
        return f"about {more} until a first look"
    if ahead.to == "margin":
        return f"about {more} until the interval is as narrow as the margin, and says one or the other"
    found = "" if ahead.detectable is None else f": by then a difference of {_amount(plan, ahead.detectable)} is found"
    line = f"about {more} until the horizon{found} in 80 of 100 tests"
    if ahead.days_for_margin is None:
        return f"{line}; to find the margin of {plan.margin:g} takes more years than are worth it"
    if ahead.days_for_margin > 0:
        line += f"; to find the margin of {plan.margin:g} it is {_days(ahead.days_for_margin)} too short"
    return line


def _notes(plan: Plan, look: Look, reading: Reading) -> Iterator[str]:
    yield from _lacking(plan, reading)
    if look.verdict in ENDING and look.until != reading.until:
        yield (
            f"decided at look {look.number}, {_time(look.until)}; what came since is described below and tests nothing"
        )
    if look.verdict in ("better", "worse") and 0 < look.passed < 1:
        yield "a difference that ends a test early is rather too large: the interval says how much smaller it may be"
    if look.verdict in ("better", "worse") and look.interval and max(map(abs, look.interval)) <= plan.margin:
        yield "the difference is sure but small: its interval lies within the margin"
    crossed, units = sum(arm.crossed for arm in reading.arms), sum(arm.units for arm in reading.arms)
    if units and crossed / units > MANY_CROSSED:
        yield (
            f"{numbers.count(crossed)} of {numbers.count(units)} {plan.unit}s met both versions and count where they "
            "were first: this draws the versions together; look at how they are assigned"
        )
    if reading.evenness < UNEVEN:
        yield (
            "few scored responses stand for many, version by week: score a larger share of the weeks with few scores"
        )
    if plan.window is not None and reading.waiting:
        yield f"{numbers.times(reading.waiting, 'user')} count once their first {plan.window} days have passed"


def _lacking(plan: Plan, reading: Reading) -> Iterator[str]:
    """Why there is nothing to compare, and what to do."""
    if not any(arm.generations + arm.failed for arm in reading.arms):
        if reading.left_out:
            yield "no generation is of this test: what was read instead is counted below by its reason"
        else:
            yield f"no generation of this prompt has begun between {_time(plan.start)} and {_time(reading.until)}"
    elif not any(arm.scored for arm in reading.arms) and plan.measure not in LOWER_IS_BETTER:
        with_scores = write_command("score-traces", "--write-back")
        yield f"no response has this score: put scores there with {with_scores}, or begin a test of another with --name"


def _arms(plan: Plan, reading: Reading) -> Iterator[Block]:
    rows = list(zip((plan.base, plan.candidate), reading.arms, _means(reading), reading.users, strict=True))
    fields: Fields[tuple[Version, Totals, float | None, int]] = [
        (Column("version"), lambda row: row[0].title),
        (Column(f"{plan.unit}s", right=True), lambda row: numbers.count(row[1].units)),
        (Column("responses", right=True), lambda row: numbers.count(row[1].generations)),
        (Column("scored", right=True), lambda row: _share(row[1].scored, row[1].frame)),
        (Column("users counted", right=True), lambda row: numbers.count(row[3])),
        (Column("mean", right=True), lambda row: numbers.NONE if row[2] is None else _amount(plan, row[2])),
    ]
    yield table(fields, rows)
    over = "over users, each by the days of his window" if plan.window is not None else "over responses"
    yield Paragraph(f"means {over}, by the version that a {plan.unit} met first; errors clustered by user", "dim")


def _means(reading: Reading) -> tuple[float | None, float | None]:
    """None before a first look: who sees means before anything may be tested draws conclusions from them."""
    if reading.found is None or min(reading.users) < LEAST_USERS:
        return None, None
    return reading.found.base.mean, reading.found.other.mean


def _split(plan: Plan, reading: Reading) -> Iterator[Block]:
    base, candidate = (arm.units for arm in reading.arms)
    planned = f"{plan.split[0]:g} : {plan.split[1]:g}"
    is_sound = "is broken" if reading.split_broken else "is sound"
    line = f"{numbers.count(base)} : {numbers.count(candidate)}, planned {planned}, p {_p(reading.split_p)}"
    crossed = f"{numbers.count(sum(arm.crossed for arm in reading.arms))} met both versions"
    yield Paragraph(f"the split of {plan.unit}s {is_sound}: {line}; {crossed}", "dim")


def _guardrails(plan: Plan, rails: Sequence[Guardrail]) -> Iterator[Block]:
    if not rails:
        return
    yield Heading("beside it")
    fields: Fields[Guardrail] = [
        (Column(""), lambda rail: rail.name),
        (Column(plan.base.title, right=True), lambda rail: _rounded(rail.found.base.mean, _error_of(rail))),
        (Column(plan.candidate.title, right=True), lambda rail: _rounded(rail.found.other.mean, _error_of(rail))),
        (Column("difference", right=True), lambda rail: _signed(rail.found.difference, _error_of(rail))),
        (Column("95% interval", right=True), lambda rail: _interval(rail.ci95, _error_of(rail))),
    ]
    yield table(fields, rails)
    yield Paragraph("intervals of this look alone, not corrected for several: they warn, and decide nothing", "dim")


def _looks(plan: Plan, looks: Sequence[Look]) -> Iterator[Block]:
    yield Heading("looks")
    fields: Fields[Look] = [
        (Column("until"), lambda look: _time(look.until)),
        (Column("users", right=True), lambda look: numbers.count(sum(look.users))),
        (Column("difference", right=True), lambda look: _plain(plan, look)),
        (Column("interval", right=True), lambda look: _look_interval(look)),
        *(
            [
                (Column("passed", right=True, detail=True), lambda look: numbers.percent(look.passed)),
                (Column("spent", right=True), lambda look: f"{look.spent:.4f}"),
            ]
            if plan.spending
            else []
        ),
        (Column(""), lambda look: SAID[look.verdict]),
    ]
    yield table(fields, looks)
    sure = f"{100 * (1 - plan.alpha):g}%"
    yield Paragraph(
        f"{plan.candidate.title} less {plan.base.title}; {sure} intervals that hold at all looks together", "dim"
    )


def _left_out(reading: Reading) -> Iterator[Block]:
    if not reading.left_out:
        return
    yield Heading("in no figure")
    fields: Fields[tuple[str, int]] = [
        (Column("", fluid=True), lambda row: row[0]),
        (Column("number", right=True), lambda row: numbers.count(row[1])),
    ]
    yield table(fields, reading.left_out.items())


def _plan(plan: Plan) -> Iterator[Block]:
    yield Heading("plan")
    of_environment: list[str | Outside] = (
        [", environment ", Name(", ".join(plan.environments))] if plan.environments else []
    )
    yield Paragraph(
        (
            Name(plan.prompt),
            f": {plan.base.title} against {plan.candidate.title} by ",
            Name(plan.measure),
            f" ({'lower' if plan.lower_is_better else 'higher'} is better), margin {plan.margin:g}, "
            f"{plan.unit}s {plan.split[0]:g} : {plan.split[1]:g}",
            *of_environment,
        ),
        "dim",
    )
    yield Paragraph(_method(plan), "dim")


def _method(plan: Plan) -> str:
    if plan.horizon is None:
        return (
            f"confidence sequence at {100 * (1 - plan.alpha):g}%, narrowest at {plan.tightest_at:,} users; each user "
            f"once, by his first {plan.window} days; first look from {LEAST_USERS} users of each version"
        )
    clock = "of time" if plan.users is None else f"of {plan.users:,} users"
    return (
        f"error rate {plan.alpha:g} spent until {_time(plan.horizon)} by O'Brien and Fleming's boundaries (Lan and "
        f"DeMets), by the share {clock} that has passed; first look from {LEAST_USERS} users of each version"
    )


# --- figures: as many digits as their errors have --------------------------------------------------------------------


def _difference(plan: Plan, look: Look) -> str:
    return f"{_plain(plan, look)} {_look_interval(look)}"


def _plain(plan: Plan, look: Look) -> str:
    if look.difference is None:
        return numbers.NONE
    return _signed(look.difference, look.se or plan.margin)


def _look_interval(look: Look) -> str:
    return numbers.NONE if look.interval is None or look.se is None else _interval(look.interval, look.se)


def _amount(plan: Plan, value: float) -> str:
    """With the digits that a margin can tell."""
    return _rounded(value, plan.margin)


def _rounded(value: float, error: float) -> str:
    text = f"{value:,.{_places(error)}f}"
    return text if float(text.replace(",", "")) else text.removeprefix("-")


def _signed(value: float, error: float) -> str:
    return numbers.with_sign(value, _places(error))


def _interval(ends: tuple[float, float], error: float) -> str:
    return f"[{_rounded(ends[0], error)}, {_rounded(ends[1], error)}]"


def _error_of(rail: Guardrail) -> float:
    """At least a hundredth of the figure: an error of nearly 0 asks for no more digits."""
    return max(rail.found.se, abs(rail.found.base.mean) / 100)


def _places(error: float) -> int:
    """Decimals in which an error has at least a 3 as its last digit; two at least, eight at most."""
    return 2 if not error > 0 else min(8, max(2, -math.floor(math.log10(error / 3))))


def _p(p: float) -> str:
    """In more digits than others: what counts is whether it lies below 0.001."""
    return f"{p:.1e}" if p < ALARM else f"{p:.3f}"


def _share(part: int, whole: int) -> str:
    return numbers.percent(part / whole) if whole else numbers.NONE


def _days(days: float) -> str:
    return numbers.times(max(1, math.ceil(days)), "day")


def _users(look: Look) -> str:
    return " and ".join(map(numbers.count, look.users))


def _time(text: str) -> str:
    return text[:10] if text[10:16] in ("", "T00:00") else text[:16].replace("T", " ")
