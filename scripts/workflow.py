"""The whole job, written once: settings, prompts pinned, plan, play, summary, decision, files. Commands call it."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from evaluation.errors import EvaluationError, JournalError, UsageError
from evaluation.prompts import PromptVersion
from evaluation.runspec import differences
from evaluation.suites import SUITES, Suites
from scripts.arguments import MAY_CHANGE, EvaluationRequest, refuse_new_arguments
from scripts.run.application import choose_application, opened_application
from scripts.run.deliver import delivering, no_deliveries, repin
from scripts.run.endpoint import EndpointChoice, Leg, choose_endpoint, free, legs_of, opened, subjects_of
from scripts.run.estimate import Estimate, estimate_runs
from scripts.run.finish import Ending, RunOutcome, finish_run, resume_command, stored_outcome
from scripts.run.interruption import Stop
from scripts.run.judge_format import Answered, journal_format_answers, with_found_format, with_judge_formats
from scripts.run.judge_prompt import pin_judge_prompt, with_judge_prompt
from scripts.run.load import load_suite
from scripts.run.manifest import manifest_document
from scripts.run.plan import PlannedRun, plan_runs, planned_from, record_to_keep, stored_request, stored_runs
from scripts.run.play import Wiring, play
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED, note
from services.application.client import Application
from services.journal import Journal
from services.model.endpoint import Endpoint
from services.model.pricing import Prices, load_prices
from services.prompt_service import DEFAULT_REFERENCE, open_prompts
from services.provenance import provenance
from services.run_folder import point_latest, run_folder, write_json
from services.settings import PROJECT, Settings, read_settings


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command prints and exits with."""

    runs: tuple[RunOutcome, ...] = field(repr=False)
    """Not in its repr, which asyncio.run takes of its result at the end: of a large run, tens of megabytes."""
    exit_code: int
    estimate: Estimate | None = None
    """Of a dry run, which has no runs."""
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """A run of the plan; `stored` when an earlier run of the same specification takes its place."""

    run: PlannedRun
    stored: bool


BeforePaying: TypeAlias = Callable[[Sequence[PlannedRun], Journal], None]
"""Is shown the plan before the first call that costs anything; raises what speaks against it."""


def run_evaluation(
    request: EvaluationRequest,
    suites: Suites = SUITES,
    before_paying: BeforePaying | None = None,
    legs: Sequence[Leg] = (),
) -> Outcome:
    """Evaluates, or resumes, what the request names. Raises EvaluationError for what the user must mend.

    `legs` are evaluated in the place of the request's prompts and variants: prompts that are pinned already.
    """
    settings = read_settings()
    with Journal.open(settings.runs_dir / "evals.db") as journal:
        return asyncio.run(_evaluate(request, suites, settings, journal, before_paying, legs))


async def _evaluate(
    request: EvaluationRequest,
    suites: Suites,
    settings: Settings,
    journal: Journal,
    before_paying: BeforePaying | None,
    legs: Sequence[Leg],
) -> Outcome:
    choice = choose_endpoint(settings)
    resumed = stored_runs(journal, request.resume, suites) if request.resume is not None else []
    if resumed:
        request = resumed_request(request, resumed[0], choice)
    application = None
    loaded = load_suite(request.suite, None if resumed else request.rubric, suites)
    if loaded.suite.target == "application":
        application = choose_application(request, settings, resumed[0] if resumed else None)
    if not (resumed or legs):
        bare = application is not None or not (request.prompts or loaded.suite.needs_prompt)
        legs = legs_of(request, [None] if bare else await pin_prompts(request, settings))
    judge_prompt = None if resumed else await chosen_judge_prompt(request, settings)
    prices = load_prices(Path(request.prices) if request.prices else None)
    price_of = free if choice.rehearsal else prices.price_of
    async with (
        opened(choice, settings, request, journal, price_of) as endpoint,
        opened_application(application, settings, request) as called,
    ):
        if resumed:
            runs = [Planned(run, stored=False) for run in resumed]
        else:
            subjects = await subjects_of(legs, choice, settings, endpoint, application)
            subjects = await with_judge_formats(subjects, loaded.suite.judge, endpoint)
            planned = plan_runs(request, subjects, settings, suites, with_judge_prompt(loaded, judge_prompt))
            runs = reused(planned, request.reuse_days, journal, suites)
        open_runs = [planned.run for planned in runs if not planned.stored]
        if before_paying is not None:
            before_paying([planned.run for planned in runs], journal)
        if request.dry_run:
            final = {run.run_id: journal.final_positions(run.run_id) for run in open_runs if resumed}
            concurrency = request.concurrency or settings.concurrency
            return Outcome((), DONE, estimate_runs(open_runs, final, price_of, concurrency))
        check_cost_can_be_known(open_runs, prices, request)
        tell_what_runs(open_runs, choice, request)
        return await play_and_finish(runs, endpoint, journal, request, settings, new=not resumed, application=called)


