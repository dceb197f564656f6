"""A night as a document, the answer and its grounds first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from evaluation.comparison.items import ItemChange, name_items
from evaluation.decision.critical import count_failures
from evaluation.decision.first_line import FirstLine, first_line
from evaluation.nightly.alarm import AlarmCheck, NightGate, unsteady
from evaluation.nightly.night import Night, NightReport, NightState, recovers, sparkline
from evaluation.nightly.round import NIGHTS_A_MONTH, false_alarms_a_month
from evaluation.reports.differences import describe_conversations, worst_blocks
from evaluation.reports.document import (
    Banner,
    Block,
    Bullet,
    Bullets,
    Column,
    Command,
    Document,
    Fields,
    Heading,
    Name,
    Paragraph,
    Part,
    Tone,
    document,
    in_detail,
    in_short,
    table,
)
from evaluation.reports.item_changes import describe_changes
from evaluation.reports.languages import unreviewed
from evaluation.reports.night_production import (
    change_of,
    describe_production_watch,
    fall_of,
    name_changes,
    production_details,
    production_fall,
    production_in_short,
    production_reasons,
)
from evaluation.reports.verdict_sentence import title
from evaluation.reports.wording import REHEARSAL
from evaluation.text import numbers
from evaluation.text.names import in_words
from evaluation.text.safe_text import clip

TITLES: dict[NightState, str] = {
    "running": "STILL RUNNING",
    "interrupted": "INTERRUPTED",
    "ok": "PRODUCTION HOLDS",
    "alarm": "ALARM: PRODUCTION IS WORSE",
    "unmeasured": "NOT MEASURED",
    "incomplete": "INCOMPLETE",
    "no_baseline": "NO BASELINE",
    "refused": "BASELINE NOT COMPARABLE",
    "judge_unfit": "JUDGE UNFIT",
    "failed": "THE NIGHT FAILED",
}
MOST_NIGHTS = 30
TONES: Mapping[NightState, Tone] = {"ok": "good", "alarm": "bad", "running": "strong"}
MOST_LOSSES = 4
"""Lost critical expectations in the reasons; the rest is counted."""
LONGEST_EVIDENCE, LONGEST_RESPONSE = 60, 120
"""Columns of what shows that a critical expectation fails, and of the response."""


def describe_night(report: NightReport, *, files: Sequence[str] = ()) -> Document:
    """The findings of the night, beside the nights before it; `files` say where more can be read."""
    return document(
        _head(report),
        *_findings(report),
        in_detail(_trend(report)),
        in_detail(_places(report)),
        in_detail(Command("", file) for file in files),
        in_short(_end(report, files)),
    )


def findings(report: NightReport) -> Document:
    """What was measured, without the answer before it and the nights behind it."""
    return document(*_findings(report))


def _findings(report: NightReport) -> Iterator[Iterable[Part]]:
    yield _checks(report)
    yield () if report.production is None else describe_production_watch(report.production, CHECKS)
    yield _items(report)
    yield () if report.comparison is None else describe_conversations(report.comparison)
    yield worst_blocks(report.worst)


def _head(report: NightReport) -> Iterator[Block]:
    yield from map(Banner, banners(report))
    yield Heading(heading(report), level=2, tone=TONES.get(report.night.state, "warning"))
    yield Paragraph(report.night.headline)
    yield Bullets(tuple(map(Bullet, (*reasons(report), *details(report)))))


def banners(report: NightReport) -> list[str]:
    """The lines that must stand above everything else."""
    compared = report.comparison
    said = "" if compared is None else unreviewed(compared.base.summary, compared.candidate.summary)
    return [*([REHEARSAL] if report.night.rehearsal else []), *([said] if said else [])]


def heading(report: NightReport) -> str:
    """The first line: the state in a few words, and before it what keeps a verdict on production from standing."""
    night, compared = report.night, report.comparison
    found = f"{TITLES[night.state]} AGAIN" if recovers(night, report.earlier) else TITLES[night.state]
    if compared is None:
        return found
    # The state says itself whether too much is missing; where only the delivery is, it is all that there is to say.
    standing = compared.standing
    situations = None if standing.short else standing.situations
    certain = report.gate is not None and report.gate.certain
    standing = replace(standing, about="", short=False, situations=situations, held_by_rule=certain)
    found = TITLES["ok"] if night.state == "incomplete" and standing.lacking else found
    return first_line(standing, FirstLine(night.state, found)).text


def headline(report: NightReport) -> str:
    """The night in one sentence."""
    night, gate = report.night, report.gate
    who = f"{night.prompt} {night.version}" if night.version else night.prompt
    if night.state == "alarm" and (falls := list(_falls(report))):
        return f"{who} in production {'; and it '.join(falls)}"
    if gate is None or not gate.checks or night.state in ("no_baseline", "refused", "failed", "judge_unfit"):
        return f"{who}: {night.reasons[0]}" if night.reasons else who
    overall = gate.checks[0]
    change = f"overall {change_of(overall)} against the baseline"
    if night.state == "unmeasured":
        return f"{who}: {gate.reasons[0]}"
    reach = "" if not overall.detectable else f"; a drop of {numbers.above(overall.detectable)} would have been found"
    return f"{who} in production holds: {change}{reach}{production_in_short(report.production)}"


def _falls(report: NightReport) -> Iterator[str]:
    """What an alarm says of production, critical expectations first."""
    gate = report.gate
    if gate is not None and gate.lost:
        count, named = numbers.times(len(gate.lost), "critical expectation"), [each.candidate for each in gate.lost]
        yield f"fails {count} that held in its baseline: {name_items(named)}"
    if gate is not None and gate.raised and gate.measured:
        yield f"is worse than its baseline: {name_changes(gate.raised, _overall(report))}"
    if report.production is not None and (said := production_fall(report.production)):
        yield said


def reasons(report: NightReport) -> list[str]:
    """The reasons for the answer, the most important first."""
    gate = report.gate
    if gate is None:
        return list(report.night.reasons)
    production = () if report.production is None else production_reasons(report.production)
    return [*losses(gate), *gate.reasons, *(fall(check, report) for check in gate.raised), *production]


def losses(gate: NightGate) -> Iterator[str]:
    """The critical expectations that held in the baseline and fail, the first ones with their responses."""
    yield from map(_loss, gate.lost[:MOST_LOSSES])
    if (more := len(gate.lost) - MOST_LOSSES) > 0:
        yield f"and {numbers.times(more, 'more critical expectation')} that held in the baseline: night.json has all"


def _loss(change: ItemChange) -> str:
    """One critical expectation that held in the baseline and fails, with what shows it and the response."""
    item, shown = change.candidate, change.now
    of = f" in {item.fails} of {item.repeats} repeats" if item.repeats > 1 else ""
    said = f"critical: {item} held in the baseline and fails{of}: {change.question}"
    if shown is None:
        return said
    evidence = shown.answer.quote or shown.answer.reason
    by = f"; {shown.answer.source}: {clip(evidence, LONGEST_EVIDENCE)}" if evidence else ""
    return f"{said}{by}; response: {clip(shown.response, LONGEST_RESPONSE)}"


def fall(check: AlarmCheck, report: NightReport) -> str:
    """One metric that raised the alarm."""
    floor = "" if check.floor is None else f" and the noise floor of {numbers.above(check.floor)}"
    name = f"{title(check.metric, _overall(report))} ({check.source})"
    return f"{fall_of(check, name)}{floor}"


def details(report: NightReport) -> list[str]:
    """Details that a reader should know beside the answer."""
    return [
        *(() if report.changes is None else report.changes.details),
        *(() if report.attribution is None else report.attribution.sentences),
        *_by_itself(report),
        *_noise(report),
        *(() if report.production is None else production_details(report.production)),
        *_watches(report),
        *_gains(report),
        *_latest(report),
        *_approval(report),
        *report.notes,
    ]


def _by_itself(report: NightReport) -> Iterable[str]:
    """How many critical expectations fail in production, whatever they did in the baseline."""
    items = None if report.comparison is None else report.comparison.candidate.summary.expectations
    if items is None or report.gate is None or not items.critical.failed:
        return
    lost = len(report.gate.lost) or "none"
    yield f"{count_failures(items.critical)} in production, {lost} of them lost since the baseline"


def _noise(report: NightReport) -> Iterable[str]:
    if report.repeat is None or report.repeat.primary is None:
        return
    found = report.repeat.primary.estimate
    share = f"{numbers.times(found.scenarios, 'scenario')} played twice tonight"
    floor = report.gate.checks[0].floor if report.gate is not None and report.gate.checks else None
    shown = "" if floor is None else f": differences of the overall up to {numbers.above(floor)} are noise"
    yield f"{share} with nothing changed differ by {numbers.with_sign(found.difference)}{shown}"
    if unsteady(report.repeat):
        yield "that is more than chance: something moved within the night, so look at the endpoint before the prompt"


def _gains(report: NightReport) -> Iterable[str]:
    if report.gate is None or report.gate.alarmed or report.gate.raised:
        return
    risen = [check for check in report.gate.checks if check.surely and (check.difference or 0.0) >= check.margin]
    if risen:
        names = name_changes(risen, _overall(report))
        yield f"better than the baseline: {names}; approve that run if it is to be the new measure"


def _latest(report: NightReport) -> Iterable[str]:
    latest = report.latest
    if latest is None:
        return
    row = latest.comparison.primary
    change = "" if row is None else f", overall {numbers.with_sign(row.estimate.difference)} against the baseline"
    answer = "may follow it" if latest.gate.passed else f"may not follow it yet ({latest.gate.reasons[0]})"
    yield f"latest is {latest.version}, not in production{change}: it {answer}"
    if held := next(iter(latest.gate.checks), None):
        named = title(held.metric, latest.comparison.overall)
        shown = f"{numbers.with_sign(held.low)}, the margin {-held.margin:g}"
        yield "; ".join((f"the lower bound of its {named} is {shown}", *latest.gate.assumptions))


def _watches(report: NightReport) -> Iterable[str]:
    """That two things are watched, and what that does to the rate of false alarms."""
    if report.production is not None:
        yield (
            "invented scenarios and production's responses are each tested at the level of a night: together at most "
            f"{false_alarms_a_month(2):.2g} false alarms in {NIGHTS_A_MONTH} unchanged nights on average"
        )


def _approval(report: NightReport) -> Iterable[str]:
    approval = report.approval
    if approval is None:
        return
    run_id = report.night.baseline_run_id
    yield f"the baseline is run {run_id} of {approval.evaluated_at}, approved {approval.approved_at}"
    if approval.forced:
        yield f"it was approved by force: {approval.forced}"


def _overall(report: NightReport) -> str:
    return "" if report.comparison is None else report.comparison.overall


def _items(report: NightReport) -> Iterator[Part]:
    """The expectations that were gained and lost since the baseline."""
    compared = report.comparison
    return describe_changes(None if compared is None else compared.items, "baseline", "tonight")


def _checks(report: NightReport) -> Iterator[Block]:
    if report.gate is not None and report.gate.checks:
        yield Heading("Production against the baseline", printed=False)
        yield table(CHECKS, report.gate.checks, lambda check: "bad" if check.raised else "")


CHECKS: Fields[AlarmCheck] = [
    (Column("against the baseline"), lambda check: in_words(check.metric)),
    (Column("before"), lambda check: numbers.score(check.before)),
    (Column("tonight"), lambda check: numbers.score(check.tonight)),
    (Column("change"), lambda check: numbers.with_sign(check.difference)),
    (Column("95% interval", detail=True), lambda check: numbers.span(check.ci95)),
    (Column("p"), lambda check: numbers.p_value(check.p)),
    (Column("margin", detail=True), lambda check: f"{check.margin:g}"),
    (Column("noise"), lambda check: numbers.NONE if check.floor is None else numbers.above(check.floor)),
    (Column(""), lambda check: "LOWER" if check.raised else ""),
]


def _trend(report: NightReport) -> Iterator[Block]:
    nights = [*report.earlier, report.night][-MOST_NIGHTS:]
    yield Heading(("The last nights   ", Name(sparkline([night.overall for night in nights]).strip() or numbers.NONE)))
    yield table(NIGHTS, reversed(nights))


NIGHTS: Fields[Night] = [
    (Column("night"), lambda night: f"{night.date} {night.night_id[9:11]}:{night.night_id[11:13]}"),
    (Column("version"), lambda night: Name(night.version or "")),
    (Column("overall"), lambda night: numbers.score(night.overall)),
    (Column("difference"), lambda night: numbers.with_sign(night.difference)),
    (Column("", fluid=True), lambda night: TITLES[night.state].lower()),
]


def _end(report: NightReport, files: Sequence[str]) -> Iterator[Block]:
    """The end of the short report: the answer once more, where all of it is, and the next command."""
    yield Paragraph(f"{heading(report)}: {report.night.headline}", TONES.get(report.night.state, "warning"))
    yield from (Command("", file) for file in files[:1])
    if report.next_command:
        yield Command("next", report.next_command)


def _places(report: NightReport) -> Iterator[Block]:
    yield Bullets(
        tuple(Bullet((f"{in_words(role)}: run ", Name(run_id))) for role, run_id in report.night.runs.items())
    )
    yield from (Command(words, address) for words, address in report.links.items())
    if report.next_command:
        yield Command("next", report.next_command)
