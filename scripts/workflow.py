"""The whole job, written once: settings, prompts pinned, plan, play, summary, decision, files. Commands call it."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from evaluation.outcome import RunOutcome
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.run.deliver import open_session
from scripts.run.estimate import estimate_runs
from scripts.run.finish import End, Outcome, finish_run, stored_outcome
from scripts.run.load import load_scenarios, load_suite, pin_judge_prompt, pin_prompts, with_judge_prompt
from scripts.run.plan import Leg, check_cost_can_be_known, legs_of, plan_runs, settle_judge
from scripts.run.play import no_deliveries, play
from scripts.run.start import announce, register
from scripts.run.stop import Stop
from scripts.run.stored import find_earlier_runs, hint_at_resume, resumed_request, stored_runs
from scripts.run.wiring import Wiring, choose_application, choose_endpoint, choose_models, open_wiring
from scripts.shell import DONE, GATE_FAILED, INCOMPLETE, INTERRUPTED
from services.journal import Journal
from services.settings import Settings, read_settings

BeforePaying: TypeAlias = Callable[[Sequence[Run], Journal], None]
"""Is shown the plan before anything is paid for; raises what speaks against it."""


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
    with Journal.in_folder(settings.runs_dir) as journal:
        if request.resume is not None:
            return asyncio.run(_resume(request, suites, settings, journal, before_paying))
        return asyncio.run(_evaluate(request, suites, settings, journal, before_paying, legs))


async def _evaluate(
    request: EvaluationRequest,
    suites: Suites,
    settings: Settings,
    journal: Journal,
    before_paying: BeforePaying | None,
    legs: Sequence[Leg],
) -> Outcome:
    """Plans new runs, and plays those that no earlier run stands for."""
    choice = choose_endpoint(settings)
    loaded = load_suite(request.suite, request.rubric, suites)
    target = choose_application(request, settings) if loaded.suite.target == "application" else None
    if not legs:
        bare = target is not None or not (request.prompts or loaded.suite.needs_prompt)
        legs = legs_of(request, [None] if bare else await pin_prompts(request, settings))
    if request.judge:
        own = await pin_judge_prompt(request.judge_prompt, settings, use_langfuse=request.langfuse, quiet=request.quiet)
        loaded = with_judge_prompt(loaded, own)
    entry = suites[request.suite]
    scenarios = load_scenarios(request.scenarios or entry.scenarios, loaded.rubric, entry.parse)
    async with open_wiring(request, settings, journal, choice, target) as wiring:
        models = [await choose_models(leg.prompt, leg.request, wiring) for leg in legs]
        runs = await plan_runs(legs, models, loaded, scenarios, wiring)
        earlier = find_earlier_runs(runs, request.reuse_days, journal, suites)
        runs = [earlier.get(run.run_id, run) for run in runs]
        if before_paying is not None:
            before_paying(runs, journal)
        stored = {run.run_id for run in earlier.values()}
        if request.dry_run:
            return _estimate([run for run in runs if run.run_id not in stored], wiring)
        return await play_and_finish(runs, wiring, stored=stored, new=True)


async def _resume(
    request: EvaluationRequest,
    suites: Suites,
    settings: Settings,
    journal: Journal,
    before_paying: BeforePaying | None,
) -> Outcome:
    """Goes on with the runs of a group, as they were planned."""
    assert request.resume is not None
    choice = choose_endpoint(settings)
    runs = stored_runs(journal, request.resume, suites)
    request = resumed_request(request, runs[0], choice)
    target = choose_application(request, settings, runs[0]) if runs[0].of_application else None
    async with open_wiring(request, settings, journal, choice, target) as wiring:
        if before_paying is not None:
            before_paying(runs, journal)
        if request.dry_run:
            return _estimate(runs, wiring)
        check_cost_can_be_known({model for run in runs for model in run.paid_models}, wiring)
        return await play_and_finish(runs, wiring, new=False)


async def play_and_finish(runs: Sequence[Run], wiring: Wiring, *, stored: Collection[str] = (), new: bool) -> Outcome:
    """Plays the runs that are not stored already, with Langfuse beside them where it is wanted, and finishes them."""
    started = time.monotonic()
    to_play = [run for run in runs if run.run_id not in stored]
    announce(to_play, wiring)
    async with open_session(to_play, wiring) as session:
        if new:
            # The first call that is paid for: all that speaks against the runs was asked before.
            to_play = [await settle_judge(run, wiring) for run in to_play]
        if session is not None:
            session.take(to_play)
        for run in to_play:
            register(run, wiring.journal, wiring.settings, new=new)
        played = {run.run_id: run for run in to_play}
        with hint_at_resume(to_play, wiring.journal):
            deliveries = no_deliveries if session is None else session.deliveries_for
            stop = await play(to_play, wiring, deliveries) if to_play else Stop()
            end = End(stop, time.monotonic() - started)
            outcomes = [
                await finish_run(played[run.run_id], wiring, session, end)
                if run.run_id in played
                else stored_outcome(run, wiring)
                for run in runs
            ]
    return Outcome(tuple(outcomes), exit_code(outcomes, stop), stop_reason=stop.reason)


def _estimate(runs: Sequence[Run], wiring: Wiring) -> Outcome:
    final = {run.run_id: wiring.journal.final_positions(run.run_id) for run in runs}
    return Outcome((), DONE, estimate_runs(runs, final, wiring.price_of, wiring.concurrency))


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
