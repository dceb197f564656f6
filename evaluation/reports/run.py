"""The report of a run as a document, the verdict and its reasons first; and the sentences that other reports share."""

from collections.abc import Iterator, Mapping, Sequence

from evaluation.commands import write_command
from evaluation.comparison.gate import Check, RegressionResult
from evaluation.decision.decide import Decision
from evaluation.decision.first_line import TITLES
from evaluation.decision.gate import GateResult
from evaluation.judging.giving_up import GivenUp
from evaluation.outcome import TRACE_OF, RunOutcome
from evaluation.records import Result, Source
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
    Only,
    Outside,
    Paragraph,
    Part,
    Row,
    Table,
    TableCell,
    Tone,
    Words,
    document,
    in_detail,
    in_short,
    table,
)
from evaluation.reports.weakest import judgement, telling_metrics
from evaluation.runspec import REHEARSAL as REHEARSAL_IDENTITY
from evaluation.summary.disagreement import worth_listing
from evaluation.summary.summary import MetricSummary, MetricTable, Summary
from evaluation.text import numbers

REHEARSAL = "rehearsal model: a scripted stand-in, not a language model"
REHEARSAL_JUDGE = "rehearsal judge: a scripted stand-in, its scores say nothing about quality"
SAMPLE = "sample assistant: the embedded demonstration, not an application of yours"
TONES: Mapping[str, Tone] = {"deploy": "good", "ab_test": "warning", "needs_revision": "bad"}
ENDINGS = {
    "length": "cut off at the token limit",
    "content_filter": "stopped by a content filter",
    "refusal": "refused by the model",
}
"""Finish reasons that a reader should know of."""
SHOWN_PARTS = ("response", "options", "selected", "errors")
"""Of a response that is shown by its parts, those that a summary has room for."""
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
        _failed_checks(summary),
        *(_metrics(summary, sources) for sources in _abreast(summary)),
        in_detail(_measures(summary)),
        in_detail(_categories(summary)),
        (*in_detail(_weakest(outcome)), *in_short(_weakest_in_short(outcome))),
        in_detail(_disagreements(outcome)),
        _incidents(outcome),
        (*in_detail(_places(outcome)), *in_short(_end(outcome))),
    )


def _verdict(outcome: RunOutcome) -> Iterator[Part]:
    summary, decision = outcome.summary, outcome.decision
    yield from map(Banner, banners(outcome))
    yield Heading(first_words(outcome), level=2, tone=TONES.get(decision.verdict or "", "strong"))
    grounds, each = beyond(decision.headline, reasons(summary, decision)), beside(summary, decision)
    # The table has the means of the sources: their verdicts are news where they differ.
    differ = len({choice.verdict for choice in decision.by_source.values()}) > 1
    yield Only(Bullets([Bullet(text) for text in (*grounds, each) if text]), short=False)
    yield Only(Bullets([Bullet(text) for text in (*grounds, each if differ else "") if text]), short=True)
    yield from _given_up(outcome)


def _given_up(outcome: RunOutcome) -> Iterator[Block]:
    """In the place of a verdict: what the judge said, and the ways out."""
    judge = outcome.given_up
    if judge is not None:
        yield Bullets(tuple(Bullet((title, Outside(text)), "bad") for title, text in given_up_parts(judge)))
        yield Command("to have it judged otherwise", outcome.run.judged_otherwise_command(judge.another_form))
        yield Command("to go on when the judge is mended", outcome.next_command)


def given_up_parts(judge: GivenUp) -> tuple[tuple[str, str], ...]:
    """A title and a text each; the texts may be hostile."""
    answer = (("it answered: ", judge.answer),) if judge.answer else ()
    asked = ("it was asked: ", f"{judge.model} in format {judge.form}")
    return (("the problem: ", judge.problem), *answer, asked)


def first_words(outcome: RunOutcome) -> Words:
    """The first line: the headline, and the mean that it rests on, unless the reasons name it as found so far."""
    summary, decision = outcome.summary, outcome.decision
    deciding = summary.deciding()
    decided = decision.verdict is not None or not decision.by_source or decision.judge_fit is False
    if deciding is None or deciding.estimate.mean is None or not decided:
        return decision.headline
    level = f", {decision.quality_level}" if decision.quality_level else ""
    return f"{decision.headline}: {summary.source} ", Name(summary.overall), f" {_mean(deciding)}{level}"


def beyond(headline: str, grounds: Sequence[str]) -> list[str]:
    """The grounds that a first line does not say already."""
    return [ground for ground in grounds if ground.lower() not in headline.lower()]


