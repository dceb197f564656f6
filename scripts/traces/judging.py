"""The second phase: some of the scored turns become a run whose responses are given, and a judge scores them.

Everything that is paid for is a call of that run: journaled, limited, checked on canaries, gone on with after a crash.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

from evaluation.errors import UsageError
from evaluation.estimate import estimate_runs
from evaluation.expectations.pin import expectations_pin
from evaluation.expectations.shared import add_shared_items
from evaluation.given import INPUT as GIVEN
from evaluation.given import GivenReplies, GivenReply
from evaluation.plan import chosen_mode, judge_inputs, suite_inputs
from evaluation.production.as_run import OTHER, scenario_id, scenario_of, seconds
from evaluation.production.judged import SOURCES, JudgedSummary, JudgedTurn, SecondSample, judged_turn, summarise_judged
from evaluation.production.sampling import SampledTurn
from evaluation.production.second_phase import Candidate, SecondPhase, draw_again
from evaluation.production.summary import ScoredTurn
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import PRODUCTION, JudgePin, PromptPin, RunSpec, TextPin, digest
from evaluation.scenarios.nearest import Nearest
from evaluation.scenarios.selection import scenarios_pin
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite, with_judge_prompt
from scripts.run.finish import Outcome
from scripts.run.load import find_suite, parse_sets, pin_judge_prompt, read_sets
from scripts.run.panel import pin_judges
from scripts.run.people import with_peoples_answers
from scripts.run.stop import Stop
from scripts.run.stored import conclude_run, resumed_request, stored_run
from scripts.run.wiring import Wiring, choose_endpoint, judges_for, open_wiring
from scripts.shell import note
from scripts.traces.asked import Asked
from scripts.traces.steps import Done, Steps, WholeTurns
from scripts.workflow import play_and_finish
from services.journal import Journal
from services.provenance import provenance, scorer_digest
from services.settings import Settings

MEANS = ("concurrency", "max_cost", "prices", "quiet")
"""Arguments that say how the turns are judged, and may be others when it is gone on with."""
AS_DRAWN = ("judge_models", "expectations", "conversations")
"""Arguments that decide what is measured: they are those of the beginning."""


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


def judged_run_id(sample_id: str) -> str:
    """The run that judges turns of a sample; there is one."""
    begun, _, mark = sample_id.rpartition("-")
    return f"{begun}-judged-{mark}"


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
    guess = _guesser(asked, loaded, settings)
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
        results = with_peoples_answers(journal.results(run.run_id, run.scenario_ids), run, settings)
        said: Mapping[str, JudgedTurn] = {
            keys[result.exchange.cell.scenario_id]: judged_turn(result) for result in results
        }
    return Judged(run, outcome, SecondSample(turns, phase, said))


async def _go_on(run_id: str, options: argparse.Namespace, settings: Settings, journal: Journal) -> tuple[Run, Outcome]:
    run = stored_run(journal, run_id, SUITES)
    if given := [name for name in AS_DRAWN if getattr(options, name)]:
        flag = given[0].removesuffix("s").replace("_", "-") if given[0] == "judge_models" else given[0]
        raise UsageError(f"--{flag} cannot change: run {run_id} goes on as it was begun; leave it out")
    if journal.run(run_id, inputs=False).state == "finished":
        return run, Outcome((conclude_run(run, journal, settings, run.request),), Stop())
    choice = choose_endpoint(settings)
    request = resumed_request(EvaluationRequest(resume=run_id, langfuse=False, **_means(options)), run, choice)
    async with open_wiring(request, settings, journal, choice, run.suite, run) as wiring:
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
        **_means(options),
    )
    own = await pin_judge_prompt(None, settings, quiet=request.quiet)
    loaded = with_judge_prompt(loaded, own)
    async with open_wiring(request, settings, journal, choose_endpoint(settings)) as wiring:
        judge = await _judge(request, loaded, wiring)
        run = _plan(drawn, asked, loaded, judge, request, settings, folder)
        _say_estimate(run, wiring, journal)
        outcome = await play_and_finish([run], wiring, new=True)
    return (outcome.runs[0].run if outcome.runs else run), outcome


async def _judge(request: EvaluationRequest, loaded: LoadedSuite, wiring: Wiring) -> JudgePin:
    settings = wiring.settings
    usual = (settings.model,) if settings.model else ()
    names = judges_for(request.judge_models or settings.judge_models or usual, wiring.choice, settings)
    if not names:
        raise UsageError("--judge: no judge is named: give --judge-model or set EVAL_JUDGE_MODEL")
    pin = await pin_judges(names, request, loaded, wiring.endpoints, settings)
    if pin is None:
        raise UsageError(f"--judge: rubric {loaded.rubric.name!r} asks no judge: name another with --rubric")
    return pin


def _plan(
    drawn: SecondSample,
    asked: Asked,
    loaded: LoadedSuite,
    judge: JudgePin,
    request: EvaluationRequest,
    settings: Settings,
    folder: Path,
) -> Run:
    """The run: a scenario for each drawn turn with the response that its user had, and what it stands for."""
    guess = _guesser(asked, loaded, settings)
    keys = frozenset(drawn.phase.drawn)
    sampled = [turn.drawn for turn in drawn.turns if turn.drawn.observation.key in keys]
    found, replies = list[Scenario](), dict[str, GivenReply]()
    with WholeTurns(folder) as whole:
        for each in sampled:
            observation, record = each.observation, whole.read(each.observation.key)
            found.append(scenario_of(observation, guess(record["message"]), record))
            replies[found[-1].id] = GivenReply(
                *(record["response"], seconds(observation.started_at), seconds(observation.ended_at)),
                *(observation.trace_id, observation.id),
            )
    scenarios = add_shared_items(found, loaded.rubric)
    mode = chosen_mode(request, judge)
    run_id = judged_run_id(asked.sample_id)
    spec = RunSpec(
        suite=loaded.suite.name,
        prompt=_prompt_pin(sampled, asked),
        model="",
        endpoint=f"{PRODUCTION}{_host(settings)}",
        parameters={},
        judge=judge,
        rubric=TextPin(loaded.rubric.name, loaded.rubric.version, loaded.rubric.sha256),
        scenarios=scenarios_pin("production", scenarios),
        repeats=1,
        seed=asked.seed,
        expectations=expectations_pin(scenarios, mode),
        scorer=scorer_digest(loaded.suite.scored_by),
    )
    given = GivenReplies(asked.sample_id, replies, _traces_at(sampled, settings))
    return Run(
        run_id=run_id,
        group_id=run_id,
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
            GIVEN: given.to_text(),
            "weights": _weights(drawn),
        },
        provenance=provenance(settings.workspace.folder),
    )


def _weights(drawn: SecondSample) -> str:
    """What each turn stands for.

    As of one stratum: a run knows nothing of the turns that were not drawn, so that its intervals are rather too wide.
    Those of the sample are exact.
    """
    scenarios = {scenario_id(key): {"weight": weight, "stratum": ""} for key, weight in drawn.weights().items()}
    return json.dumps({"of": "production", "scenarios": scenarios})


def _guesser(asked: Asked, loaded: LoadedSuite, settings: Settings) -> "partial[str]":
    """Guesses the category of a message, by the scenarios of the suite; `other` where the rubric has none such."""
    definition = find_suite(asked.suite, SUITES, settings)
    scenarios = parse_sets(
        read_sets(EvaluationRequest(suite=asked.suite), definition, settings), loaded.rubric, definition.parse
    )
    return partial(_guess, Nearest(scenarios), frozenset(loaded.rubric.categories))


def _guess(nearest: Nearest, known: frozenset[str], message: str) -> str:
    category = nearest.of(message).category
    return category if category and (not known or category in known) else OTHER


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


def _means(options: argparse.Namespace) -> dict[str, object]:
    return {name: getattr(options, name) for name in MEANS}


def _say_estimate(run: Run, wiring: Wiring, journal: Journal) -> None:
    """What is still to be asked, before it is paid for."""
    if wiring.request.quiet:
        return
    final, judged = journal.final_positions(run.run_id), journal.final_conversations(run.run_id)
    found = estimate_runs([run], {run.run_id: final}, wiring.price_of, wiring.concurrency, {run.run_id: judged})
    for line in found.lines():
        note(line)
