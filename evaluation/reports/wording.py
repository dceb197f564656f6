"""The sentences that every report shares, from the figures of a summary."""

from collections.abc import Iterator

from evaluation.comparison.gate import RegressionResult
from evaluation.decision.decide import Decision
from evaluation.decision.gate import GateResult
from evaluation.outcome import RunOutcome
from evaluation.records import Result
from evaluation.reports.document import Block, Heading, bullets
from evaluation.runspec import REHEARSAL as REHEARSAL_IDENTITY
from evaluation.summary.summarise import Summary
from evaluation.text import numbers

REHEARSAL = "rehearsal model: a scripted stand-in, not a language model"
REHEARSAL_JUDGE = "rehearsal judge: a scripted stand-in, its scores say nothing about quality"
SAMPLE = "sample assistant: the embedded demonstration, not an application of yours"
TITLES = {"deploy": "DEPLOY", "ab_test": "A/B TEST", "needs_revision": "NEEDS REVISION"}
ENDINGS = {
    "length": "cut off at the token limit",
    "content_filter": "stopped by a content filter",
    "refusal": "refused by the model",
}
"""Finish reasons that a reader should know of."""


SHOWN_PARTS = ("response", "options", "selected", "errors")
"""Of a response that is shown by its parts, those that a summary has room for."""


def headline(decision: Decision | None, summary: Summary | None = None) -> str:
    """The verdict and whether it holds; where nothing is decided and something was checked, how the checks ended."""
    if decision is None or decision.verdict is None:
        if summary is None or not summary.checked:
            return "NO VERDICT"
        failing = len(summary.failed_checks)
        if not failing:
            return f"ALL CHECKS PASS in {numbers.times(summary.checked, 'case')}"
        return f"CHECKS FAIL in {failing} of {numbers.times(summary.checked, 'case')}"
    return f"{TITLES[decision.verdict]} ({'stable' if decision.stable else 'not stable'})"


def subject(outcome: RunOutcome) -> str:
    """Says what was evaluated, and who answered."""
    spec = outcome.run.spec
    pin = spec.prompt
    parts = [f"suite {spec.suite}" if pin is None else f"prompt {pin.title} (from {pin.source})"]
    parts.append(f"application {outcome.application}" if outcome.application else f"model {spec.model}")
    parts.append(f"judge {outcome.judge_model}" if outcome.judge_model else "no judge")
    return ", ".join(parts)


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
        return ("nothing is decided on one run: hold it against another with make compare, or --gate no_regression",)
    return decision.reasons


def response_parts(result: Result, outcome: RunOutcome) -> list[tuple[str, str]]:
    """The shown parts of a response: a name and a text each; by their names alone the parts of one that is no text."""
    exchange = result.exchange
    show = outcome.run.suite.show
    if show is None:
        return [("response", exchange.response or "(empty)")]
    return [(name, text) for name, text in show(exchange) if name in SHOWN_PARTS]


def size(outcome: RunOutcome) -> str:
    """Says how much was evaluated, in what time and for how much."""
    return ", ".join(part for part in (extent(outcome), tokens(outcome.summary), cost(outcome.summary)) if part)


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


def beside(summary: Summary, decision: Decision | None) -> str:
    """The verdicts of the single sources, side by side; empty with one source or none."""
    if decision is None or len(decision.by_source) < 2:
        return ""
    parts = []
    for source, choice in decision.by_source.items():
        if choice.verdict is None:
            parts.append(f"{source} -")
        else:
            parts.append(f"{source} {TITLES[choice.verdict].lower()} {numbers.score(choice.overall)}")
    return f"{summary.overall} by source: " + ", ".join(parts)


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
            f"{len(report.missed)} of {report.expectations} expectations missed: "
            f"{'passed' if report.passed else 'failed'}"
        )
    if summary.moderation.calls:
        found.append(f"moderated: {numbers.times(summary.moderation.calls, 'response')}")
    return found


def finish_reasons(summary: Summary) -> str:
    """All of them with their counts."""
    return ", ".join(f"{reason or '(none)'} {numbers.count(count)}" for reason, count in summary.finish_reasons.items())


def gate_lines(result: RegressionResult | GateResult) -> list[str]:
    """The gate's answer and its reasons."""
    return [f"gate {result.gate}: {'passed' if result.passed else 'FAILED'}", *result.reasons]


def gate_blocks(gate: RegressionResult | GateResult | None) -> Iterator[Block]:
    """The gate's answer and its reasons."""
    if gate is not None:
        first, *reasons = gate_lines(gate)
        yield Heading(first, tone="good" if gate.passed else "bad")
        yield from bullets(reasons)