def banners(outcome: RunOutcome) -> list[str]:
    """The lines that must stand on every output of the run."""
    run, judge = outcome.run, outcome.run.spec.judge
    if not run.of_application:
        return [REHEARSAL] if run.spec.embedded else []
    scripted = judge is not None and judge.endpoint.startswith(REHEARSAL_IDENTITY)
    return [SAMPLE] * run.spec.embedded + [REHEARSAL_JUDGE] * scripted


def reasons(summary: Summary, decision: Decision | None) -> tuple[str, ...]:
    """The grounds of the verdict; of a suite that decides nothing and checks something, what can be decided."""
    if decision is None:
        return ()
    if decision.verdict is None and summary.checked:
        unfit = decision.reasons if decision.judge_fit is False else ()
        undecided = "nothing is decided on one run: hold it against another with make compare, or --gate no_regression"
        return (*unfit, undecided)
    return decision.reasons


def beside(summary: Summary, decision: Decision | None) -> str:
    """The verdicts of the single sources, side by side; empty with one source or none."""
    if decision is None or len(decision.by_source) < 2:
        return ""
    parts = (
        " ".join([source, *([TITLES[found.verdict].lower()] if found.verdict else []), numbers.score(found.overall)])
        for source, found in decision.by_source.items()
    )
    return f"{summary.overall} by source: {', '.join(parts)}"


def _subject(outcome: RunOutcome) -> Iterator[Part]:
    yield Paragraph(subject(outcome))
    size, spent, saved = extent(outcome), cost(outcome.summary), from_cache(outcome.summary)
    used = tokens(outcome.summary)
    yield Only(Paragraph(", ".join(part for part in (size, used, spent, saved) if part)), short=False)
    yield Only(Paragraph(", ".join(part for part in (size, spent, saved) if part)), short=True)
    yield Bullets(tuple(Bullet(f"note: {note}") for note in outcome.notes[:MOST_NOTES]))


def subject(outcome: RunOutcome) -> str:
    """Says what was evaluated, and who answered."""
    spec = outcome.run.spec
    pin = spec.prompt
    asked = f"suite {spec.suite}" if pin is None else f"prompt {pin.title} (from {pin.source})"
    who = f"application {outcome.application}" if outcome.application else f"model {spec.model}"
    return f"{asked}, {who}, {f'judge {outcome.judge_model}' if outcome.judge_model else 'no judge'}"


def extent(outcome: RunOutcome) -> str:
    """Says how much was evaluated, and in what time."""
    summary, run = outcome.summary, outcome.run
    parts = []
    if run.scenarios:
        parts.append(f"{numbers.times(len(run.scenarios), 'scenario')} x {numbers.times(run.spec.repeats, 'repeat')}")
    parts.append(numbers.times(summary.counts.planned, "exchange"))
    if summary.wall_seconds is not None:
        parts.append(numbers.duration(summary.wall_seconds))
    return ", ".join(parts)


def tokens(summary: Summary) -> str:
    """The tokens that each part of the run used; empty where no endpoint named any."""
    spent = " + ".join(
        f"{numbers.count(part.input_tokens)} in / {numbers.count(part.output_tokens)} out{label}"
        for part, label in ((summary.generation, ""), (summary.judge, " (judge)"), (summary.checks, " (judge's check)"))
        if part.calls
    )
    return f"tokens {spent}" if spent else ""


def cost(summary: Summary) -> str:
    """Of all calls that were paid."""
    return f"cost {numbers.money(summary.cost_usd)}"


def from_cache(summary: Summary) -> str:
    """How much of the input came from the provider's own cache, and what that saved; empty where nothing did.

    The judge's input includes that of its check: both begin alike.
    """
    said = []
    for whose, parts in (("model", (summary.generation,)), ("judge", (summary.judge, summary.checks))):
        cached, saved = sum(part.cached_input_tokens for part in parts), sum(part.saved_usd for part in parts)
        if cached:
            share = numbers.percent(cached / sum(part.input_tokens for part in parts))
            at = f"{saved:.{2 if saved >= 0.1 else 4}f} USD saved" if saved else "no discount on it is known"
            said.append(f"{share} of the {whose}'s input from cache, {at}")
    return "; ".join(said)


def gate_blocks(gate: RegressionResult | GateResult | None) -> Iterator[Part]:
    """The gate's answer and its reasons, where one was asked for."""
    if gate is not None:
        yield Heading(gate_line(gate), tone="good" if gate.passed else "bad")
        yield Bullets(tuple(map(Bullet, gate.reasons)))
    if isinstance(gate, RegressionResult) and gate.checks:
        yield Only(table(HELD, gate.checks, lambda check: "" if check.passed else "bad"), short=False)
        yield Only(Bullets(tuple(map(Bullet, gate.assumptions))), short=False)


