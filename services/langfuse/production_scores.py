"""Scores of production's responses, on the observations that applications left: the only thing written to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.records import Json, Source
from evaluation.suites.suite import Suite
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.preflight import LangfuseReady
from services.langfuse.readback import seen_scores
from services.langfuse.rest import LangfuseRest
from services.langfuse.score_names import Figure, ScoreKind, score_name
from services.langfuse.scores import Body, Refusals, check, post_scores, score_body, timestamp


class ObservedScore(NamedTuple):
    """One value that is put onto a response."""

    source: Source
    metric: str
    value: float
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ScoredObservation:
    """One response of production with what rules, or a judge, say of it."""

    trace_id: str
    observation_id: str
    environment: str
    """Of the observation: its scores are found where it is."""
    ended_at: float
    """Seconds since the epoch: the timestamp of its scores, so that sending them again replaces them at any time."""
    scores: Sequence[ObservedScore]
    """What means something for the response."""


def source_kinds(suite: Suite, source: Source) -> tuple[ScoreKind, ...]:
    """Name, type and range of the scores of a source: the names under which runs send them."""
    return tuple(
        ScoreKind(score_name(suite.name, source, metric), "NUMERIC", *suite.scale(source))
        for metric in suite.metrics_of(source)
    )


def production_scores(
    scored: Iterable[ScoredObservation], suite: str, metadata: Json, fit: Outgoing, configs: Mapping[str, str]
) -> Iterator[Body]:
    """The bodies. Their ids follow from trace, observation and name alone, so that a later pass replaces an earlier."""
    fitted = fit_json(metadata, fit)
    for each in scored:
        for score in each.scores:
            yield score_body(
                Figure(score_name(suite, score.source, score.metric), score.value, score.comment),
                "NUMERIC",
                subject=f"{each.trace_id}|{each.observation_id}",
                target={"traceId": each.trace_id, "observationId": each.observation_id},
                environment=each.environment,
                metadata=fitted,
                at=timestamp(each.ended_at),
                fit=fit,
                configs=configs,
            )


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of some scores."""

    ids: tuple[str, ...]
    """Of those that the server took."""
    refused: Refusals
    there: int = 0
    """Scores that were there and that this server cannot replace."""


async def send_production_scores(
    rest: LangfuseRest, ready: LangfuseReady, bodies: Sequence[Body], kinds: Mapping[str, ScoreKind]
) -> Sent:
    """Sends the scores, each of which replaces its former self. Raises what `post_scores` raises.

    A server before 4.59 stamps a score with the time at which it comes, and keeps both of two days: there a score that
    can be read already is not sent again.
    """
    refused = {str(body["id"]): problem for body in bodies if (problem := check(body, lambda name: kinds[name]))}
    fresh = [body for body in bodies if str(body["id"]) not in refused]
    there = await seen_scores(rest, [str(body["id"]) for body in fresh]) if ready.score_mode == "single" else set()
    fresh = [body for body in fresh if str(body["id"]) not in there]
    refused |= await post_scores(rest, fresh, ready.score_mode)
    return Sent(tuple(str(body["id"]) for body in fresh if str(body["id"]) not in refused), refused, len(there))
