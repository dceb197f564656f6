"""The baseline that a night is held against: read, scored by the code of tonight, and refused where it cannot serve."""

import asyncio
from dataclasses import replace

from evaluation.errors import UsageError
from evaluation.nightly.attribution import changes_between
from evaluation.nightly.baseline import Baseline, parse_baseline
from evaluation.run import Run
from evaluation.suites import Suites
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Fallback
from scripts.run.scores import run_scores
from scripts.run.stored import stored_run
from scripts.runs.prune import existing
from scripts.scoring.again import score_again
from services.baselines import baseline_path, read_baseline
from services.catalog import show_path
from services.journal import Journal
from services.scorer import scorer_digest
from services.settings import Settings

RENEWAL = (
    'renew the baseline: make eval PROMPT=production ARGS="--no-cache" with the flags of the night, look at it, '
    "then make approve-baseline RUN=last"
)


class BaselineRefused(UsageError):
    """Tonight cannot be held against the baseline: it measures something else."""


def approved_baseline(suite: Suite, settings: Settings) -> Baseline | None:
    """The baseline of the prompt that is watched; None without one. Raises UsageError for that of another prompt."""
    path = baseline_path(settings.baselines_dir, settings.prompt_name)
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
    baseline: Baseline | None, suite: Suite, suites: Suites, settings: Settings
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
                f"{changed}, its file holds no texts, and its run {baseline.run_id} is no longer here: {RENEWAL}"
            )
        run = asyncio.run(score_again(stored_run(journal, baseline.run_id, suites), journal, settings))
        scores = run_scores(run, baseline.scores.name, journal, baseline.scores.summary.judge_fallback)
    return replace(baseline, scores=scores), (f"{changed}: its run was scored again, without a call, as {run.run_id}",)


def refuse_other_measure(baseline: Baseline | None, planned: Run, fallback: Fallback) -> None:
    """Raises BaselineRefused, before anything is paid, where tonight would measure something else."""
    if baseline is None:
        return
    theirs = baseline.scores.summary.judge_fallback
    if planned.spec.judge is not None and theirs != fallback:
        raise BaselineRefused(
            f"the baseline was made with --judge-fallback {theirs}: give it to the night as well, or {RENEWAL}"
        )
    changes = changes_between(baseline.spec, planned.spec)
    if changes.refusal:
        raise BaselineRefused(f"{changes.refusal}: {RENEWAL}")