async def play_and_finish(
    runs: Sequence[Planned],
    endpoint: Endpoint,
    journal: Journal,
    request: EvaluationRequest,
    settings: Settings,
    *,
    new: bool,
    application: Application | None = None,
) -> Outcome:
    """Plays the runs that are not stored already, with Langfuse beside them where it is wanted, and finishes them."""
    started = time.monotonic()
    open_runs = [planned.run for planned in runs if not planned.stored]
    found: dict[str, tuple[PlannedRun, Answered]] = {}
    async with delivering(open_runs, journal, request, settings) as session:
        if new:
            # The first call that may cost something: Langfuse and everything else has been checked by now.
            found = {each.run.run_id: await with_found_format(each.run, endpoint) for each in runs if not each.stored}
            runs = [each if each.stored else replace(each, run=found[each.run.run_id][0]) for each in runs]
            open_runs = [planned.run for planned in runs if not planned.stored]
            repin(session, open_runs, request)
        for run in open_runs:
            register(run, journal, settings, new=new)
            if new:
                answers = found[run.run_id][1]
                await journal_format_answers(run.run_id, answers, journal, endpoint, settings.secrets())
        deliveries = no_deliveries if session is None else session.deliveries_for
        wiring = Wiring(endpoint, journal, request, settings, deliveries, application)
        with told_how_to_go_on(open_runs, journal):
            stop = await _played(open_runs, wiring) if open_runs else Stop()
            ending = Ending(request, settings, journal, session, stop, time.monotonic() - started)
            outcomes = tuple(
                [
                    stored_outcome(each.run, ending) if each.stored else await finish_run(each.run, ending)
                    for each in runs
                ]
            )
    return Outcome(outcomes, exit_code(outcomes, stop), stop_reason=stop.reason)


async def _played(runs: Sequence[PlannedRun], wiring: Wiring) -> Stop:
    try:
        return await play(runs, wiring)
    except EvaluationError:
        with suppress(JournalError):  # a full disk takes no note of how the run stands; "running" resumes as well
            for run in runs:
                wiring.journal.finish_run(run.run_id, "incomplete")
        raise


@contextmanager
def told_how_to_go_on(runs: Sequence[PlannedRun], journal: Journal) -> Iterator[None]:
    """Where an error ends runs of which something was answered, names the command that goes on with them."""
    try:
        yield
    except EvaluationError:
        if any(answered(run.run_id, journal) for run in runs):
            note(f"what was answered is kept; go on with: {resume_command(runs[0])}")
        raise


def answered(run_id: str, journal: Journal) -> bool:
    """Whether the journal holds an answer of the run; False where it cannot be read."""
    try:
        return bool(journal.call_totals(run_id))
    except JournalError:
        return False


