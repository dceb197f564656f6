"""The report of a run as a document, the verdict and its reasons first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evaluation.decision.gate import GateResult
from evaluation.outcome import TRACE_OF, RunOutcome
from evaluation.records import Score
from evaluation.reports.agreement import describe_agreement, in_one_line
from evaluation.reports.conversations import describe_conversations, means_in_short
from evaluation.reports.document import (
    LONG,
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
    Only,
    Outside,
    Paragraph,
    Part,
    Status,
    Tone,
    Words,
    document,
    folded,
    in_detail,
    in_short,
    table,
)
from evaluation.reports.expectations import describe_items
from evaluation.reports.groups import describe_groups
from evaluation.reports.human_units import describe_human_units
from evaluation.reports.intervals import mean_text
from evaluation.reports.languages import describe_languages
from evaluation.reports.means import (
    abreast,
    describe_by_category,
    describe_meaning,
    describe_means,
    describe_measures,
)
from evaluation.reports.memory import describe_memory
from evaluation.reports.mix import describe_mix
from evaluation.reports.panel import describe_panel
from evaluation.reports.prompts import describe_prompt
from evaluation.reports.replies import first_words_in
from evaluation.reports.weakest import judgement, telling_metrics
from evaluation.reports.wording import (
    banners,
    beside,
    beyond,
    checks,
    cost,
    ends,
    extent,
    finish_reasons,
    from_cache,
    gate_line,
    given_up_parts,
    incidents,
    place,
    reasons,
    response_parts,
    show_command,
    subject,
    tokens,
)
from evaluation.summary.checks import CaseChecks
from evaluation.summary.disagreement import worth_listing
from evaluation.summary.summary import Summary, WeakExchange
from evaluation.text import numbers
from evaluation.text.names import in_words

if TYPE_CHECKING:
    from evaluation.comparison.gate import Check, RegressionResult

TONES: Mapping[str, Tone] = {"deploy": "good", "ab_test": "warning", "needs_revision": "bad", "held_back": "bad"}
REST = "summary.json"
MOST_NOTES = 40
MOST_FAILED_SHORT = 12
"""Lines on failed checks, in short."""
MOST_INCIDENTS_SHORT = 8
MOST_WEAK_SHORT = 3
"""The weakest responses that are shown in short."""
ONE_LINE = 62
"""Columns of a text that shares one line with what it is called."""


def describe_run(outcome: RunOutcome) -> Document:
    """One run, with what is left to do at its end."""
    summary = outcome.summary
    return document(
        _verdict(outcome),
        _subject(outcome),
        gate_blocks(outcome.gate),
        describe_items(summary.expectations),
        _checks(summary, outcome.run.suite.check_rules),
        _repeated_checks(summary),
        *(describe_means(summary, sources) for sources in abreast(summary)[:-1]),
        (*describe_means(summary, abreast(summary)[-1]), *_talks(summary), *_agreement(outcome)),
        describe_mix(outcome.mix, summary, outcome.decision),
        describe_human_units(summary),
        describe_panel(summary.panel, summary.overall),
        _memory(summary),
        folded(_conversations(summary)),
        in_detail(describe_measures(summary)),
        in_detail(describe_meaning(summary, outcome.run)),
        folded(describe_by_category(summary)),
        folded(describe_languages(summary)),
        folded(describe_groups(summary.groups), "By audience and tag"),
        (*folded(_weakest(outcome)), *in_short(_weakest_in_short(outcome))),
        folded(_disagreements(outcome)),
        _incidents(outcome),
        folded(describe_prompt(outcome.run)),
        (*in_detail(_places(outcome)), *in_short(_end(outcome))),
    )


def _verdict(outcome: RunOutcome) -> Iterator[Part]:
    summary, decision = outcome.summary, outcome.decision
    yield from map(Banner, banners(outcome))
    yield Heading(first_words(outcome), level=2, tone=TONES.get(decision.verdict or "", "strong"))
    if decision.aside:
        yield Paragraph(decision.aside, "bad")
    yield Status(tuple(_status(outcome)))
    grounds, each = beyond(decision.headline, reasons(summary, decision)), beside(summary, decision)
    # The table has the means of the sources: their verdicts are news where they differ.
    differ = len({choice.verdict for choice in decision.by_source.values()}) > 1
    yield Only(Bullets([Bullet(text) for text in (*grounds, each) if text]), short=False)
    yield Only(Bullets([Bullet(text) for text in (*grounds, each if differ else "") if text]), short=True)
    yield from _given_up(outcome)


def _status(outcome: RunOutcome) -> Iterator[str]:
    """The main figures beside the mean, which the first line has."""
    summary, items = outcome.summary, outcome.summary.expectations
    yield f"{numbers.count(summary.counts.scored)} of {numbers.times(summary.counts.planned, 'exchange')} scored"
    if items is not None and items.met.estimate.mean is not None:
        yield f"expectations met {numbers.score(items.met.estimate.mean)}"
    if items is not None and items.critical.of:
        yield f"critical expectations: {len(items.critical.failed)} of {items.critical.of} fail"
    if outcome.gate is not None:
        yield gate_line(outcome.gate)


def _given_up(outcome: RunOutcome) -> Iterator[Block]:
    """In the place of a verdict: what the judge said, and the ways out."""
    judge = outcome.given_up
    if judge is not None:
        yield Bullets(tuple(Bullet((title, Outside(text)), "bad") for title, text in given_up_parts(judge)))
        yield Command("to have it judged otherwise", outcome.run.judged_otherwise_command(judge.another_form))
        yield Command("to go on when the judge is mended", outcome.next_command)


def first_words(outcome: RunOutcome) -> Words:
    """The first line: the headline, and the mean that it rests on, unless the reasons name it as found so far."""
    summary, decision = outcome.summary, outcome.decision
    deciding = summary.metric(decision.source, summary.overall)
    decided = decision.verdict is not None or not decision.by_source or decision.judge_fit is False
    if deciding is None or deciding.estimate.mean is None or not decided or decision.verdict == "held_back":
        return decision.headline
    level = f", {decision.quality_level}" if decision.quality_level else ""
    return f"{decision.headline}: {decision.source} {in_words(summary.overall)} {mean_text(deciding.estimate)}{level}"


def describe_verdicts(named: Mapping[str, RunOutcome]) -> Document:
    """Several runs, name -> outcome: a line for each."""
    lines = []
    for name, outcome in named.items():
        said = first_words(outcome)
        lines.append(Bullet((Name(name), ": ", *(said if isinstance(said, tuple) else (said,)))))
    return document([Bullets(tuple(lines))])


def _subject(outcome: RunOutcome) -> Iterator[Part]:
    yield Paragraph(subject(outcome))
    size, spent, saved = extent(outcome), cost(outcome.summary), from_cache(outcome.summary)
    used, first = tokens(outcome.summary), first_words_in(outcome.summary)
    yield Only(Paragraph(", ".join(part for part in (size, used, spent, saved, first) if part)), short=False)
    yield Only(Paragraph(", ".join(part for part in (size, spent, saved, first) if part)), short=True)
    yield Bullets(tuple(Bullet(f"note: {note}") for note in outcome.notes[:MOST_NOTES]))


def gate_blocks(gate: "RegressionResult | GateResult | None") -> Iterator[Part]:
    """The gate's answer and its reasons, where one was asked for."""
    if gate is not None:
        yield Heading(gate_line(gate), tone="good" if gate.passed else "bad")
        yield Bullets(tuple(map(Bullet, gate.reasons)))
    if gate is not None and not isinstance(gate, GateResult) and gate.checks:
        yield Only(table(HELD, gate.checks, lambda check: "" if check.passed else "bad"), short=False)
        yield Only(Bullets(tuple(map(Bullet, gate.assumptions))), short=False)


