"""From the runs of a night to its answer: the comparisons, the gate, the cause of the difference, and its delivery."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.commands import write_command
from evaluation.comparison.bridge import Bridge, bridge_comparison, under_the_new_judge
from evaluation.comparison.compare import Comparison, compare
from evaluation.comparison.document import comparison_document
from evaluation.comparison.gate import RegressionRules, no_regression
from evaluation.comparison.items import put_side_by_side
from evaluation.comparison.judges import judge_faults
from evaluation.comparison.runs import RunScores, with_judge_check
from evaluation.delivered import LangfuseReport
from evaluation.nightly.alarm import NightGate, night_gate
from evaluation.nightly.attribution import COMPARED, attribute, changes_between, version_name
from evaluation.nightly.baseline import Baseline
from evaluation.nightly.night import LatestAnswer, Night, NightReport, NightState
from evaluation.nightly.production import ProductionWatch
from evaluation.outcome import RunOutcome
from evaluation.records import Json
from evaluation.reports.comparison import headline as comparison_headline
from evaluation.reports.night_production import production_reasons
from evaluation.reports.nightly import headline, losses, reasons
from evaluation.run import Run
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Fallback
from evaluation.text.names import in_words
from scripts.run.finish import run_figures
from scripts.run.scores import run_scores
from scripts.run.terms import read_waivers
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, USAGE
from services.journal import Journal
from services.langfuse.outbox import OpenCells
from services.langfuse.score_names import Figure, kinds_of_run, own_name
from services.langfuse.session import LangfuseSession
from services.settings import Settings

WITHOUT_PRODUCTION: Mapping[str, tuple[NightState, int]] = {
    "no_baseline": ("no_baseline", USAGE),
    "refused": ("refused", USAGE),
    "failed": ("failed", USAGE),
    "away": ("incomplete", INCOMPLETE),
}
"""How a night ends that holds otherwise, where production was to be watched and was not."""
REPEATED = ("scenarios", "seed")
"""The parts in which the second playing of the same prompt differs."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The runs of a night, played."""

    runs: Mapping[str, RunOutcome]
    """Role -> run."""
    unresolved: str
    """Why the baseline's prompt was not played although it is another; empty where it was or need not be."""
    fallback: Fallback = "exclude"
    """The part of verdicts that could not be read."""
    notes: tuple[str, ...] = ()
    """One line each."""
    bridge: Bridge | None = None
    """From the judge of the baseline to that of tonight; None where it is the same."""
    again: str = ""
    """The command of this night, with its flags."""


def without_answer(night: Night, earlier: Sequence[Night], state: NightState, reason: str, code: int) -> NightReport:
    """A night that ended before it could be answered."""
    ended = replace(night, state=state, ended_at=moment(), reasons=(reason,), exit_code=code)
    return NightReport(ended, earlier)


def answer(
    night: Night,
    evaluated: Evaluated,
    baseline: Baseline | None,
    suite: Suite,
    rules: RegressionRules,
    earlier: Sequence[Night],
    journal: Journal,
    settings: Settings,
) -> tuple[NightReport, Json | None]:
    """The report of a night whose runs have ended, and the document of its comparison."""
    production = evaluated.runs["production"]
    summary = production.summary.deciding()
    night = replace(
        night,
        ended_at=moment(),
        version=version_name(production.run.spec),
        overall=None if summary is None else summary.estimate.mean,
        rehearsal=production.run.spec.embedded,
    )
    report = NightReport(night, earlier, links=production.links, notes=(*evaluated.notes, *production.notes))
    if baseline is None:
        reason = "there is no approved baseline, so that nothing can be said of tonight"
        night = replace(night, state="no_baseline", exit_code=USAGE, reasons=(reason,))
        return replace(report, night=night, next_command=_approval(production)), None
    return _compare(report, evaluated, baseline, suite, rules, journal, settings)


