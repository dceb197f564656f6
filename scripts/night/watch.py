"""One night over production: what is asked for, what is evaluated, and what is made of it."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evaluation.comparison.rules import RegressionRules, parse_regression_rules
from evaluation.errors import EvaluationError, JudgeUnfit, UsageError
from evaluation.nightly.baseline import Baseline, parse_baseline
from evaluation.nightly.changes import changes_between, with_format_of
from evaluation.nightly.night import Night, Role, beyond_policy, goes_on
from evaluation.nightly.noise import repeat_seed, repeated_scenarios
from evaluation.nightly.report import NightReport
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.reports.nightly.wording import headline
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from evaluation.suites.suite import Suite
from evaluation.summary.columns import Fallback
from scripts.arguments import MAY_CHANGE
from scripts.night.answer import Evaluated, answer, without_answer
from scripts.night.delivery import deliver_night
from scripts.night.files import age_hours, new_night, read_nights, write_night, write_report
from scripts.night.message import tell
from scripts.run.load import load_scenarios, load_suite
from scripts.run.plan import Leg, select
from scripts.run.scores import fallback_of
from scripts.runs.prune import existing, removable, remove
from scripts.shell import DONE, INTERRUPTED, note, sigterm_interrupts
from scripts.workflow import Outcome, run_evaluation
from services.baselines import baseline_path, read_baseline
from services.catalog import read_rules, show_path
from services.journal import Journal
from services.journal.lock import hold_named
from services.prompt_service import open_prompts
from services.settings import Settings, read_settings

GO_ON = "make nightly"


@dataclass(frozen=True, slots=True)
class NightRequest:
    """What was asked for."""

    run: EvaluationRequest
    """How each prompt is evaluated; it names no prompt, no gate and no cache."""
    rules: str | None = None
    noise_share: float = 0.25
    latest: bool = True
    notify_always: bool = False

    def arguments(self) -> dict[str, Json]:
        """What decides what is measured, as JSON gives it back."""
        measured = {name: value for name, value in asdict(self.run).items() if name not in MAY_CHANGE}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in measured.items()}
        return {**plain, "noise_share": self.noise_share, "latest": self.latest}


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """What is printed, and the exit code. Without a report the night was interrupted."""

    report: NightReport | None
    files: tuple[str, ...]
    exit_code: int


@dataclass(frozen=True, slots=True)
class Watch:
    """What a night works with."""

    asked: NightRequest
    settings: Settings
    suites: Suites
    suite: Suite
    rules: RegressionRules
    earlier: Sequence[Night]
    baseline: Baseline | None


class BaselineRefused(UsageError):
    """Tonight cannot be held against the baseline: it measures something else."""


def watch(asked: NightRequest, suites: Suites = SUITES) -> NightOutcome:
    """Goes through a night, or on with one that was interrupted. Raises EvaluationError for what has to be set right.

    Whatever happens after the lock is held is written down in the night's folder and posted where it should be heard.
    """
    settings = read_settings()
    with sigterm_interrupts(), hold_named(settings.runs_dir, "nightly"):
        arguments = asked.arguments()
        nights = read_nights(settings.runs_dir, settings.prompt_name)
        now = time.time()
        open_nights = [
            night for night in nights[-1:] if goes_on(night, settings.prompt_name, arguments, age_hours(night, now))
        ]
        night = open_nights[0] if open_nights else new_night(settings.runs_dir, now, settings.prompt_name, arguments)
        earlier = [each for each in nights if each.night_id != night.night_id]
        if open_nights and not asked.run.quiet:
            note(f"going on with the night of {night.date} ({night.night_id}), which is {night.state}")
        return _kept(night, earlier, asked, settings, suites)


def _kept(
    night: Night, earlier: Sequence[Night], asked: NightRequest, settings: Settings, suites: Suites
) -> NightOutcome:
    """The night, with its end written down and told however it comes."""
    book = Book(replace(night, state="running", ended_at=None), settings)
    try:
        found = _measured(book, earlier, asked, settings, suites)
    except KeyboardInterrupt:
        book.note(state="interrupted")
        note(f"interrupted: what was answered is kept; go on with: {GO_ON}")
        raise
    except EvaluationError as error:
        failed = without_answer(book.night, earlier, _state_of(error), str(error), error.exit_code)
        _end(failed, None, asked, settings)
        raise
    if found is None:
        book.note(state="interrupted", exit_code=INTERRUPTED)
        note(f"interrupted: what was answered is kept; go on with: {GO_ON}")
        return NightOutcome(None, (), INTERRUPTED)
    return _end(*found, asked, settings)


class Book:
    """The record of the night that is under way; each note is on disk when it returns."""

    def __init__(self, night: Night, settings: Settings) -> None:
        self.night = night
        self._runs = settings.runs_dir
        self.note()

    def note(self, **changes: Any) -> None:
        self.night = replace(self.night, **changes)
        write_night(self._runs, self.night)


def _measured(
    book: Book, earlier: Sequence[Night], asked: NightRequest, settings: Settings, suites: Suites
) -> tuple[NightReport, Json | None] | None:
    """The report of the night; None when it was interrupted."""
    rules_file = read_rules(asked.rules or "no_regression")
    suite = load_suite(asked.run.suite, asked.run.rubric, suites).suite
    path = baseline_path(settings.baselines_dir, settings.prompt_name)
    text = read_baseline(path)
    baseline = None if text is None else parse_baseline(text, show_path(path), suite)
    check_name(baseline, settings.prompt_name, show_path(path))
    rules = parse_regression_rules(rules_file.text, rules_file.place)
    known = Watch(asked, settings, suites, suite, rules, earlier, baseline)
    resumed = _can_resume(book.night, settings)
    legs, unresolved = ({}, "") if resumed else asyncio.run(_legs(known, book.night.date))
    outcome = _evaluated(known, book, legs, resumed=resumed)
    if outcome.exit_code == INTERRUPTED:
        return None
    by_id = {each.run.run_id: each for each in outcome.runs}
    runs: dict[str, Any] = {role: by_id[run_id] for role, run_id in book.night.runs.items() if run_id in by_id}
    evaluated = Evaluated(runs, unresolved, outcome.stop_reason, fallback_of(asked.run))
    with Journal.in_folder(settings.runs_dir) as journal:
        report, comparison = answer(book.night, evaluated, baseline, suite, rules, earlier, journal)
        return deliver_night(report, evaluated.runs["production"], journal, settings), comparison


def _evaluated(known: Watch, book: Book, legs: dict[Role, Leg], *, resumed: bool) -> Outcome:
    request = replace(known.asked.run, require_judge=known.asked.run.canaries)
    if resumed:
        anew = {name: getattr(request, name) for name in ("concurrency", "max_cost", "prices", "quiet", "langfuse")}
        resume = EvaluationRequest(resume=book.night.runs["production"], **anew)
        return run_evaluation(resume, known.suites)
    # One prompt may have two roles: it is played once.
    order = list(dict.fromkeys(map(_mark, legs.values())))
    distinct = [next(leg for leg in legs.values() if _mark(leg) == mark) for mark in order]

    def before_paying(planned: Sequence[Run], _journal: Journal) -> None:
        ids = {mark: run.run_id for mark, run in zip(order, planned, strict=True)}
        roles = {role: ids[_mark(leg)] for role, leg in legs.items()}
        book.note(runs=roles)
        production = next(run for run in planned if run.run_id == roles["production"])
        refuse_other_measure(known.baseline, production, fallback_of(request))

    return run_evaluation(request, known.suites, before_paying, distinct)


def _mark(leg: Leg) -> tuple[str, tuple[str, ...]]:
    """What makes two legs one run: the same text over the same scenarios."""
    return ("" if leg.prompt is None else leg.prompt.pin.sha256, leg.request.only)


def refuse_other_measure(baseline: Baseline | None, planned: Run, fallback: Fallback) -> None:
    """Raises BaselineRefused, before anything is paid, where tonight would measure something else."""
    if baseline is None:
        return
    theirs = baseline.scores.summary.judge_fallback
    if planned.spec.judge is not None and theirs != fallback:
        raise BaselineRefused(
            f"the baseline was made with --judge-fallback {theirs}: give it to the night as well, or {renewal()}"
        )
    changes = changes_between(baseline.spec, with_format_of(planned.spec, baseline.spec))
    if changes.refusal:
        raise BaselineRefused(f"{changes.refusal}: {renewal()}")


def renewal() -> str:
    """How a baseline is made anew."""
    return (
        'renew the baseline: make eval PROMPT=production ARGS="--no-cache" with the flags of the night, look at it, '
        "then make approve-baseline RUN=last"
    )


async def _legs(known: Watch, date: str) -> tuple[dict[Role, Leg], str]:
    """What is played tonight, production last, and why the baseline's prompt is not, where it should be."""
    prompts = open_prompts(known.settings, use_langfuse=known.asked.run.langfuse)

    async def load(reference: str) -> PromptVersion:
        found = await prompts.load(reference)
        if not known.asked.run.quiet:
            note(f"prompt: {found.resolution}, from {found.prompt.pin.source}")
        return found.prompt

    production = await load("production")
    request = replace(known.asked.run, require_judge=known.asked.run.canaries)
    besides = replace(request, canaries=False)
    legs: dict[Role, Leg] = {}
    if known.baseline is not None:
        only, seed = _repetition(known, date)
        legs["repeat"] = Leg(production, replace(besides, only=only, seed=seed))
    before, unresolved = await _baseline_prompt(known.baseline, production, load)
    if before is not None:
        legs["baseline_prompt"] = Leg(before, besides)
    if known.asked.latest:
        latest = await load("latest")
        if latest.pin.sha256 != production.pin.sha256:
            legs["latest"] = Leg(latest, besides)
    legs["production"] = Leg(production, request)
    return legs, unresolved