HELD: "Fields[Check]" = [
    (Column("held against its margin"), lambda check: in_words(check.metric)),
    (Column("by"), lambda check: check.source),
    (Column("difference"), lambda check: numbers.with_sign(check.difference)),
    (Column("lower bound"), lambda check: numbers.with_sign(check.low)),
    (Column("margin"), lambda check: f"{-check.margin:g}"),
    (Column(""), lambda check: "" if check.passed else "FAILED"),
]


def _checks(summary: Summary, rules: Mapping[str, str]) -> Iterator[Part]:
    """Case by case, what a check cannot tell and where one fails, with its evidence; in short the first ones."""
    sections: tuple[tuple[str, Sequence[CaseChecks], Tone], ...] = (
        ("Checks that cannot tell", summary.checks.open, "warning"),
        ("Checks that failed", summary.checks.failed, "bad"),
    )
    for title, cases, tone in sections:
        if cases:
            yield Heading(f"{title}, in {numbers.times(len(cases), 'case')}", tone=tone)
            whole, short = list(_evidence(cases, tone, rules)), list(_evidence(cases, tone, {}))
            yield Only(Bullets(whole, brief=60, rest="report.html and summary.json"), short=False)
            yield Only(Bullets(short, brief=MOST_FAILED_SHORT, rest="report.html and summary.json"), short=True)


