"""One night, written once: what was asked for, the legs that are played, and the sequence. The command calls it."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from evaluation.commands import write_command
from evaluation.comparison.gate import RegressionRules, parse_regression_rules
from evaluation.errors import EvaluationError, JudgeGivenUp, JudgeUnfit, UsageError
from evaluation.nightly.alarm import repeat_seed, repeated_scenarios
from evaluation.nightly.baseline import Baseline
from evaluation.nightly.night import Night, NightReport, NightState, Role, goes_on
from evaluation.plan import Leg, select
from evaluation.prompts import PromptVersion
from evaluation.records import Json
from evaluation.request import EvaluationRequest, arguments_of
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.arguments import MAY_CHANGE
from scripts.night.answer import Evaluated, answer, deliver_night, without_answer
from scripts.night.baseline import (
    BaselineRefused,
    approved_baseline,
    needs_bridge,
    refuse_other_measure,
    score_as_tonight,
)
from scripts.night.files import age_hours, end_night, new_night, note_in_index, read_nights, write_night
from scripts.run.finish import Outcome
from scripts.run.index import NIGHTS
from scripts.run.load import check_is_of_prompts, chosen_rubric, find_suite, load_suite, parse_sets, read_sets
from scripts.run.output import JointAnswer
from scripts.run.scores import fallback_of
from scripts.run.start import note_opening
from scripts.runs.upkeep import existing
from scripts.scoring.bridge import judge_sample, read_bridge
from scripts.shell import INTERRUPTED, note, sigterm_interrupts
from scripts.workflow import run_evaluation
from services.journal import Journal
from services.journal.access import hold_named
from services.prompt_service import open_prompts
from services.run_folder import latest_problem
from services.settings import Settings, read_settings
from services.workspace import GATE_RULES, read_named

Mark: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NightRequest:
    """The arguments of a night."""

    run: EvaluationRequest
    """The evaluation of each prompt; it names no prompt, no gate and no cache."""
    rules: str | None = None
    noise_share: float = 0.25
    latest: bool = True
    notify_always: bool = False

    @property
    def of_production(self) -> EvaluationRequest:
        """The evaluation of production: where the judge is checked and fails, nothing else is asked."""
        return replace(self.run, require_judge=self.run.canaries)

    def command(self, *more: str) -> str:
        """The command of this night, with all of its flags: without them it would evaluate something else."""
        usual = NightRequest(EvaluationRequest())
        flags = arguments_of(replace(self.run, cache=usual.run.cache))
        flags += [] if self.rules is None else ["--rules", self.rules]
        flags += [] if self.noise_share == usual.noise_share else ["--noise-share", str(self.noise_share)]
        flags += [] if self.latest else ["--no-latest"]
        flags += ["--notify-always"] if self.notify_always else []
        return write_command("nightly", *flags, *more)

    def arguments(self) -> dict[str, Json]:
        """All that decides what is measured, as JSON gives it back."""
        measured = {name: value for name, value in asdict(self.run).items() if name not in MAY_CHANGE}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in measured.items()}
        return {**plain, "noise_share": self.noise_share, "latest": self.latest}


class Book:
    """The record of the night that is under way; each note is on disk when it returns."""

    def __init__(self, night: Night, settings: Settings) -> None:
        self.night = night
        self._runs = settings.runs_dir
        self.note()

    def note(self, **changes: Any) -> None:
        self.night = replace(self.night, **changes)
        write_night(self._runs, self.night)


def watch(asked: NightRequest, suites: Suites = SUITES) -> JointAnswer | None:
    """Goes through a night, or on with one that was interrupted; None where it is interrupted now.

    Whatever happens after the lock is held is written down in the night's folder and posted where it should be heard.
    Raises EvaluationError for what has to be set right.
    """
    settings = read_settings()
    check_is_of_prompts(asked.run.suite, suites)
    with sigterm_interrupts(), hold_named(settings.runs_dir, "nightly"):
        night, earlier = _open(asked, settings)
        if problem := latest_problem(settings.runs_dir / NIGHTS):
            note(problem)
        book = Book(replace(night, state="running", ended_at=None), settings)
        try:
            found = _measure(book, earlier, asked, settings, suites)
        except KeyboardInterrupt:
            book.note(state="interrupted")
            note_in_index(book.night, book.night.to_json(), settings)
            note(_go_on(asked))
            raise
        except EvaluationError as error:
            failed = without_answer(book.night, earlier, _state_after(error), str(error), error.exit_code)
            end_night(failed, None, settings, always=asked.notify_always)
            raise
        if found is None:
            book.note(state="interrupted", exit_code=INTERRUPTED)
            note_in_index(book.night, book.night.to_json(), settings)
            note(_go_on(asked))
            return None
        return end_night(*found, settings, always=asked.notify_always)


def _open(asked: NightRequest, settings: Settings) -> tuple[Night, list[Night]]:
    """The night that begins or goes on, and those before it, oldest first."""
    arguments, prompt, now = asked.arguments(), settings.prompt_name, time.time()
    nights = read_nights(settings.runs_dir, prompt)
    last = nights[-1] if nights else None
    if last is None or not goes_on(last, prompt, arguments, age_hours(last, now)):
        return new_night(settings.runs_dir, now, prompt, arguments), nights
    if not asked.run.quiet:
        note(f"going on with the night of {last.date} ({last.night_id}), which is {last.state}")
    return last, nights[:-1]


def _state_after(error: EvaluationError) -> NightState:
    if isinstance(error, JudgeUnfit):
        return "judge_unfit"
    if isinstance(error, JudgeGivenUp):
        return "incomplete"
    return "refused" if isinstance(error, BaselineRefused) else "failed"


def _measure(
    book: Book, earlier: Sequence[Night], asked: NightRequest, settings: Settings, suites: Suites
) -> tuple[NightReport, Json | None] | None:
    """The report of the night and its comparison; None when it was interrupted."""
    rules_file = read_named("gate", asked.rules or "no_regression", GATE_RULES)
    rules = parse_regression_rules(rules_file.text, rules_file.place)
    rubric = chosen_rubric(asked.run.suite, asked.run.rubric, settings)
    suite = load_suite(asked.run.suite, rubric, suites).suite
    baseline, notes = score_as_tonight(approved_baseline(suite, settings), suite, asked.run, suites, settings)
    if _can_resume(book.night, settings):
        outcome, unresolved = _resume(book, asked, suites), ""
    else:
        legs, unresolved = asyncio.run(plan_legs(asked, baseline, book.night.date, settings, suites))
        outcome = _play(legs, baseline, rules, book, asked, suites)
    if outcome.exit_code == INTERRUPTED:
        return None
    if outcome.stop.given_up is not None:
        otherwise = asked.command(*outcome.stop.given_up.another_form.split())
        go_on = f"judged otherwise: {otherwise}; when it is mended: {asked.command()}"
        raise JudgeGivenUp(f"{outcome.stop.given_up.sentence()}; what was answered is kept; {go_on}")
    by_id = {each.run.run_id: each for each in outcome.runs}
    runs = {role: by_id[run_id] for role, run_id in book.night.runs.items() if run_id in by_id}
    sample: Run | None = None
    if baseline is not None and needs_bridge(baseline, runs["production"].run.spec):
        quietly = replace(asked.run, quiet=True)
        judged = judge_sample(baseline.run_id, runs["production"].run, quietly, suites, settings)
        if isinstance(judged, Outcome):
            _refuse_half_a_bridge(judged, asked)
            return None
        sample = judged
    stopped = (f"the evaluation ended early: {outcome.stop.reason}",) if outcome.stop.reason else ()
    with Journal.in_folder(settings.runs_dir) as journal:
        fallback, bridge = fallback_of(asked.run), None
        if baseline is not None and sample is not None:
            bridge = read_bridge(sample, baseline.scores.scenarios, fallback, journal, settings)
            notes = (*notes, bridge.carried(baseline.scores).line("the baseline"))
        evaluated = Evaluated(runs, unresolved, fallback, (*notes, *stopped), bridge, again=asked.command())
        report, comparison = answer(book.night, evaluated, baseline, suite, rules, earlier, journal, settings)
        return deliver_night(report, evaluated.runs["production"], journal, settings), comparison


def _refuse_half_a_bridge(outcome: Outcome, asked: NightRequest) -> None:
    """Raises BaselineRefused where the sample for a bridge could not be judged; returns where it was interrupted."""
    if outcome.exit_code != INTERRUPTED:
        why = outcome.stop.reason or "the judge did not answer all of it"
        raise BaselineRefused(
            f"the judge changed, and the sample of the baseline that it has to judge is not complete ({why}): what was "
            f"judged is kept; go on with {asked.command()}"
        )


def _can_resume(night: Night, settings: Settings) -> bool:
    """True where all runs of the night stand in the journal: one that died before its first call left none."""
    if "production" not in night.runs:
        return False
    with Journal.in_folder(settings.runs_dir) as journal:
        named = set(night.runs.values())
        return len(existing(named, journal)) == len(named)


def _resume(book: Book, asked: NightRequest, suites: Suites) -> Outcome:
    """Goes on with the runs of the night, under what a resumed run may be given."""
    means = {
        name: getattr(asked.run, name)
        for name in ("concurrency", "max_cost", "prices", "batch", "batch_hours", "quiet", "langfuse")
    }
    return run_evaluation(EvaluationRequest(resume=book.night.runs["production"], **means), suites)


def _play(
    legs: Mapping[Role, Leg],
    baseline: Baseline | None,
    rules: RegressionRules,
    book: Book,
    asked: NightRequest,
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
        refuse_other_measure(baseline, runs[mark_of(legs["production"])], fallback_of(asked.run), journal)
        if "latest" in legs and not asked.run.quiet:
            note_opening(runs[mark_of(legs["latest"])], rules)

    return run_evaluation(asked.of_production, suites, before_paying, list(distinct.values()))


async def plan_legs(
    asked: NightRequest, baseline: Baseline | None, date: str, settings: Settings, suites: Suites
) -> tuple[dict[Role, Leg], str]:
    """The prompts that are played tonight, production last, and why the baseline's is not, where it should be."""
    prompts = open_prompts(settings, use_langfuse=asked.run.langfuse)

    async def load(reference: str) -> PromptVersion:
        found = await prompts.load(reference)
        if not asked.run.quiet:
            note(f"prompt: {found.resolution}, from {found.prompt.pin.source}")
        return found.prompt

    production = await load(settings.prompt_reference)
    unchecked = replace(asked.of_production, canaries=False)
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
    legs["production"] = Leg(production, asked.of_production)
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


def _go_on(asked: NightRequest) -> str:
    return f"interrupted: what was answered is kept; go on with: {asked.command()}"
