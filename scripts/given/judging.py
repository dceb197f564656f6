"""Responses that users had already, given to a judge.

Everything that is paid for is a call of a run: journaled, limited, checked on canaries, gone on with after a crash.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from evaluation.estimate import Estimate, estimate_runs
from evaluation.production.judged import JudgedTurn, conversation_scores, judged_turn
from evaluation.records import Position
from evaluation.reports.wording import REHEARSAL_JUDGE
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, with_judge_prompt
from scripts.given.arguments import AS_DRAWN, MEANS, flag_of
from scripts.run.choices import EndpointChoice, choose_endpoint
from scripts.run.conclude import conclude_run
from scripts.run.finish import Outcome
from scripts.run.judges import pin_judges
from scripts.run.models import judges_for
from scripts.run.people import with_peoples_answers
from scripts.run.prompts import pin_judge_prompt
from scripts.run.stop import Stop
from scripts.run.stored import resumed_request, stored_run
from scripts.run.wiring import Wiring, open_wiring
from scripts.shell import note
from scripts.workflow import play_and_finish
from services.journal import Journal
from services.settings import Settings

UNMASKED = "LANGFUSE_MASK is not set: the judge is sent what users said as they said it, names and addresses too"

Plan: TypeAlias = Callable[[LoadedSuite, JudgePin, EvaluationRequest], Run]
"""Makes the run, once its judge is known."""


@dataclass(frozen=True, slots=True)
class GivenJudged:
    """A run of given responses after it was played, to its end or not."""

    run: Run
    outcome: Outcome

    @property
    def is_stand_in(self) -> bool:
        """True where the embedded model judged, which says nothing about quality."""
        return self.run.spec.rehearsed

    @property
    def why_unfit(self) -> list[str]:
        """Why the judge is not to be believed, where it failed on exchanges of known quality."""
        checks = [found.canaries for found in self.outcome.runs]
        return [check.explain() for check in checks if check is not None and check.fit is False]

    @property
    def is_unfit(self) -> bool:
        return bool(self.why_unfit)

    @property
    def banners(self) -> list[str]:
        """What must stand above everything else."""
        unfit = [f"the judge is not to be believed: {why}" for why in self.why_unfit]
        return [*([REHEARSAL_JUDGE] if self.is_stand_in else []), *unfit]


def judge_names(named: Sequence[str], settings: Settings, choice: EndpointChoice) -> tuple[str, ...]:
    """Who is asked: those that are named, else those of the settings."""
    usual = (settings.model,) if settings.model else ()
    return judges_for(named or settings.judge_models or usual, choice, settings)


def named_judges(options: argparse.Namespace, settings: Settings, choice: EndpointChoice) -> tuple[str, ...]:
    """Raises UsageError where no judge is named."""
    names = judge_names(tuple(options.judge_models or ()), settings, choice)
    if not names:
        raise UsageError("--judge: no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    return names


async def judge_given(
    run_id: str,
    plan: Plan,
    named: tuple[str, str | None],
    loaded: LoadedSuite,
    options: argparse.Namespace,
    settings: Settings,
    journal: Journal,
) -> tuple[Run, Outcome]:
    """Begins the run, or goes on with it: what was judged before is not asked again.

    Suite and rubric are as they were `named`. Raises EvaluationError for what the user must mend; what was judged by
    then is journaled.
    """
    if run_id in journal.run_ids():
        return await _go_on(run_id, options, settings, journal)
    request = request_of(named, options)
    async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
        run = await _planned(plan, request, loaded, wiring)
        _say_estimate(run, wiring, journal)
        outcome = await play_and_finish([run], wiring, new=True)
    return (outcome.runs[0].run if outcome.runs else run), outcome


def stored_given(run_id: str, settings: Settings, journal: Journal) -> tuple[Run, Outcome]:
    """The run as far as it was judged; nothing is asked."""
    run = stored_run(journal, run_id, SUITES)
    return run, Outcome((conclude_run(run, journal, settings, run.request),), Stop())


async def estimate_given(
    plan: Plan,
    named: tuple[str, str | None],
    loaded: LoadedSuite,
    options: argparse.Namespace,
    settings: Settings,
    journal: Journal,
) -> tuple[Estimate, Estimate]:
    """What the run would take, and what it would where one response and all that checks the judge were done."""
    request = request_of(named, options)
    async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
        run = await _planned(plan, request, loaded, wiring)
        one: set[Position] = {(run.scenarios[0].id, 1, 1)}
        whole, rest = (
            estimate_runs([run], {run.run_id: final}, wiring.price_of, wiring.concurrency) for final in (set(), one)
        )
        return whole, rest


def request_of(named: tuple[str, str | None], options: argparse.Namespace) -> EvaluationRequest:
    """What is asked of the judge."""
    return EvaluationRequest(
        suite=named[0],
        rubric=named[1],
        judge_models=tuple(options.judge_models or ()),
        expectations=options.expectations or "judge",
        conversations=options.conversations or "judge",
        langfuse=False,
        mix="none",  # responses are met as often as users meet them already
        **_means(options),
    )


def said_of(run: Run, outcome: Outcome, journal: Journal, settings: Settings) -> Iterator[tuple[str, JudgedTurn]]:
    """Scenario id -> what was said of its response, and of its conversation where the judge is fit for those."""
    found = [each.summary.conversations for each in outcome.runs]
    unfit = any(each is not None and each.check is not None and each.check.fit is False for each in found)
    conversations = {
        result.exchange.cell.scenario_id: conversation_scores(result)
        for result in (() if unfit else journal.conversations(run.run_id, run.scenario_ids))
    }
    for result in with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings):
        name = result.exchange.cell.scenario_id
        yield name, replace(judged_turn(result), conversation=conversations.get(name, {}))


async def _go_on(run_id: str, options: argparse.Namespace, settings: Settings, journal: Journal) -> tuple[Run, Outcome]:
    run = stored_run(journal, run_id, SUITES)
    if given := [name for name in AS_DRAWN if _is_other(getattr(options, name), getattr(run.request, name))]:
        raise UsageError(f"{flag_of(given[0])} cannot change: run {run_id} goes on as it was begun; leave it out")
    if journal.run(run_id, inputs=False).state == "finished":
        return stored_given(run_id, settings, journal)
    choice = choose_endpoint(settings)
    request = resumed_request(EvaluationRequest(resume=run_id, langfuse=False, **_means(options)), run, choice)
    async with open_wiring(request, settings, journal, choice) as wiring:
        _say_estimate(run, wiring, journal)
        return run, await play_and_finish([run], wiring, new=False)


def _is_other(given: Any, begun: Any) -> bool:
    """True for an argument that was given and is not as it was when the run was begun."""
    return bool(given) and (tuple(given) if isinstance(given, list) else given) != begun


async def _planned(plan: Plan, request: EvaluationRequest, loaded: LoadedSuite, wiring: Wiring) -> Run:
    own = await pin_judge_prompt(None, wiring.settings, quiet=request.quiet)
    loaded = with_judge_prompt(loaded, own)
    names = judge_names(request.judge_models, wiring.settings, wiring.choice)
    pin = await pin_judges(names, request, loaded, wiring.endpoints, wiring.settings)
    if pin is None:
        raise UsageError(f"--judge: rubric {loaded.rubric.name!r} asks no judge: name another with --rubric")
    return plan(loaded, pin, request)


def _means(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in (*MEANS, "quiet")}


def _say_estimate(run: Run, wiring: Wiring, journal: Journal) -> None:
    """What is still to be asked, before it is paid for, and that it leaves as it was said where nothing is masked."""
    if wiring.request.quiet:
        return
    if not (run.spec.rehearsed or wiring.settings.mask or wiring.settings.mask_pattern):
        note(UNMASKED)
    final, judged = journal.final_positions(run.run_id), journal.final_conversations(run.run_id)
    found = estimate_runs([run], {run.run_id: final}, wiring.price_of, wiring.concurrency, {run.run_id: judged})
    for line in found.lines():
        note(line)