def _evidence(cases: Sequence[CaseChecks], tone: Tone, rules: Mapping[str, str]) -> Iterator[Bullet]:
    """The evidence of each check, below it the rule where one is given."""
    for case in cases:
        where = f"{case.scenario_id}, repeat {case.repeat}" if case.repeat > 1 else case.scenario_id
        yield Bullet((Name(where), ": ", Outside(case.user_input)))
        for check, said in case.checks.items():
            yield Bullet((Name(check), ": ", Outside(said)), tone, depth=1)
            if check in rules:
                yield Bullet(f"passes when: {rules[check]}", "dim", depth=2)


def _repeated_checks(summary: Summary) -> Iterator[Part]:
    """How likely k repeats of a case all pass, on average, and the cases that pass in some repeats only."""
    repeated = summary.checks.repeated
    if repeated is None:
        return
    shares = ", ".join(f"pass^{k} {numbers.score(value)}" for k, value in repeated.pass_hat.items())
    yield Heading("All checks pass in each of k repeats of a case")
    yield Paragraph(f"{shares} on average of {numbers.times(len(repeated.cases), 'case')}")
    unsteady = [
        Bullet((Name(case.scenario_id), f": passes in {case.passed} of {case.repeats} repeats"), "warning")
        for case in repeated.unsteady
    ]
    yield Bullets(unsteady, brief=MOST_FAILED_SHORT, rest=REST)


def _talks(summary: Summary) -> Iterator[Part]:
    """In short, a line on conversations as a whole."""
    talks = summary.conversations
    if talks is not None and talks.counted and summary.counts.scored + summary.counts.unparsed:
        yield Only(Paragraph(means_in_short(talks)), short=True)


def _agreement(outcome: RunOutcome) -> Iterator[Part]:
    """Under the tables: where nothing was scored there is nothing to believe."""
    counts = outcome.summary.counts
    if outcome.agreement and counts.scored + counts.unparsed:
        yield Only(Paragraph(in_one_line(outcome.agreement)), short=True)
        yield from describe_agreement(outcome.agreement)


def _memory(summary: Summary) -> Iterator[Part]:
    if summary.memory is not None:
        yield from describe_memory(summary.memory)


def _conversations(summary: Summary) -> Iterator[Block]:
    if summary.conversations is not None:
        yield from describe_conversations(summary.conversations)


def _weakest(outcome: RunOutcome) -> Iterator[Block]:
    summary, items = outcome.summary, []
    for weak in summary.weakest:
        parts = response_parts(weak.result, outcome)
        why = _why(telling_metrics(weak.result, summary.overall))
        items += _weak_entry(weak, parts, [*why, *_judged(judgement(weak.result, summary.overall), LONG)], LONG)
    if items:
        yield Heading(f"{numbers.times(len(summary.weakest), 'weakest response')} ({summary.source})")
        yield Bullets(items)


def _weakest_in_short(outcome: RunOutcome) -> Iterator[Block]:
    summary, items = outcome.summary, []
    # What must never happen comes first, and a screen has room for one of both.
    most = 1 if summary.expectations is not None and summary.expectations.critical.items else MOST_WEAK_SHORT
    for weak in summary.weakest[:most]:
        parts = response_parts(weak.result, outcome)[:1]
        said = _judged(judgement(weak.result, summary.overall), ONE_LINE)
        items += _weak_entry(weak, parts, said or _why(telling_metrics(weak.result, summary.overall)[:1]), ONE_LINE)
    if items:
        yield Heading(f"The weakest of {numbers.times(summary.counts.planned, 'response')} ({summary.source})")
        yield Bullets(items)