async def pin_prompts(request: EvaluationRequest, settings: Settings) -> list[PromptVersion]:
    """Each reference resolved once, uncached, before anything is paid for."""
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (DEFAULT_REFERENCE,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return [prompt.prompt for prompt in found]


async def chosen_judge_prompt(request: EvaluationRequest, settings: Settings) -> PromptVersion | None:
    """The judge's prompt of the request or the settings; None without a judge, and for the rubric's own words."""
    if not request.judge:
        return None
    return await pin_judge_prompt(request.judge_prompt, settings, use_langfuse=request.langfuse, quiet=request.quiet)


def reused(planned: Sequence[PlannedRun], days: float | None, journal: Journal, suites: Suites) -> list[Planned]:
    """The plan, with finished runs of equal digests and at most so many days of age in the place of new ones."""
    if days is None:
        return [Planned(run, stored=False) for run in planned]
    oldest = time.time() - days * 86_400
    stored = [run for run in journal.runs() if run.state == "finished" and run.created_at >= oldest]
    found = []
    for run in planned:
        twin = next((each for each in stored if not differences(each.spec, run.spec)), None)
        found.append(Planned(run, stored=False) if twin is None else Planned(planned_from(twin, suites), stored=True))
    return found


def check_cost_can_be_known(runs: Sequence[PlannedRun], prices: Prices, request: EvaluationRequest) -> None:
    """A cost limit over calls without a price would never be reached: UsageError names the models."""
    models = {model for run in runs for model in run.paid_models}
    unpriced = sorted(model for model in models if prices.find(model) is None)
    if request.max_cost is not None and unpriced:
        raise UsageError(
            f"--max-cost: no price is known as of {prices.as_of} for {', '.join(unpriced)}: give one with --prices FILE"
        )


def resumed_request(request: EvaluationRequest, run: PlannedRun, choice: EndpointChoice) -> EvaluationRequest:
    """The run's own arguments; only how it is carried out may be given anew.

    A sweep is gone on with by its own command alone, which analyses it when it is complete.
    """
    refuse_new_arguments(replace(request, sweep=False))
    if stored_request(run).sweep and not request.sweep:
        raise UsageError(f"run {run.run_id} is one setting of a sweep: go on with all of it: {resume_command(run)}")
    asked = run.asked_endpoint
    if asked is not None and asked != choice.identity:
        raise UsageError(
            f"run {run.run_id} was made with {asked} and the settings now name {choice.identity}: "
            "set OPENAI_BASE_URL and OPENAI_API_KEY as they were, or start a new run"
        )
    stored, usual = stored_request(run), EvaluationRequest()
    anew = {name: getattr(request, name) for name in MAY_CHANGE if getattr(request, name) != getattr(usual, name)}
    return replace(stored, **{"dry_run": False, "quiet": False, "gate": None, **anew})


def register(run: PlannedRun, journal: Journal, settings: Settings, *, new: bool) -> None:
    """Writes the run and its manifest down before its first call."""
    if not new:
        journal.resume_run(run.run_id)
        return
    record = replace(record_to_keep(run), extra=provenance(PROJECT))
    journal.create_run(record)
    write_json(run_folder(settings.runs_dir, run.run_id) / "manifest.json", manifest_document(run, record))
    point_latest(settings.runs_dir, run.run_id)


def tell_what_runs(runs: Sequence[PlannedRun], choice: EndpointChoice, request: EvaluationRequest) -> None:
    """Which model, which judge, how much: on stderr, before the first call."""
    if request.quiet or not runs:
        return
    spec = runs[0].spec
    if runs[0].of_application:
        tell_application(runs[0], choice)
    elif choice.rehearsal:
        note("model: the embedded rehearsal model, a scripted stand-in and not a language model (no endpoint is set)")
    else:
        note(f"model: {spec.model} at {spec.endpoint}")
    if spec.judge is not None and spec.judge.model == spec.model:
        note("judge: the model under test judges itself and prefers its own words; set EVAL_JUDGE_MODEL")
    if spec.moderation is not None:
        note(f"moderation: each response goes to {spec.moderation} at the same endpoint")
    exchanges = sum(run.planned_exchanges for run in runs)
    note(f"{exchanges} exchanges in {len(runs)} run{'s' if len(runs) > 1 else ''}: {', '.join(r.run_id for r in runs)}")


def tell_application(run: PlannedRun, choice: EndpointChoice) -> None:
    """Which application is evaluated, and who judges it."""
    where = f"the embedded sample assistant, {run.spec.endpoint}" if run.rehearsal else run.spec.endpoint
    note(f"application: {where}{' (CHAT_FLOW_URL is not set)' if run.rehearsal else ''}")
    if run.spec.judge is None:
        note(f"judge: none, checks alone{' (no endpoint is set)' if choice.rehearsal else ''}")
    elif choice.rehearsal:
        note("judge: the embedded rehearsal model, a scripted stand-in whose scores say nothing about quality")
    else:
        note(f"judge: {run.spec.judge.model} at {run.spec.judge.endpoint}")


def exit_code(outcomes: Sequence[RunOutcome], stop: Stop) -> int:
    """The first that applies: interrupted, gate short of coverage, incomplete, gate failed, done."""
    if stop.interrupted:
        return INTERRUPTED
    if any(outcome.short_of_coverage for outcome in outcomes):
        return GATE_FAILED
    if any(outcome.incomplete for outcome in outcomes):
        return INCOMPLETE
    if any(outcome.gate is not None and not outcome.gate.passed for outcome in outcomes):
        return GATE_FAILED
    return DONE
