"""The judge's proposals for drafts: one journaled call a draft, answered by the journal where it was asked before."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.errors import EvaluationError, StopRequested, UsageError
from evaluation.harvest.draft import Draft, with_proposal
from evaluation.harvest.proposing import Proposer
from evaluation.ports import Complete
from evaluation.records import CallFailure, Reply, Request, Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import RunSpec, TextPin, differences, digest
from evaluation.suites.loaded import LoadedSuite
from scripts.calibration.judged_ratings import judging_models
from scripts.run.choices import choose_endpoint
from scripts.run.judge_format import find_judge_format
from scripts.run.judges import judge_pin, keep_answers
from scripts.run.plan import run_identifier
from scripts.run.start import check_cost_can_be_known
from scripts.run.stop import Budget, Stop, asked_before_the_run, signals_stop
from scripts.run.wiring import Wiring, open_wiring
from scripts.shell import note
from services.journal import Journal, hold_run
from services.settings import Settings

GIVEN = "given messages"
"""Stands where a run names the model that answered: here users spoke."""


@dataclass
class Proposed:
    """What came of asking."""

    drafts: list[Draft]
    judge: str
    unread: list[str] = field(default_factory=list)
    """Why no proposal could be read, draft by draft."""
    failed: list[str] = field(default_factory=list)
    """Why no answer came."""
    reason: str = ""
    """Why it ended early; empty where it did not."""
    interrupted: bool = False


def propose(
    drafts: Sequence[Draft],
    loaded: LoadedSuite,
    scenarios: Sequence[Scenario],
    request: EvaluationRequest,
    settings: Settings,
) -> Proposed:
    """The drafts with what the judge proposes. Raises UsageError where no judge can be asked."""
    if loaded.suite.judge is None:
        raise UsageError(f"rubric {loaded.rubric.name!r} has no judge: leave out --judge")
    models = judging_models(settings, request.judge_models) or ()
    if len(models) > 1:
        raise UsageError("one judge proposes: name one with --judge-model")
    if not models:
        raise UsageError(
            "--judge: there is no endpoint: set OPENAI_API_KEY or OPENAI_BASE_URL, or leave it out; "
            "--judge-model rehearsal-judge asks the scripted stand-in"
        )
    return asyncio.run(_propose(list(drafts), models[0], loaded, scenarios, request, settings))


async def _propose(
    drafts: list[Draft],
    named: str,
    loaded: LoadedSuite,
    scenarios: Sequence[Scenario],
    request: EvaluationRequest,
    settings: Settings,
) -> Proposed:
    rubric = loaded.suite.judge
    assert rubric is not None, "refused before"
    with Journal.in_folder(settings.runs_dir) as journal:
        async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
            model, endpoint = wiring.endpoints.find(named)
            check_cost_can_be_known([] if wiring.choice.rehearsal else [model], wiring)
            heard: list[tuple[Request, Reply]] = []

            async def keep(question: Request, reply: Reply) -> Reply:
                heard.append((question, reply))
                return reply

            found = await asked_before_the_run(
                find_judge_format(request.judge_format, model, rubric, endpoint, keep=keep), wiring.endpoints
            )
            pin = judge_pin(model, endpoint.identity, found, samples=1)
            items = tuple(item for scenario in scenarios for item in scenario.expect)
            categories = {name: guide.focus for name, guide in loaded.rubric.categories.items()}
            proposer = Proposer(pin, categories, items, request.seed or 0)
            run = _run_of(drafts, proposer, loaded, request, wiring)
            for question, reply in heard:
                await keep_answers(run.run_id, journal, endpoint, settings)(question, reply)
            if not request.quiet:
                note(f"judge: {model} at {endpoint.identity} is asked about {len(drafts)} drafts, run {run.run_id}")
            with hold_run(settings.runs_dir, run.run_id):
                return await _ask_all(drafts, proposer, run, wiring)


async def _ask_all(drafts: list[Draft], proposer: Proposer, run: Run, wiring: Wiring) -> Proposed:
    stop = Stop(wiring.endpoints.shut)
    proposed = Proposed(list(drafts), proposer.pin.model)
    budget = Budget(wiring.request.max_cost, wiring.journal.cost_usd(run.run_id) or 0.0, stop)
    complete = wiring.calls_of(run.run_id, budget, frozenset({"drafts"})).complete
    work = (_ask(place, proposed, proposer, complete) for place in range(len(drafts)))
    task = asyncio.ensure_future(asyncio.gather(*work))
    with signals_stop(stop, task, wiring.calls_under_way):
        try:
            await task
        except asyncio.CancelledError:
            if not stop.interrupted:
                raise
        except EvaluationError:
            stop.end_at_once("an error ended it")
            raise
        finally:
            wiring.journal.finish_run(run.run_id, "incomplete" if stop.reason else "finished")
    proposed.reason, proposed.interrupted = stop.reason, stop.interrupted
    return proposed


async def _ask(place: int, proposed: Proposed, proposer: Proposer, complete: Complete) -> None:
    draft = proposed.drafts[place]
    try:
        outcome = await complete(proposer.request(draft))
    except StopRequested:
        return
    if isinstance(outcome, CallFailure):
        proposed.failed.append(f"{draft.id}: {outcome.kind}: {outcome.message}")
        return
    read = proposer.read(outcome, draft)
    if isinstance(read, str):
        proposed.unread.append(f"{draft.id}: {read}")
    else:
        proposed.drafts[place] = with_proposal(draft, read)


def _run_of(
    drafts: Sequence[Draft], proposer: Proposer, loaded: LoadedSuite, request: EvaluationRequest, wiring: Wiring
) -> Run:
    """The run under which the calls are journaled: an earlier one about the same drafts, gone on with, or a new one."""
    rubric = loaded.rubric
    texts = digest([[draft.id, *draft.turns] for draft in drafts])
    spec = RunSpec(
        suite=f"{loaded.suite.name} harvest",  # no suite that could be resumed or scored again
        prompt=None,
        model=GIVEN,
        endpoint=wiring.choice.identity,
        parameters={},
        judge=proposer.pin,
        rubric=TextPin(rubric.name, rubric.edition, rubric.sha256),
        scenarios=TextPin("harvest", str(len(drafts)), texts),
        repeats=1,
        seed=request.seed or 0,
    )
    journal = wiring.journal
    created_at = time.time()
    begun = next((each for each in journal.runs(inputs=False) if _is_same(each.spec, spec)), None)
    run_id = run_identifier(created_at, "harvest") if begun is None else begun.run_id
    run = Run(
        run_id=run_id,
        group_id=run_id,
        parent_run_id=None,
        created_at=created_at,
        spec=spec,
        suite=loaded.suite,
        prompt=None,
        scenarios=(),
        request=request,
        inputs={"rubric": loaded.text},
    )
    if begun is None:
        journal.create_run(run)
    else:
        journal.resume_run(run_id)
    return run


def _is_same(one: RunSpec, other: RunSpec) -> bool:
    return one.suite == other.suite and not differences(one, other)
