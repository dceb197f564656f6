"""The night of one prompt: the legs that are played, and the sequence from its record to its report."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from evaluation.comparison.gate import RegressionRules, parse_regression_rules
from evaluation.errors import EvaluationError, JudgeGivenUp, JudgeUnfit, LimitReached, SampleIncomplete, UsageError
from evaluation.nightly.alarm import repeat_seed, repeated_scenarios
from evaluation.nightly.baseline import Baseline
from evaluation.nightly.night import GOES_ON_HOURS, Night, NightReport, NightState, Role, goes_on, longest_age
from evaluation.plan import Leg, select
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import Suites
from scripts.night.answer import Evaluated, answer, deliver_night, with_production, without_answer
from scripts.night.asked import NightRequest, Watched
from scripts.night.baseline import (
    BaselineRefused,
    approved_baseline,
    needs_bridge,
    refuse_other_measure,
    score_as_tonight,
)
from scripts.night.files import Book, Written, age_hours, end_night, new_night, note_in_index, read_nights, write_night
from scripts.night.sampled import check_can_be_watched, watch_production
from scripts.run.finish import Outcome
from scripts.run.load import chosen_rubric, find_suite, load_suite, parse_sets, read_sets
from scripts.run.scores import fallback_of
from scripts.run.start import note_opening
from scripts.runs.upkeep import existing
from scripts.scoring.bridge import judge_sample, read_bridge
from scripts.shell import INTERRUPTED, note
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.prompt_service import open_prompts
from services.settings import Settings
from services.workspace import GATE_RULES, read_named

Mark: TypeAlias = tuple[str, tuple[str, ...]]


def watch_one(
    watched: Watched,
    suites: Suites,
    goes_on_hours: float = GOES_ON_HOURS,
    begun: Callable[[str], None] | None = None,
) -> Written | None:
    """Goes through the night of a prompt, or on with one that is at most so old; None where it is interrupted now.

    `begun` hears which night it is, before anything is paid for.

    The caller holds the lock of nights. Whatever happens after that is written down in the night's folder, what has to
    be set right too.
    """
    settings = watched.settings
    night, earlier = _open(watched, goes_on_hours)
    if begun is not None:
        begun(night.night_id)
    book = Book(replace(night, state="running", ended_at=None), partial(write_night, settings.runs_dir))
    try:
        _check_budget(watched)
        found = _measure(book, earlier, watched, suites)
    except KeyboardInterrupt:
        _interrupted(book, watched)
        raise
    except EvaluationError as error:
        failed = without_answer(book.record, earlier, _state_after(error), str(error), error.exit_code)
        return replace(end_night(failed, None, settings), error=error)
    if found is None:
        _interrupted(book, watched, exit_code=INTERRUPTED)
        return None
    return end_night(*found, settings)


def _interrupted(book: Book[Night], watched: Watched, **more: Any) -> None:
    book.note(state="interrupted", **more)
    note_in_index(book.record, book.record.to_json(), watched.settings)
    note(f"interrupted: what was answered is kept; go on with: {watched.asked.command()}")


def _check_budget(watched: Watched) -> None:
    if watched.left_usd is not None and watched.left_usd <= 0 < watched.of - 1:
        limit = watched.asked.run.max_cost
        raise LimitReached(
            f"the cost limit of {limit:g} USD is spent on the prompts before it: watch it with a higher --max-cost"
        )


def _open(watched: Watched, goes_on_hours: float) -> tuple[Night, list[Night]]:
    """The night that begins or goes on, and those before it, oldest first."""
    settings, arguments, now = watched.settings, watched.asked.arguments(), time.time()
    prompt = settings.prompt_name
    nights = read_nights(settings.runs_dir, prompt)
    last = nights[-1] if nights else None
    in_batches = watched.asked.run.batch is not None
    longest = longest_age([last] if last else (), goes_on_hours, in_batches=in_batches)
    if last is None or not goes_on(last, prompt, arguments, age_hours(last, now), longest):
        return new_night(settings.runs_dir, now, prompt, arguments, watched.reference), nights
    if not watched.asked.run.quiet:
        note(f"going on with the night of {last.date} ({last.night_id}), which is {last.state}")
    return last, nights[:-1]


def _state_after(error: EvaluationError) -> NightState:
    if isinstance(error, JudgeUnfit):
        return "judge_unfit"
    if isinstance(error, JudgeGivenUp | LimitReached | SampleIncomplete):
        return "incomplete"
    return "refused" if isinstance(error, BaselineRefused) else "failed"


def _measure(
    book: Book[Night], earlier: Sequence[Night], watched: Watched, suites: Suites
) -> tuple[NightReport, Json | None] | None:
    """The report of the night and its comparison; None when it was interrupted."""
    asked, request, settings = watched.asked, watched.run, watched.settings
    check_can_be_watched(watched)
    rules_file = read_named("gate", asked.rules or "no_regression", GATE_RULES)
    rules = parse_regression_rules(rules_file.text, rules_file.place)
    rubric = chosen_rubric(request.suite, request.rubric, settings)
    suite = load_suite(request.suite, rubric, suites, request.profile).suite
    baseline, notes = score_as_tonight(approved_baseline(suite, settings), suite, request, suites, settings)
    if _can_resume(book.record, settings):
        outcome, unresolved = _resume(book, request, suites), ""
    else:
        legs, unresolved = asyncio.run(plan_legs(watched, baseline, book.record.date, suites))
        outcome = _play(legs, baseline, rules, book, watched, suites)
    if outcome.exit_code == INTERRUPTED:
        return None
    _refuse_without_judge(outcome, asked)
    by_id = {each.run.run_id: each for each in outcome.runs}
    runs = {role: by_id[run_id] for role, run_id in book.record.runs.items() if run_id in by_id}
    sample: Run | None = None
    if baseline is not None and needs_bridge(baseline, runs["production"].run.spec):
        sample = _judge_again(book, baseline, runs["production"].run, watched, suites)
        if sample is None:
            return None
    notes = (*notes, *_limits(outcome, watched))
    with Journal.in_folder(settings.runs_dir) as journal:
        fallback, bridge = fallback_of(request), None
        if baseline is not None and sample is not None:
            bridge = read_bridge(sample, baseline.scores.scenarios, fallback, journal, settings)
            notes = (*notes, bridge.carried(baseline.scores).line("the baseline"))
        evaluated = Evaluated(runs, unresolved, fallback, notes, bridge, again=asked.command())
        report, comparison = answer(book.record, evaluated, baseline, suite, rules, earlier, journal, settings)
        if asked.traces is not None:
            report = _with_production(book, report, runs["production"].run, watched, rules)
        return deliver_night(report, evaluated.runs["production"], journal, settings), comparison


def _with_production(
    book: Book[Night], report: NightReport, production: Run, watched: Watched, rules: RegressionRules
) -> NightReport:
    pin = production.spec.prompt
    assert pin is not None, "nights are of prompts"
    found = watch_production(
        book.record, pin, watched, report.gate, rules, lambda sample_id: book.note(sample=sample_id)
    )
    report = replace(report, night=replace(report.night, sample=book.record.sample))
    return with_production(report, found)


def _refuse_without_judge(outcome: Outcome, asked: NightRequest) -> None:
    """Raises JudgeGivenUp where the judge brought no verdict."""
    if outcome.stop.given_up is not None:
        otherwise = asked.command(*outcome.stop.given_up.another_form.split())
        go_on = f"judged otherwise: {otherwise}; when it is mended: {asked.command()}"
        raise JudgeGivenUp(f"{outcome.stop.given_up.sentence()}; what was answered is kept; {go_on}")


def _limits(outcome: Outcome, watched: Watched) -> Iterable[str]:
    """What kept the night from being played to its end, a line each."""
    if outcome.stop.reason:
        yield f"the evaluation ended early: {outcome.stop.reason}"
        limit = watched.asked.run.max_cost
        if watched.of > 1 and limit is not None and limit != watched.left_usd:
            yield f"the limit of {limit:g} USD is one for the {watched.of} prompts of this night"


def _judge_again(
    book: Book[Night], baseline: Baseline, production: Run, watched: Watched, suites: Suites
) -> Run | None:
    """The sample of the baseline as tonight's judge scores it; None where it was interrupted.

    The cost limit is one for the night. Raises SampleIncomplete where the sample was not judged to its end.
    """
    request, settings = watched.run, watched.settings
    limit = request.max_cost
    if limit is not None:
        limit = max(0.0, limit - cost_of(replace(book.record, bridged=None), settings))
    judged = judge_sample(baseline.run_id, production, replace(request, quiet=True, max_cost=limit), suites, settings)
    if isinstance(judged, Run):
        book.note(bridged=judged.run_id)
        return judged
    if judged.runs:
        book.note(bridged=judged.runs[0].run.run_id)
    if judged.exit_code != INTERRUPTED:
        why = judged.stop.reason or "the judge did not answer all of it"
        raise SampleIncomplete(
            f"the judge changed, and the sample of the baseline that it has to judge is not complete ({why}): what was "
            f"judged is kept; go on with {watched.asked.command()}"
        )
    return None


def cost_of(night: Night, settings: Settings) -> float:
    """US dollars that the calls of a night cost so far; what an earlier night had judged costs this one nothing."""
    with Journal.in_folder(settings.runs_dir) as journal:
        runs = existing(dict.fromkeys(night.runs.values()), journal)
        began = min((journal.run(run_id).created_at for run_id in runs), default=0.0)
        judged = existing(filter(None, [night.bridged]), journal)
        runs += [run_id for run_id in judged if journal.run(run_id).created_at >= began]
        return sum(journal.cost_usd(run_id) for run_id in runs)


def _can_resume(night: Night, settings: Settings) -> bool:
    """True where all runs of the night stand in the journal: one that died before its first call left none."""
    if "production" not in night.runs:
        return False
    with Journal.in_folder(settings.runs_dir) as journal:
        named = set(night.runs.values())
        return len(existing(named, journal)) == len(named)


def _resume(book: Book[Night], request: EvaluationRequest, suites: Suites) -> Outcome:
    """Goes on with the runs of the night, under what a resumed run may be given."""
    means = {
        name: getattr(request, name)
        for name in ("concurrency", "max_cost", "prices", "batch", "batch_hours", "quiet", "langfuse")
    }
    return run_evaluation(EvaluationRequest(resume=book.record.runs["production"], **means), suites)


def _play(
    legs: Mapping[Role, Leg],
    baseline: Baseline | None,
    rules: RegressionRules,
    book: Book[Night],
    watched: Watched,
    suites: Suites,
) -> Outcome:
    """Plays the legs, once it is noted which runs they are and sure that they measure what the baseline does."""
    # One prompt may have two roles: it is played once.
    distinct: dict[Mark, Leg] = {}
    for leg in legs.values():
        distinct.setdefault(mark_of(leg), leg)

    def before_paying(planned: Sequence[Run], journal: Journal) -> None:
        runs = dict(zip(distinct, planned, strict=True))
        book.note(runs={role: runs[mark_of(leg)].run_id for role, leg in legs.items()})
        refuse_other_measure(baseline, runs[mark_of(legs["production"])], fallback_of(watched.run), journal)
        if "latest" in legs and not watched.run.quiet:
            note_opening(runs[mark_of(legs["latest"])], rules)

    return run_evaluation(watched.of_production, suites, before_paying, list(distinct.values()))


async def plan_legs(
    watched: Watched, baseline: Baseline | None, date: str, suites: Suites
) -> tuple[dict[Role, Leg], str]:
    """The prompts that are played tonight, production last, and why the baseline's is not, where it should be."""
    asked, settings = watched.asked, watched.settings
    prompts = open_prompts(settings, use_langfuse=asked.run.langfuse)

    async def load(reference: str) -> PromptVersion:
        found = await prompts.load(reference)
        if not asked.run.quiet:
            note(f"prompt: {found.resolution}, from {found.prompt.pin.source}")
        return found.prompt

    production = await load(settings.prompt_reference)
    unchecked = replace(watched.of_production, canaries=False)
    legs: dict[Role, Leg] = {}
    if baseline is not None:
        only, seed = _repetition(asked, date, settings, suites)
        legs["repeat"] = Leg(production, replace(unchecked, only=only, seed=seed))
    before, unresolved = await _baseline_prompt(baseline, production, load)
    if before is not None:
        legs["baseline_prompt"] = Leg(before, unchecked)
    if asked.latest:
        latest = await load("latest")
        if latest.pin.sha256 != production.pin.sha256:
            legs["latest"] = Leg(latest, unchecked)
    legs["production"] = Leg(production, watched.of_production)
    return legs, unresolved