def _repetition(known: Watch, date: str) -> tuple[tuple[str, ...], int]:
    """Which scenarios are played twice, and the seed of the second time."""
    request = known.asked.run
    loaded = load_suite(request.suite, request.rubric, known.suites)
    references = request.scenarios or known.suites[request.suite].scenarios
    scenarios = select(load_scenarios(references, loaded.rubric), request)
    return repeated_scenarios(scenarios, date, known.asked.noise_share), repeat_seed(request.seed, date)


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


def check_name(baseline: Baseline | None, prompt: str, place: str) -> None:
    """Raises UsageError for the baseline of another prompt."""
    pin = None if baseline is None else baseline.spec.prompt
    if pin is not None and pin.name != prompt:
        raise UsageError(f"{place}: is the baseline of {pin.name!r}, not of {prompt!r}: approve a run of {prompt!r}")


def _can_resume(night: Night, settings: Settings) -> bool:
    """Whether all runs of the night stand in the journal: one that died before its first call left none."""
    if "production" not in night.runs:
        return False
    with Journal.in_folder(settings.runs_dir) as journal:
        named = set(night.runs.values())
        return len(existing(named, journal)) == len(named)


def _state_of(error: EvaluationError) -> Any:
    if isinstance(error, JudgeUnfit):
        return "judge_unfit"
    return "refused" if isinstance(error, BaselineRefused) else "failed"


def _end(report: NightReport, comparison: Json | None, asked: NightRequest, settings: Settings) -> NightOutcome:
    """Writes the night down, tells it, and lets old runs go."""
    report = replace(report, night=replace(report.night, headline=headline(report)))
    files = write_report(settings.runs_dir, report, comparison)
    tell(report, settings, always=asked.notify_always)
    prune(report, settings)
    return NightOutcome(report, files, report.night.exit_code or DONE)


def prune(report: NightReport, settings: Settings) -> None:
    """Removes the runs of nights beyond the policy; their records stay for the trend."""
    oldest = time.strftime("%Y-%m-%d", time.gmtime(time.time() - settings.keep_days * 86_400))
    old = beyond_policy([*report.earlier, report.night], settings.keep_nights, oldest)
    named = list(dict.fromkeys(run_id for night in old for run_id in night.runs.values()))
    if not named:
        return
    with Journal.in_folder(settings.runs_dir) as journal:
        found = removable(existing(named, journal), journal, settings)
        remove(found.run_ids, journal, settings)
    if found.run_ids:
        note(f"{len(found.run_ids)} runs of old nights removed")
