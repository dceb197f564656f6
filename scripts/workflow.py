"""The whole job, written once: settings, prompts pinned, plan, play, summary, decision, files. Commands call it."""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from evaluation.estimate import estimate_runs
from evaluation.plan import Leg
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.suites import SUITES, Suites
from scripts.run.batches import refuse_without_batches
from scripts.run.finish import Outcome, finish_run, open_session
from scripts.run.load import read_inputs, suite_of_request
from scripts.run.mix import read_mix
from scripts.run.panel import settle_judges
from scripts.run.plan import plan_runs
from scripts.run.play import hint_at_resume, no_deliveries, play
from scripts.run.start import announce, check_cost_can_be_known, register
from scripts.run.stop import Stop, asked_before_the_run
from scripts.run.stored import RESUME, find_earlier_runs, open_stored, resumed_request, stored_runs
from scripts.run.waivers import read_waivers
from scripts.run.wiring import Wiring, choose_endpoint, open_wiring
from scripts.shell import note
from services.journal import Journal
from services.run_folder import latest_problem
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
    with open_stored(settings, request.resume, RESUME) as journal:
        return asyncio.run(_evaluate(request, suites, settings, journal, before_paying, legs))


async def _evaluate(
    request: EvaluationRequest,
    suites: Suites,
    settings: Settings,
    journal: Journal,
    before_paying: BeforePaying | None,
    legs: Sequence[Leg],
) -> Outcome:
    """Plans new runs, or goes on with those of a group as they were planned; what an earlier run stands for stays."""
    choice, inputs = choose_endpoint(settings), None
    runs = [] if request.resume is None else stored_runs(journal, request.resume, suites)
    if runs:
        request = resumed_request(request, runs[0], choice)
    else:
        inputs = await read_inputs(request, settings, suites, legs)
    resumed = runs[0] if runs else None
    suite = suite_of_request(request, suites, settings) if resumed is None else resumed.suite
    async with open_wiring(request, settings, journal, choice, suite, resumed) as wiring:
        earlier: dict[str, Run] = {}
        if inputs is not None:
            runs = await plan_runs(inputs, wiring)
            earlier = find_earlier_runs(runs, request.reuse_days, journal, suites)
            runs = [earlier.get(run.run_id, run) for run in runs]
        if before_paying is not None:
            before_paying(runs, journal)
        stored = {run.run_id for run in earlier.values()}
        if not request.dry_run:
            return await play_and_finish(runs, wiring, stored=stored, new=inputs is not None)
        read_waivers(request.waivers)  # a dry run finds what a run would refuse
        read_mix(request.mix, suite.name)
        to_play = [run for run in runs if run.run_id not in stored]
        final = {run.run_id: journal.final_positions(run.run_id) for run in to_play}
        judged = {run.run_id: journal.final_conversations(run.run_id) for run in to_play}
        return Outcome((), Stop(), estimate_runs(to_play, final, wiring.price_of, wiring.concurrency, judged))


async def play_and_finish(runs: Sequence[Run], wiring: Wiring, *, stored: Collection[str] = (), new: bool) -> Outcome:
    """Plays the runs that are not stored already, with Langfuse beside them where it is wanted, and finishes them."""
    started = time.monotonic()
    to_play = [run for run in runs if run.run_id not in stored]
    refuse_without_batches(wiring)
    check_cost_can_be_known((model for run in to_play for model in run.paid_models), wiring)
    read_waivers(wiring.request.waivers)  # one that is wrong is found before anything is paid
    for name in dict.fromkeys(run.spec.suite for run in to_play):
        read_mix(wiring.request.mix, name)
    announce(to_play, wiring)
    if to_play and (problem := latest_problem(wiring.settings.runs_dir)):
        note(problem)
    async with open_session(to_play, wiring) as session:
        if new:
            # The first call that is paid for: all that speaks against the runs was asked before.
            to_play = await asked_before_the_run(settle_judges(to_play, wiring), wiring.endpoints)
        if session is not None:
            session.take(to_play)
        for run in to_play:
            register(run, wiring.journal, wiring.settings, new=new)
        with hint_at_resume(to_play, wiring.journal):
            deliveries = no_deliveries if session is None else session.deliveries_for
            stop = await play(to_play, wiring, deliveries) if to_play else Stop()
            end = stop.ending(time.monotonic() - started)
            played = {run.run_id: run for run in to_play}
            outcomes = [
                await finish_run(played.get(run.run_id, run), wiring, session, end if run.run_id in played else None)
                for run in runs
            ]
    from scripts.run.index import write_index  # a page is thought of when runs have ended, not before

    write_index(wiring.journal, wiring.settings)
    return Outcome(tuple(outcomes), stop)