HELD: Fields[Check] = [
    (Column("held against its margin"), lambda check: Name(check.metric)),
    (Column("by"), lambda check: check.source),
    (Column("difference"), lambda check: numbers.with_sign(check.difference)),
    (Column("lower bound"), lambda check: numbers.with_sign(check.low)),
    (Column("margin"), lambda check: f"{-check.margin:g}"),
    (Column(""), lambda check: "" if check.passed else "FAILED"),
]


def gate_line(gate: RegressionResult | GateResult) -> str:
    """The gate's answer."""
    return f"gate {gate.gate}: {'passed' if gate.passed else 'FAILED'}"


def _failed_checks(summary: Summary) -> Iterator[Part]:
    """Case by case, each failed check with its evidence; in short the first ones."""
    items = []
    for failed in summary.failed_checks:
        where = f"{failed.scenario_id}, repeat {failed.repeat}" if failed.repeat > 1 else failed.scenario_id
        items.append(Bullet((Name(where), ": ", Outside(failed.user_input))))
        items += [
            Bullet((Name(check), ": ", Outside(evidence)), "bad", depth=1) for check, evidence in failed.checks.items()
        ]
    if items:
        yield Heading(f"Checks that failed, in {numbers.times(len(summary.failed_checks), 'case')}", tone="bad")
        yield Only(Bullets(items, brief=60, rest="report.html and summary.json"), short=False)
        yield Only(Bullets(items, brief=MOST_FAILED_SHORT, rest="report.html and summary.json"), short=True)


def _abreast(summary: Summary) -> list[list[Source]]:
    """The sources, those side by side that score the same metrics: checks stand in a table of their own."""
    others: list[Source] = [source for source in summary.metrics if source != "check"]
    checks: list[Source] = ["check"] if "check" in summary.metrics else []
    return [sources for sources in (checks, others) if sources] or [[]]


def _metrics(summary: Summary, sources: Sequence[Source]) -> Iterator[Part]:
    names = dict.fromkeys(metric for source in sources for metric in summary.metrics[source])
    # Of nothing there are no means: a screen has room for what ended the run.
    measured = bool(summary.counts.scored + summary.counts.unparsed)
    if names:
        yield Heading("Metrics", printed=False)
        rows = [
            _row(metric, summary.metrics, sources, metric, "strong" if metric == summary.overall else "")
            for metric in names
        ]
        table = Table([Column("mean [95% interval]"), *map(Column, sources)], rows, rest=REST)
        yield table if measured else Only(table, short=False)
    scored = [metric for source in sources for metric in summary.metrics[source].values()]
    missing = not scored or any(map(_incomplete, scored))
    yield Paragraph(_coverage(scored)) if missing and measured else Only(Paragraph(_coverage(scored)), short=False)


def _row(title: str, table: MetricTable, sources: Sequence[Source], metric: str, tone: Tone = "") -> Row:
    cells = (_cell(table.get(source, {}).get(metric)) for source in sources)
    return Row([Name(title), *cells], tone)


def _cell(summary: MetricSummary | None) -> TableCell:
    if summary is None:
        return TableCell("")
    if not summary.planned:
        return TableCell("not applicable")
    below = f"{numbers.percent(summary.coverage)} {numbers.interval(summary.bounds)}" if _incomplete(summary) else ""
    return TableCell(_mean(summary), below)


def _mean(summary: MetricSummary) -> str:
    found = summary.estimate
    ends = "" if found.ci95 is None else f" {numbers.interval(found.ci95)}"
    return f"{numbers.score(found.mean)}{ends}"


def _incomplete(summary: MetricSummary) -> bool:
    return summary.estimate.n < summary.planned


def _coverage(metrics: Sequence[MetricSummary]) -> str:
    if not metrics:
        return "nothing was scored"
    if any(map(_incomplete, metrics)):
        return (
            "coverage: 100% of the applicable planned exchanges where no share is shown; else the share, and within "
            "[worst, best] the mean that the missing ones leave possible"
        )
    return "coverage: 100% of the applicable planned exchanges, everywhere"


def _measures(summary: Summary) -> Iterator[Block]:
    if summary.measures:
        yield Heading("For information, on scales of their own")
        rows = [Row([Name(title), _cell(measure)]) for title, measure in summary.measures.items()]
        yield Table([Column("measure"), Column("mean [95% interval]")], rows, rest=REST)


def _categories(summary: Summary) -> Iterator[Block]:
    if len(summary.by_category) > 1:
        sources = [source for source in summary.metrics if summary.overall in summary.metrics[source]]
        yield Heading((Name(summary.overall), " by category"), printed=False)
        rows = [_row(title, table, sources, summary.overall) for title, table in summary.by_category.items()]
        yield Table([Column("by category"), *map(Column, sources)], rows, rest=REST)


