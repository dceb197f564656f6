"""The second phase: some of the scored turns become a run whose responses are given, and a judge scores them.

Everything that is paid for is a call of that run: journaled, limited, checked on canaries, gone on with after a crash.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.errors import UsageError
from evaluation.estimate import estimate_runs
from evaluation.production.as_run import scenario_id
from evaluation.production.judged import (
    SOURCES,
    JudgedSummary,
    JudgedTurn,
    SecondSample,
    conversation_scores,
    judged_turn,
    summarise_judged,
)
from evaluation.production.second_phase import Candidate, SecondPhase, draw_again
from evaluation.production.summary import ScoredTurn
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, with_judge_prompt
from scripts.run.finish import Outcome
from scripts.run.load import pin_judge_prompt
from scripts.run.panel import pin_judges
from scripts.run.people import with_peoples_answers
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run, resumed_request, stored_run
from scripts.run.wiring import EndpointChoice, Wiring, choose_endpoint, judges_for, open_wiring
from scripts.shell import note
from scripts.traces.arguments import AS_DRAWN, MEANS, flag_of
from scripts.traces.asked import Asked
from scripts.traces.planning import category_guesser, judged_run_id, plan_judged
from scripts.traces.queueing import STAND_IN
from scripts.traces.steps import Done, Steps
from scripts.workflow import play_and_finish
from services.journal import Journal
from services.rehearsal import JUDGE_MODEL
from services.settings import Settings

UNMASKED = "LANGFUSE_MASK is not set: the judge is sent what users said as they said it, names and addresses too"


@dataclass(frozen=True, slots=True)
class Judged:
    """The second phase after its run was played, to its end or not."""

    run: Run
    outcome: Outcome
    sample: SecondSample

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Key of each turn -> its scenario."""
        by_id = {scenario.id: scenario for scenario in self.run.scenarios}
        return {key: by_id[scenario_id(key)] for key in self.sample.phase.drawn}

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

    def summary(self, worst: int) -> JudgedSummary:
        """What the judge says of all of production; `worst` says how many of the lowest are named."""
        suite = self.run.suite
        scales = {source: suite.scale(source) for source in self.run.sources if source in SOURCES}
        return summarise_judged(
            *(self.sample, self.scenarios, suite.metrics, suite.overall, scales), run_id=self.run.run_id, worst=worst
        )


def check_judge(options: argparse.Namespace, settings: Settings) -> None:
    """Raises UsageError where a judge is asked for and none is named, or a queue for what the stand-in judges.

    It is found out before production is read.
    """
    if options.queue_size and not options.queue:
        raise UsageError("--queue-size is of a queue: name it with --queue")
    if not options.judge:
        return
    choice = choose_endpoint(settings)
    names = _names(tuple(options.judge_models or ()), settings, choice)
    if not names:
        raise UsageError("--judge: no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    if options.queue and choice.rehearsal and JUDGE_MODEL in names:
        raise UsageError(f"--queue {options.queue}: {STAND_IN}, or leave out --queue")


def _names(named: Sequence[str], settings: Settings, choice: EndpointChoice) -> tuple[str, ...]:
    usual = (settings.model,) if settings.model else ()
    return judges_for(named or settings.judge_models or usual, choice, settings)


def draw_for_judge(
    count: int | None,
    asked: Asked,
    loaded: LoadedSuite,
    settings: Settings,
    turns: Sequence[ScoredTurn],
    done: Done,
    steps: Steps,
) -> SecondPhase | None:
    """What the judge is given: as it was drawn before, else drawn now and on disk. None where none is asked for.

    Raises UsageError where another number was drawn before.
    """
    if done.second is not None:
        if count not in (None, done.asked_for):
            raise UsageError(
                f"--judge {count}: {done.asked_for} turns of sample {asked.sample_id} were drawn for a judge already: "
                "leave it out, or begin another sample"
            )
        return done.second
    if count is None:
        return None
    guess = category_guesser(asked, loaded, settings)
    overall, scored = loaded.suite.overall, [turn for turn in turns if not turn.reason]
    candidates = []
    for turn in scored:
        observation = turn.drawn.observation
        candidates.append(
            Candidate(observation.key, observation.version, guess(turn.message), turn.scores.get(overall))
        )
    done.second, done.asked_for = draw_again(candidates, count, asked.seed), count
    steps.second(count, done.second)
    return done.second


async def judge_turns(
    phase: SecondPhase,
    asked: Asked,
    loaded: LoadedSuite,
    options: argparse.Namespace,
    settings: Settings,
    folder: Path,
    turns: Sequence[ScoredTurn],
) -> Judged | None:
    """The drawn turns as the judge sees them; what was judged before is not asked again. None where none was drawn.

    Raises EvaluationError for what the user must mend; what was judged by then is journaled.
    """
    if not phase.drawn:
        return None
    with Journal.in_folder(settings.runs_dir) as journal:
        run_id = judged_run_id(asked.sample_id)
        if run_id in journal.run_ids():
            run, outcome = await _go_on(run_id, options, settings, journal)
        else:
            drawn = SecondSample(turns, phase, {})
            run, outcome = await _begin(drawn, asked, loaded, options, settings, folder, journal)
        keys = {scenario_id(key): key for key in phase.drawn}
        said = {keys[name]: judged for name, judged in _judged(run, outcome, journal, settings)}
    return Judged(run, outcome, SecondSample(turns, phase, said))


def _judged(run: Run, outcome: Outcome, journal: Journal, settings: Settings) -> Iterator[tuple[str, JudgedTurn]]:
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
    if given := [name for name in AS_DRAWN if getattr(options, name)]:
        raise UsageError(f"{flag_of(given[0])} cannot change: run {run_id} goes on as it was begun; leave it out")
    if journal.run(run_id, inputs=False).state == "finished":
        return run, Outcome((conclude_run(run, journal, settings, run.request),), Stop())
    choice = choose_endpoint(settings)
    request = resumed_request(EvaluationRequest(resume=run_id, langfuse=False, **_means(options)), run, choice)
    async with open_wiring(request, settings, journal, choice) as wiring:
        _say_estimate(run, wiring, journal)
        return run, await play_and_finish([run], wiring, new=False)


async def _begin(
    drawn: SecondSample,
    asked: Asked,
    loaded: LoadedSuite,
    options: argparse.Namespace,
    settings: Settings,
    folder: Path,
    journal: Journal,
) -> tuple[Run, Outcome]:
    request = EvaluationRequest(
        suite=asked.suite,
        rubric=asked.rubric,
        judge_models=tuple(options.judge_models or ()),
        expectations=options.expectations or "judge",
        conversations=options.conversations or "judge",
        langfuse=False,
        mix="none",  # its turns are met as often as users meet them already
        **_means(options),
    )
    own = await pin_judge_prompt(None, settings, quiet=request.quiet)
    loaded = with_judge_prompt(loaded, own)
    async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
        judge = await _judge(request, loaded, wiring)
        run = plan_judged(drawn, asked, loaded, judge, request, settings, folder)
        _say_estimate(run, wiring, journal)
        outcome = await play_and_finish([run], wiring, new=True)
    return (outcome.runs[0].run if outcome.runs else run), outcome


async def _judge(request: EvaluationRequest, loaded: LoadedSuite, wiring: Wiring) -> JudgePin:
    names = _names(request.judge_models, wiring.settings, wiring.choice)
    pin = await pin_judges(names, request, loaded, wiring.endpoints, wiring.settings)
    if pin is None:
        raise UsageError(f"--judge: rubric {loaded.rubric.name!r} asks no judge: name another with --rubric")
    return pin


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
