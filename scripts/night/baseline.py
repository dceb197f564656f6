"""The baseline of a night: approved from a run, scored by the code of tonight, and refused where it cannot serve."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from evaluation.commands import write_command
from evaluation.comparison.judges import judge_faults
from evaluation.comparison.runs import RunScores
from evaluation.decision.critical import count_failures, name_items
from evaluation.errors import UsageError
from evaluation.moments import iso_seconds
from evaluation.nightly.attribution import changes_between, version_name
from evaluation.nightly.baseline import Approval, Baseline, baseline_text, parse_baseline
from evaluation.outcome import RunOutcome
from evaluation.request import EvaluationRequest, arguments_of
from evaluation.run import Run
from evaluation.runspec import RunSpec
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Fallback
from evaluation.text import numbers
from scripts.night.answer import moment
from scripts.night.files import read_nights
from scripts.night.sampled import approve_sample, is_sample
from scripts.run.scores import fallback_of, run_scores
from scripts.run.stored import conclude_run, open_stored, stored_run
from scripts.runs.upkeep import existing
from scripts.scoring.rescore import score_again
from services.baselines import baseline_path, read_baseline, write_baseline
from services.journal import Journal
from services.provenance import scorer_digest
from services.run_folder import read_json
from services.settings import Settings, read_settings
from services.text_files import show_path


class BaselineRefused(UsageError):
    """Tonight cannot be held against the baseline: it measures something else."""


def approved_baseline(suite: Suite, settings: Settings) -> Baseline | None:
    """The baseline of the prompt that is watched; None without one. Raises UsageError for that of another prompt."""
    path = baseline_path(settings.night.baselines_dir, settings.prompt_name)
    text = read_baseline(path)
    if text is None:
        return None
    baseline = parse_baseline(text, show_path(path), suite)
    pin, watched = baseline.spec.prompt, settings.prompt_name
    if pin is not None and pin.name != watched:
        place = show_path(path)
        raise UsageError(f"{place}: is the baseline of {pin.name!r}, not of {watched!r}: approve a run of {watched!r}")
    return baseline


def score_as_tonight(
    baseline: Baseline | None, suite: Suite, request: EvaluationRequest, suites: Suites, settings: Settings
) -> tuple[Baseline | None, tuple[str, ...]]:
    """The baseline as the code of tonight scores it, without a call, and a note where that is not how it was approved.

    Its file holds no texts, so its run is read. Raises BaselineRefused where the journal does not hold that run.
    """
    if baseline is None or baseline.spec.scorer == scorer_digest(suite.scored_by):
        return baseline, ()
    changed = "the code that scores changed since the baseline was approved"
    with Journal.in_folder(settings.runs_dir) as journal:
        if not existing([baseline.run_id], journal):
            raise BaselineRefused(
                f"{changed}, its file holds no texts, and its run {baseline.run_id} is no longer here: "
                f"{_renewal(request)}"
            )
        run = asyncio.run(score_again(stored_run(journal, baseline.run_id, suites), journal, settings))
        scores = run_scores(run, baseline.scores.name, journal, settings, baseline.scores.summary.judge_fallback)
    return replace(baseline, scores=scores), (f"{changed}: its run was scored again, without a call, as {run.run_id}",)


def refuse_other_measure(baseline: Baseline | None, planned: Run, fallback: Fallback, journal: Journal) -> None:
    """Raises BaselineRefused, before anything is paid, where tonight would measure something else.

    Another judge alone is borne where the baseline's exchanges can be judged again.
    """
    if baseline is None:
        return
    theirs = baseline.scores.summary.judge_fallback
    if planned.spec.judge is not None and theirs != fallback:
        raise BaselineRefused(
            f"the baseline was made with --judge-fallback {theirs}: give it to the night as well, or "
            f"{_renewal(planned.request)}"
        )
    changes = changes_between(baseline.spec, planned.spec)
    if changes.refusal and not may_bridge(baseline, planned.spec, journal):
        gone = changes.parts == ("judge",) and not existing([baseline.run_id], journal)
        lost = f"; its run {baseline.run_id} is not here, so that it cannot be carried over" if gone else ""
        raise BaselineRefused(f"{changes.refusal}{lost}: {_renewal(planned.request)}")


def may_bridge(baseline: Baseline, tonight: RunSpec, journal: Journal) -> bool:
    """True where the judge is all that changed in the measure, and the baseline's exchanges are at hand."""
    judges = (baseline.spec.judge, tonight.judge)
    only_judge = changes_between(baseline.spec, tonight).parts == ("judge",) and None not in judges
    return only_judge and bool(existing([baseline.run_id], journal))


def needs_bridge(baseline: Baseline, tonight: RunSpec) -> bool:
    """True where another judge scored the baseline."""
    return "judge" in changes_between(baseline.spec, tonight).parts


