"""Several samples as one verdict, and what of it a person should look at."""

import asyncio
from typing import Any

import pytest

from evaluation.judging.judge import Judge, with_judgement
from evaluation.judging.scale import rescale
from evaluation.records import CallFailure, Reply, Request, Score, Verdict
from evaluation.runspec import JudgePin
from tests.evaluation.judging.verdicts import exchange, judge_rubric, reply, verdict

JUDGED = exchange("I'm worried about my job.", "That sounds hard. What worries you most?")


def judge(samples: int = 1) -> Judge:
    return Judge(JudgePin("j", "e", "schema", samples=samples), judge_rubric(), 7)


def read(*raws: str) -> Verdict:
    return judge(len(raws)).read([reply(raw) for raw in raws], JUDGED)


def test_the_median_of_every_value_and_the_spread() -> None:
    found = read(verdict(0.2, helpfulness=0.9), verdict(0.4, helpfulness=0.5), verdict(0.3, helpfulness=0.4))
    assert found.scores["helpfulness"] == 0.5
    assert found.scores["appropriateness"] == 0.3
    assert found.spread["helpfulness"] == pytest.approx(0.5)
    assert found.spread["appropriateness"] == pytest.approx(0.2)
    assert len(found.samples) == 3
    assert (found.usage.input_tokens, found.cost_usd, found.latency_ms) == (30, 1.5, 3000)


def test_what_a_person_should_look_at() -> None:
    cases: list[tuple[tuple[str, ...], list[str]]] = [
        ((verdict(0.3),), []),
        ((verdict(0.3, overall_quality=0.45),), []),
        ((verdict(0.3, overall_quality=0.46),), ["gave 0.46 overall"]),
        ((verdict(0.3), verdict(0.5)), []),
        ((verdict(0.3), verdict(0.51)), ["0.21 apart"]),
        ((verdict(0.3), verdict(0.3), "no"), ["1 of its samples"]),
        (("no",), []),
    ]
    for raws, reasons in cases:
        review = read(*raws).review
        assert len(review) == len(reasons), (raws, reasons)
        assert all(reason in said for reason, said in zip(reasons, review, strict=True)), (raws, reasons)


def test_most_samples_must_be_read() -> None:
    cases: list[tuple[tuple[str, ...], bool]] = [
        (("no", verdict(0.3)), False),
        (("no", verdict(0.3), verdict(0.5)), True),
        (("no", "no", verdict(0.3)), False),
    ]
    for raws, parsed in cases:
        found = read(*raws)
        assert found.parsed is parsed, (raws, parsed)
        assert (found.fallback, bool(found.problem)) == ((None, False) if parsed else (0.5, True)), (raws, parsed)
        assert bool(found.scores) is parsed, (raws, parsed)


def test_samples_have_seeds_and_numbers_of_their_own() -> None:
    asked: list[Request] = []

    async def complete(request: Request) -> Reply | CallFailure:
        asked.append(request)
        return reply(verdict(0.3))

    found = asyncio.run(judge(3).judge(JUDGED, complete))
    assert isinstance(found, Verdict)
    assert [request.sample for request in asked] == [1, 2, 3]
    assert len({request.parameters["seed"] for request in asked}) == 3
    assert len({request.messages for request in asked}) == 1


def test_a_sample_without_an_answer_is_a_failure() -> None:
    failure = CallFailure("timeout", "m", 3, 0.0, 1.0)

    async def complete(request: Request) -> Reply | CallFailure:
        return failure if request.sample == 2 else reply(verdict(0.3))

    assert asyncio.run(judge(3).judge(JUDGED, complete)) is failure


def test_a_value_on_another_scale() -> None:
    cases: list[tuple[float, tuple[Any, Any], float]] = [
        (3.0, ((1.0, 5.0), (0.0, 1.0)), 0.5),
        (0.25, ((0.0, 1.0), (1.0, 5.0)), 2.0),
        (0.3, ((0.0, 1.0), (0.0, 1.0)), 0.3),
    ]
    for value, scales, expected in cases:
        assert rescale(value, *scales) == expected, (value, scales, expected)


def test_combined_is_the_mean_per_metric_on_the_scale_of_the_rules() -> None:
    rules = [Score("helpfulness", "heuristic", 0.4), Score("warmth", "heuristic", None, reason="none")]
    found = Verdict({"helpfulness": 4.0, "warmth": 5.0}, "why", True, "", "j")
    scores = with_judgement(rules, found, ("helpfulness", "warmth"), judge_scale=(1.0, 5.0))
    values = {(score.source, score.metric): score.value for score in scores}
    assert values["judge", "helpfulness"] == 4.0
    assert values["combined", "helpfulness"] == pytest.approx((0.4 + 0.75) / 2)
    assert values["combined", "warmth"] is None
