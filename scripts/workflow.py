"""The whole job, written once: settings, prompts pinned, plan, play, summary, decision, files. Commands call it."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evaluation.errors import EvaluationError, UsageError
from evaluation.prompts import PromptVersion
from evaluation.suites import SUITES, Suites
from scripts.arguments import EvaluationRequest
from scripts.endpoints import EndpointChoice, choose_endpoint, choose_models, opened
from scripts.estimate import Estimate, estimate_runs
from scripts.finishing import RunOutcome, finish_run, resume_command
from scripts.interruption import Stop
from scripts.planning import PlannedRun, plan_runs, stored_request, stored_runs
from scripts.playing import play
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED, note
from services.journal import Journal
from services.llm_service import Endpoint
from services.pricing import Prices, load_prices
from services.prompt_service import DEFAULT_REFERENCE, open_prompts
from services.provenance import provenance
from services.run_folder import point_latest, run_folder, write_json
from services.settings import PROJECT, Settings, read_settings

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command prints and exits with."""

    runs: tuple[RunOutcome, ...]
    exit_code: int
    estimate: Estimate | None = None
    """Of a dry run, which has no runs."""
    stop_reason: str = ""


def run_evaluation(request: EvaluationRequest, suites: Suites = SUITES) -> Outcome:
    """Evaluates, or resumes, what the request names. Raises EvaluationError for what the user must mend."""
    settings = read_settings()
    with Journal.open(settings.runs_dir / "evals.db") as journal:
        return asyncio.run(_evaluate(request, suites, settings, journal))


async def _evaluate(request: EvaluationRequest, suites: Suites, settings: Settings, journal: Journal) -> Outcome:
    started = time.monotonic()
    choice = choose_endpoint(settings)
    resumed = stored_runs(journal, request.resume, suites) if request.resume is not None else []
    if resumed:
        request = resumed_request(request, resumed[0], choice)
    prompts = [] if resumed else await pin_prompts(request, settings)
    prices = load_prices(Path(request.prices) if request.prices else None)
    async with opened(choice, settings, request, journal, prices) as endpoint:
        if resumed:
            runs = resumed
        else:
            models = await choose_models(request, prompts[0], choice, settings, endpoint)
            runs = plan_runs(request, prompts, models, settings, suites)
        if request.dry_run:
            return Outcome((), DONE, estimate_runs(runs, prices, request.concurrency or settings.concurrency))
        check_cost_can_be_known(runs, prices, request)
        tell_what_runs(runs, choice, request)
        for run in runs:
            register(run, journal, settings, new=not resumed)
        stop = await _played(runs, endpoint, journal, request, settings)
    wall = time.monotonic() - started
    outcomes = tuple(
        finish_run(run, journal, settings, request, wall_seconds=wall, stop_reason=stop.reason) for run in runs
    )
    return Outcome(outcomes, exit_code(outcomes, stop), stop_reason=stop.reason)


async def _played(
    runs: Sequence[PlannedRun], endpoint: Endpoint, journal: Journal, request: EvaluationRequest, settings: Settings
) -> Stop:
    try:
        return await play(runs, endpoint, journal, request, settings)
    except EvaluationError as error:
        for run in runs:
            journal.finish_run(run.run_id, "incomplete")
        if any(journal.spent(run.run_id) or journal.final_positions(run.run_id) for run in runs):
            note(f"what was answered is kept; go on with: {resume_command(runs[0].run_id)}")
        raise error


async def pin_prompts(request: EvaluationRequest, settings: Settings) -> list[PromptVersion]:
    """Each reference resolved once, uncached, before anything is paid for."""
    prompts = open_prompts(settings, use_langfuse=request.langfuse)
    found = [await prompts.load(reference) for reference in request.prompts or (DEFAULT_REFERENCE,)]
    if not request.quiet:
        for prompt in found:
            note(f"prompt: {prompt.resolution}, from {prompt.prompt.pin.source}")
    return [prompt.prompt for prompt in found]


def check_cost_can_be_known(runs: Sequence[PlannedRun], prices: Prices, request: EvaluationRequest) -> None:
    """A cost limit over calls without a price would never be reached: UsageError names the models."""
    specs = [run.spec for run in runs if not run.rehearsal]
    models = {spec.model for spec in specs} | {spec.judge.model for spec in specs if spec.judge is not None}
    unpriced = sorted(model for model in models if prices.find(model) is None)
    if request.max_cost is not None and unpriced:
        raise UsageError(
            f"--max-cost: no price is known as of {prices.as_of} for {', '.join(unpriced)}: give one with --prices FILE"
        )


def resumed_request(request: EvaluationRequest, run: PlannedRun, choice: EndpointChoice) -> EvaluationRequest:
    """The run's own arguments; only how it is carried out may be given anew."""
    if run.spec.endpoint != choice.identity:
        raise UsageError(
            f"run {run.run_id} was made with {run.spec.endpoint} and the settings now name {choice.identity}: "
            "set OPENAI_BASE_URL and OPENAI_API_KEY as they were, or start a new run"
        )
    stored = stored_request(run)
    return replace(
        stored,
        resume=request.resume,
        concurrency=request.concurrency or stored.concurrency,
        max_cost=request.max_cost,
        quiet=request.quiet,
        dry_run=request.dry_run,
        gate=request.gate or stored.gate,
        strict=request.strict or stored.strict,
    )


def register(run: PlannedRun, journal: Journal, settings: Settings, *, new: bool) -> None:
    """Writes the run and its manifest down before its first call."""
    if not new:
        journal.resume_run(run.run_id)
        return
    record = replace(run.record, extra=provenance(PROJECT))
    journal.create_run(record)
    manifest = {
        "schema_version": SCHEMA_VERSION,
        "run_id": run.run_id,
        "group_id": record.group_id,
        "parent_run_id": record.parent_run_id,
        "created_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created_at)),
        "arguments": record.arguments,
        "spec": asdict(run.spec),
        "digests": run.spec.digests(),
        "planned_exchanges": run.planned_exchanges,
        "rehearsal": run.rehearsal,
        **record.extra,
    }
    write_json(run_folder(settings.runs_dir, run.run_id) / "manifest.json", manifest)
    point_latest(settings.runs_dir, run.run_id)


def tell_what_runs(runs: Sequence[PlannedRun], choice: EndpointChoice, request: EvaluationRequest) -> None:
    """Which model, which judge, how much: on stderr, before the first call."""
    if request.quiet:
        return
    spec = runs[0].spec
    if choice.rehearsal:
        note("model: the embedded rehearsal model, a scripted stand-in and not a language model (no endpoint is set)")
    else:
        note(f"model: {spec.model} at {spec.endpoint}")
    if spec.judge is not None and spec.judge.model == spec.model:
        note("judge: the model under test judges itself and prefers its own words; set EVAL_JUDGE_MODEL")
    if spec.moderation is not None:
        note(f"moderation: each response goes to {spec.moderation} at the same endpoint")
    exchanges = sum(run.planned_exchanges for run in runs)
    note(f"{exchanges} exchanges in {len(runs)} run{'s' if len(runs) > 1 else ''}: {', '.join(r.run_id for r in runs)}")


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