def _weakest(outcome: RunOutcome) -> Iterator[Block]:
    summary, items = outcome.summary, []
    for weak in summary.weakest:
        result = weak.result
        lines: list[Words] = [("user: ", Outside(result.exchange.user_input))]
        lines += [(f"{title}: ", Outside(text)) for title, text in response_parts(result, outcome)]
        for low in telling_metrics(result, summary.overall):
            lines.append((Name(low.metric), f" {numbers.score(low.value)}: ", Outside(low.explanation)))
        lines += [("judge: ", Outside(said)) for said in [judgement(result, summary.overall)] if said]
        items += _entry((f"{numbers.score(weak.value)} ", Name(place(result))), lines)
    if items:
        yield Heading(f"{numbers.times(len(summary.weakest), 'weakest response')} ({summary.source})")
        yield Bullets(items)


def _weakest_in_short(outcome: RunOutcome) -> Iterator[Block]:
    summary, items = outcome.summary, []
    for weak in summary.weakest[:MOST_WEAK_SHORT]:
        result = weak.result
        lines: list[Words] = [("user: ", Outside(result.exchange.user_input, ONE_LINE))]
        lines += [(f"{title}: ", Outside(text, ONE_LINE)) for title, text in response_parts(result, outcome)[:1]]
        if said := judgement(result, summary.overall):
            lines.append(("judge: ", Outside(said, ONE_LINE)))
        else:
            why = telling_metrics(result, summary.overall)[:1]
            lines += [(Name(low.metric), f" {numbers.score(low.value)}: ", Outside(low.explanation)) for low in why]
        items += _entry((f"{numbers.score(weak.value)} ", Name(place(result))), lines)
    if items:
        yield Heading(f"The weakest of {numbers.times(summary.counts.planned, 'response')} ({summary.source})")
        yield Bullets(items)


def response_parts(result: Result, outcome: RunOutcome) -> list[tuple[str, str]]:
    """The shown parts of a response: a name and a text each; by their names alone the parts of one that is no text."""
    exchange = result.exchange
    show = outcome.run.suite.show
    if show is None:
        return [("response", exchange.response or "(empty)")]
    return [(name, text) for name, text in show(exchange) if name in SHOWN_PARTS]


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


def place(result: Result) -> str:
    """Scenario, repeat and turn of the exchange."""
    cell = result.exchange.cell
    return f"{cell.scenario_id}, repeat {cell.repeat}, turn {result.exchange.turn}"


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


def ends(summary: Summary) -> str:
    """Says how the planned exchanges ended."""
    counts = summary.counts
    return (
        f"{numbers.times(counts.planned, 'planned exchange')}: {counts.scored} scored, {counts.failed} failed, "
        f"{counts.unparsed} unparsed, {counts.skipped} skipped"
    )


def incidents(summary: Summary) -> list[str]:
    """Everything that did not go as planned, one sentence each; the failures themselves are stated separately."""
    found = []
    if summary.fallbacks:
        use = "their stand-in is part of the means" if summary.judge_fallback == "include" else "outside the means"
        found.append(f"{numbers.times(summary.fallbacks, 'judge verdict')} could not be read: {use}")
    if summary.injections:
        found.append(f"{numbers.times(summary.injections, 'response')} may be addressing the judge: look at them")
    for reason, text in ENDINGS.items():
        if summary.finish_reasons.get(reason):
            found.append(f"{numbers.times(summary.finish_reasons[reason], 'response')} {text}")
    if summary.cached_replies or summary.cached_verdicts:
        found.append(
            f"from earlier runs, unpaid: {numbers.times(summary.cached_replies, 'response')}, "
            f"{numbers.times(summary.cached_verdicts, 'verdict')}"
        )
    return found


def checks(outcome: RunOutcome) -> list[str]:
    """Says how the judge did on exchanges of known quality, and how much was moderated; a sentence each."""
    found, summary, report = [], outcome.summary, outcome.canaries
    if report is not None:
        source = ", as answered in earlier runs" if report.reused else ""
        found.append(
            f"judge's check: {report.answered} of {report.asked} exchanges of known quality{source}, "
            f"{len(report.missed)} of {len(report.figures)} expectations missed: "
            f"{'passed' if report.passed else 'not to its end' if report.fit is None else 'failed'}"
        )
    if summary.moderation.calls:
        found.append(f"moderated: {numbers.times(summary.moderation.calls, 'response')}")
    return found


def finish_reasons(summary: Summary) -> str:
    """All of them with their counts."""
    return ", ".join(f"{reason or '(none)'} {numbers.count(count)}" for reason, count in summary.finish_reasons.items())


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
    yield Command("", f"{outcome.directory}/report.html")
    if outcome.next_command:
        yield Command("to go on", outcome.next_command)
    else:
        yield Command("all of it", show_command(outcome.run.run_id))


def show_command(run_id: str) -> str:
    """The command that prints all of a run."""
    return write_command("runs", "show", run_id)