def _compare(
    report: NightReport,
    evaluated: Evaluated,
    baseline: Baseline,
    suite: Suite,
    rules: RegressionRules,
    journal: Journal,
    settings: Settings,
) -> tuple[NightReport, Json]:
    production, bridge = evaluated.runs["production"], evaluated.bridge
    found = _scores_by_role(evaluated, journal, settings)
    scores = found["production"]
    base = baseline.scores if bridge is None else under_the_new_judge(baseline.scores, scores)

    def against_baseline(other: RunScores) -> Comparison:
        held = compare(base, other, suite=suite, by=COMPARED, largest_fall=rules.fall)
        return held if bridge is None else bridge_comparison(held, baseline.scores, other, bridge)

    whole = against_baseline(scores)
    items = None if whole.items is None else put_side_by_side(whole.items, (), ())
    whole = replace(whole, decision=production.decision, items=items)
    repeat = None
    if "repeat" in found:
        repeat = compare(scores, found["repeat"], suite=suite, by=REPEATED, largest_fall=rules.fall)
    gate = night_gate(whole, repeat, suite, rules)
    changes = changes_between(base.spec, production.run.spec)
    parts = None
    if (before := found.get("baseline_prompt")) is not None:
        drift = against_baseline(before)
        parts = (drift, compare(before, scores, suite=suite, by=COMPARED, largest_fall=rules.fall))
    night = _conclude(report.night, gate, evaluated, baseline)
    report = replace(
        report,
        night=night,
        gate=gate,
        changes=changes,
        attribution=attribute(changes, whole, parts, evaluated.unresolved),
        comparison=whole,
        repeat=repeat,
        latest=_latest(evaluated.runs.get("latest"), found, against_baseline, suite, rules),
        approval=baseline.approval,
        notes=(
            *_other_models(baseline.scores.answered_by, scores.answered_by),
            *_other_items(base, scores),
            *_no_conversations(baseline.scores, base, scores),
            *report.notes,
        ),
        next_command=_next(night, production, base, scores, evaluated.again),
    )
    return report, comparison_document(whole, None, comparison_headline(whole))


def _scores_by_role(evaluated: Evaluated, journal: Journal, settings: Settings) -> dict[str, RunScores]:
    """Role -> the scores of its run. One judge, in one pass: it is checked once, with production."""
    production = evaluated.runs["production"]
    waivers, _ = read_waivers(production.run.request.waivers)
    found = {}
    for role, outcome in evaluated.runs.items():
        name = _name(role, outcome.run)
        scores = run_scores(outcome.run, name, journal, settings, evaluated.fallback, waivers)
        found[role] = scores if role == "production" else with_judge_check(scores, production.canaries)
    return found


def with_production(report: NightReport, watch: ProductionWatch) -> NightReport:
    """The report with what production's responses say: a fall raises the alarm, and what is missing is no all-clear."""
    night = report.night
    state, code = night.state, night.exit_code
    if watch.state == "lower":
        state, code = "alarm", code if code in (USAGE, INCOMPLETE) else GATE_FAILED
    elif night.state == "ok" and (missing := WITHOUT_PRODUCTION.get(watch.state)) is not None:
        state, code = missing
    reasons = (*night.reasons, *production_reasons(watch))
    night = replace(night, state=state, exit_code=code, reasons=reasons, production=watch.difference)
    next_command = report.next_command or watch.next_command
    if state == "alarm" and not next_command and watch.tonight is not None:
        next_command = write_command("score-traces", "--resume", watch.tonight.sample_id)
    return replace(report, night=night, production=watch, next_command=next_command)


def _name(role: str, run: Run) -> str:
    return f"{in_words(role)} {version_name(run.spec)}"


def _conclude(night: Night, gate: NightGate, evaluated: Evaluated, baseline: Baseline) -> Night:
    """State and exit code: missing data first, then what is not complete, then the alarm."""
    incomplete = any(outcome.incomplete for outcome in evaluated.runs.values())
    state: NightState = "alarm" if gate.alarmed else "incomplete" if incomplete else "ok"
    code = INCOMPLETE if incomplete else GATE_FAILED if gate.alarmed else DONE
    if not gate.measured:
        state, code = "alarm" if gate.alarmed else "unmeasured", GATE_FAILED
    overall = gate.checks[0] if gate.checks else None
    return replace(
        night,
        state=state,
        exit_code=code,
        reasons=(*losses(gate), *gate.reasons),
        baseline_run_id=baseline.run_id,
        difference=None if overall is None else overall.difference,
        noise_floor=None if overall is None else overall.floor,
    )


def _latest(
    outcome: RunOutcome | None,
    scores: Mapping[str, RunScores],
    against_baseline: Callable[[RunScores], Comparison],
    suite: Suite,
    rules: RegressionRules,
) -> LatestAnswer | None:
    if outcome is None:
        return None
    found = against_baseline(scores["latest"])
    version = version_name(outcome.run.spec)
    return LatestAnswer(version, outcome.run.run_id, found, no_regression(found, suite, rules))


