"""Responses that users had already, as a run of its own: a scenario for each, which a judge scores.

Everything that is paid for is a call of a run: journaled, limited, checked on canaries, gone on with after a crash.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from evaluation.errors import UsageError
from evaluation.estimate import Estimate, estimate_runs
from evaluation.expectations.pin import expectations_pin
from evaluation.expectations.shared import add_shared_items
from evaluation.given import INPUT as GIVEN
from evaluation.given import GivenReplies
from evaluation.plan import chosen_mode, judge_inputs, suite_inputs
from evaluation.production.as_run import OTHER
from evaluation.production.judged import JudgedTurn, conversation_scores, judged_turn
from evaluation.records import Position, Scenario
from evaluation.reports.wording import REHEARSAL_JUDGE
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import PRODUCTION, JudgePin, PromptPin, RunSpec, TextPin
from evaluation.scenarios.nearest import Nearest
from evaluation.scenarios.selection import scenarios_pin
from evaluation.statistics.scenario_scores import SampleWeight
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, with_judge_prompt
from evaluation.summary.weights import INPUT as WEIGHTS
from evaluation.summary.weights import ScenarioWeights
from scripts.given.arguments import AS_DRAWN, MEANS, flag_of
from scripts.run.finish import Outcome
from scripts.run.load import find_suite, parse_sets, pin_judge_prompt, read_sets
from scripts.run.panel import pin_judges
from scripts.run.people import with_peoples_answers
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run, resumed_request, stored_run
from scripts.run.wiring import EndpointChoice, Wiring, choose_endpoint, judges_for, open_wiring
from scripts.shell import note
from scripts.workflow import play_and_finish
from services.journal import Journal
from services.provenance import provenance, scorer_digest
from services.settings import Settings

Guess: TypeAlias = Callable[[str], str]
"""The likely category of a message."""
UNMASKED = "LANGFUSE_MASK is not set: the judge is sent what users said as they said it, names and addresses too"
Plan: TypeAlias = Callable[[LoadedSuite, JudgePin, EvaluationRequest], Run]
"""Makes the run, once its judge is known."""


@dataclass(frozen=True, slots=True)
class GivenRun:
    """All of a run but its judge."""

    run_id: str
    prompt: PromptPin
    """What is known of the prompt; its text is not."""
    kept_at: str
    """Where the responses are kept, for people."""
    scenarios: Sequence[Scenario] = field(repr=False)
    """One for each response, in the order in which they are judged."""
    replies: GivenReplies = field(repr=False)
    seed: int
    weights: Mapping[str, float] | None = field(repr=False)
    """Scenario id -> how many it stands for; None where all are judged, so that each stands for itself."""


def plan_given(given: GivenRun, loaded: LoadedSuite, judge: JudgePin, request: EvaluationRequest, at: Settings) -> Run:
    """The run as it is registered."""
    scenarios = add_shared_items(given.scenarios, loaded.rubric)
    spec = RunSpec(
        suite=loaded.suite.name,
        prompt=given.prompt,
        model="",
        endpoint=f"{PRODUCTION}{given.kept_at}",
        parameters={},
        judge=judge,
        rubric=TextPin(loaded.rubric.name, loaded.rubric.edition, loaded.rubric.sha256),
        scenarios=scenarios_pin("production", scenarios),
        repeats=1,
        seed=given.seed,
        expectations=expectations_pin(scenarios, chosen_mode(request, judge)),
        scorer=scorer_digest(loaded.suite.scored_by),
    )
    return Run(
        run_id=given.run_id,
        group_id=given.run_id,
        parent_run_id=None,
        created_at=time.time(),
        spec=spec,
        suite=loaded.suite,
        prompt=None,
        scenarios=scenarios,
        request=request,
        inputs={
            "rubric": loaded.text,
            **suite_inputs(loaded),
            **judge_inputs(loaded, judge),
            GIVEN: given.replies.to_text(),
            **({} if given.weights is None else {WEIGHTS: _weights(given.weights)}),
        },
        provenance=provenance(at.workspace.folder),
    )


def _weights(weights: Mapping[str, float]) -> str:
    """What each response stands for.

    As of one stratum: a run knows nothing of the responses that were not drawn, so that its intervals are rather too
    wide. Those of the sample are exact.
    """
    return ScenarioWeights("production", {name: SampleWeight(each) for name, each in weights.items()}).to_text()


def category_guesser(suite: str, loaded: LoadedSuite, settings: Settings) -> Guess:
    """Guesses the category of a message, by the scenarios of the suite; `other` where the rubric has none such."""
    definition = find_suite(suite, SUITES, settings)
    scenarios = parse_sets(
        read_sets(EvaluationRequest(suite=suite), definition, settings), loaded.rubric, definition.parse
    )
    return partial(_guess, Nearest(scenarios), frozenset(loaded.rubric.categories))


def _guess(nearest: Nearest, known: frozenset[str], message: str) -> str:
    category = nearest.of(message).category
    return category if category and (not known or category in known) else OTHER


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
