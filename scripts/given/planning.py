"""The run of responses that users had already: a scenario for each, and what each stands for."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from evaluation.expectations.pin import expectations_pin
from evaluation.expectations.shared import add_shared_items
from evaluation.given import INPUT as GIVEN
from evaluation.given import GivenReplies
from evaluation.plan import chosen_mode, judge_inputs, suite_inputs
from evaluation.production.as_run import OTHER
from evaluation.records import Scenario
from evaluation.request import EvaluationRequest
from evaluation.run import Run
from evaluation.runspec import PRODUCTION, JudgePin, PromptPin, RunSpec, TextPin
from evaluation.scenarios.nearest import Nearest
from evaluation.scenarios.selection import scenarios_pin
from evaluation.statistics.scenario_scores import SampleWeight
from evaluation.suites import SUITES
from evaluation.suites.loaded import LoadedSuite
from evaluation.summary.weights import INPUT as WEIGHTS
from evaluation.summary.weights import ScenarioWeights
from scripts.run.load import find_suite, parse_sets, read_sets
from services.provenance import provenance, scorer_digest
from services.settings import Settings

Guess: TypeAlias = Callable[[str], str]
"""The likely category of a message."""


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