def _other_models(before: Sequence[str], tonight: Sequence[str]) -> list[str]:
    """The endpoint's own word on its models: a new name behind the old one explains a drift."""
    if not before or not tonight or tuple(before) == tuple(tonight):
        return []
    return [f"the endpoint says that {', '.join(tonight)} answered; for the baseline it was {', '.join(before)}"]


def _other_items(before: RunScores, tonight: RunScores) -> list[str]:
    """Why not all expectations of tonight are held against the baseline."""
    if tonight.items is not None and before.items is None:
        return ["the baseline holds no answers to expectations: none is watched until a new one is approved"]
    if tonight.items is not None and before.spec.expectations != tonight.spec.expectations:
        return ["the baseline was made under other expectations: those that both have are compared"]
    return []


def _no_conversations(stored: RunScores, before: RunScores, tonight: RunScores) -> list[str]:
    """Why what the judge says of conversations as a whole is held against nothing; `before` is `stored` as compared."""
    found = tonight.summary.conversations
    if found is not None and not found.counted:
        return ["the judge is not fit for whole conversations: none of tonight's is compared"]
    if tonight.conversations is None or before.conversations is not None:
        return []
    if stored.conversations is None:
        return ["the baseline holds no scores of whole conversations: none is compared until a new one is approved"]
    return ["another judge scored the baseline's whole conversations: they are not compared"]


def _approval(production: RunOutcome) -> str:
    """The command that makes the night's run the baseline; one of the stand-in is refused without the flag."""
    flags = ("--allow-rehearsal",) if production.run.spec.embedded else ()
    return write_command("approve-baseline", *flags, RUN=production.run.run_id)


def _next(night: Night, production: RunOutcome, before: RunScores, tonight: RunScores, again: str) -> str:
    if any(judge_faults((before, tonight))) and not any(judge_faults((tonight,))):
        # However often it is measured, it cannot be held against this baseline.
        return _approval(production)
    if night.state in ("unmeasured", "incomplete"):
        return production.next_command if production.next_command == write_command("sync") else again
    return write_command("runs", "show", production.run.run_id) if night.state == "alarm" else ""


def moment() -> str:
    """Now, ISO 8601, UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def deliver_night(report: NightReport, production: RunOutcome, journal: Journal, settings: Settings) -> NightReport:
    """The report once the scores are delivered; as it was where Langfuse has nothing of the run.

    They are in the outbox first: while Langfuse still lacks the run itself, `make sync` delivers them with the rest.
    """
    before = production.langfuse
    if before is None or report.gate is None:
        return report
    run = production.run
    figures = (*run_figures(production.summary, production.decision), *night_figures(report, run.suite.name))
    OpenCells(run, journal).enqueue_rest(failed=False, figures=figures)
    if not before.complete:
        return report
    session = LangfuseSession(settings, journal, kinds_of_run(run))
    session.take([run])
    after = asyncio.run(_deliver(session, run.run_id, figures, settings.delivery_seconds))
    return report if after is None else with_delivery(report, before, after)


def night_figures(report: NightReport, suite: str) -> Iterator[Figure]:
    """An alarm (1) or none (0), the overall's difference from the baseline, and the noise floor."""
    night, gate = report.night, report.gate
    if gate is None or not gate.measured:
        return
    lower = report.production is not None and report.production.state == "lower"
    figures = (
        ("night.alarm", float(gate.alarmed or lower), "\n".join([headline(report), *reasons(report)])),
        ("night.difference", night.difference, f"overall against baseline {night.baseline_run_id}"),
        ("night.noise_floor", night.noise_floor, "differences of the overall up to this are noise"),
    )
    yield from (Figure(own_name(suite, name), value, why) for name, value, why in figures if value is not None)


def with_delivery(report: NightReport, before: LangfuseReport, after: LangfuseReport) -> NightReport:
    """The report with what Langfuse confirmed in the end; what is still missing makes the night incomplete."""
    notes = (*(after.line() if text == before.line() else text for text in report.notes), *after.problems)
    report = replace(report, notes=notes)
    if after.complete or report.gate is None or not report.gate.measured:
        return report
    night = report.night
    state = "incomplete" if night.state == "ok" else night.state
    code = INCOMPLETE if night.exit_code in (DONE, None) or night.state == "alarm" else night.exit_code
    return replace(report, night=replace(night, state=state, exit_code=code), next_command=write_command("sync"))


async def _deliver(
    session: LangfuseSession, run_id: str, figures: Sequence[Figure], deadline_s: float
) -> LangfuseReport | None:
    async with session:
        return await session.finish(run_id, figures, ended=False, deadline_s=deadline_s)
