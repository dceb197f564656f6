"""The second phase: some of the scored turns become a run whose responses are given, and a judge scores them."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import UsageError
from evaluation.production.as_run import scenario_id
from evaluation.production.judged import SOURCES, JudgedSummary, SecondSample, summarise_judged
from evaluation.production.second_phase import Candidate, SecondPhase, draw_again
from evaluation.production.summary import ScoredTurn
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin
from evaluation.suites.loaded import LoadedSuite
from scripts.given.judging import GivenJudged, judge_given, named_judges, said_of
from scripts.given.planning import category_guesser, plan_given
from scripts.run.choices import choose_endpoint
from scripts.traces.asked import Asked
from scripts.traces.planning import judged_run_id, plan_judged
from scripts.traces.queueing import STAND_IN
from scripts.traces.steps import Done, Steps
from services.journal import Journal
from services.rehearsal import JUDGE_MODEL
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Judged(GivenJudged):
    """The second phase after its run was played, to its end or not."""

    sample: SecondSample

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Key of each turn -> its scenario."""
        by_id = {scenario.id: scenario for scenario in self.run.scenarios}
        return {key: by_id[scenario_id(key)] for key in self.sample.phase.drawn}

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
    names = named_judges(options, settings, choice)
    if options.queue and choice.rehearsal and JUDGE_MODEL in names:
        raise UsageError(f"--queue {options.queue}: {STAND_IN}, or leave out --queue")


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
    guess = category_guesser(asked.suite, loaded, settings)
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

    def plan(suite: LoadedSuite, judge: JudgePin, request: EvaluationRequest) -> Run:
        drawn = SecondSample(turns, phase, {})
        return plan_given(plan_judged(drawn, asked, suite, settings, folder), suite, judge, request, settings)

    with Journal.in_folder(settings.runs_dir) as journal:
        run_id, named = judged_run_id(asked.sample_id), (asked.suite, asked.rubric)
        run, outcome = await judge_given(run_id, plan, named, loaded, options, settings, journal)
        keys = {scenario_id(key): key for key in phase.drawn}
        said = {keys[name]: judged for name, judged in said_of(run, outcome, journal, settings)}
    return Judged(run, outcome, SecondSample(turns, phase, said))
