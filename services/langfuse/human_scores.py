"""People's scores as scores of the traces in Langfuse, under names of their own, one name for one scale."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.identity import observation_id, score_id
from services.langfuse.masking import Outgoing, fit_json
from services.langfuse.names import ScoreKind, score_name
from services.langfuse.readback import seen_scores
from services.langfuse.rest import LangfuseRest
from services.langfuse.review_queue import QueueTarget
from services.langfuse.score_lists import Body
from services.langfuse.scores import MAX_COMMENT
from services.langfuse.timing import Timing, Waiting
from services.langfuse.traces import ROOT

SETTLING_S = 30.0
"""How long scores are looked for after they were sent: long enough for the server to take them in."""
_LONGEST_PAUSE_S = 2.0


def human_kinds(suite: str, metrics: Iterable[str], low: float, high: float) -> tuple[ScoreKind, ...]:
    """Name, type and range of people's scores."""
    return tuple(ScoreKind(score_name(suite, "human", metric), "NUMERIC", low, high) for metric in metrics)


def scored_observation(record: Mapping[str, Any]) -> str:
    """The generation of a record's response, which for a single turn is the root of its trace."""
    part = ROOT if record.get("turns", 1) == 1 else f"turn-{record['turn']}"
    return observation_id(record["trace_id"], part)


def queue_target(record: Mapping[str, Any]) -> QueueTarget:
    """What a person is to open: the trace of a single turn, the turn's own observation of a conversation."""
    if record.get("turns", 1) == 1:
        return QueueTarget("TRACE", record["trace_id"])
    return QueueTarget("OBSERVATION", scored_observation(record))


def human_scores(
    records: Iterable[Mapping[str, Any]], environment: str, fit: Outgoing, configs: Mapping[str, str]
) -> Iterator[Body]:
    """The bodies of reviews' scores. Their ids follow from response, name and reviewer, and their timestamps are those
    of the responses, so that sending a changed review replaces what was sent before."""
    for record in records:
        trace, observation = record["trace_id"], scored_observation(record)
        rubric = record.get("rubric") or {}
        metadata = {"reviewer": record["reviewer"], "blind": record.get("blind", True)}
        metadata |= {"rubric": rubric.get("name"), "rubric_version": rubric.get("version")}
        for metric, value in record["scores"].items():
            if value is None:
                continue
            name = score_name(record["suite"], "human", metric)
            body: Body = {
                "id": score_id(f"{trace}|{observation}|{record['reviewer']}", name),
                "traceId": trace,
                "observationId": observation,
                "name": name,
                "value": value,
                "dataType": "NUMERIC",
                "environment": environment,
                "metadata": fit_json(metadata, fit),
                "timestamp": record["timestamp"],
            }
            comment = " ".join(text for text in (record.get("rationale", {}).get(metric, ""), record["notes"]) if text)
            if comment:
                body["comment"] = fit(comment)[:MAX_COMMENT]
            if name in configs:
                body["configId"] = configs[name]
            yield body


async def unconfirmed(rest: LangfuseRest, ids: Sequence[str], timing: Timing | None = None) -> list[str]:
    """Those of the sent scores that cannot be read back within half a minute."""
    timing, left = timing or Timing(), list(ids)

    async def look() -> Waiting | None:
        seen = await seen_scores(rest, left)
        left[:] = [each for each in left if each not in seen]
        return Waiting(tuple(left), "") if left else None

    return list(await timing.until(look, timing.clock() + SETTLING_S, _LONGEST_PAUSE_S, lambda _: None))
