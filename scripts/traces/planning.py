"""The run of the second phase: a scenario for each drawn turn, with the response that its user had, and its weight."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote, urlsplit

from evaluation.expectations.pin import expectations_pin
from evaluation.expectations.shared import add_shared_items
from evaluation.given import INPUT as GIVEN
from evaluation.given import GivenReplies, GivenReply
from evaluation.plan import chosen_mode, judge_inputs, suite_inputs
from evaluation.production.as_run import OTHER, scenario_id, scenario_of, seconds
from evaluation.production.judged import SecondSample
from evaluation.production.sampling import SampledTurn
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import PRODUCTION, JudgePin, PromptPin, RunSpec, TextPin, digest
from evaluation.scenarios.nearest import Nearest
from evaluation.scenarios.selection import scenarios_pin
from evaluation.statistics.clusters import SampleWeight
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite
from evaluation.summary.weights import INPUT as WEIGHTS
from evaluation.summary.weights import ScenarioWeights
from scripts.run.load import find_suite, parse_sets, read_sets
from scripts.traces.asked import Asked
from scripts.traces.steps import SHOWN, WholeTurns
from services.provenance import provenance, scorer_digest
from services.settings import Settings

Guess: TypeAlias = Callable[[str], str]
"""The likely category of a message."""


def judged_run_id(sample_id: str) -> str:
    """The run that judges turns of a sample; there is one."""
    begun, _, mark = sample_id.rpartition("-")
    return f"{begun}-judged-{mark}"


def plan_judged(
    drawn: SecondSample,
    asked: Asked,
    loaded: LoadedSuite,
    judge: JudgePin,
    request: EvaluationRequest,
    settings: Settings,
    folder: Path,
) -> Run:
    """The run: a scenario for each drawn turn with the response that its user had, and what it stands for."""
    guess = category_guesser(asked, loaded, settings)
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
        rubric=TextPin(loaded.rubric.name, loaded.rubric.edition, loaded.rubric.sha256),
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
            WEIGHTS: _weights(drawn),
        },
        provenance=provenance(settings.workspace.folder),
    )


def _weights(drawn: SecondSample) -> str:
    """What each turn stands for.

    As of one stratum: a run knows nothing of the turns that were not drawn, so that its intervals are rather too wide.
    Those of the sample are exact.
    """
    scenarios = {scenario_id(key): SampleWeight(weight) for key, weight in drawn.weights().items()}
    return ScenarioWeights("production", scenarios).to_text()


def category_guesser(asked: Asked, loaded: LoadedSuite, settings: Settings) -> Guess:
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