def _weak_entry(
    weak: WeakExchange, parts: Sequence[tuple[str, str]], why: Sequence[Words], columns: int
) -> list[Bullet]:
    """One weak response: what was said, in at most so many columns each, and why it is weak."""
    said = [("user", weak.result.exchange.user_input), *parts]
    lines: list[Words] = [(f"{title}: ", Outside(text, columns)) for title, text in said]
    return _entry((f"{numbers.score(weak.value)} ", Name(place(weak.result))), [*lines, *why])


def _why(scores: Sequence[Score]) -> list[Words]:
    return [(f"{in_words(low.metric)} {numbers.score(low.value)}: ", Outside(low.explanation)) for low in scores]


def _judged(said: str, columns: int) -> list[Words]:
    return [("judge: ", Outside(said, columns))] if said else []


def _disagreements(outcome: RunOutcome) -> Iterator[Block]:
    items = []
    for each in worth_listing(outcome.disagreements):
        lines: list[Words] = [("response: ", Outside(each.result.exchange.response))]
        if each.result.verdict is not None:
            lines.append(("judge: ", Outside(each.result.verdict.reasoning)))
        figures = f"rules {numbers.score(each.heuristic)}, judge {numbers.score(each.judge)} "
        items += _entry((figures, Name(place(each.result))), lines)
    if items:
        yield Heading("Rules and judge disagree most on")
        yield Bullets(items)


def _entry(title: Words, lines: Sequence[Words]) -> list[Bullet]:
    return [Bullet(title, "strong"), *(Bullet(words, depth=1) for words in lines)]


def _incidents(outcome: RunOutcome) -> Iterator[Part]:
    summary, counts = outcome.summary, outcome.summary.counts
    yield Heading("Exchanges", printed=False)
    if counts.scored < counts.planned:
        yield Paragraph(ends(summary), "strong")
    else:
        yield Only(Paragraph(ends(summary), "strong"), short=False)
    failures = [
        Bullet(
            (Name(each.kind), f" x {each.count}, first in ", Name(each.scenario_id), ": ", Outside(each.message)), "bad"
        )
        for each in summary.failures
    ]
    said = [Bullet(text, "warning") for text in incidents(summary)]
    aside = [Bullet(text) for text in checks(outcome)]
    reasons = finish_reasons(summary)
    aside += [Bullet(("finish reasons: ", Outside(reasons)))] if reasons else []
    yield Only(Bullets([*said, *aside, *failures], brief=20, rest=REST), short=False)
    report = outcome.canaries
    unasked = report is not None and report.answered < report.asked
    yield Only(Bullets([*said, *aside[:unasked], *failures], brief=MOST_INCIDENTS_SHORT, rest=REST), short=True)


def _places(outcome: RunOutcome) -> Iterator[Block]:
    files = f" ({', '.join(outcome.files)})" if outcome.files else ""
    yield Paragraph(("run ", Name(outcome.run.run_id), ": files in ", Outside(outcome.directory), files))
    yield from (Command(title, address) for title, address in outcome.links.items())
    if outcome.next_command:
        yield Command("to go on", outcome.next_command)


def _end(outcome: RunOutcome) -> Iterator[Block]:
    """The end of the short report: where Langfuse has it, the verdict once more, its page, and one command."""
    yield from (Command(title, url) for title, url in outcome.links.items() if not title.startswith(TRACE_OF))
    yield Paragraph(first_words(outcome), TONES.get(outcome.decision.verdict or "", "strong"))
    if outcome.decision.aside:
        yield Paragraph(outcome.decision.aside, "bad")
    yield Command("", f"{outcome.directory}/report.html")
    if outcome.next_command:
        yield Command("to go on", outcome.next_command)
    else:
        yield Command("all of it", show_command(outcome.run.run_id))
