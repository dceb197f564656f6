"""Scores onto production's observations: sent in parts, each part noted once the server took it, and read back."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.errors import UsageError
from evaluation.production.observation import moment
from evaluation.production.sampling import SampledTurn
from evaluation.records import Json
from evaluation.suites.loaded import LoadedSuite
from evaluation.text.numbers import count
from scripts.traces.steps import Done, Steps
from services.langfuse.human_scores import unconfirmed_scores
from services.langfuse.masking import Outgoing
from services.langfuse.preflight import preflight
from services.langfuse.production_scores import (
    ScoredObservation,
    production_scores,
    rule_kinds,
    send_production_scores,
)
from services.langfuse.rest import LangfuseRest, Rejected

PART = 100
"""Observations whose scores go in one part."""


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What there is to say about scores that were sent, a line each."""

    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What was refused, or cannot be read back."""


async def write_back(
    sample: Sequence[SampledTurn],
    loaded: LoadedSuite,
    rest: LangfuseRest,
    fit: Outgoing,
    done: Done,
    steps: Steps,
    progress: Callable[[str], None],
) -> WrittenBack:
    """Sends the scores of what was not sent yet, and reads them back.

    Raises TryAgain when patience ends, UsageError where the server takes no scores.
    """
    suite = loaded.suite
    kinds = rule_kinds(suite.name, suite.metrics_of("heuristic"), *suite.scale("heuristic"))
    waiting = [
        each
        for each in sample
        if each.observation.key not in done.sent and not done.turns[each.observation.key]["reason"]
    ]
    if not waiting:
        return WrittenBack()
    ready = await preflight(rest, kinds)
    rubric: Json = {"rubric": loaded.rubric.name, "rubric_version": loaded.rubric.version}
    notes, problems, there = list(ready.notes), list[str](), 0
    for part in (waiting[start : start + PART] for start in range(0, len(waiting), PART)):
        bodies = list(production_scores(_scored(part, done), suite.name, rubric, fit, ready.configs))
        try:
            sent = await send_production_scores(rest, ready, bodies, {kind.name: kind for kind in kinds})
        except Rejected as rejected:
            raise UsageError(f"{rest.where} takes no scores ({rejected}): check LANGFUSE_BASE_URL") from None
        problems += [f"score {identity}: {why}" for identity, why in sent.refused.items()]
        there += sent.there
        if left := await unconfirmed_scores(rest, sent.ids):
            problems.append(f"{count(len(left))} scores were sent and cannot be read yet")
        elif not sent.refused:
            keys = [each.observation.key for each in part]
            steps.sent(keys)
            done.sent.update(keys)
            progress(f"scores of {count(len(done.sent))} responses confirmed in Langfuse")
    if there:
        notes.append(f"{count(there)} scores were there before and cannot be replaced on this server: they stay")
    return WrittenBack(tuple(notes), tuple(problems))


def _scored(part: Sequence[SampledTurn], done: Done) -> Iterator[ScoredObservation]:
    for each in part:
        observation, record = each.observation, done.turns[each.observation.key]
        yield ScoredObservation(
            observation.trace_id,
            observation.id,
            observation.environment,
            moment(observation.ended_at).timestamp(),
            {metric: value for metric, value in record["scores"].items() if value is not None},
            record["explanations"],
        )
