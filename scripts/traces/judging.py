"""The second phase: some of the scored turns become a run that a judge scores, and people label what is drawn of it."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from evaluation.errors import UsageError
from evaluation.given import GivenReplies, GivenReply
from evaluation.production.as_run import scenario_id, scenario_of, seconds
from evaluation.production.judged import SOURCES, JudgedSummary, SecondSample, summarise_judged
from evaluation.production.sampling import SampledTurn
from evaluation.production.second_phase import Candidate, SecondPhase, draw_again
from evaluation.production.summary import ScoredTurn
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import JudgePin, PromptPin, digest
from evaluation.suites.loaded import LoadedSuite
from scripts.given.judging import (
    GivenJudged,
    GivenRun,
    category_guesser,
    judge_given,
    named_judges,
    plan_given,
    said_of,
)
from scripts.reviewing.langfuse import fill_queue
from scripts.run.labels import draw_file, read_draw
from scripts.run.wiring import choose_endpoint
from scripts.shell import note
from scripts.traces.asked import Asked
from scripts.traces.steps import SHOWN, Done, Steps, WholeTurns
from services.journal import Journal
from services.record_files import REVIEWS
from services.rehearsal import JUDGE_MODEL
from services.settings import Settings

STAND_IN = "the stand-in judges, and what it marks is not worth people's time: set OPENAI_API_KEY"
"""Why a queue is refused, and what would change that."""


def judged_run_id(sample_id: str) -> str:
    """The run that judges turns of a sample; there is one."""
    begun, _, mark = sample_id.rpartition("-")
    return f"{begun}-judged-{mark}"


def plan_judged(drawn: SecondSample, asked: Asked, loaded: LoadedSuite, settings: Settings, folder: Path) -> GivenRun:
    """The run: a scenario for each drawn turn with the response that its user had, and what it stands for."""
    guess = category_guesser(asked.suite, loaded, settings)
    keys = frozenset(drawn.phase.drawn)
    sampled = [turn.drawn for turn in drawn.turns if turn.drawn.observation.key in keys]
    found, replies = list[Scenario](), dict[str, GivenReply]()
    with WholeTurns(folder) as whole:
        for each in sampled:
            observation, record = each.observation, whole.read(each.observation.key)
            found.append(scenario_of(observation, guess(record["message"][:SHOWN]), record))
            replies[found[-1].id] = GivenReply(
                *(record["response"], seconds(observation.started_at), seconds(observation.ended_at)),
                *(observation.trace_id, observation.id),
            )
    return GivenRun(
        run_id=judged_run_id(asked.sample_id),
        prompt=_prompt_pin(sampled, asked),
        kept_at=_host(settings),
        scenarios=found,
        replies=GivenReplies(asked.sample_id, replies, _traces_at(sampled, settings)),
        seed=asked.seed,
        weights={scenario_id(key): weight for key, weight in drawn.weights().items()},
    )


def _prompt_pin(sampled: Sequence[SampledTurn], asked: Asked) -> PromptPin:
    """The one version that all turns are of, else the prompt, else production. Its text is not known."""
    versions = {(each.observation.prompt_name, each.observation.prompt_version) for each in sampled}
    name, version = versions.pop() if len(versions) == 1 else (asked.wanted.prompt_name, None)
    return PromptPin(name or "production", version, None, digest(asked.sample_id), "production")


def _host(settings: Settings) -> str:
    return "" if settings.langfuse is None else urlsplit(settings.langfuse.base_url).netloc.rpartition("@")[2]


def _traces_at(sampled: Sequence[SampledTurn], settings: Settings) -> str:
    project = next((each.observation.project_id for each in sampled if each.observation.project_id), "")
    if not project or settings.langfuse is None:
        return ""
    return f"{settings.langfuse.base_url}/project/{quote(project, safe='')}/traces/"


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
        drawn = SecondSample({}, turns, phase)
        return plan_given(plan_judged(drawn, asked, suite, settings, folder), suite, judge, request, settings)

    with Journal.in_folder(settings.runs_dir) as journal:
        run_id, named = judged_run_id(asked.sample_id), (asked.suite, asked.rubric)
        run, outcome = await judge_given(run_id, plan, named, loaded, options, settings, journal)
        keys = {scenario_id(key): key for key in phase.drawn}
        said = {keys[name]: judged for name, judged in said_of(run, outcome, journal, settings)}
    return Judged(run, outcome, SecondSample(said, turns, phase))


def queue_judged(sample_id: str, options: argparse.Namespace, settings: Settings, again: str) -> int:
    """Fills the queue with what is drawn of the judged responses for labels that count; returns the exit code.

    The draw is that of `make review ARGS="next"`: responses of which a label says most come in more often, each with a
    known probability, and none is left out for sure. How many were added is noted aside where the output is JSON.
    `again` is the command that goes on where Langfuse refuses or stays away. Raises UsageError where nothing was
    judged, or by the stand-in.
    """
    run_id, name = judged_run_id(sample_id), options.queue
    with Journal.in_folder(settings.runs_dir) as journal:
        if run_id not in journal.run_ids():
            raise UsageError(f"--queue {name}: nothing of sample {sample_id} was judged: add --judge N")
        if journal.run(run_id, inputs=False).spec.rehearsed:
            raise UsageError(f"--queue {name}: {STAND_IN}, and begin another sample")
    more, seed = _more(run_id, options.queue_size, settings)
    asked = argparse.Namespace(
        run=run_id, name=name, limit=None, seed=seed, next=more, to_review=False, reviews=None, file=None, rubric=None
    )
    return fill_queue(asked, settings, note if options.json else print, again=f"go on with {again}")


def _more(run_id: str, size: int | None, settings: Settings) -> tuple[int, int]:
    """(how many more are to be drawn so that about `size` are, seed of the draw): 0 for the draw as it is."""
    before = read_draw(draw_file(settings.runs_dir / REVIEWS, run_id))
    if before is None:
        return size or 0, 0
    return max(0, (size or 0) - round(before.expected)), before.seed
