"""The inverse of a line of results.jsonl, as far as figures and decision follow from it."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.messages import calls_from_json
from evaluation.records import CallFailure, Cell, Exchange, ItemAnswer, Reply, Result, Score, Turn, Usage, Verdict

NO_REASON = "no value"
"""Stands for the reason of a score without a value where the line gives none."""


def read_result(line: Mapping[str, Any]) -> Result:
    """The result that a line shows, without the moments and single prices that neither mean nor verdict is made of.

    Raises KeyError, TypeError, ValueError or AttributeError for a line that `result_line` did not write.
    """
    verdict, error = line["judge"], line["error"]
    failure = None if error is None else _failure(error, line["latency_ms"] / 1000)
    return Result(
        exchange=Exchange(
            cell=Cell(line["scenario_id"], line["repeat"]),
            turn=line["turn"],
            context=tuple(Turn(each["role"], each["content"], calls_from_json(each)) for each in line["context"]),
            user_input=line["input"],
            outcome=failure if failure is not None and error["stage"] == "generation" else _reply(line),
            moderation=tuple(line["moderation"]),
            words=line["response"] if "raw_response" in line else None,
            language=(line.get("language") or {}).get("named") or "",
        ),
        state=line["state"],
        scores=tuple(_scores(line)),
        verdict=None if verdict is None else _verdict(verdict),
        error=failure,
        expectations=tuple(map(_answer, line["expectations"])),
        scope=line["scope"],
    )


def _failure(error: Mapping[str, Any], lasted_s: float) -> CallFailure:
    purpose = error["stage"] if error["stage"] in ("moderation", "embedding", "expectations") else None
    return CallFailure(error["kind"], error["message"], error["attempts"], 0.0, lasted_s, purpose)


def _reply(line: Mapping[str, Any]) -> Reply:
    return Reply(
        text=line.get("raw_response", line["response"]) or "",
        finish_reason=line["finish_reason"],
        model="",
        parameters=line["parameters"],
        usage=Usage(**line["usage"]),
        started_at=0.0,
        ended_at=line["latency_ms"] / 1000,
        attempts=line["attempts"],
        cost_usd=line["cost_usd"],
        cached=line["cached"],
        tool_calls=calls_from_json(line),
    )


def _scores(line: Mapping[str, Any]) -> Iterator[Score]:
    outside, explanations = set(line["not_applicable"]), line["explanations"]
    for source, values in line["scores"].items():
        for metric, value in values.items():
            said = explanations.get(metric, "")
            applicable = metric not in outside
            if value is None:
                yield Score(metric, source, None, applicable=applicable, reason=said or NO_REASON)
            else:
                yield Score(metric, source, float(value), said, applicable)


def _verdict(judge: Mapping[str, Any]) -> Verdict:
    return Verdict(
        scores=judge["scores"],
        reasoning=judge["reasoning"],
        parsed=judge["parsed"],
        raw=judge["raw"],
        model=judge["model"],
        problem=judge["problem"] or "",
        fallback=judge["fallback"],
        samples=tuple(judge["samples"]),
        injection_suspected=judge["injection_suspected"],
        usage=Usage(**judge["usage"]),
        cost_usd=judge["cost_usd"],
        latency_ms=judge["latency_ms"],
        cached=judge["cached"],
        given_overall=judge["given_overall"],
        spread=judge["spread"],
        review=tuple(judge["review"]),
        rationale=judge["rationale"],
        members=judge["members"],
        escalated=judge["escalated"],
        bounds={name: (low, high) for name, (low, high) in judge["bounds"].items()},
    )


def _answer(item: Mapping[str, Any]) -> ItemAnswer:
    return ItemAnswer(
        id=item["id"],
        outcome=item["outcome"],
        source=item["source"],
        quote=item["quote"],
        reason=item["reason"],
        turn=item["turn"],
        answers=tuple(item["answers"]),
        members={model: tuple(outcomes) for model, outcomes in item["members"].items()},
    )