def approve(reference: str, *, allow_rehearsal: bool, forced: str | None, suites: Suites = SUITES) -> list[str]:
    """Writes the baseline; the lines that say so. Raises UsageError, with all reasons, where it may not be one."""
    settings = read_settings()
    if forced is not None and not forced.strip():
        raise UsageError("--force: say why, in a few words: the reason is kept in the baseline")
    if is_sample(reference, settings):
        return approve_sample(reference, settings, forced=forced is not None)
    with open_stored(settings, reference) as journal:
        run = stored_run(journal, reference, suites)
        if run.spec.prompt is None:
            raise UsageError(f"run {run.run_id} has no prompt under test: a baseline is of a prompt")
        outcome = conclude_run(run, journal, settings, run.request)
        refuse(run, outcome, settings, allow_rehearsal=allow_rehearsal, forced=forced)
        fallback = fallback_of(run.request)
        scores = run_scores(run, f"baseline {version_name(run.spec)}", journal, settings, fallback)
    evaluated = iso_seconds(run.created_at)
    approval = Approval(
        run_id=run.run_id,
        approved_at=moment(),
        evaluated_at=evaluated,
        forced=(forced or "").strip(),
        rehearsal=run.spec.embedded,
    )
    path = baseline_path(settings.night.baselines_dir, run.spec.prompt.name)
    before = describe_file(path)
    text = baseline_text(Baseline(approval, scores))
    parse_baseline(text, show_path(path), run.suite)
    write_baseline(path, text)
    overall, size = scores.summary.deciding(), numbers.times(len(scores.scenarios), "scenario")
    return [
        f"{version_name(run.spec)} of run {run.run_id} is the baseline: "
        f"overall {numbers.score(None if overall is None else overall.estimate.mean)}, "
        f"{size} x {numbers.times(run.spec.repeats, 'repeat')}",
        *([f"before: {before}"] if before else []),
        *_known_failures(scores),
        *(f"no night passes against it: {fault}" for fault in judge_faults((scores,))),
        f"written to {show_path(path)}: review and commit it",
    ]


def _known_failures(scores: RunScores) -> Iterable[str]:
    """The critical expectations that fail in the baseline already: no night raises an alarm for them."""
    items = scores.summary.expectations
    if items is not None and items.critical.failed:
        failed = items.critical.failed
        yield f"no alarm will be raised for what fails in it: {count_failures(items.critical)}: {name_items(failed)}"


def refuse(run: Run, outcome: RunOutcome, settings: Settings, *, allow_rehearsal: bool, forced: str | None) -> None:
    """Raises UsageError unless the run may become the baseline."""
    if run.request.only:
        raise UsageError(f"run {run.run_id} repeats a part of the scenarios to measure noise: approve the whole run")
    if run.spec.of_production:
        raise UsageError(
            f"run {run.run_id} scored responses of production, and a night plays scenarios: approve a run of those"
        )
    if run.spec.embedded and not allow_rehearsal:
        raise UsageError(
            f"run {run.run_id} was answered by the rehearsal model, a scripted stand-in: "
            "configure a model, or try it out with --allow-rehearsal"
        )
    counts = outcome.summary.counts
    missing = counts.failed + counts.skipped
    if missing or not counts.planned:
        raise UsageError(
            f"run {run.run_id} is incomplete: {missing} of {numbers.times(counts.planned, 'exchange')} have no answer: "
            f"go on with {run.resume_command()}"
        )
    faults = list(gate_faults(run, outcome, settings))
    if faults and forced is None:
        raise UsageError(f"run {run.run_id}: {'; '.join(faults)}: approve it all the same with --force REASON")


def gate_faults(run: Run, outcome: RunOutcome, settings: Settings) -> Iterable[str]:
    """All that speaks against the run: an unfit judge, its own gate, that of a comparison, the alarm of a night."""
    if outcome.canaries is not None:
        yield from outcome.canaries.faults()
    if outcome.gate is not None and not outcome.gate.passed:
        yield f"its gate {outcome.gate.gate} failed ({outcome.gate.reasons[0]})"
    else:
        yield from _later_gate_faults(Path(outcome.directory) / "decision.json")
    name = "" if run.spec.prompt is None else run.spec.prompt.name
    for night in read_nights(settings.runs_dir, name):
        if night.runs.get("production") == run.run_id and night.state in ("alarm", "unmeasured"):
            yield f"the night of {night.date} ended with: {night.headline}"


def describe_file(path: Path) -> str:
    """The run and date of a baseline file, in a few words; empty where there is none."""
    text = read_baseline(path)
    if text is None:
        return ""
    try:
        value = json.loads(text)
        return f"run {value['run_id']}, approved {value['approved_at']}"
    except (ValueError, KeyError, TypeError):
        return "a file that was no baseline"


def _later_gate_faults(path: Path) -> Iterable[str]:
    """A gate that a later comparison held the run against, as decision.json says."""
    try:
        gate = read_json(path)["gate"]
        if gate is not None and not gate["passed"]:
            yield f"its gate {gate['gate']} failed ({gate['reasons'][0]})"
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return


def _renewal(request: EvaluationRequest) -> str:
    """What makes a new baseline for a night of these flags."""
    usual = EvaluationRequest()
    flags = arguments_of(replace(request, cache=usual.cache, require_judge=usual.require_judge))
    return (
        "renew the baseline, with the flags of the night: "
        f"{write_command('eval', *flags, '--no-cache')}; look at it, then "
        f"{write_command('approve-baseline', RUN='last')}"
    )