def mark_of(leg: Leg) -> Mark:
    """A mark that two legs share when they are one run: the same text over the same scenarios."""
    return ("" if leg.prompt is None else leg.prompt.pin.sha256, leg.request.only)


def _repetition(asked: NightRequest, date: str, settings: Settings, suites: Suites) -> tuple[tuple[str, ...], int]:
    """The scenarios that are played twice, and the seed of the second time."""
    loaded = load_suite(asked.run.suite, chosen_rubric(asked.run.suite, asked.run.rubric, settings), suites)
    definition = find_suite(asked.run.suite, suites, settings)
    listed = parse_sets(read_sets(asked.run, definition, settings), loaded.rubric, definition.parse)
    chosen = repeated_scenarios(select(listed, asked.run), date, asked.noise_share)
    return chosen, repeat_seed(asked.run.seed or 0, date)


async def _baseline_prompt(
    baseline: Baseline | None, production: PromptVersion, load: Callable[[str], Any]
) -> tuple[PromptVersion | None, str]:
    """The baseline's prompt where production's is another, and why it cannot be had."""
    pin = None if baseline is None else baseline.spec.prompt
    if pin is None or pin.sha256 == production.pin.sha256:
        return None, ""
    if pin.version is None:
        return None, f"{pin.name} has no version number"
    try:
        found: PromptVersion = await load(f"{pin.name}@v{pin.version}")
    except UsageError as error:
        return None, str(error)
    if found.pin.sha256 != pin.sha256:
        return None, f"{pin.version_title} does not hold the same text any more"
    return found, ""
