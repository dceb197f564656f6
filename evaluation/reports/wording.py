"""The sentences on a run that its reports share: terminal, Markdown, page and comparison say them alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.commands import write_command
from evaluation.decision.decide import Decision
from evaluation.decision.first_line import TITLES
from evaluation.decision.gate import GateResult
from evaluation.judging.giving_up import GivenUp
from evaluation.messages import call_text
from evaluation.outcome import RunOutcome
from evaluation.records import Reply, Result
from evaluation.reports.languages import incidents_of, unreviewed
from evaluation.runspec import REHEARSAL as REHEARSAL_IDENTITY
from evaluation.summary.summary import Summary
from evaluation.text import numbers
from evaluation.text.names import in_words

if TYPE_CHECKING:
    from evaluation.comparison.gate import RegressionResult

REHEARSAL = "rehearsal model: a scripted stand-in, not a language model"
REHEARSAL_JUDGE = "rehearsal judge: a scripted stand-in, its scores say nothing about quality"
PRODUCTION = "responses of production: users had them already, and no model was asked for them"
SAMPLE = "sample assistant: the embedded demonstration, not an application of yours"
ENDINGS = {
    "length": "cut off at the token limit",
    "content_filter": "stopped by a content filter",
    "refusal": "refused by the model",
    "tool_calls": "ended with a call of a tool that has no result",
    "tool_rounds": "ended after the rounds of tools that a turn may have",
}
"""Finish reasons that a reader should know of."""
SHOWN_PARTS = ("response", "options", "selected", "errors")
"""Of a response that is shown by its parts, those that a summary has room for."""


def given_up_parts(judge: GivenUp) -> tuple[tuple[str, str], ...]:
    """A title and a text each; the texts may be hostile."""
    answer = (("it answered: ", judge.answer),) if judge.answer else ()
    asked = ("it was asked: ", f"{judge.model} in format {judge.form}")
    return (("the problem: ", judge.problem), *answer, asked)


def beyond(headline: str, grounds: Sequence[str]) -> list[str]:
    """The grounds that a first line does not say already."""
    return [ground for ground in grounds if ground.lower() not in headline.lower()]


def banners(outcome: RunOutcome) -> list[str]:
    """The lines that must stand on every output of the run."""
    said = unreviewed(outcome.summary)
    return [*_banners(outcome), *([said] if said else [])]


def _banners(outcome: RunOutcome) -> list[str]:
    run, judge = outcome.run, outcome.run.spec.judge
    scripted = judge is not None and judge.endpoint.startswith(REHEARSAL_IDENTITY)
    if run.spec.of_production:
        return [PRODUCTION, *[REHEARSAL_JUDGE] * scripted]
    if not run.of_application:
        return [REHEARSAL] if run.spec.embedded else []
    return [SAMPLE] * run.spec.embedded + [REHEARSAL_JUDGE] * scripted


def reasons(summary: Summary, decision: Decision | None) -> tuple[str, ...]:
    """The grounds of the verdict; of a suite that decides nothing and checks something, what can be decided."""
    if decision is None:
        return ()
    if decision.verdict is None and summary.checks.cases:
        unfit = decision.reasons if decision.judge_fit is False else ()
        comparison = write_command("compare", BASE="RUN_ID", PROMPT="last")
        undecided = f"nothing is decided on one run: hold it against another, with {comparison}"
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
    return f"{in_words(summary.overall)} by source: {', '.join(parts)}"


def subject(outcome: RunOutcome) -> str:
    """Says what was evaluated, and who answered."""
    spec = outcome.run.spec
    pin = spec.prompt
    asked = f"suite {spec.suite}" if pin is None else f"prompt {pin.title} (from {pin.source})"
    who = f"application {outcome.application}" if outcome.application else f"model {spec.model}"
    if spec.of_production:
        who = f"responses of {spec.endpoint}"
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
    spent = summary.tokens
    said = " + ".join(
        f"{numbers.count(part.input_tokens)} in / {numbers.count(part.output_tokens)} out{label}"
        for part, label in (
            (spent.generation, ""),
            (spent.judge, " (judge)"),
            (spent.expectations, " (expectations)"),
            (spent.conversations, " (conversations)"),
            (spent.checks, " (judge's check)"),
        )
        if part.calls
    )
    return f"tokens {said}" if said else ""


def cost(summary: Summary) -> str:
    """Of all calls that were paid."""
    return f"cost {numbers.money(summary.cost_usd)}"


def from_cache(summary: Summary) -> str:
    """How much of the input came from the provider's own cache, and what that saved; empty where nothing did.

    The judge's input includes that of expectations, of conversations and of its check.
    """
    said, spent = [], summary.tokens
    of_judge = (spent.judge, spent.expectations, spent.conversations, spent.checks)
    for whose, parts in (("model", (spent.generation,)), ("judge", of_judge)):
        cached, saved = sum(part.cached_input_tokens for part in parts), sum(part.saved_usd for part in parts)
        if cached:
            share = numbers.percent(cached / sum(part.input_tokens for part in parts))
            at = f"{saved:.{2 if saved >= 0.1 else 4}f} USD saved" if saved else "no discount on it is known"
            said.append(f"{share} of the {whose}'s input from cache, {at}")
    return "; ".join(said)


def gate_line(gate: "RegressionResult | GateResult") -> str:
    """The gate's answer."""
    return f"gate {gate.gate}: {'passed' if gate.passed else 'FAILED'}"


def response_parts(result: Result, outcome: RunOutcome) -> list[tuple[str, str]]:
    """The shown parts of a response: a name and a text each; by their names alone the parts of one that is no text."""
    exchange = result.exchange
    show = outcome.run.suite.show
    if show is None:
        called = [("calls", call_text(call)) for call in exchange.tool_calls]
        if exchange.words == "" and isinstance(exchange.outcome, Reply):
            called.append(("as it came, without the field that is scored", exchange.outcome.text))
        return [*([("response", exchange.response)] if exchange.response else []), *called] or [("response", "(empty)")]
    return [(name, text) for name, text in show(exchange) if name in SHOWN_PARTS]


def place(result: Result) -> str:
    """Scenario, repeat and turn of the exchange."""
    cell = result.exchange.cell
    return f"{cell.scenario_id}, repeat {cell.repeat}, turn {result.exchange.turn}"


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
    if summary.languages is not None:
        found += incidents_of(summary.languages)
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
    if summary.tokens.moderation.calls:
        found.append(f"moderated: {numbers.times(summary.tokens.moderation.calls, 'response')}")
    if summary.tokens.embedding.calls:
        found.append(f"embedded: {numbers.times(summary.tokens.embedding.calls, 'text')}")
    return found


def finish_reasons(summary: Summary) -> str:
    """All of them with their counts."""
    return ", ".join(f"{reason or '(none)'} {numbers.count(count)}" for reason, count in summary.finish_reasons.items())


def show_command(run_id: str) -> str:
    """The command that prints all of a run."""
    return write_command("runs", "show", run_id)
