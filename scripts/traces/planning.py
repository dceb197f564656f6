"""The run of the second phase: a scenario for each drawn turn, with the response that its user had, and its weight."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

from evaluation.given import GivenReplies, GivenReply
from evaluation.production.as_run import scenario_id, scenario_of, seconds
from evaluation.production.judged import SecondSample
from evaluation.production.sampling import SampledTurn
from evaluation.records import Scenario
from evaluation.runspec import PromptPin, digest
from evaluation.suites.loaded import LoadedSuite
from scripts.given.planning import GivenRun, category_guesser
from scripts.traces.asked import Asked
from scripts.traces.steps import SHOWN, WholeTurns
from services.settings import Settings


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
